package event

import (
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"

	"sverka/internal/bot"
	"sverka/internal/connection"
	"sverka/internal/crm"
	"sverka/internal/i18n"
	"sverka/internal/id"
	"sverka/internal/inbox"
	"sverka/internal/operation"
	"sverka/internal/tenant"
	"sverka/web/ui"
	"sverka/web/ui/uitest"
)

var (
	now     = time.Date(2026, 12, 2, 14, 5, 11, 0, time.UTC)
	arrived = now.Add(-3 * time.Minute)
	own     = id.Connection{UUID: uuid.MustParse("0197a000-0000-7000-8000-0000000000c1")}
	lead    = id.Operation{UUID: uuid.MustParse("0197a000-0000-7000-8000-0000000000d1")}
	note    = id.Operation{UUID: uuid.MustParse("0197a000-0000-7000-8000-0000000000d2")}
)

func after(d time.Duration) time.Time { return arrived.Add(d) }

func ptr[T any](v T) *T { return &v }

// event is one that was stored, read and came of nothing yet.
func event(state inbox.State, reason string) found {
	f := found{
		tenant: tenant.Tenant{ID: id.Tenant{UUID: uuid.MustParse("0197a000-0000-7000-8000-0000000000a1")}, State: tenant.Active},
		event: inbox.Entry{Source: inbox.Telegram, Origin: "7000000002", ExternalID: "812345689", Generation: 1, State: state, Reason: reason,
			Kind: "message", Deliveries: 1, ReceivedAt: arrived, LastDeliveryAt: arrived, ProcessedAt: ptr(after(41 * time.Millisecond))},
		bot: bot.Bot{Name: "Студия «Апсерт»", State: bot.Active}, from: "Анна Кузнецова",
		connections: map[id.Connection]connection.Connection{own: {ID: own, Name: "CRM «Апсерт»"}},
		attempts:    map[id.Operation][]operation.Attempt{}, history: map[id.Operation][]operation.Move{}, parents: map[id.Operation]operation.Entry{},
	}
	if state == inbox.Pending {
		f.event.ProcessedAt, f.event.Kind, f.from = nil, "", ""
	}
	return f
}

func (f found) with(o operation.Entry, tries ...operation.Attempt) found {
	o.Connection, o.CreatedAt, o.DeadlineAt = own, after(41*time.Millisecond), after(72*time.Hour)
	if o.Kind == "" {
		o.ID, o.Kind = lead, crm.Lead
	}
	f.operations = append(f.operations, o)
	f.attempts[o.ID] = tries
	f.history[o.ID] = []operation.Move{
		{Version: 1, From: "new", To: operation.StatePending, Actor: "system", At: o.CreatedAt},
		{Version: 2, From: operation.StatePending, To: operation.StateInFlight, Actor: "system", At: o.CreatedAt.Add(time.Second)},
		{Version: 3, From: operation.StateInFlight, To: o.State, Reason: o.Reason, Actor: "person:0197a000-0000-7000-8000-0000000000e1", At: o.ChangedAt},
	}
	return f
}

func try(no int, outcome, cause string, requests ...crm.Evidence) operation.Attempt {
	a := operation.Attempt{No: no, StartedAt: after(time.Duration(no) * 2 * time.Second), Outcome: &outcome, CertaintyBefore: operation.None, Evidence: requests}
	a.FinishedAt = ptr(a.StartedAt.Add(120 * time.Millisecond))
	if cause != "" {
		a.Cause = &cause
	}
	if len(requests) > 0 && requests[len(requests)-1].Status > 0 {
		a.HTTPStatus = &requests[len(requests)-1].Status
	}
	return a
}

var (
	put     = crm.Evidence{Method: "PUT", Write: true, Connected: true, TLS: true, Written: 1482, FirstByte: 84 * time.Millisecond, Took: 120 * time.Millisecond, Status: 201}
	search  = crm.Evidence{Method: "GET", Connected: true, TLS: true, Written: 612, FirstByte: 31 * time.Millisecond, Took: 33 * time.Millisecond, Status: 200}
	lost    = crm.Evidence{Method: "POST", Write: true, Connected: true, TLS: true, Written: 1482, Took: 25 * time.Second, Fault: "answer_lost"}
	refused = crm.Evidence{Method: "POST", Write: true, Connected: true, Written: 1482, FirstByte: 9 * time.Millisecond, Took: 12 * time.Millisecond, Status: 422}
)

