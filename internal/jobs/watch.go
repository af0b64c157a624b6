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

// LateOperations moves, in their tenant, operations that the sweep found late.
type LateOperations interface {
	// SettleLate settles expired leases and ends waiting beyond a deadline; scan finds them.
	SettleLate(ctx context.Context, scan pg.ScanTx) error
}

// watch is the scan and the sweep: one process of all has the lead.
type watch struct {
	db    *pg.DB
	bells *Bells
	late  LateOperations
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
			if err := scan(ctx, makeDays(ctx)); err != nil {
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
	return errors.Join(w.late.SettleLate(ctx, scan), scan(ctx, w.ringLost(ctx)))
}

func makeDays(ctx context.Context) func(pgx.Tx) error {
	return func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT make_payload_days()`)
		return err
	}
}

const waitingEvents = `
	SELECT DISTINCT e.tenant_id, 'interpret', e.owner_id
	FROM inbox_events e
	JOIN bots o ON o.tenant_id = e.tenant_id AND o.id = e.owner_id AND o.state = 'active'
	JOIN tenants t ON t.id = e.tenant_id AND t.state = 'active'
	WHERE e.state = 'pending' AND e.received_at < now() - interval '2 s'
		AND NOT EXISTS (SELECT FROM bells b WHERE b.tenant_id = e.tenant_id AND b.kind = 'interpret' AND b.owner_id = e.owner_id
			AND (b.rung OR b.drain_until > now()))`

const dueOperations = `
	SELECT c.tenant_id, 'perform', c.id
	FROM connections c
	JOIN tenants t ON t.id = c.tenant_id AND t.state = 'active'
	WHERE c.state = 'active'
		AND NOT EXISTS (SELECT FROM bells b WHERE b.tenant_id = c.tenant_id AND b.kind = 'perform' AND b.owner_id = c.id
			AND (b.rung OR b.drain_until > now()))
		AND EXISTS (SELECT FROM operations o
			LEFT JOIN operations d ON d.tenant_id = o.tenant_id AND d.id = o.depends_on
			WHERE o.tenant_id = c.tenant_id AND o.connection_id = c.id AND o.state = 'pending' AND o.next_attempt_at <= now()
				AND (o.depends_on IS NULL OR d.state = 'done')
				AND NOT EXISTS (SELECT FROM operations e
					WHERE e.tenant_id = o.tenant_id AND e.connection_id = o.connection_id AND e.lane_key = o.lane_key
						AND e.lane_seq < o.lane_seq AND e.state IN ('pending', 'held', 'in_flight', 'needs_reconciliation')))`

func (w *watch) ringDue(ctx context.Context) func(pgx.Tx) error {
	return func(tx pgx.Tx) error {
		owners, err := find(ctx, tx, waitingEvents, dueOperations)
		if err != nil {
			return err
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
		owners, err := find(ctx, tx, lostSounds, lostDrains)
		if err != nil {
			return err
		}
		return w.bells.ringAgain(ctx, tx, owners)
	}
}

func find(ctx context.Context, tx pgx.Tx, queries ...string) ([]id.Owner, error) {
	var all []id.Owner
	for _, query := range queries {
		rows, _ := tx.Query(ctx, query)
		found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[id.Owner])
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}
