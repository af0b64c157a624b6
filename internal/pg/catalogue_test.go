package pg_test

import (
	"slices"
	"strings"
	"testing"

	"sverka/internal/pg"
	"sverka/internal/pgtest"
)

// routing tables are asked before a tenant is known: their key leads, not the tenant.
var routing = []string{"hooks", "bot_claims", "tenant_slugs", "user_tenants"}

func TestEveryTenantTableAndPartitionForcesRowLevelSecurity(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t).Super(t)
	rows, err := db.Query(t.Context(), `
		SELECT c.relname, c.relrowsecurity AND c.relforcerowsecurity
		FROM pg_class c
		WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
			AND (c.relname = 'tenants' OR EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id'))`)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for rows.Next() {
		var (
			table  string
			forced bool
		)
		if err := rows.Scan(&table, &forced); err != nil {
			t.Fatal(err)
		}
		seen++
		if !forced {
			t.Errorf("%s does not force row level security", table)
		}
	}
	if rows.Err() != nil || seen < 20+16+14 {
		t.Fatalf("looked at %d tables: %v", seen, rows.Err())
	}
}

func TestTheTenantLeadsEveryKeyOfTenantData(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t).Super(t)
	rows, err := db.Query(t.Context(), `
		SELECT c.relname, x.relname, (SELECT attname FROM pg_attribute WHERE attrelid = c.oid AND attnum = i.indkey[0])
		FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_class x ON x.oid = i.indexrelid
		WHERE c.relnamespace = 'public'::regnamespace AND i.indisunique
			AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id')`)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var table, index, first string
		if err := rows.Scan(&table, &index, &first); err != nil {
			t.Fatal(err)
		}
		if first != "tenant_id" && !slices.Contains(routing, table) {
			t.Errorf("unique index %s of %s leads with %s", index, table, first)
		}
	}
}

func TestEveryForeignKeyBetweenTenantTablesCarriesTheTenant(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t).Super(t)
	rows, err := db.Query(t.Context(), `
		SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
		WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND confrelid <> 'operation_edges'::regclass`)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var table, name, definition string
		if err := rows.Scan(&table, &name, &definition); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(definition, "FOREIGN KEY (tenant_id") {
			t.Errorf("%s.%s: %s", table, name, definition)
		}
		if slices.Contains(routing, table) {
			t.Errorf("%s is routing and must have no foreign key to a tenant's table", table)
		}
	}
}

func TestNobodyOfOursIsStrong(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t).Super(t)
	var strong int
	err := db.QueryRow(t.Context(), `SELECT count(*) FROM pg_roles
		WHERE rolname LIKE 'sverka%' AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb)`).Scan(&strong)
	if err != nil || strong != 0 {
		t.Errorf("%d strong roles, %v", strong, err)
	}
	var granted string
	err = db.QueryRow(t.Context(), `
		SELECT coalesce(string_agg(DISTINCT table_name, ', '), '') FROM information_schema.role_table_grants
		WHERE grantee = 'sverka' AND table_name NOT LIKE 'river\_%'`).Scan(&granted)
	if err != nil || granted != "" {
		t.Errorf("the login role has grants on %s, %v", granted, err)
	}
	err = db.QueryRow(t.Context(), `
		SELECT coalesce(string_agg(DISTINCT grantee || ' may ' || privilege_type || ' ' || table_name, ', '), '')
		FROM information_schema.role_table_grants
		WHERE grantee IN ('sverka_app', 'sverka_intake', 'sverka_scan', 'PUBLIC') AND privilege_type IN ('TRUNCATE', 'REFERENCES', 'TRIGGER')
			OR grantee = 'sverka_app' AND privilege_type = 'DELETE'
				AND table_name IN ('operations', 'operation_attempts', 'operation_history', 'inbox_events')`).Scan(&granted)
	if err != nil || granted != "" {
		t.Errorf("grants that must not be: %s, %v", granted, err)
	}
}

func TestMigrationsGoDownToNothingAndUpAgain(t *testing.T) {
	t.Parallel()
	empty := pgtest.NewEmpty(t)
	if err := pg.Bootstrap(t.Context(), empty.URL, ""); err != nil {
		t.Fatal(err)
	}
	tables := func() (n int) {
		err := empty.Super(t).QueryRow(t.Context(), `SELECT count(*) FROM pg_class
			WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND relname <> 'schema_migrations'`).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for range 2 {
		if err := pg.Migrate(t.Context(), empty.URL); err != nil {
			t.Fatal(err)
		}
		if tables() == 0 {
			t.Fatal("no tables after going up")
		}
		if err := pg.MigrateTo(empty.URL, 0); err != nil {
			t.Fatal(err)
		}
		if n := tables(); n != 0 {
			t.Fatalf("%d tables are left after going down", n)
		}
	}
}
