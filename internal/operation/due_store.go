package operation

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sverka/internal/id"
)

const dueNow = `
	SELECT FROM operations o
	LEFT JOIN operations d ON d.tenant_id = o.tenant_id AND d.id = o.depends_on
	WHERE o.tenant_id = c.tenant_id AND o.connection_id = c.id AND o.state = 'pending' AND o.next_attempt_at <= now()
		AND ` + free

const isDue = `SELECT EXISTS (SELECT FROM connections c WHERE c.tenant_id = @tenant AND c.id = @connection AND EXISTS (` + dueNow + `))`

// IsDue reports whether the connection has an operation that could be claimed now.
func IsDue(ctx context.Context, tx pgx.Tx, tenant id.Tenant, connection id.Connection) (due bool, err error) {
	err = tx.QueryRow(ctx, isDue, pgx.StrictNamedArgs{"tenant": tenant, "connection": connection}).Scan(&due)
	return due, err
}

const dueOwners = `
	SELECT c.tenant_id, 'perform', c.id
	FROM connections c
	JOIN tenants t ON t.id = c.tenant_id AND t.state = 'active'
	WHERE c.state = 'active'
		AND NOT EXISTS (SELECT FROM bells b WHERE b.tenant_id = c.tenant_id AND b.kind = 'perform' AND b.owner_id = c.id
			AND (b.rung OR b.drain_until > now()))
		AND EXISTS (` + dueNow + `)`

// DueOwners finds, over all tenants, the connections with something to send and a silent bell.
func DueOwners(ctx context.Context, scan pgx.Tx) ([]id.Owner, error) {
	rows, _ := scan.Query(ctx, dueOwners)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[id.Owner])
}
