package event

import (
	"sverka/internal/bot"
	"sverka/internal/i18n"
	"sverka/internal/inbox"
	"sverka/internal/operation"
	"sverka/internal/tenant"
	"sverka/web/ui"
)

// said is what happened to the event, in one sentence: the operation that needs somebody most speaks for
// all of them.
func (f found) said() ui.Phrase {
	switch f.event.State {
	case inbox.Pending:
		return f.waiting()
	case inbox.Ignored:
		return ui.Phrase{Key: "event.said.ignored", Args: ui.Args{"Why": ui.EventReason(f.event.Reason)}}
	case inbox.Quarantined:
		return ui.Phrase{Key: "event.said.quarantined", Args: ui.Args{"Why": ui.EventReason(f.event.Reason)}}
	case inbox.Variant:
		return ui.Phrase{Key: "event.said.variant"}
	}
	if len(f.operations) == 0 {
		return ui.Phrase{Key: "event.said.nothing"}
	}
	first := f.operations[0]
	last := first
	for _, o := range f.operations[1:] {
		if urgency[o.State] > urgency[first.State] {
			first = o
		}
		if o.ChangedAt.After(last.ChangedAt) {
			last = o
		}
	}
	if first.State == operation.StateDone && len(f.operations) > 1 {
		return ui.Phrase{Key: "event.said.all_done", Args: ui.Args{
			"Count": len(f.operations), "After": i18n.Brief(last.ChangedAt.Sub(f.event.ReceivedAt))}}
	}
	return f.saidOf(first)
}

// waiting says why an event is not read yet, where there is a reason.
func (f found) waiting() ui.Phrase {
	switch {
	case f.tenant.State == tenant.Suspended:
		return ui.Phrase{Key: "event.said.pending_suspended"}
	case f.bot.State == bot.Paused:
		return ui.Phrase{Key: "event.said.pending_paused", Args: ui.Args{"Bot": i18n.Name(f.bot.Name)}}
	}
	return ui.Phrase{Key: "event.said.pending"}
}

// urgency orders states by how much they need somebody.
var urgency = map[operation.State]int{
	operation.StateNeedsReconciliation: 8, operation.StateFailed: 7, operation.StateHeld: 6, operation.StateInFlight: 5,
	operation.StatePending: 4, operation.StateDone: 3, operation.StateSuperseded: 2, operation.StateCancelled: 1,
}

// saidOf is where an operation stands, in one sentence.
func (f found) saidOf(o operation.Entry) ui.Phrase {
	args := ui.Args{"Connection": i18n.Name(f.connection(o)), "Why": f.why(o), "Attempt": o.AttemptNo}
	switch o.State {
	case operation.StateDone:
		return f.done(o)
	case operation.StateFailed:
		return ui.Phrase{Key: ui.OfKind("operation.said.failed", string(o.Kind)), Args: args}
	case operation.StatePending:
		if o.AttemptNo > 0 {
			return ui.Phrase{Key: "operation.said.retry", Args: args}
		}
	}
	return ui.Phrase{Key: "operation.said." + string(o.State), Args: args}
}

func (f found) done(o operation.Entry) ui.Phrase {
	key := "operation.said.done"
	if o.AttemptNo > 1 {
		key = "operation.said.again"
	}
	return ui.Phrase{Key: ui.OfKind(key, string(o.Kind)), Args: ui.Args{
		"Connection": i18n.Name(f.connection(o)), "Ref": i18n.Plain(string(o.Ref)), "Attempt": i18n.Ordinal(o.AttemptNo),
		"After": i18n.Brief(o.ChangedAt.Sub(f.event.ReceivedAt)),
	}}
}

// why prefers what the last attempt saw to the engine's summary of it.
func (f found) why(o operation.Entry) ui.Phrase {
	tries := f.attempts[o.ID]
	if o.Reason == operation.ReasonAnswerUnknown && len(tries) > 0 && tries[len(tries)-1].Cause != nil {
		return ui.Cause(*tries[len(tries)-1].Cause)
	}
	return ui.Cause(o.Reason)
}
