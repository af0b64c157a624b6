package operation

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sverka/internal/id"
	"sverka/internal/pg"
)

// Late is an operation whose lease or deadline is over, found by the scan.
type Late struct {
	Tenant     id.Tenant
	Operation  id.Operation
	Connection id.Connection
}

const leaseOver = `
	SELECT tenant_id, id, connection_id FROM operations
	WHERE state = 'in_flight' AND lease_until < now() ORDER BY lease_until LIMIT 200`

const deadlineOver = `
	SELECT tenant_id, id, connection_id FROM operations
	WHERE state = 'pending' AND next_attempt_at <= now() AND deadline_at <= now() + @conversation ORDER BY next_attempt_at LIMIT 200`

// LeaseOver finds attempts whose worker was lost. It only finds: moving them is done in their tenant.
func LeaseOver(ctx context.Context, scan pgx.Tx) ([]Late, error) {
	rows, _ := scan.Query(ctx, leaseOver)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Late])
}

// DeadlineOver finds waiting operations that may not be sent any more.
func DeadlineOver(ctx context.Context, scan pgx.Tx) ([]Late, error) {
	rows, _ := scan.Query(ctx, deadlineOver, pgx.StrictNamedArgs{"conversation": Deadline})
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Late])
}

const lockLate = `
	SELECT o.kind, o.capability, o.certainty, o.epoch, o.arming, o.attempt_no, o.version, coalesce(a.certainty_before, 'none')
	FROM operations o
	LEFT JOIN operation_attempts a ON a.tenant_id = o.tenant_id AND a.operation_id = o.id AND a.no = o.attempt_no
	WHERE o.tenant_id = @tenant AND o.id = @id AND o.state = @state
		AND CASE WHEN @state = 'in_flight' THEN o.lease_until < now() ELSE o.deadline_at <= now() + @conversation END
	FOR NO KEY UPDATE OF o`

const expireAttempt = `
	UPDATE operation_attempts SET outcome = 'unknown', cause = 'lost_worker', finished_at = clock_timestamp()
	WHERE tenant_id = @tenant AND operation_id = @id AND no = @no AND outcome IS NULL`

// The epoch rises first: whoever still holds the old one can no longer move the operation.
const moveLate = `
	UPDATE operations
	SET state = @to, reason = @reason, actor = 'system', certainty = @certainty, epoch = epoch + 1,
		next_attempt_at = CASE WHEN @to = 'pending' THEN least(clock_timestamp() + @retry_in, deadline_at) END
	WHERE tenant_id = @tenant AND id = @id AND epoch = @epoch`

func lockAs(ctx context.Context, tx pgx.Tx, tenant id.Tenant, o id.Operation, state State) (record, Certainty, error) {
	r := record{Tenant: tenant, ID: o}
	var before Certainty
	err := tx.QueryRow(ctx, lockLate, pgx.StrictNamedArgs{"tenant": tenant, "id": o, "state": state, "conversation": Deadline}).
		Scan(&r.Kind, &r.Capability, &r.Certainty, &r.Epoch, &r.Arming, &r.AttemptNo, &r.Version, &before)
	return r, before, pg.Translate(err, ErrStale)
}

func moveTo(ctx context.Context, tx pgx.Tx, r record, s Step) error {
	_, err := tx.Exec(ctx, moveLate, pgx.StrictNamedArgs{"to": s.to, "reason": s.reason, "certainty": s.certainty,
		"retry_in": s.retryIn, "tenant": r.Tenant, "id": r.ID, "epoch": r.Epoch})
	return err
}

// Expire settles an attempt whose lease is over as unknown; ErrStale when its worker settled it after all.
func Expire(ctx context.Context, tx pgx.Tx, tenant id.Tenant, o id.Operation) (Step, error) {
	r, before, err := lockAs(ctx, tx, tenant, o, StateInFlight)
	if err != nil {
		return Step{}, err
	}
	step := InFlight{record: r, CertaintyBefore: before}.Expire()
	if _, err := tx.Exec(ctx, expireAttempt, pgx.StrictNamedArgs{"tenant": tenant, "id": o, "no": r.AttemptNo}); err != nil {
		return Step{}, err
	}
	return step, moveTo(ctx, tx, r, step)
}

// GiveUp ends the waiting of an operation whose deadline is over; ErrStale when it moved meanwhile.
func GiveUp(ctx context.Context, tx pgx.Tx, tenant id.Tenant, o id.Operation) (Step, error) {
	r, _, err := lockAs(ctx, tx, tenant, o, StatePending)
	if err != nil {
		return Step{}, err
	}
	step := Pending{r}.Overdue()
	if err := moveTo(ctx, tx, r, step); err != nil {
		return Step{}, err
	}
	return step, followers(ctx, tx, InFlight{record: r}, step)
}
