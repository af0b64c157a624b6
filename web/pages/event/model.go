package event

import (
	"time"

	"sverka/web/ui"
)

// Model is one event as it is shown. Nothing of its body is in it.
type Model struct {
	Shell      ui.Shell
	Update     string
	Said       ui.Phrase // what happened, in one sentence
	State      string
	Kind       string // "" = not read yet
	Bot        string
	From       string // "" = nobody is known
	ReceivedAt time.Time
	Deliveries int
	Generation int
	Strip      ui.Strip
	Times      []Time
	Operations []Operation
}

// Time is one point in the event's life.
type Time struct {
	What ui.Phrase
	At   time.Time
}

// Operation is one thing that was to be written, with everything that was tried.
type Operation struct {
	ID         string
	Title      ui.Phrase
	Said       ui.Phrase
	State      string
	AttemptNo  int
	Capability string
	Next       *time.Time // nil = none is planned
	Until      *time.Time // nil = nothing more is tried
	Follows    *Followed
	Attempts   []ui.Attempt
	History    []Move
}

// Followed is the operation that one waits for.
type Followed struct {
	Title ui.Phrase
	State string
	Tries int
	Href  string
}

// Move is one row of an operation's history.
type Move struct {
	At       time.Time
	From, To string
	Why      string // a stable code; "" = the states say it all
	Actor    string // system, late_answer, probe, person
}
