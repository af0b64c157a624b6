package connection

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"sverka/internal/crm"
	"sverka/internal/id"
	"sverka/internal/pg"
	"sverka/internal/secret"
)

const insertConnection = `
	INSERT INTO connections (tenant_id, id, adapter, name, settings, secrets_sealed, concurrency)
	VALUES (@tenant, @id, @adapter, @name, @settings, @secrets, @concurrency)`

// The rate row's burst: tolerance = emission × (burst − 1).
const insertRate = `
	INSERT INTO connection_rate (tenant_id, connection_id, emission, tolerance)
	VALUES (@tenant, @id, make_interval(secs => 1 / @per_second::float8),
		make_interval(secs => greatest(@burst::int - 1, 0) / @per_second::float8))`

const insertPromise = `
	INSERT INTO connection_capabilities (tenant_id, connection_id, record_kind, capability, key_window, serial_only, proven_at)
	VALUES (@tenant, @id, @kind, @capability, @window, @serial, now())`

// Create stores a connection with its sealed secrets, its rate and its promises.
func Create(ctx context.Context, tx pgx.Tx, tenant id.Tenant, key *secret.DataKey, a crm.Adapter, c Connection,
	settings crm.Settings, promises []Promise) error {
	open, sealed := split(a, settings)
	secrets, err := json.Marshal(sealed)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, insertConnection, pgx.StrictNamedArgs{
		"tenant": tenant, "id": c.ID, "adapter": c.Adapter, "name": c.Name, "settings": open,
		"secrets": key.Seal(secretsPlace(c.ID), secrets), "concurrency": a.Rate.Concurrency,
	}); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, insertRate, pgx.StrictNamedArgs{
		"tenant": tenant, "id": c.ID, "per_second": a.Rate.PerSecond, "burst": a.Rate.Burst,
	}); err != nil {
		return err
	}
	for _, p := range promises {
		if _, err := tx.Exec(ctx, insertPromise, pgx.StrictNamedArgs{"tenant": tenant, "id": c.ID, "kind": p.Kind,
			"capability": p.Capability, "window": p.KeyWindow, "serial": p.SerialOnly}); err != nil {
			return err
		}
	}
	return nil
}

const selectConnections = `
	SELECT id, adapter, name, state, coalesce(reason, ''), concurrency, version FROM connections WHERE tenant_id = @tenant `

// Load reads one connection.
func Load(ctx context.Context, tx pgx.Tx, tenant id.Tenant, connection id.Connection) (Connection, error) {
	rows, _ := tx.Query(ctx, selectConnections+`AND id = @id`, pgx.StrictNamedArgs{"tenant": tenant, "id": connection})
	c, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Connection])
	return c, pg.Translate(err, ErrNotFound)
}

// All reads a tenant's connections, by name.
func All(ctx context.Context, tx pgx.Tx, tenant id.Tenant) ([]Connection, error) {
	rows, _ := tx.Query(ctx, selectConnections+`AND state <> 'deleted' ORDER BY name, id`, pgx.StrictNamedArgs{"tenant": tenant})
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Connection])
}

const selectSettings = `SELECT settings, secrets_sealed FROM connections WHERE tenant_id = @tenant AND id = @id`

// LoadSettings opens a connection's settings, secrets included.
func LoadSettings(ctx context.Context, tx pgx.Tx, tenant id.Tenant, key *secret.DataKey, connection id.Connection) (crm.Settings, error) {
	var (
		open   crm.Settings
		sealed []byte
	)
	err := tx.QueryRow(ctx, selectSettings, pgx.StrictNamedArgs{"tenant": tenant, "id": connection}).Scan(&open, &sealed)
	if err != nil {
		return nil, pg.Translate(err, ErrNotFound)
	}
	return unseal(key, connection, open, sealed)
}

const selectPromise = `
	SELECT record_kind, capability, key_window, serial_only FROM connection_capabilities
	WHERE tenant_id = @tenant AND connection_id = @id AND record_kind = @kind`

// PromiseFor reads what the connection promises for a record kind now.
func PromiseFor(ctx context.Context, tx pgx.Tx, tenant id.Tenant, connection id.Connection, kind crm.Kind) (Promise, error) {
	rows, _ := tx.Query(ctx, selectPromise, pgx.StrictNamedArgs{"tenant": tenant, "id": connection, "kind": kind})
	p, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Promise])
	return p, pg.Translate(err, ErrNotFound)
}

const flag = `
	UPDATE connections SET state = 'attention', reason = @reason, version = version + 1
	WHERE tenant_id = @tenant AND id = @id AND state = 'active'`

// NeedAttention stops an active connection until a person has looked: the CRM refuses us, not a record.
func NeedAttention(ctx context.Context, tx pgx.Tx, tenant id.Tenant, connection id.Connection, reason string) error {
	_, err := tx.Exec(ctx, flag, pgx.StrictNamedArgs{"reason": reason, "tenant": tenant, "id": connection})
	return err
}

const changeSettings = `
	UPDATE connections SET settings = @settings, secrets_sealed = @secrets, version = version + 1
	WHERE tenant_id = @tenant AND id = @id`

// ChangeSettings replaces a connection's settings, secrets included. Drains that read the old ones
// notice by the version before they send anything.
func ChangeSettings(ctx context.Context, tx pgx.Tx, tenant id.Tenant, key *secret.DataKey, a crm.Adapter, c id.Connection, settings crm.Settings) error {
	open, sealed := split(a, settings)
	secrets, err := json.Marshal(sealed)
	if err != nil {
		return err
	}
	tag, err := tx.Exec(ctx, changeSettings, pgx.StrictNamedArgs{"settings": open,
		"secrets": key.Seal(secretsPlace(c), secrets), "tenant": tenant, "id": c})
	if err == nil && tag.RowsAffected() == 0 {
		return ErrNotFound
	}
	return err
}
