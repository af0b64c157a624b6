package jobs

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sverka/internal/id"
	"sverka/internal/pg"
	"sverka/internal/pgtest"
)

// tower is a database with one tenant, whose bells are rung.
type tower struct {
	t     *testing.T
	db    *pg.DB
	super *pgxpool.Pool
	bells *Bells
	owner id.Owner
}

func newTower(t *testing.T) *tower {
	t.Helper()
	test := pgtest.New(t)
	db, err := pg.Open(t.Context(), test.LoginURL, pg.Options{Name: "test", MaxConns: 12})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	bells, err := NewBells()
	if err != nil {
		t.Fatal(err)
	}
	w := &tower{t: t, db: db, super: test.Super(t), bells: bells,
		owner: id.Owner{Tenant: id.NewTenant(), Work: id.Perform, ID: uuid.New()}}
	w.exec(`INSERT INTO tenants (id, slug, name) VALUES ($1, 't', 'T')`, w.owner.Tenant)
	return w
}

func (w *tower) exec(sql string, args ...any) {
	w.t.Helper()
	if _, err := w.super.Exec(context.Background(), sql, args...); err != nil {
		w.t.Fatal(err)
	}
}

func (w *tower) count(sql string, args ...any) (n int) {
	w.t.Helper()
	if err := w.super.QueryRow(context.Background(), sql, args...).Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

func (w *tower) jobs() int {
	return w.count(`SELECT count(*) FROM river_job WHERE state IN ('available', 'running', 'retryable', 'scheduled')`)
}

func (w *tower) ring(owners ...id.Owner) {
	w.t.Helper()
	err := w.db.InTenant(context.Background(), w.owner.Tenant, func(tx pgx.Tx) error {
		return w.bells.Ring(context.Background(), tx, owners...)
	})
	if err != nil {
		w.t.Error(err)
	}
}

func (w *tower) rope() *bellRope {
	return &bellRope{db: w.db, bells: w.bells, log: slog.New(slog.DiscardHandler)}
}

func (w *tower) sweep() {
	w.t.Helper()
	watch := &watch{db: w.db, bells: w.bells, log: slog.New(slog.DiscardHandler)}
	if err := w.db.AsScan(context.Background(), watch.ringLost(context.Background())); err != nil {
		w.t.Fatal(err)
	}
}

// fakeWork is a drainer whose work is told by functions.
type fakeWork struct {
	do   func()
	left func() bool
}

func (f fakeWork) Drain(context.Context, id.Tenant, uuid.UUID, func() bool) (func(), error) {
	f.do()
	return nil, nil
}

func (f fakeWork) Left(context.Context, pgx.Tx, id.Tenant, uuid.UUID) (bool, error) {
	return f.left != nil && f.left(), nil
}

func TestABellRungOftenHasOneJob(t *testing.T) {
	t.Parallel()
	w := newTower(t)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { w.ring(w.owner, w.owner) })
	}
	all.Wait()
	if n := w.jobs(); n != 1 {
		t.Errorf("%d jobs, want 1", n)
	}
}

