package operation

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sverka/internal/crm"
)

// Observation is what an attempt saw, for its row.
type Observation struct {
	Outcome  crm.Outcome
	Evidence []crm.Evidence
}

// words turns an outcome into the columns of an attempt.
func words(o crm.Outcome) (outcome, cause string, ref *crm.Ref) {
	switch o := o.(type) {
	case crm.Executed:
		return "executed", "", &o.Ref
	case crm.Refused:
		return "refused", o.Reason, nil
	case crm.NotExecuted:
		return "not_executed", o.Cause, nil
	case crm.Stale:
		return "stale", o.Have, nil
	case crm.Unknown:
		return "unknown", o.Cause, nil
	}
	return "unknown", ReasonAnswerUnknown, nil
}

// An attempt that was settled without its answer (its lease ran out) gets the answer late.
const settleAttempt = `
	UPDATE operation_attempts
	SET outcome = @outcome, cause = nullif(@cause, ''), external_ref = @ref, http_status = nullif(@status, 0),
		evidence = @evidence, late = outcome IS NOT NULL, finished_at = coalesce(finished_at, clock_timestamp())
	WHERE tenant_id = @tenant AND operation_id = @id AND no = @no AND epoch = @epoch
		AND outcome IS DISTINCT FROM 'executed'`

const settleOperation = `
	UPDATE operations
	SET state = @to, reason = nullif(@reason, ''), actor = @actor, certainty = @certainty, external_ref = @ref,
		next_attempt_at = CASE WHEN @to = 'pending' THEN least(clock_timestamp() + @retry_in, deadline_at) END
	WHERE tenant_id = @tenant AND id = @id AND epoch = @epoch AND state = 'in_flight'`

// Settle records what the attempt saw, its own row first, then moves the operation, fenced by epoch. A
// worker that lost its lease moves nothing; its late success is adopted.
func Settle(ctx context.Context, tx pgx.Tx, f InFlight, seen Observation) (Step, error) {
	step := f.Settle(seen.Outcome)
	if err := recordAttempt(ctx, tx, f, seen); err != nil {
		return Step{}, err
	}
	moved, err := move(ctx, tx, f, step)
	if err != nil {
		return Step{}, err
	}
	if moved {
		return step, followers(ctx, tx, f, step)
	}
	if done, ok := seen.Outcome.(crm.Executed); ok {
		return adoptLate(ctx, tx, f, done.Ref)
	}
	return Step{}, ErrStale
}

func recordAttempt(ctx context.Context, tx pgx.Tx, f InFlight, seen Observation) error {
	outcome, cause, ref := words(seen.Outcome)
	evidence, err := json.Marshal(seen.Evidence)
	if err != nil {
		return err
	}
	tag, err := tx.Exec(ctx, settleAttempt, pgx.StrictNamedArgs{
		"outcome": outcome, "cause": cause, "ref": ref, "status": lastStatus(seen.Evidence), "evidence": evidence,
		"tenant": f.Tenant, "id": f.ID, "no": f.AttemptNo, "epoch": f.Epoch,
	})
	if err == nil && tag.RowsAffected() == 0 {
		return fmt.Errorf("%w: attempt %d", ErrStale, f.AttemptNo)
	}
	return err
}

func lastStatus(all []crm.Evidence) int {
	if len(all) == 0 {
		return 0
	}
	return all[len(all)-1].Status
}

func move(ctx context.Context, tx pgx.Tx, f InFlight, s Step) (bool, error) {
	var ref *crm.Ref
	if s.ref != "" {
		ref = &s.ref
	}
	tag, err := tx.Exec(ctx, settleOperation, pgx.StrictNamedArgs{
		"to": s.to, "reason": s.reason, "actor": s.actor, "certainty": s.certainty, "ref": ref, "retry_in": s.retryIn,
		"tenant": f.Tenant, "id": f.ID, "epoch": f.Epoch,
	})
	return err == nil && tag.RowsAffected() == 1, err
}

const adopt = `
	UPDATE operations SET state = 'done', external_ref = @ref, actor = 'late_answer', reason = NULL, epoch = epoch + 1,
		next_attempt_at = NULL
	WHERE tenant_id = @tenant AND id = @id AND state IN ('pending', 'held', 'in_flight', 'needs_reconciliation')`

// adoptLate finishes an operation whose answer came after its lease: the CRM has it.
func adoptLate(ctx context.Context, tx pgx.Tx, f InFlight, ref crm.Ref) (Step, error) {
	tag, err := tx.Exec(ctx, adopt, pgx.StrictNamedArgs{"ref": ref, "tenant": f.Tenant, "id": f.ID})
	if err != nil {
		return Step{}, err
	}
	if tag.RowsAffected() == 0 {
		return Step{}, ErrStale // finished meanwhile; the attempt row keeps the ref as evidence
	}
	return Step{from: StateInFlight, to: StateDone, actor: ActorLateAnswer, certainty: Possible, ref: ref}, nil
}

const holdFollowers = `
	UPDATE operations SET state = 'held', reason = 'predecessor', next_attempt_at = NULL, actor = 'system'
	WHERE tenant_id = $1 AND depends_on = $2 AND state = 'pending'`

// followers stops what depends on a record that will not come to be.
func followers(ctx context.Context, tx pgx.Tx, f InFlight, s Step) error {
	if s.to != StateFailed {
		return nil
	}
	_, err := tx.Exec(ctx, holdFollowers, f.Tenant, f.ID)
	return err
}
