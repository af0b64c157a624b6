// Package pgtest gives each test its own migrated database on a real PostgreSQL.
//
//	db := pgtest.New(t)          // cloned from a template in some 30 ms, dropped when t passes
//	pg.Open(ctx, db.LoginURL, …) // as the program logs in
//	db.Super(t)                  // to look past row level security, in assertions
//
// A failed test keeps its database and prints how to look into it (three per test binary); they are
// dropped the day after next. The server is the one that SVERKA_TEST_DATABASE_URL names (make test sets it), else one of
// this process's own.
package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sverka/internal/pg"
)

// loginPassword of role sverka on every test server.
const loginPassword = "sverka-test"

// DB is one test's database.
type DB struct {
	Name     string
	URL      string // as superuser: migrations, bootstrap
	LoginURL string // as role sverka: what serve and work get
}

// cloning is how many clones this process makes at once: more make each other slow.
var cloning = make(chan struct{}, 2)

// kept counts the databases of failed tests: when everything fails, a few are enough to look into.
var kept atomic.Int32

const keptAtMost = 3

// New makes a database for one test. FILE_COPY beats the default strategy (30 ms to 50 ms, in memory).
func New(t testing.TB) *DB {
	t.Helper()
	return fresh(t, func(s *server, name string) string {
		return "CREATE DATABASE " + name + " TEMPLATE " + s.template + " STRATEGY FILE_COPY"
	})
}

// NewEmpty makes a database as initdb would: for tests of pg.Bootstrap and of the migrations themselves.
func NewEmpty(t testing.TB) *DB {
	t.Helper()
	return fresh(t, func(_ *server, name string) string {
		return "CREATE DATABASE " + name + " TEMPLATE template0"
	})
}

func fresh(t testing.TB, create func(*server, string) string) *DB {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatalf("database for tests: %v", err)
	}
	db := s.database(testPrefix + today() + "_" + strings.ToLower(rand.Text()[:10]))
	cloning <- struct{}{}
	_, err = s.admin.Exec(t.Context(), create(s, db.Name))
	<-cloning
	if err != nil {
		t.Fatalf("make database %s: %v", db.Name, err)
	}
	t.Cleanup(func() { s.drop(t, db) })
	return db
}

// Super is a pool of the superuser, closed at the end of the test.
func (db *DB) Super(t testing.TB) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), db.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// server is what all tests of this process share.
type server struct {
	address  *url.URL // the superuser's, of the maintenance database
	admin    *pgxpool.Pool
	template string
}

var shared = sync.OnceValues(func() (*server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	return open(ctx)
})

func open(ctx context.Context) (*server, error) {
	text := os.Getenv(Variable)
	if text == "" {
		local, err := StartServer(ctx) // ends with this process
		if err != nil {
			return nil, err
		}
		text = local.URL("postgres")
	}
	address, err := url.Parse(text)
	if err != nil || address.Host == "" {
		return nil, fmt.Errorf("%s is not of the form postgres://user:password@host/database", Variable)
	}
	cfg, err := pgxpool.ParseConfig(text)
	if err != nil {
		return nil, errors.New(Variable + " cannot be read") // err would print the password
	}
	cfg.MaxConns = 4
	admin, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	s := &server{address: address, admin: admin}
	if err := s.prepare(ctx); err != nil {
		admin.Close()
		return nil, err
	}
	return s, nil
}

// database is the addresses of one database of the server.
func (s *server) database(name string) *DB {
	super, login := *s.address, *s.address
	super.Path, login.Path = "/"+name, "/"+name
	login.User = url.UserPassword(pg.LoginRole, loginPassword)
	return &DB{Name: name, URL: super.String(), LoginURL: login.String()}
}

func (s *server) drop(t testing.TB, db *DB) {
	if t.Failed() && kept.Add(1) <= keptAtMost {
		t.Logf("database kept: go run ./internal/pgtest/withpg sh -c 'psql -d \"${%s%%/*}/%s\"' (this run: %s)",
			Variable, db.Name, db.URL)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if _, err := s.admin.Exec(ctx, "DROP DATABASE "+pgx.Identifier{db.Name}.Sanitize()+" WITH (FORCE)"); err != nil {
		t.Errorf("drop database %s: %v", db.Name, err)
	}
}