func TestABellRungDuringItsDrainIsRungAgainAtTheEnd(t *testing.T) {
	t.Parallel()
	w := newTower(t)
	w.ring(w.owner)
	err := w.rope().drain(t.Context(), w.owner, fakeWork{do: func() {
		w.ring(w.owner)
		if n := w.jobs(); n != 1 {
			t.Errorf("%d jobs during the drain, want the first one only", n)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if n := w.jobs(); n != 2 {
		t.Errorf("%d jobs after the drain, want a second one", n)
	}
}

func TestWorkThatIsLeftRingsAgainAndNoneDoesNot(t *testing.T) {
	t.Parallel()
	for left, jobs := range map[bool]int{true: 2, false: 1} {
		w := newTower(t)
		w.ring(w.owner)
		err := w.rope().drain(t.Context(), w.owner, fakeWork{do: func() {}, left: func() bool { return left }})
		if err != nil {
			t.Fatal(err)
		}
		if n := w.jobs(); n != jobs {
			t.Errorf("left %v: %d jobs, want %d", left, n, jobs)
		}
		if n := w.count(`SELECT count(*) FROM bells WHERE drain_until IS NOT NULL OR rung IS DISTINCT FROM $1`, left); n != 0 {
			t.Errorf("left %v: the bell was not released", left)
		}
	}
}

func TestOneOwnerHasOneDrainAtATime(t *testing.T) {
	t.Parallel()
	w := newTower(t)
	w.ring(w.owner)
	drains := 0
	err := w.rope().drain(t.Context(), w.owner, fakeWork{do: func() {
		drains++
		if err := w.rope().drain(t.Context(), w.owner, fakeWork{do: func() { drains++ }}); err != nil {
			t.Error(err)
		}
	}})
	if err != nil || drains != 1 {
		t.Errorf("%d drains, %v", drains, err)
	}
}

// A worker may die anywhere; each row is what the database looks like then, a while later.
func TestASweepMendsWhatADeadWorkerLeft(t *testing.T) {
	t.Parallel()
	for what, left := range map[string]string{
		"before it took the bell":        `UPDATE bells SET rung_at = now() - interval '1 minute'`,
		"while it drained":               `UPDATE bells SET rung = false, drain_until = now() - interval '1 s'`,
		"and the bell was rung again":    `UPDATE bells SET rung = true, rung_at = now() - interval '1 minute', drain_until = now() - interval '1 s'`,
		"and River forgot the job":       `UPDATE bells SET rung_at = now() - interval '1 minute', job_id = 0`,
		"before it noted the job at all": `UPDATE bells SET rung_at = now() - interval '1 minute', job_id = NULL`,
	} {
		w := newTower(t)
		w.ring(w.owner)
		w.exec(`UPDATE river_job SET state = 'running', attempted_at = now(), attempt = 1`)
		w.sweep()
		if n := w.jobs(); n != 1 {
			t.Errorf("%s: the sweep was too early: %d jobs", what, n)
		}
		w.exec(left)
		w.sweep()
		w.sweep() // finds nothing more to do
		if n := w.jobs(); n != 2 {
			t.Errorf("%s: %d jobs, want a second one", what, n)
		}
	}
}

func TestASweepLeavesAHealthyQueueAlone(t *testing.T) {
	t.Parallel()
	w := newTower(t)
	w.ring(w.owner)
	w.exec(`UPDATE bells SET rung_at = now() - interval '1 hour'`) // a long queue: the job is still available
	w.sweep()
	if n := w.jobs(); n != 1 {
		t.Errorf("%d jobs, want 1", n)
	}
}

// Ringers make work and drainers take it, all at once and some of them dying: no wake-up is lost.
func TestNoWakeUpIsLost(t *testing.T) {
	t.Parallel()
	w := newTower(t)
	var made, done atomic.Int64
	take := func() { done.Store(made.Load()) }
	workers, err := NewWorkers(Pools{Work: w.db, River: w.db}, w.bells, fakeWork{do: take}, fakeWork{do: take}, nothing, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- workers.Run(ctx) }()
	for range 20 {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				err := w.db.InTenant(ctx, w.owner.Tenant, func(tx pgx.Tx) error {
					made.Add(1)
					return w.bells.Ring(ctx, tx, w.owner)
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for deadline := time.Now().Add(20 * time.Second); done.Load() < made.Load(); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%d of %d pieces of work were done: a wake-up was lost", done.Load(), made.Load())
			}
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// nothing is a watch over nothing: the bells themselves are under test.
var nothing = Watched{
	SettleLate: func(context.Context, pg.ScanTx) error { return nil },
	MakeDays:   func(context.Context, pg.Tx) error { return nil },
}

func TestATenantOverItsShareStandsBackWhileOthersWait(t *testing.T) {
	t.Parallel()
	w := newTower(t)
	s := newShare(w.db, 8)
	for range 2 {
		if s.take(w.owner.Tenant) {
			t.Error("a tenant within its quarter is over its share")
		}
	}
	if !s.take(w.owner.Tenant) {
		t.Error("a third of eight slots is within the share")
	}
	if s.othersWait(t.Context(), w.owner.Tenant) {
		t.Error("others wait in an empty queue")
	}
	w.ring(w.owner)
	if s.othersWait(t.Context(), w.owner.Tenant) {
		t.Error("a tenant waits for itself")
	}
	if !s.othersWait(t.Context(), id.NewTenant()) {
		t.Error("another tenant's job does not count as waiting")
	}
	s.give(w.owner.Tenant)
	s.give(w.owner.Tenant)
	if s.take(w.owner.Tenant) {
		t.Error("given slots are still held")
	}
}
