// Package pg is how the program reaches PostgreSQL: always in a transaction, always as one of three
// roles, never with a bare pool.
//
//	InTenant  BEGIN; SET LOCAL ROLE sverka_app;    SET LOCAL app.tenant_id = '…'   one tenant's rows
//	AsIntake  BEGIN; SET LOCAL ROLE sverka_intake                                 stores what arrives
//	AsScan    BEGIN; SET LOCAL ROLE sverka_scan                                   finds what is due
//
// The login role owns nothing and may read nothing of ours, so a statement outside these three fails.
// The package also makes the roles, runs the migrations and refuses an unsafe server.
package pg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrCommitUnknown: the connection broke while committing. The transaction may stand or not; the
// caller reads again before it concludes anything.
var ErrCommitUnknown = errors.New("pg: commit result unknown")

// Tx is a transaction as one of the roles.
type Tx = pgx.Tx

// DB is a pool that hands out transactions.
type DB struct{ pool *pgxpool.Pool }

// Options of one pool.
type Options struct {
	Name             string        // application_name
	MaxConns         int32         // 0 = 10
	StatementTimeout time.Duration // 0 = 10 s
	Soon             bool          // commits do not wait for the disk: for River's own statements, bells' sounds
}

// Open makes a pool. It does not connect yet: a database that is away is an error of the first
// transaction, not of the start.
func Open(ctx context.Context, url string, o Options) (*DB, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("database address cannot be read") // err would print the password
	}
	if o.MaxConns == 0 {
		o.MaxConns = 10
	}
	if o.StatementTimeout == 0 {
		o.StatementTimeout = 10 * time.Second
	}
	cfg.MaxConns = o.MaxConns
	cfg.ConnConfig.ConnectTimeout = 5 * time.Second
	set := cfg.ConnConfig.RuntimeParams
	set["application_name"] = "sverka " + o.Name
	set["timezone"] = "UTC"
	set["statement_timeout"] = fmt.Sprint(o.StatementTimeout.Milliseconds())
	set["idle_in_transaction_session_timeout"] = "30000"
	if o.Soon {
		set["synchronous_commit"] = "off"
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &DB{pool: pool}, nil
}

// Close waits for connections in use and closes them all.
func (db *DB) Close() { db.pool.Close() }

// Pool is the bare pool, for River's own client alone.
func (db *DB) Pool() *pgxpool.Pool { return db.pool }

// InTenant runs fn in a transaction that sees one tenant's rows. nil means committed.
func (db *DB) InTenant(ctx context.Context, tenant fmt.Stringer, fn func(pgx.Tx) error) error {
	begin, err := beginInTenant(tenant)
	if err != nil {
		return err
	}
	return db.within(ctx, begin, fn)
}

// InTenantSoon is InTenant without waiting for the disk: the next InTenant or AsIntake anywhere makes it
// safe too, since the log is written in order. It is for steps that nobody outside has been told of and
// that a crash may take back: the work is then found again. Never before an answer or a request leaves us.
func (db *DB) InTenantSoon(ctx context.Context, tenant fmt.Stringer, fn func(pgx.Tx) error) error {
	begin, err := beginInTenant(tenant)
	if err != nil {
		return err
	}
	return db.within(ctx, begin+"; SET LOCAL synchronous_commit = off", fn)
}

// beginInTenant parses the id before it becomes part of a statement: SET takes no parameters.
func beginInTenant(tenant fmt.Stringer) (string, error) {
	id, err := uuid.Parse(tenant.String())
	if err != nil || id == uuid.Nil {
		return "", errors.New("pg: a transaction in a tenant needs a tenant")
	}
	return "BEGIN; SET LOCAL ROLE sverka_app; SET LOCAL app.tenant_id = '" + id.String() + "'", nil
}

// AsIntake runs fn in a transaction that may store events of every tenant and read only their keys.
func (db *DB) AsIntake(ctx context.Context, fn func(pgx.Tx) error) error {
	return db.within(ctx, "BEGIN; SET LOCAL ROLE sverka_intake", fn)
}

// AsScan runs fn in a transaction that may find what is due and ring bells.
func (db *DB) AsScan(ctx context.Context, fn func(pgx.Tx) error) error {
	return db.within(ctx, "BEGIN; SET LOCAL ROLE sverka_scan", fn)
}

func (db *DB) within(ctx context.Context, begin string, fn func(pgx.Tx) error) error {
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("acquire connection: %w", err)
	}
	defer conn.Release()
	return within(ctx, conn.Conn(), begin, fn)
}

func within(ctx context.Context, conn *pgx.Conn, begin string, fn func(pgx.Tx) error) (err error) {
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{BeginQuery: begin})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	committed := false
	defer func() {
		if !committed { // also after a panic in fn
			rollback(tx)
		}
	}()
	if err := fn(tx); err != nil {
		return err
	}
	committed = true
	return commit(ctx, tx)
}

// rollback does not inherit the caller's context: a cancelled caller must still give its locks back.
func rollback(tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = tx.Rollback(ctx) // a broken connection has rolled back already
}

func commit(ctx context.Context, tx pgx.Tx) error {
	err := tx.Commit(ctx)
	if err == nil {
		return nil
	}
	if errors.Is(err, pgx.ErrTxCommitRollback) {
		return err
	}
	var refused *pgconn.PgError
	if errors.As(err, &refused) || pgconn.SafeToRetry(err) {
		return fmt.Errorf("commit: %w", err)
	}
	return fmt.Errorf("%w: %w", ErrCommitUnknown, err)
}

// Translate maps "no such row" to the caller's own error and leaves everything else.
func Translate(err, noRows error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return noRows
	}
	return err
}

// Ignore turns one expected error into none.
func Ignore(err, expected error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}

// Violates names the constraint that refused a statement, or "".
func Violates(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) && len(e.Code) == 5 && e.Code[:2] == "23" {
		return e.ConstraintName
	}
	return ""
}

// IsAway reports whether the database could not be reached, went away or took too long, rather than
// refused a statement. What is not known to be one of these is not.
func IsAway(err error) bool {
	var (
		connect *pgconn.ConnectError
		refused *pgconn.PgError
		network net.Error
	)
	if errors.As(err, &connect) {
		return true
	}
	if errors.As(err, &refused) {
		switch refused.Code[:2] {
		case "08", "57", "53", "58": // connection, operator intervention, resources, system
			return true
		}
		return false
	}
	return errors.Is(err, ErrCommitUnknown) || pgconn.SafeToRetry(err) ||
		errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}
