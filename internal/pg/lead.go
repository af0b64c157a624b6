package pg

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Lead runs fn while this process holds the named session lock, on the connection that holds it: when
// the connection is lost so is the lead, and fn's next transaction fails. It returns false at once
// when another process leads.
func (db *DB) Lead(ctx context.Context, name string, fn func(ctx context.Context, scan ScanTx) error) (bool, error) {
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return false, fmt.Errorf("acquire connection: %w", err)
	}
	defer conn.Release()
	var leads bool
	const try = `SELECT pg_try_advisory_lock(hashtextextended($1, 0))`
	if err := conn.QueryRow(ctx, try, name).Scan(&leads); err != nil || !leads {
		return false, err
	}
	defer func() {
		if _, err := conn.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock_all()`); err != nil {
			_ = conn.Conn().Close(context.WithoutCancel(ctx)) // a closed session holds no lock
		}
	}()
	return true, fn(ctx, func(ctx context.Context, do func(pgx.Tx) error) error {
		return within(ctx, conn.Conn(), "BEGIN; SET LOCAL ROLE sverka_scan", do)
	})
}

// ScanTx runs a transaction as sverka_scan on the leader's own connection.
type ScanTx func(ctx context.Context, do func(pgx.Tx) error) error

// Listen calls heard once it listens and then after every notification, until the context ends or the
// connection breaks.
func (db *DB) Listen(ctx context.Context, channel string, heard func()) error {
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("acquire connection: %w", err)
	}
	raw := conn.Hijack()
	defer raw.Close(context.WithoutCancel(ctx))
	if _, err := raw.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return err
	}
	for heard(); ; heard() {
		if _, err := raw.WaitForNotification(ctx); err != nil {
			return err
		}
	}
}
