package route

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sverka/internal/id"
)

const selectRoutes = `
	SELECT id, connection_id, mapping, version FROM routes
	WHERE tenant_id = @tenant AND source = @source AND source_id = @source_id AND state = 'active' ORDER BY id`

// Of gives the active routes of a source, always in the same order. None is no error.
func Of(ctx context.Context, tx pgx.Tx, tenant id.Tenant, source string, sourceID uuid.UUID) ([]Route, error) {
	rows, _ := tx.Query(ctx, selectRoutes, pgx.StrictNamedArgs{"tenant": tenant, "source": source, "source_id": sourceID})
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Route])
}

const insertRoute = `
	INSERT INTO routes (tenant_id, id, source, source_id, connection_id, mapping)
	VALUES (@tenant, @id, @source, @source_id, @connection, @mapping)`

// Create stores a route.
func Create(ctx context.Context, tx pgx.Tx, tenant id.Tenant, source string, sourceID uuid.UUID, r Route) error {
	_, err := tx.Exec(ctx, insertRoute, pgx.StrictNamedArgs{"tenant": tenant, "id": r.ID, "source": source,
		"source_id": sourceID, "connection": r.Connection, "mapping": r.Mapping})
	return err
}

const changeMapping = `
	UPDATE routes SET mapping = @mapping, version = version + 1 WHERE tenant_id = @tenant AND id = @id`

// ChangeMapping applies to events interpreted from now on; operations keep the version they were made with.
func ChangeMapping(ctx context.Context, tx pgx.Tx, tenant id.Tenant, route id.Route, m Mapping) error {
	_, err := tx.Exec(ctx, changeMapping, pgx.StrictNamedArgs{"mapping": m, "tenant": tenant, "id": route})
	return err
}
