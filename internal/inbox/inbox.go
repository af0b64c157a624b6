// Package inbox is what arrives: hooks where it comes in, events, and their bodies.
//
//	Accept ──▶ pending ──interpretation──▶ processed | ignored
//	   │          └── fails three times ──▶ quarantined
//	   ├──▶ quarantined   no usable update_id
//	   └──▶ variant       a known key with another body: kept, flagged, not processed
//
// Accept groups concurrent deliveries into one transaction and returns only after its commit.
// It alone writes tables hooks, inbox_events, inbox_payloads and seen_messages.
package inbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"sverka/internal/id"
	"sverka/internal/pg"
	"sverka/internal/secret"
)

// Source is the kind of place that an event came from.
type Source string

// Telegram is the only source of the corridor so far.
const Telegram Source = "telegram"

// State of an event.
type State string

// The states, see the package's picture.
const (
	Pending     State = "pending"
	Processed   State = "processed"
	Ignored     State = "ignored"
	Quarantined State = "quarantined"
	Variant     State = "variant"
)

// States lists them in the order of a list's filter.
func States() []State { return []State{Pending, Processed, Ignored, Quarantined, Variant} }

// The reasons that this package itself gives to a quarantined event.
const (
	NoUsableID           = "no_usable_update_id"
	InterpretationFailed = "interpretation_failed"
)

// Verdict says what Accept did with a delivery.
type Verdict string

// The verdicts; all of them mean: stored, answer 200.
const (
	Fresh     Verdict = "fresh"
	Duplicate Verdict = "duplicate"
	Other     Verdict = "variant"
	SetAside  Verdict = "quarantined"
)

// Delivery is one thing that arrived, at one hook.
type Delivery struct {
	Tenant     id.Tenant
	Source     Source
	Origin     string    // bot user id, as text
	Owner      uuid.UUID // whose bell is rung: the bot
	ExternalID string    // "" = no usable id: the event is set aside under its hash
	Position   int64     // order among the owner's waiting events: the update_id
	Body       []byte    // as it came
}

// ErrNotStored: the delivery is not durably stored. The sender should come again.
var ErrNotStored = errors.New("inbox: not stored")

// Inbox stores what arrives.
type Inbox struct {
	db    *pg.DB
	keys  keys
	bells bells
	queue chan *row
	now   func() time.Time

	writers, rows int
}

// keys gives the data key that seals a tenant's bodies.
type keys interface {
	Of(context.Context, id.Tenant) (*secret.DataKey, error)
}

// bells wakes the interpretation of an owner, as the last act of a transaction.
type bells interface {
	Ring(ctx context.Context, tx pg.Tx, owners ...id.Owner) error
}

// New makes an inbox; Run must be running for Accept to return.
func New(db *pg.DB, keys keys, bells bells) *Inbox {
	return &Inbox{db: db, keys: keys, bells: bells, queue: make(chan *row, queueLength), now: time.Now,
		writers: groupWriters, rows: groupRows}
}

// Grouped changes how many groups are written at once and how many rows one has: for the benchmark, which
// shows what grouping is worth.
func (i *Inbox) Grouped(writers, rows int) *Inbox {
	i.writers, i.rows = writers, rows
	return i
}

// Accept stores a delivery and wakes its owner, in one transaction with what arrives at the same time.
// nil means committed. ErrNotStored covers everything else, also a context that ended first: the group
// goes on without its waiter, and the sender's repeat finds the event.
func (i *Inbox) Accept(ctx context.Context, d Delivery) (Verdict, error) {
	r, err := i.prepare(ctx, d)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNotStored, err)
	}
	select {
	case i.queue <- r:
	case <-ctx.Done():
		return "", fmt.Errorf("%w: queue is full: %w", ErrNotStored, ctx.Err())
	}
	select {
	case err := <-r.done:
		if err != nil {
			return "", fmt.Errorf("%w: %w", ErrNotStored, err)
		}
		return r.verdict, nil
	case <-ctx.Done():
		return "", fmt.Errorf("%w: %w", ErrNotStored, ctx.Err())
	}
}

// row is a delivery on its way into a group.
type row struct {
	Delivery
	id      id.Event
	hash    []byte
	sealed  []byte
	state   State
	reason  *string
	verdict Verdict
	done    chan error
}

// prepare does the work that needs no database, outside the group.
func (i *Inbox) prepare(ctx context.Context, d Delivery) (*row, error) {
	key, err := i.keys.Of(ctx, d.Tenant)
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256(d.Body)
	r := &row{Delivery: d, id: id.NewEvent(), hash: hash[:], state: Pending, verdict: Fresh, done: make(chan error, 1)}
	if d.ExternalID == "" {
		reason := NoUsableID
		r.ExternalID, r.state, r.reason, r.verdict = "sha256:"+hex.EncodeToString(hash[:]), Quarantined, &reason, SetAside
	}
	r.sealed = key.Seal(payloadPlace(r.id), d.Body)
	return r, nil
}

func payloadPlace(event id.Event) secret.Place {
	return secret.Place{Table: "inbox_payloads", Column: "sealed", Row: event.String()}
}

// Key is the event key as it is written in logs and on screen: telegram:<tenant>:<bot user id>:<update_id>.
func Key(source Source, tenant id.Tenant, origin, externalID string) string {
	return string(source) + ":" + tenant.String() + ":" + origin + ":" + externalID
}
