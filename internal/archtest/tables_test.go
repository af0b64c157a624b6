package archtest

import (
	"regexp"
	"strings"
	"testing"

	"sverka/migrations"
)

var (
	makesTable  = regexp.MustCompile(`(?m)^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?([a-z_]+)`)
	writesTable = regexp.MustCompile(`(?s)(?:INSERT INTO|UPDATE|DELETE FROM)\s+([a-z_]+)`)
)

// ours is every table of our own migrations, River's left out.
func ours(t *testing.T) map[string]bool {
	t.Helper()
	entries, err := migrations.FS.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]bool{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".up.sql") || strings.Contains(e.Name(), "_river_") {
			continue
		}
		sql, err := migrations.FS.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range makesTable.FindAllStringSubmatch(string(sql), -1) {
			tables[m[1]] = true
		}
	}
	return tables
}

func TestOneTableHasOneWriter(t *testing.T) {
	t.Parallel()
	tables, writer := ours(t), map[string]string{}
	for _, f := range goFiles(t, withoutTests) {
		if f.pkg == "bench" {
			continue // writes its baseline rows itself, and says so
		}
		for _, m := range writesTable.FindAllStringSubmatch(f.source, -1) {
			table := m[1]
			if !tables[table] {
				continue
			}
			if before, ok := writer[table]; ok && before != f.pkg {
				t.Errorf("%s is written by %s and %s", table, before, f.pkg)
			}
			writer[table] = f.pkg
		}
	}
	for table := range tables {
		if writer[table] == "" && table != "operation_edges" && table != "operation_history" { // by migration; by trigger
			t.Errorf("nobody writes %s", table)
		}
	}
}

func TestMigrationsSayWhyAndGoBothWays(t *testing.T) {
	t.Parallel()
	entries, err := migrations.FS.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name()] = true
		sql, err := migrations.FS.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(sql), "-- ") {
			t.Errorf("%s does not say why in its first line", e.Name())
		}
	}
	for name := range names {
		if up, ok := strings.CutSuffix(name, ".up.sql"); ok && !names[up+".down.sql"] {
			t.Errorf("%s has no way down", name)
		}
	}
}
