package operation

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"sverka/internal/crm"
	"sverka/internal/id"
	"sverka/internal/pg"
)

// free is the condition that nothing stands before an operation o: what it depends on (d) is done, and it
// is the head of its lane. A failed one before it does not block; one that waits for a person does.
const free = `(o.depends_on IS NULL OR d.state = 'done')
		AND NOT EXISTS (
			SELECT FROM operations e
			WHERE e.tenant_id = o.tenant_id AND e.connection_id = o.connection_id AND e.lane_key = o.lane_key
				AND e.lane_seq < o.lane_seq AND e.state IN ('pending', 'held', 'in_flight', 'needs_reconciliation'))`

// Runs after the connection's rate row is locked, as its own statement: its snapshot sees what the
// claim before it committed, so the count of requests under way is right.
const nextDue = `
	SELECT o.id, o.kind, o.capability, o.certainty, o.epoch, o.arming, o.attempt_no, o.version,
		coalesce(o.external_key, ''), o.key_window, o.deadline_at, coalesce(d.external_ref, ''), p.sealed
	FROM operations o
	JOIN operation_payloads p ON p.tenant_id = o.tenant_id AND p.operation_id = o.id
	LEFT JOIN operations d ON d.tenant_id = o.tenant_id AND d.id = o.depends_on
	WHERE o.tenant_id = @tenant AND o.connection_id = @connection AND o.state = 'pending' AND o.next_attempt_at <= now()
		AND o.deadline_at > now() + @conversation
		AND ` + free + `
		AND (SELECT count(*) FROM operations f
			WHERE f.tenant_id = @tenant AND f.connection_id = @connection AND f.state = 'in_flight') < @concurrency
	ORDER BY o.next_attempt_at, o.id LIMIT 1
	FOR NO KEY UPDATE OF o SKIP LOCKED`

const begin = `
	WITH claimed AS (
		UPDATE operations
		SET state = 'in_flight', epoch = @epoch, attempt_no = @no, certainty = 'possible', reason = NULL, actor = 'system',
			lease_owner = @owner, lease_until = clock_timestamp() + @lease, next_attempt_at = NULL,
			key_first_sent_at = coalesce(key_first_sent_at, clock_timestamp()),
			deadline_at = CASE WHEN key_window IS NULL OR key_first_sent_at IS NOT NULL THEN deadline_at
				ELSE least(deadline_at, clock_timestamp() + @key_life) END
		WHERE tenant_id = @tenant AND id = @id AND version = @version AND state = 'pending'
		RETURNING tenant_id, id
	)
	INSERT INTO operation_attempts (tenant_id, operation_id, no, epoch, arming, capability, certainty_before, started_at)
	SELECT tenant_id, id, @no, @epoch, @arming, @capability, @certainty_before, clock_timestamp() FROM claimed`

// Claim takes the connection's next due operation and records the intent to send it. The caller holds
// the connection's slot; nothing may be sent before this transaction is committed. ErrNothingDue when
// there is none: then the caller rolls back, so the slot is not spent.
func Claim(ctx context.Context, tx pgx.Tx, tenant id.Tenant, connection id.Connection, concurrency int, owner string) (InFlight, error) {
	p := Pending{record{Tenant: tenant, Connection: connection}}
	var (
		parent crm.Ref
		sealed []byte
	)
	err := tx.QueryRow(ctx, nextDue, pgx.StrictNamedArgs{
		"tenant": tenant, "connection": connection, "concurrency": concurrency, "conversation": Deadline,
	}).Scan(&p.ID, &p.Kind, &p.Capability, &p.Certainty, &p.Epoch, &p.Arming, &p.AttemptNo, &p.Version,
		&p.Key, &p.KeyWindow, &p.DeadlineAt, &parent, &sealed)
	if err != nil {
		return InFlight{}, pg.Translate(err, ErrNothingDue)
	}
	f := p.Begin()
	f.Parent, f.Sealed = parent, sealed
	tag, err := tx.Exec(ctx, begin, pgx.StrictNamedArgs{
		"epoch": f.Epoch, "no": f.AttemptNo, "owner": owner, "lease": f.LeaseFor, "key_life": keyLife(f.KeyWindow),
		"tenant": tenant, "id": f.ID, "version": p.Version, "arming": f.Arming, "capability": f.Capability,
		"certainty_before": f.CertaintyBefore,
	})
	if err == nil && tag.RowsAffected() != 1 {
		err = ErrStale
	}
	return f, err
}

func keyLife(window *time.Duration) time.Duration {
	if window == nil {
		return LifeTime
	}
	return deadlineFrom(*window)
}
