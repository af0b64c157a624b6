package pg_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sverka/internal/id"
	"sverka/internal/pg"
	"sverka/internal/pgtest"
)

func open(t *testing.T) (*pg.DB, *pgtest.DB) {
	t.Helper()
	test := pgtest.New(t)
	db, err := pg.Open(t.Context(), test.LoginURL, pg.Options{Name: "test", MaxConns: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db, test
}

// twoTenants makes A and B, each with one bell: any table would do.
func twoTenants(t *testing.T, test *pgtest.DB) (a, b id.Tenant) {
	t.Helper()
	a, b = id.NewTenant(), id.NewTenant()
	for _, tenant := range []id.Tenant{a, b} {
		_, err := test.Super(t).Exec(t.Context(), `INSERT INTO tenants (id, slug, name) VALUES ($1::uuid, $1::text, 'x')`, tenant.String())
		if err != nil {
			t.Fatal(err)
		}
		_, err = test.Super(t).Exec(t.Context(), `INSERT INTO bells (tenant_id, kind, owner_id) VALUES ($1, 'perform', $1)`, tenant.UUID)
		if err != nil {
			t.Fatal(err)
		}
	}
	return a, b
}

func TestATransactionSeesOneTenantOnly(t *testing.T) {
	t.Parallel()
	db, test := open(t)
	a, b := twoTenants(t, test)
	err := db.InTenant(t.Context(), a, func(tx pgx.Tx) error {
		var n int
		if err := tx.QueryRow(t.Context(), `SELECT count(*) FROM bells`).Scan(&n); err != nil || n != 1 {
			t.Errorf("A sees %d bells, want its own one (%v)", n, err)
		}
		tag, err := tx.Exec(t.Context(), `UPDATE bells SET rung = true, rung_at = now() WHERE tenant_id = $1`, b.UUID)
		if err != nil || tag.RowsAffected() != 0 {
			t.Errorf("A rang %d bells of B (%v)", tag.RowsAffected(), err)
		}
		_, err = tx.Exec(t.Context(), `INSERT INTO bells (tenant_id, kind, owner_id) VALUES ($1, 'interpret', $1)`, b.UUID)
		return err
	})
	if code(err) != "42501" {
		t.Errorf("A wrote a row of B: %v", err)
	}
}

func TestWithoutATenantAQueryRaisesAndReturnsNothing(t *testing.T) {
	t.Parallel()
	db, test := open(t)
	twoTenants(t, test)
	conn, err := db.Pool().Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(t.Context(), `SELECT count(*) FROM bells`); code(err) != "42501" {
		t.Errorf("the bare login read a table: %v", err)
	}
	if _, err := conn.Exec(t.Context(), `BEGIN; SET LOCAL ROLE sverka_app; SELECT count(*) FROM bells`); err == nil || !strings.Contains(err.Error(), "app.tenant_id") {
		t.Errorf("a missing tenant did not raise: %v", err)
	}
	_, _ = conn.Exec(t.Context(), `ROLLBACK`)
}

func TestNothingOfATenantIsLeftOnAReusedConnection(t *testing.T) {
	t.Parallel()
	db, test := open(t)
	a, _ := twoTenants(t, test)
	for range 5 {
		func() {
			defer func() { _ = recover() }()
			_ = db.InTenant(t.Context(), a, func(pgx.Tx) error { panic("in the middle of a tenant's transaction") })
		}()
		conn, err := db.Pool().Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var role, tenant string
		err = conn.QueryRow(t.Context(), `SELECT current_user, coalesce(current_setting('app.tenant_id', true), '')`).Scan(&role, &tenant)
		conn.Release()
		if err != nil || role != pg.LoginRole || tenant != "" {
			t.Fatalf("left over: role %q, tenant %q, %v", role, tenant, err)
		}
	}
}

func TestRolesMayDoOnlyTheirOwn(t *testing.T) {
	t.Parallel()
	db, test := open(t)
	a, _ := twoTenants(t, test)
	asApp := func(ctx context.Context, do func(pgx.Tx) error) error { return db.InTenant(ctx, a, do) }
	for _, c := range []struct {
		what string
		as   func(context.Context, func(pgx.Tx) error) error
		sql  string
	}{
		{"intake reads a body", db.AsIntake, `SELECT sealed FROM inbox_payloads`},
		{"intake reads who wrote", db.AsIntake, `SELECT contact_id FROM inbox_events`},
		{"intake changes a state", db.AsIntake, `UPDATE inbox_events SET state = 'processed'`},
		{"intake reads operations", db.AsIntake, `SELECT id FROM operations`},
		{"scan moves an operation", db.AsScan, `UPDATE operations SET state = 'done'`},
		{"scan reads contacts", db.AsScan, `SELECT * FROM contacts`},
		{"scan reads keys", db.AsScan, `SELECT * FROM tenant_keys`},
		{"scan reads a token", db.AsScan, `SELECT token_sealed FROM bots`},
		{"app deletes history", asApp, `DELETE FROM operation_history`},
		{"app rewrites history", asApp, `UPDATE operation_history SET to_state = 'done'`},
		{"app deletes an event", asApp, `DELETE FROM inbox_events`},
		{"app deletes an operation", asApp, `DELETE FROM operations`},
		{"app changes the edges", asApp, `INSERT INTO operation_edges VALUES ('done', 'pending')`},
		{"app reads a password", asApp, `SELECT password_hash FROM users`},
		{"app makes itself owner", asApp, `SET ROLE sverka_owner`},
		{"app makes partitions", asApp, `SELECT make_payload_days()`},
		{"app makes tables tenants'", asApp, `SELECT make_tenant_table('bells')`},
	} {
		err := c.as(t.Context(), func(tx pgx.Tx) error { _, err := tx.Exec(t.Context(), c.sql); return err })
		if code(err) != "42501" {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

func TestATenantIsParsedBeforeItBecomesPartOfAStatement(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	for _, hostile := range []text{"", "x'; SET ROLE postgres; --", "00000000-0000-0000-0000-000000000000"} {
		if err := db.InTenant(t.Context(), hostile, func(pgx.Tx) error { return nil }); err == nil {
			t.Errorf("%q was taken for a tenant", hostile)
		}
	}
}

func TestCheckRefusesAStrongLoginAndAForgetfulServer(t *testing.T) {
	t.Parallel()
	db, test := open(t)
	if err := db.Check(t.Context(), pg.Unsafe{Durability: true}); err != nil {
		t.Errorf("a fit database was refused: %v", err)
	}
	strong, err := pg.Open(t.Context(), test.URL, pg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer strong.Close()
	if err := strong.Check(t.Context(), pg.Unsafe{Durability: true}); err == nil || !strings.Contains(err.Error(), "stronger than it must be") {
		t.Errorf("a superuser was let in: %v", err)
	}
	var fsync string
	if err := test.Super(t).QueryRow(t.Context(), `SHOW fsync`).Scan(&fsync); err != nil {
		t.Fatal(err)
	}
	if err := db.Check(t.Context(), pg.Unsafe{}); fsync == "off" && (err == nil || !strings.Contains(err.Error(), "fsync is off")) {
		t.Errorf("a forgetful server was accepted: %v", err)
	}
}

type text string

func (t text) String() string { return string(t) }

func code(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
