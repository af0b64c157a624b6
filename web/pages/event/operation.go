package event

import (
	"cmp"
	"slices"
	"strings"

	"sverka/internal/crm"
	"sverka/internal/i18n"
	"sverka/internal/operation"
	"sverka/web/ui"
)

// operation is one operation with everything that was tried.
func (f found) operation(shell ui.Shell, o operation.Entry) Operation {
	out := Operation{
		ID: o.ID.String(), Title: f.title(o), Said: f.saidOf(o), State: string(o.State), AttemptNo: o.AttemptNo,
		Capability: string(o.Capability), Next: o.NextAttemptAt,
	}
	if o.State == operation.StatePending || o.State == operation.StateInFlight {
		out.Until = &o.DeadlineAt
	}
	if parent, ok := f.parents[o.DependsOn]; ok {
		out.Follows = &Followed{Title: f.title(parent), State: string(parent.State), Tries: parent.AttemptNo,
			Href: shell.Inbox() + "/" + parent.Event.String()}
	}
	for _, a := range f.attempts[o.ID] {
		out.Attempts = append(out.Attempts, attempt(a))
	}
	for _, m := range f.history[o.ID] {
		actor, _, _ := strings.Cut(m.Actor, ":") // person:<id>
		out.History = append(out.History, Move{At: m.At, From: string(m.From), To: string(m.To), Why: m.Reason, Actor: actor})
	}
	return out
}

// title names an operation: its kind and where it goes.
func (f found) title(o operation.Entry) ui.Phrase {
	return ui.Phrase{Key: "operation.in", Args: ui.Args{
		"Record": i18n.Code{Family: "record", Word: string(o.Kind)}, "Connection": i18n.Name(f.connection(o))}}
}

func (f found) connection(o operation.Entry) string {
	if c, ok := f.connections[o.Connection]; ok {
		return c.Name
	}
	return o.Connection.String()
}

func attempt(a operation.Attempt) ui.Attempt {
	out := ui.Attempt{No: a.No, StartedAt: a.StartedAt, Late: a.Late, Doubt: a.CertaintyBefore == operation.Possible}
	if a.Outcome != nil {
		out.Outcome = *a.Outcome
	}
	if a.Cause != nil {
		out.Cause = cause(out.Outcome, *a.Cause)
	}
	if a.HTTPStatus != nil {
		out.Status = *a.HTTPStatus
	}
	for _, e := range a.Evidence {
		out.Requests = append(out.Requests, request(e))
	}
	return out
}

// cause: a stale attempt's is what the CRM has; the operation's reason says so with a prefix.
func cause(outcome, cause string) string {
	if outcome == "stale" {
		return "crm_has_" + cause
	}
	return cause
}

func request(e crm.Evidence) ui.Request {
	return ui.Request{Method: e.Method, Write: e.Write, Connected: e.Connected, TLS: e.TLS, Written: e.Written,
		FirstByte: e.FirstByte, Took: e.Took, Status: e.Status}
}

func sorted(all []Time) []Time {
	slices.SortStableFunc(all, func(a, b Time) int { return cmp.Compare(a.At.UnixNano(), b.At.UnixNano()) })
	return all
}