func cases() map[string]found {
	done := event(inbox.Processed, "")
	done.event.Deliveries, done.event.LastDeliveryAt = 3, after(90*time.Second)
	done = done.with(operation.Entry{State: operation.StateDone, Ref: "L-12", AttemptNo: 2, Capability: crm.UpsertByExternalID, ChangedAt: after(4120 * time.Millisecond)},
		try(1, "unknown", "answer_lost", lost), try(2, "executed", "", search, put))
	several := event(inbox.Processed, "").
		with(operation.Entry{State: operation.StateDone, Ref: "L-12", AttemptNo: 1, Capability: crm.IdempotentCreate, ChangedAt: after(time.Second)}, try(1, "executed", "", put)).
		with(operation.Entry{ID: note, Kind: crm.Note, State: operation.StateDone, Ref: "N-3", AttemptNo: 1, Capability: crm.IdempotentCreate, ChangedAt: after(2 * time.Second)}, try(1, "executed", "", put))
	held := event(inbox.Processed, "").with(operation.Entry{ID: note, Kind: crm.Note, State: operation.StateHeld, Reason: operation.ReasonPredecessor,
		DependsOn: lead, Capability: crm.Neither, ChangedAt: after(5 * time.Second)})
	held.parents[lead] = operation.Entry{ID: lead, Kind: crm.Lead, Connection: own, State: operation.StateFailed, Event: id.Event(lead)}
	running := try(2, "", "")
	running.Outcome, running.FinishedAt, running.CertaintyBefore = nil, nil, operation.Possible
	late := try(1, "executed", "", put)
	late.Late = true
	paused := event(inbox.Pending, "")
	paused.bot.State = bot.Paused
	noID := event(inbox.Quarantined, inbox.NoUsableID)
	noID.event.ExternalID, noID.event.ProcessedAt, noID.event.Kind, noID.from = "sha256:3fa9c1d2b7e84c0f9a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6071", nil, "", ""
	variant := event(inbox.Variant, "")
	variant.event.Generation, variant.from, variant.bot = 2, "", bot.Bot{}
	return map[string]found{
		"done": done, "several": several, "held": held, "paused": paused, "no_id": noID, "variant": variant,
		"pending": event(inbox.Pending, ""), "ignored": event(inbox.Ignored, "not_private"), "nothing": event(inbox.Processed, ""),
		"needs_reconciliation": event(inbox.Processed, "").with(operation.Entry{State: operation.StateNeedsReconciliation, AttemptNo: 1,
			Reason: operation.ReasonAnswerUnknown, Capability: crm.Neither, ChangedAt: after(27 * time.Second)}, try(1, "unknown", "answer_lost", lost)),
		"lost_worker": event(inbox.Processed, "").with(operation.Entry{State: operation.StateNeedsReconciliation, AttemptNo: 1,
			Reason: operation.ReasonLostWorker, Capability: crm.Neither, ChangedAt: after(61 * time.Second)}, try(1, "unknown", "lost_worker")),
		"failed": event(inbox.Processed, "").with(operation.Entry{State: operation.StateFailed, AttemptNo: 1, Reason: "http_422",
			Capability: crm.IdempotentCreate, ChangedAt: after(2 * time.Second)}, try(1, "refused", "http_422", refused)),
		"retry": event(inbox.Processed, "").with(operation.Entry{State: operation.StatePending, AttemptNo: 1, Reason: "http_507", NextAttemptAt: ptr(now.Add(40 * time.Second)),
			Capability: crm.UpsertByExternalID, ChangedAt: after(2 * time.Second)}, try(1, "not_executed", "no_connection", crm.Evidence{Method: "PUT", Write: true, Took: 5 * time.Second})),
		"in_flight": event(inbox.Processed, "").with(operation.Entry{State: operation.StateInFlight, AttemptNo: 2, Capability: crm.IdempotentCreate,
			ChangedAt: after(4 * time.Second)}, try(1, "unknown", "http_502", put), running),
		"late": event(inbox.Processed, "").with(operation.Entry{State: operation.StateDone, AttemptNo: 1, Ref: "<script>alert(1)</script>\u202e", Capability: crm.Neither,
			ChangedAt: after(2 * time.Hour)}, late),
		"superseded": event(inbox.Processed, "").with(operation.Entry{State: operation.StateSuperseded, AttemptNo: 1, Reason: "crm_has_won", Capability: crm.Neither,
			ChangedAt: after(time.Second)}, try(1, "stale", "won", search)),
	}
}

func TestView(t *testing.T) {
	t.Parallel()
	shell := ui.Shell{TenantName: "Демо", Slug: "demo", Waiting: 1, Address: &url.URL{Path: "/t/demo/inbox/x"}, Version: "0123456789ab", Now: now}
	for name, f := range cases() {
		for _, lang := range i18n.Langs() {
			ctx := i18n.With(t.Context(), i18n.In(lang))
			t.Run(name+"/"+string(lang), func(t *testing.T) { uitest.Golden(ctx, t, name+"."+string(lang), View(f.model(shell))) })
		}
	}
}
