package jobs

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sverka/internal/id"
	"sverka/internal/pg"
)

// A drain goes on for so long, then others have their turn.
const (
	drainTime  = 5 * time.Second
	drainItems = 50
)

// budget gives a function that allows so many more items, for so long. It may be asked concurrently.
func budget() (more func() bool) {
	over := time.Now().Add(drainTime)
	var items atomic.Int64
	return func() bool { return items.Add(1) <= drainItems && time.Now().Before(over) }
}

// drainer is a use case that works for an owner.
type drainer interface {
	// Drain works until nothing is left or more() says no, then begins nothing more. finish waits for
	// what is still under way; the owner may be drained by others meanwhile.
	Drain(ctx context.Context, tenant id.Tenant, owner uuid.UUID, more func() bool) (finish func(), err error)
	// Left reports whether the owner has work that could be done now.
	Left(ctx context.Context, tx pgx.Tx, tenant id.Tenant, owner uuid.UUID) (bool, error)
}

// bellRope is the protocol between a job and its bell. Its commits do not wait for the disk: a crash that
// takes one back leaves a bell that the sweep rings again.
type bellRope struct {
	db    *pg.DB
	bells *Bells
	log   *slog.Logger
}

const take = `
	UPDATE bells SET rung = false, drain_until = now() + @lease
	WHERE tenant_id = @tenant AND kind = @kind AND owner_id = @owner AND (drain_until IS NULL OR drain_until < now())
	RETURNING drain_until`

// drain takes the owner's bell and commits before it looks for work, so that no wake-up is lost; it
// works; it releases the bell. An error means that our own database failed.
func (r *bellRope) drain(ctx context.Context, o id.Owner, d drainer) error {
	held, err := r.take(ctx, o)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // another worker drains this owner
	}
	if err != nil {
		return err
	}
	lease := r.keep(ctx, o, held)
	finish, err := d.Drain(ctx, o.Tenant, o.ID, budget())
	held = lease.stop()
	if finish != nil {
		defer finish()
	}
	return errors.Join(err, r.release(context.WithoutCancel(ctx), o, held, d))
}

func (r *bellRope) take(ctx context.Context, o id.Owner) (until time.Time, err error) {
	err = r.db.InTenantSoon(ctx, o.Tenant, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, take, pgx.StrictNamedArgs{
			"lease": drainLease, "tenant": o.Tenant, "kind": o.Work, "owner": o.ID}).Scan(&until)
	})
	return until, err
}

// lease keeps an owner's drain_until ahead while it is drained.
type lease struct {
	cancel context.CancelFunc
	ended  chan time.Time
}

// stop ends the renewing and gives the last stamp that is ours.
func (l lease) stop() time.Time {
	l.cancel()
	return <-l.ended
}

const renew = `
	UPDATE bells SET drain_until = now() + @lease
	WHERE tenant_id = @tenant AND kind = @kind AND owner_id = @owner AND drain_until = @held RETURNING drain_until`

func (r *bellRope) keep(ctx context.Context, o id.Owner, held time.Time) lease {
	ctx, cancel := context.WithCancel(ctx)
	l := lease{cancel: cancel, ended: make(chan time.Time, 1)}
	go func() {
		defer func() { l.ended <- held }()
		tick := time.NewTicker(drainRenew)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			err := r.db.InTenantSoon(ctx, o.Tenant, func(tx pgx.Tx) error {
				return tx.QueryRow(ctx, renew, pgx.StrictNamedArgs{"lease": drainLease, "tenant": o.Tenant,
					"kind": o.Work, "owner": o.ID, "held": held}).Scan(&held)
			})
			if err != nil && ctx.Err() == nil {
				r.log.Warn("drain not renewed", "tenant", o.Tenant, "kind", o.Work, "owner", o.ID, "error", err)
			}
		}
	}()
	return l
}

const lockHeld = `
	SELECT rung FROM bells
	WHERE tenant_id = @tenant AND kind = @kind AND owner_id = @owner AND drain_until = @held FOR UPDATE`

const release = `
	UPDATE bells SET drain_until = NULL, rung = @again, rung_at = CASE WHEN @again AND NOT rung THEN now() ELSE rung_at END
	WHERE tenant_id = @tenant AND kind = @kind AND owner_id = @owner`

// release gives the owner back; where it was rung meanwhile, or work is left, a new job goes to the
// tail of the queue.
func (r *bellRope) release(ctx context.Context, o id.Owner, held time.Time, d drainer) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return r.db.InTenantSoon(ctx, o.Tenant, func(tx pgx.Tx) error {
		who := pgx.StrictNamedArgs{"tenant": o.Tenant, "kind": o.Work, "owner": o.ID, "held": held}
		var again bool
		if err := tx.QueryRow(ctx, lockHeld, who).Scan(&again); err != nil {
			return pg.Translate(err, nil) // the stamp ran out and another worker has the owner now
		}
		if !again {
			left, err := d.Left(ctx, tx, o.Tenant, o.ID)
			if err != nil {
				return err
			}
			again = left
		}
		if _, err := tx.Exec(ctx, release, pgx.StrictNamedArgs{
			"again": again, "tenant": o.Tenant, "kind": o.Work, "owner": o.ID}); err != nil {
			return err
		}
		if !again {
			return nil
		}
		return r.bells.sound(ctx, tx, []id.Owner{o})
	})
}
