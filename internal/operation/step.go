package operation

import (
	"time"

	"sverka/internal/crm"
)

// Step is a legal move, ready for the database. Only this package can make one.
type Step struct {
	from, to  State
	reason    string
	actor     string
	certainty Certainty
	ref       crm.Ref
	retryIn   time.Duration // of a move to pending
}

// To is the state that the step leads to.
func (s Step) To() State { return s.to }

// Reason is why, "" where the state says it all.
func (s Step) Reason() string { return s.reason }

// Pending waits for its due time.
type Pending struct{ record }

// InFlight has an attempt under way: a request may exist.
type InFlight struct {
	record
	CertaintyBefore Certainty     // what was known before this attempt
	Parent          crm.Ref       // ref of the record that it depends on
	Waited          bool          // not the first attempt: the CRM may have it by now
	Sealed          []byte        // the record to write
	LeaseFor        time.Duration // how long after the claim's commit the result may be trusted
}

// Begin records, before anything is sent, that an attempt is under way.
func (p Pending) Begin() InFlight {
	next := InFlight{record: p.record, CertaintyBefore: p.Certainty, Waited: p.AttemptNo > 0, LeaseFor: Lease}
	next.Epoch++
	next.AttemptNo++
	next.Version++
	next.Certainty = Possible
	return next
}

// Settle turns what is known about the attempt into the next state. What it does not understand takes
// the safe branch, the same as crm.Unknown.
func (f InFlight) Settle(o crm.Outcome) Step {
	switch o := o.(type) {
	case crm.Executed:
		return f.step(StateDone, "", Possible).withRef(o.Ref)
	case crm.Refused:
		if f.CertaintyBefore == Possible { // a refusal now says nothing about the attempt before
			return f.step(StateNeedsReconciliation, ReasonAfterDoubt, Possible)
		}
		return f.step(StateFailed, o.Reason, None)
	case crm.NotExecuted:
		if o.Hold {
			return f.step(StateHeld, ReasonConnection, f.CertaintyBefore)
		}
		return f.again(f.CertaintyBefore, o.Cause, o.RetryIn)
	case crm.Stale:
		return f.step(StateSuperseded, "crm_has_"+o.Have, f.CertaintyBefore)
	}
	return f.doubt(ReasonAnswerUnknown)
}

// Expire is what becomes of an attempt whose worker was lost: nothing was observed, so anything may
// have happened.
func (f InFlight) Expire() Step { return f.doubt(ReasonLostWorker) }

// doubt decides by capability alone whether a repeat is safe (DESIGN.md §1.4).
func (f InFlight) doubt(reason string) Step {
	if f.Capability == crm.Neither {
		return f.step(StateNeedsReconciliation, reason, Possible)
	}
	return f.again(Possible, reason, 0)
}

func (f InFlight) again(c Certainty, cause string, wish time.Duration) Step {
	s := f.step(StatePending, cause, c)
	s.retryIn = max(wish, Backoff(f.AttemptNo))
	return s
}

func (f InFlight) step(to State, reason string, c Certainty) Step {
	return Step{from: StateInFlight, to: to, reason: reason, actor: ActorSystem, certainty: c}
}

func (s Step) withRef(ref crm.Ref) Step {
	s.ref = ref
	return s
}

// Overdue is what becomes of a waiting operation when its time is over: without doubt it failed, with
// doubt a person decides.
func (p Pending) Overdue() Step {
	s := Step{from: StatePending, to: StateFailed, reason: ReasonDeadline, actor: ActorSystem, certainty: p.Certainty}
	if p.Certainty == Possible {
		s.to = StateNeedsReconciliation
	}
	return s
}
