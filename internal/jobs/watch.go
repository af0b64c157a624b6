package jobs

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"sverka/internal/id"
	"sverka/internal/pg"
)

const (
	scanEvery  = time.Second
	sweepEvery = 15 * time.Second
	daysEvery  = time.Hour
)

// Watched is what the scan and the sweep look after. All of it finds over all tenants, as the scan role,
// and moves nothing but bells there.
type Watched struct {
	// Due finds owners with work that could be done now and whose bell is silent.
	Due []func(ctx context.Context, scan pg.Tx) ([]id.Owner, error)
	// SettleLate settles expired leases and ends waiting beyond a deadline, each in its own tenant.
	SettleLate func(ctx context.Context, scan pg.ScanTx) error
	// MakeDays keeps the partitions of the days to come.
	MakeDays func(ctx context.Context, scan pg.Tx) error
}

// watch is the scan and the sweep: one process of all has the lead.
type watch struct {
	db    *pg.DB
	bells *Bells
	of    Watched
	log   *slog.Logger
}

func (w *watch) run(ctx context.Context) {
	for ctx.Err() == nil {
		_, err := w.db.Lead(ctx, "sverka watch", w.lead)
		if err != nil && ctx.Err() == nil {
			w.log.Warn("scan stopped, another process or this one takes over", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(scanEvery):
		}
	}
}

// lead runs until the context ends or the database fails.
func (w *watch) lead(ctx context.Context, scan pg.ScanTx) error {
	tick := time.NewTicker(scanEvery)
	defer tick.Stop()
	var swept, days time.Time
	for {
		if time.Since(days) >= daysEvery {
			if err := scan(ctx, func(tx pgx.Tx) error { return w.of.MakeDays(ctx, tx) }); err != nil {
				return err
			}
			days = time.Now()
		}
		if time.Since(swept) >= sweepEvery {
			if err := w.sweep(ctx, scan); err != nil {
				return err
			}
			swept = time.Now()
		}
		if err := scan(ctx, w.ringDue(ctx)); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (w *watch) sweep(ctx context.Context, scan pg.ScanTx) error {
	return errors.Join(w.of.SettleLate(ctx, scan), scan(ctx, w.ringLost(ctx)))
}

func (w *watch) ringDue(ctx context.Context) func(pgx.Tx) error {
	return func(tx pgx.Tx) error {
		var owners []id.Owner
		for _, find := range w.of.Due {
			found, err := find(ctx, tx)
			if err != nil {
				return err
			}
			owners = append(owners, found...)
		}
		return w.bells.Ring(ctx, tx, owners...)
	}
}

// A rung bell whose job is gone, or runs without draining (its worker was lost), needs a new one.
const lostSounds = `
	SELECT b.tenant_id, b.kind, b.owner_id
	FROM bells b LEFT JOIN river_job j ON j.id = b.job_id
	WHERE b.rung AND b.rung_at < now() - interval '15 s' AND (b.drain_until IS NULL OR b.drain_until < now())
		AND NOT coalesce(j.state = 'available'
			OR (j.state IN ('scheduled', 'retryable') AND j.scheduled_at < now() + interval '15 s'), false)`

const lostDrains = `SELECT tenant_id, kind, owner_id FROM bells WHERE drain_until < now()`

func (w *watch) ringLost(ctx context.Context) func(pgx.Tx) error {
	return func(tx pgx.Tx) error {
		var owners []id.Owner
		for _, lost := range []string{lostSounds, lostDrains} {
			rows, _ := tx.Query(ctx, lost)
			found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[id.Owner])
			if err != nil {
				return err
			}
			owners = append(owners, found...)
		}
		return w.bells.ringAgain(ctx, tx, owners)
	}
}
