package tenant

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sverka/internal/id"
	"sverka/internal/pg"
)

const insertTenant = `
	WITH one AS (
		INSERT INTO tenants (id, slug, name, phone_region) VALUES (@id, @slug, @name, @region) RETURNING id
	), slug AS (
		INSERT INTO tenant_slugs (slug, tenant_id) SELECT @slug, id FROM one
	)
	INSERT INTO tenant_keys (tenant_id, no, sealed) SELECT id, 1, @sealed FROM one`

func insert(ctx context.Context, t Tenant, sealed []byte) func(pgx.Tx) error {
	return func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, insertTenant, pgx.StrictNamedArgs{
			"id": t.ID, "slug": t.Slug, "name": t.Name, "region": t.PhoneRegion, "sealed": sealed,
		})
		if pg.Violates(err) == "tenant_slugs_pkey" {
			return ErrSlugTaken
		}
		return err
	}
}

// BySlug finds a tenant by its address in URLs.
func (s *Tenants) BySlug(ctx context.Context, slug string) (Tenant, error) {
	var found id.Tenant
	err := s.db.AsScan(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT tenant_id FROM tenant_slugs WHERE slug = $1`, slug).Scan(&found)
	})
	if err != nil {
		return Tenant{}, pg.Translate(err, ErrNotFound)
	}
	var t Tenant
	err = s.db.InTenant(ctx, found, func(tx pgx.Tx) (err error) {
		t, err = Load(ctx, tx, found)
		return err
	})
	return t, err
}

const loadTenant = `SELECT id, slug, name, state, phone_region FROM tenants WHERE id = @tenant`

// Load reads the tenant of the transaction.
func Load(ctx context.Context, tx pgx.Tx, tenant id.Tenant) (Tenant, error) {
	rows, _ := tx.Query(ctx, loadTenant, pgx.StrictNamedArgs{"tenant": tenant})
	t, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Tenant])
	return t, pg.Translate(err, ErrNotFound)
}

const loadKey = `SELECT no, sealed FROM tenant_keys WHERE tenant_id = @tenant ORDER BY no DESC LIMIT 1`

func (k *Keys) load(ctx context.Context, tenant id.Tenant) (no int, sealed []byte, err error) {
	err = k.db.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, loadKey, pgx.StrictNamedArgs{"tenant": tenant}).Scan(&no, &sealed)
	})
	return no, sealed, pg.Translate(err, ErrNotFound)
}

const anyKey = `SELECT tenant_id, no, sealed FROM tenant_keys LIMIT 1`

// Check opens one stored data key, so that a wrong root keyset is found before serving. No data key
// yet is no fault.
func (k *Keys) Check(ctx context.Context) error {
	var (
		tenant id.Tenant
		no     int
		sealed []byte
	)
	err := k.db.AsIntake(ctx, func(tx pgx.Tx) error { return tx.QueryRow(ctx, anyKey).Scan(&tenant, &no, &sealed) })
	if err != nil {
		return pg.Translate(err, nil)
	}
	_, err = k.root.OpenDataKey(tenant.String(), no, sealed)
	return err
}
