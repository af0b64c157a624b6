// Package operation is the life of one CRM write.
//
//	           ┌──────── not executed: retry ────────┐       pending, in_flight ──stale──▶ superseded
//	           ▼                                     │
//	●──▶ pending ──claim (intent committed)──▶ in_flight ──executed──▶ done
//	       ▲  │ ▲                                │   ├── refused ──▶ failed
//	       │  ▼ │ ◀── not executed: hold ────────┤   │
//	       │ held                    unknown, and not safe to repeat
//	       │                                     ▼
//	       └── a person's permit ────── needs_reconciliation ── a person, a probe or a late answer ──▶ done
//	              (expired or overtaken: back)   └── a person: "do not" ──▶ cancelled
//
// A state is a type and a legal move is its method; a Step carries the move to the database, whose
// trigger checks it again. The package alone writes tables lanes, operations, operation_payloads,
// operation_attempts and (through its trigger) operation_history. I/O is in the *_store.go files.
package operation

import (
	"errors"
	"time"

	"sverka/internal/crm"
	"sverka/internal/id"
	"sverka/internal/secret"
)

// State of an operation.
type State string

// The states, see the package's picture.
const (
	StatePending             State = "pending"
	StateHeld                State = "held"
	StateInFlight            State = "in_flight"
	StateNeedsReconciliation State = "needs_reconciliation"
	StateDone                State = "done"
	StateFailed              State = "failed"
	StateSuperseded          State = "superseded"
	StateCancelled           State = "cancelled"
)

// Edges is the code's copy of table operation_edges; a test holds them equal.
var Edges = map[State][]State{
	"new":                    {StatePending, StateHeld},
	StatePending:             {StateInFlight, StateHeld, StateDone, StateNeedsReconciliation, StateFailed, StateSuperseded, StateCancelled},
	StateHeld:                {StatePending, StateDone, StateNeedsReconciliation, StateFailed, StateSuperseded, StateCancelled},
	StateInFlight:            {StateDone, StateFailed, StatePending, StateHeld, StateNeedsReconciliation, StateSuperseded},
	StateNeedsReconciliation: {StateDone, StatePending, StateCancelled},
	StateFailed:              {StateCancelled},
	StateDone:                {StateNeedsReconciliation},
	StateCancelled:           {StateNeedsReconciliation},
}

// Certainty is the sticky doubt: none = every attempt of this arming provably had no effect.
type Certainty string

// The two certainties.
const (
	None     Certainty = "none"
	Possible Certainty = "possible"
)

// Reasons why an operation stands where it stands.
const (
	ReasonAnswerUnknown = "answer_unknown"      // sent, and what became of it is not known
	ReasonLostWorker    = "lost_worker"         // its lease ran out: nothing was observed at all
	ReasonAfterDoubt    = "refused_after_doubt" // refused now, but an earlier attempt may have worked
	ReasonDeadline      = "deadline"            // the key's window or 72 hours are over
	ReasonConnection    = "connection"          // the CRM refuses us, not the record
	ReasonPredecessor   = "predecessor"         // what it follows did not come to be
	ActorSystem         = "system"              // the engine itself
	ActorLateAnswer     = "late_answer"         // an answer that came after its lease
)

// Times of an attempt (DESIGN.md §6). All stamps are the database's clock.
const (
	Lease    = 60 * time.Second
	Deadline = 25 * time.Second // of the HTTP conversation
	LifeTime = 72 * time.Hour   // from planning to a person
)

var (
	// ErrNotFound: the tenant has no such operation.
	ErrNotFound = errors.New("operation: not found")
	// ErrNothingDue: no operation of the connection may be claimed now.
	ErrNothingDue = errors.New("operation: nothing is due")
	// ErrStale: somebody moved the operation meanwhile.
	ErrStale = errors.New("operation: moved meanwhile")
)

// record is what every state of an operation carries.
type record struct {
	Tenant     id.Tenant
	ID         id.Operation
	Connection id.Connection
	Kind       crm.Kind
	Capability crm.Capability
	Certainty  Certainty
	Epoch      int64
	Arming     int
	AttemptNo  int
	Version    int
	Key        crm.Key
	KeyWindow  *time.Duration
	DeadlineAt time.Time
}

// Stamp is the operation's id inside the CRM.
func (r record) Stamp() crm.Stamp { return crm.StampOf(r.ID.String()) }

// ExternalID is what an upsert files the record under: the stamp, which is unique and never reused.
func (r record) ExternalID() crm.ExternalID { return crm.ExternalID(r.Stamp()) }

func payloadPlace(o id.Operation) secret.Place {
	return secret.Place{Table: "operation_payloads", Column: "sealed", Row: o.String()}
}
