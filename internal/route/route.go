// Package route leads from a source (bot or partner) to a connection, with what becomes of a message
// on the way. A route is read for each event, never cached: a change is live at once.
//
// It alone writes table routes.
package route

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sverka/internal/id"
)

// Route is one way from a source to a connection.
type Route struct {
	ID         id.Route
	Connection id.Connection
	Mapping    Mapping
	Version    int
}

// Mapping says what goes into the CRM record. Without an entry a field goes under its own name.
type Mapping struct {
	// Fields: name of the record's field ← name of ours, or constant text after "=".
	Fields map[string]string `json:"fields,omitempty"`
}

// Apply makes the record's fields of what is known. Empty values are left out.
func (m Mapping) Apply(known map[string]string) map[string]string {
	fields := map[string]string{}
	for name, value := range known {
		if value != "" {
			fields[name] = value
		}
	}
	for name, from := range m.Fields {
		if constant, ok := cutConstant(from); ok {
			fields[name] = constant
		} else if value := known[from]; value != "" {
			fields[name] = value
		}
	}
	return fields
}

func cutConstant(from string) (string, bool) {
	if len(from) > 0 && from[0] == '=' {
		return from[1:], true
	}
	return "", false
}

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
