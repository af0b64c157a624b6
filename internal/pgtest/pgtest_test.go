package pgtest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestEachTestHasItsOwnDatabase(t *testing.T) {
	t.Parallel()
	one, other := New(t), New(t)
	if _, err := one.Super(t).Exec(t.Context(), "CREATE TABLE mine (n int)"); err != nil {
		t.Fatal(err)
	}
	if !has(t, one, "public.mine") || has(t, other, "public.mine") {
		t.Error("a table of one test is seen in the other's database")
	}
	if !has(t, other, "public.operations") {
		t.Error("the database is not migrated")
	}
	if empty := NewEmpty(t); has(t, empty, "public.operations") {
		t.Error("the empty database has tables")
	}
}

func TestLoginIsTheProgramsRole(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), New(t).LoginURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var role string
	var super bool
	const look = "SELECT rolname, rolsuper FROM pg_roles WHERE rolname = session_user"
	if err := conn.QueryRow(t.Context(), look).Scan(&role, &super); err != nil {
		t.Fatal(err)
	}
	if role != "sverka" || super {
		t.Errorf("logged in as %s, superuser: %v", role, super)
	}
}

func TestDroppedWhenPassedKeptWhenFailed(t *testing.T) {
	t.Parallel()
	for failed, left := range map[bool]int{false: 0, true: 1} {
		stub := &stubTB{TB: t, failed: failed}
		db := New(stub)
		stub.finish()
		if n := count(t, db.Name); n != left {
			t.Errorf("failed %v: %d databases are left, want %d", failed, n, left)
		}
		if failed != strings.Contains(stub.log, db.Name) {
			t.Errorf("failed %v: the log says %q", failed, stub.log)
		}
		if failed {
			stub.failed = false
			stub.finish()
		}
	}
}

func TestOldDatabasesAreDropped(t *testing.T) {
	t.Parallel()
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sverka_test_20200101_a", "sverka_template_20200101_b"} {
		if _, err := s.admin.Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
			t.Fatal(err)
		}
	}
	keep := New(t)
	conn, err := s.admin.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if err := dropOld(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	if n := count(t, "sverka_test_20200101_a") + count(t, "sverka_template_20200101_b"); n != 0 {
		t.Errorf("%d old databases are left", n)
	}
	if count(t, keep.Name) != 1 || count(t, s.template) != 1 {
		t.Error("a database of today was dropped")
	}
}

// A half-built template is what a process leaves that was killed while migrating.
func TestHalfBuiltTemplateIsBuiltAgain(t *testing.T) {
	t.Parallel()
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	half := &server{address: s.address, admin: s.admin, template: templatePrefix + today() + "_halfbuilt"}
	name := pgx.Identifier{half.template}.Sanitize()
	if _, err := s.admin.Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = s.admin.Exec(context.Background(), "DROP DATABASE "+name) })
	conn, err := s.admin.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if ready, err := half.isReady(t.Context(), conn); ready || err != nil {
		t.Fatalf("ready: %v, %v", ready, err)
	}
	if err := half.build(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	if ready, err := half.isReady(t.Context(), conn); !ready || err != nil {
		t.Errorf("after building: %v, %v", ready, err)
	}
}

func BenchmarkNew(b *testing.B) {
	New(b)
	for b.Loop() {
		s := &stubTB{TB: b}
		New(s)
		s.finish()
	}
}

// stubTB is a test that ends when we say so.
type stubTB struct {
	testing.TB
	failed  bool
	log     string
	cleanup func()
}

func (s *stubTB) Cleanup(f func())                { s.cleanup = f }
func (s *stubTB) Failed() bool                    { return s.failed }
func (s *stubTB) Logf(format string, args ...any) { s.log += fmt.Sprintf(format, args...) }
func (s *stubTB) finish()                         { s.cleanup() }

func has(t *testing.T, db *DB, table string) (is bool) {
	t.Helper()
	if err := db.Super(t).QueryRow(t.Context(), "SELECT to_regclass($1) IS NOT NULL", table).Scan(&is); err != nil {
		t.Fatal(err)
	}
	return is
}

func count(t *testing.T, database string) (n int) {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.admin.QueryRow(t.Context(), "SELECT count(*) FROM pg_database WHERE datname = $1", database).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
