package inbox

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sverka/internal/id"
	"sverka/internal/pg"
)

// ErrNothingWaiting: the owner has no event to interpret.
var ErrNothingWaiting = errors.New("inbox: nothing is waiting")

// Event is a stored event as interpretation takes it.
type Event struct {
	ID         id.Event
	Source     Source
	Origin     string
	ExternalID string
	Generation int
	ReceivedAt time.Time
	Failures   int
	Sealed     []byte
}

// In the order of update ids. The lock on the head keeps interpretation serial even where two workers
// drain one owner.
const next = `
	SELECT e.id, e.source, e.origin, e.external_id, e.generation, e.received_at, e.failures, p.sealed
	FROM inbox_events e
	JOIN inbox_payloads p ON p.tenant_id = e.tenant_id AND p.event_id = e.id AND p.day = e.day
	WHERE e.tenant_id = @tenant AND e.owner_id = @owner AND e.state = 'pending'
	ORDER BY e.position, e.id LIMIT 1
	FOR NO KEY UPDATE OF e`

// Next gives the owner's next waiting event, locked; ErrNothingWaiting when there is none.
func Next(ctx context.Context, tx pgx.Tx, tenant id.Tenant, owner uuid.UUID) (Event, error) {
	rows, _ := tx.Query(ctx, next, pgx.StrictNamedArgs{"tenant": tenant, "owner": owner})
	e, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Event])
	return e, pg.Translate(err, ErrNothingWaiting)
}

// IsWaiting reports whether the owner has an event to interpret.
func IsWaiting(ctx context.Context, tx pgx.Tx, tenant id.Tenant, owner uuid.UUID) (waiting bool, err error) {
	const ask = `SELECT EXISTS (SELECT FROM inbox_events WHERE tenant_id = $1 AND owner_id = $2 AND state = 'pending')`
	err = tx.QueryRow(ctx, ask, tenant, owner).Scan(&waiting)
	return waiting, err
}

// Body opens the body of an event.
func (i *Inbox) Body(ctx context.Context, tenant id.Tenant, e Event) ([]byte, error) {
	key, err := i.keys.Of(ctx, tenant)
	if err != nil {
		return nil, err
	}
	return key.Open(payloadPlace(e.ID), e.Sealed)
}

// Reading is what interpretation made of an event.
type Reading struct {
	State   State  // Processed or Ignored
	Reason  string // why ignored, or why it made no operation; "" = none
	Kind    string // update type
	Contact id.Contact
	Inquiry id.Inquiry
}

const finish = `
	UPDATE inbox_events SET state = @state, reason = nullif(@reason, ''), kind = nullif(@kind, ''), processed_at = now(),
		contact_id = @contact, inquiry_id = @inquiry
	WHERE tenant_id = @tenant AND id = @id AND state = 'pending'`

// ErrStale: the event is no longer waiting; somebody interpreted it meanwhile.
var ErrStale = errors.New("inbox: the event is no longer waiting")

// Finish records what interpretation made of a waiting event.
func Finish(ctx context.Context, tx pgx.Tx, tenant id.Tenant, event id.Event, r Reading) error {
	tag, err := tx.Exec(ctx, finish, pgx.StrictNamedArgs{"state": r.State, "reason": r.Reason, "kind": r.Kind,
		"contact": r.Contact, "inquiry": r.Inquiry, "tenant": tenant, "id": event})
	if err == nil && tag.RowsAffected() == 0 {
		return ErrStale
	}
	return err
}

const maxFailures = 3

const countFailure = `
	UPDATE inbox_events SET failures = failures + 1,
		state = CASE WHEN failures + 1 >= @most THEN 'quarantined' ELSE state END,
		reason = CASE WHEN failures + 1 >= @most THEN @reason ELSE reason END,
		processed_at = CASE WHEN failures + 1 >= @most THEN now() ELSE processed_at END
	WHERE tenant_id = @tenant AND id = @id AND state = 'pending' RETURNING state = 'quarantined'`

// CountFailure notes that an event could not be interpreted. The third time it is set aside, so that
// poison never blocks its bot; it reports whether that happened.
func CountFailure(ctx context.Context, tx pgx.Tx, tenant id.Tenant, event id.Event) (setAside bool, err error) {
	err = tx.QueryRow(ctx, countFailure, pgx.StrictNamedArgs{
		"most": maxFailures, "reason": InterpretationFailed, "tenant": tenant, "id": event,
	}).Scan(&setAside)
	return setAside, pg.Translate(err, ErrStale)
}

const rememberMessage = `
	INSERT INTO seen_messages (tenant_id, bot_user_id, key, event_id) VALUES ($1, $2, $3, $4)
	ON CONFLICT DO NOTHING`

// Remember notes the business key of a human message; false when it was known already.
func Remember(ctx context.Context, tx pgx.Tx, tenant id.Tenant, bot int64, key string, event id.Event) (fresh bool, err error) {
	tag, err := tx.Exec(ctx, rememberMessage, tenant, bot, key, event)
	return err == nil && tag.RowsAffected() == 1, err
}

const waitingOwners = `
	SELECT DISTINCT e.tenant_id, 'interpret', e.owner_id
	FROM inbox_events e
	JOIN bots o ON o.tenant_id = e.tenant_id AND o.id = e.owner_id AND o.state = 'active'
	JOIN tenants t ON t.id = e.tenant_id AND t.state = 'active'
	WHERE e.state = 'pending' AND e.received_at < now() - interval '2 s'
		AND NOT EXISTS (SELECT FROM bells b WHERE b.tenant_id = e.tenant_id AND b.kind = 'interpret' AND b.owner_id = e.owner_id
			AND (b.rung OR b.drain_until > now()))`

// WaitingOwners finds, over all tenants, whose events have waited for over 2 s with a silent bell.
func WaitingOwners(ctx context.Context, scan pgx.Tx) ([]id.Owner, error) {
	rows, _ := scan.Query(ctx, waitingOwners)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[id.Owner])
}

// MakeDays makes the partitions of bodies for the days to come.
func MakeDays(ctx context.Context, scan pgx.Tx) error {
	_, err := scan.Exec(ctx, `SELECT make_payload_days()`)
	return err
}
