package pgtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sverka/internal/pg"
	"sverka/migrations"
)

// Names say the day, so that what an earlier day left can be told and dropped.
const (
	templatePrefix = "sverka_template_"
	testPrefix     = "sverka_test_"
	day            = "20060102"
)

// building is the advisory lock under which one process makes the template and the others wait.
// The number means nothing.
const building = 7_301_958_442

func today() string { return time.Now().UTC().Format(day) }

// prepare makes sure that the template is there, whole and of this code. The lock is of a session, so it
// ends with a process that dies while building.
func (s *server) prepare(ctx context.Context) error {
	sum, err := fingerprint()
	if err != nil {
		return err
	}
	s.template = templatePrefix + today() + "_" + sum
	conn, err := s.admin.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("reach the database for tests: %w", err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", building); err != nil {
		return err
	}
	defer conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", building)
	ready, err := s.isReady(ctx, conn)
	if ready || err != nil {
		return err
	}
	if err := dropOld(ctx, conn); err != nil {
		return err
	}
	return s.build(ctx, conn)
}

// isReady: a template takes connections only while it is being built.
func (s *server) isReady(ctx context.Context, conn *pgxpool.Conn) (bool, error) {
	const look = "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1 AND NOT datallowconn)"
	var ready bool
	err := conn.QueryRow(ctx, look, s.template).Scan(&ready)
	return ready, err
}

func (s *server) build(ctx context.Context, conn *pgxpool.Conn) error {
	name := pgx.Identifier{s.template}.Sanitize()
	for _, statement := range []string{
		"DROP DATABASE IF EXISTS " + name + " WITH (FORCE)", // half built by a process that died
		"CREATE DATABASE " + name + " TEMPLATE template0",
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("template for tests: %w", err)
		}
	}
	db := s.database(s.template)
	if err := pg.Bootstrap(ctx, db.URL, loginPassword); err != nil {
		return fmt.Errorf("template for tests: %w", err)
	}
	if err := pg.Migrate(ctx, db.URL); err != nil {
		return fmt.Errorf("template for tests: %w", err)
	}
	_, err := conn.Exec(ctx, "ALTER DATABASE "+name+" ALLOW_CONNECTIONS false")
	return err
}

// templatesKept: others may be in use, by checkouts that share a server of their own.
const templatesKept = 4

// dropOld drops what days before yesterday left, and all but the newest templates: each change of a
// migration makes one.
func dropOld(ctx context.Context, conn *pgxpool.Conn) error {
	rows, _ := conn.Query(ctx, `SELECT datname FROM pg_database
		WHERE datname ~ '^sverka_(template|test)_[0-9]{8}_' ORDER BY oid DESC`)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	yesterday, templates := time.Now().UTC().AddDate(0, 0, -1).Format(day), 0
	for _, name := range names {
		made, isTemplate := strings.CutPrefix(name, templatePrefix)
		if isTemplate {
			templates++
		}
		made = strings.TrimPrefix(made, testPrefix)[:len(day)]
		if made >= yesterday && (!isTemplate || templates <= templatesKept) {
			continue
		}
		if _, err := conn.Exec(ctx, "DROP DATABASE IF EXISTS "+pgx.Identifier{name}.Sanitize()+" WITH (FORCE)"); err != nil {
			return err
		}
	}
	return nil
}

// fingerprint is of everything that makes the template: the migrations, and the code that makes the roles
// and runs them. The day is in the name beside it: migrations make partitions for the days ahead.
func fingerprint() (string, error) {
	sum := sha256.New()
	if err := add(sum, migrations.FS, "*.sql"); err != nil {
		return "", err
	}
	root, err := checkout()
	if err != nil {
		return "", err
	}
	if err := add(sum, os.DirFS(filepath.Join(root, "internal", "pg")), "*.go"); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil))[:12], nil
}

func add(sum io.Writer, files fs.FS, pattern string) error {
	names, err := fs.Glob(files, pattern)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
	}
	return nil
}
