package jobs

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"sverka/internal/id"
)

const (
	drainLease = 15 * time.Second // how long a drain keeps its owner without renewing
	drainRenew = 5 * time.Second
)

// Bells rings, takes and releases the wake-ups of owners.
type Bells struct{ river *river.Client[pgx.Tx] }

// NewBells only ever inserts jobs; it needs no pool of its own.
func NewBells() (*Bells, error) {
	client, err := river.NewClient(riverpgxv5.New(nil), &river.Config{FetchCooldown: fetchCooldown, MaxAttempts: maxAttempts})
	return &Bells{river: client}, err
}

// The conflicting row is locked whether or not it is changed, until the transaction ends: a drain that
// clears the bell meanwhile waits, and then sees the work.
const ring = `
	INSERT INTO bells AS b (tenant_id, kind, owner_id, rung, rung_at)
	SELECT tenant_id, kind, owner_id, true, now()
	FROM unnest(@tenants::uuid[], @kinds::text[], @owners::uuid[]) AS o (tenant_id, kind, owner_id)
	ON CONFLICT (tenant_id, kind, owner_id) DO UPDATE SET rung = true, rung_at = now() WHERE NOT b.rung
	RETURNING tenant_id, kind, owner_id, coalesce(drain_until > now(), false)`

// Ring wakes owners. It is the last act of the transaction that made the work.
func (b *Bells) Ring(ctx context.Context, tx pgx.Tx, owners ...id.Owner) error {
	owners = distinct(owners)
	if len(owners) == 0 {
		return nil
	}
	rows, _ := tx.Query(ctx, ring, ownerColumns(owners))
	silent, err := collectSilent(rows)
	if err != nil {
		return err
	}
	return b.sound(ctx, tx, silent)
}

const ringAgain = `
	UPDATE bells b SET rung = true, rung_at = now(), drain_until = NULL
	FROM unnest(@tenants::uuid[], @kinds::text[], @owners::uuid[]) AS o (tenant_id, kind, owner_id)
	WHERE b.tenant_id = o.tenant_id AND b.kind = o.kind AND b.owner_id = o.owner_id
	RETURNING b.tenant_id, b.kind, b.owner_id, false`

// ringAgain gives bells whose sound was lost a new job, whatever their row says.
func (b *Bells) ringAgain(ctx context.Context, tx pgx.Tx, owners []id.Owner) error {
	if len(owners) == 0 {
		return nil
	}
	rows, _ := tx.Query(ctx, ringAgain, ownerColumns(distinct(owners)))
	silent, err := collectSilent(rows)
	if err != nil {
		return err
	}
	return b.sound(ctx, tx, silent)
}

// collectSilent reads the owners that were rung just now and that nobody drains: they need a job.
func collectSilent(rows pgx.Rows) ([]id.Owner, error) {
	var (
		all     []id.Owner
		o       id.Owner
		drained bool
	)
	_, err := pgx.ForEachRow(rows, []any{&o.Tenant, &o.Work, &o.ID, &drained}, func() error {
		if !drained {
			all = append(all, o)
		}
		return nil
	})
	return all, err
}

const rememberJobs = `
	UPDATE bells b SET job_id = o.job_id
	FROM unnest(@tenants::uuid[], @kinds::text[], @owners::uuid[], @jobs::bigint[]) AS o (tenant_id, kind, owner_id, job_id)
	WHERE b.tenant_id = o.tenant_id AND b.kind = o.kind AND b.owner_id = o.owner_id`

// sound inserts the jobs of bells and notes them, in the same transaction.
func (b *Bells) sound(ctx context.Context, tx pgx.Tx, owners []id.Owner) error {
	if len(owners) == 0 {
		return nil
	}
	params := make([]river.InsertManyParams, len(owners))
	for k, o := range owners {
		params[k].Args = argsOf(o)
	}
	inserted, err := b.river.InsertManyTx(ctx, tx, params)
	if err != nil {
		return err
	}
	jobs := make([]int64, len(inserted))
	for k, one := range inserted {
		jobs[k] = one.Job.ID
	}
	args := ownerColumns(owners)
	args["jobs"] = jobs
	_, err = tx.Exec(ctx, rememberJobs, args)
	return err
}

// distinct sorts owners, so that two transactions lock bells in one order, and drops repeats.
func distinct(owners []id.Owner) []id.Owner {
	all := slices.SortedFunc(slices.Values(owners), id.Owner.Compare)
	return slices.Compact(all)
}

func ownerColumns(owners []id.Owner) pgx.StrictNamedArgs {
	// Bytes, which pgx sends as they are; it would turn each of a []uuid.UUID into text and back.
	tenants, kinds, ids := make([][16]byte, len(owners)), make([]string, len(owners)), make([][16]byte, len(owners))
	for k, o := range owners {
		tenants[k], kinds[k], ids[k] = o.Tenant.UUID, string(o.Work), o.ID
	}
	return pgx.StrictNamedArgs{"tenants": tenants, "kinds": kinds, "owners": ids}
}
