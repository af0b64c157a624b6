package attention

import (
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"

	"sverka/internal/crm"
	"sverka/internal/i18n"
	"sverka/internal/id"
	"sverka/internal/operation"
	"sverka/web/ui"
	"sverka/web/ui/uitest"
)

var (
	now  = time.Date(2026, 12, 2, 14, 5, 11, 0, time.UTC)
	own  = id.Connection{UUID: uuid.MustParse("0197a000-0000-7000-8000-0000000000c1")}
	anna = id.Contact{UUID: uuid.MustParse("0197a000-0000-7000-8000-0000000000f1")}
)

func shell(waiting int) ui.Shell {
	return ui.Shell{TenantName: "Демо", Slug: "demo", Waiting: waiting, Address: &url.URL{Path: "/t/demo/attention"}, Version: "0123456789ab", Now: now}
}

// waiting is operations that have stood for the times given.
func waiting(all ...operation.Entry) found {
	f := found{operations: all, names: map[id.Contact]string{anna: "Анна <b>Кузнецова</b>\u202e"},
		connections: map[id.Connection]string{own: "CRM «Апсерт»"}, attempts: map[id.Operation][]operation.Attempt{}}
	for k := range all {
		all[k].ID = id.Operation{UUID: uuid.UUID{15: byte(k + 1)}}
		all[k].Event = id.Event{UUID: uuid.UUID{14: 1, 15: byte(k + 1)}}
		all[k].Connection = own
		if all[k].Kind == "" {
			all[k].Kind = crm.Lead
		}
	}
	return f
}

func full() found {
	lost := "answer_lost"
	f := waiting(
		operation.Entry{State: operation.StateNeedsReconciliation, Reason: operation.ReasonAnswerUnknown, Contact: anna, ChangedAt: now.Add(-5 * time.Hour)},
		operation.Entry{State: operation.StateFailed, Reason: "http_422", Contact: anna, ChangedAt: now.Add(-47 * time.Minute)},
		operation.Entry{State: operation.StateHeld, Kind: crm.Note, Reason: operation.ReasonPredecessor, Contact: anna, ChangedAt: now.Add(-46 * time.Minute)},
		operation.Entry{State: operation.StateHeld, Reason: operation.ReasonConnection, ChangedAt: now.Add(-2 * time.Minute)},
		operation.Entry{State: operation.StateNeedsReconciliation, Reason: operation.ReasonLostWorker, Contact: anna, ChangedAt: now.Add(-8 * time.Second)},
		operation.Entry{State: operation.StateHeld, Reason: "a_reason_of_tomorrow", Contact: anna, ChangedAt: now},
	)
	f.attempts[f.operations[0].ID] = []operation.Attempt{{Cause: &lost}}
	return f
}

func TestView(t *testing.T) {
	t.Parallel()
	more := full()
	more.more = true
	after := operation.Cursor{At: now.Add(-6 * time.Hour), ID: id.Operation(own)}
	single := waiting(operation.Entry{State: operation.StateFailed, Reason: "mystery", ChangedAt: now.Add(-time.Minute)})
	for name, m := range map[string]Model{
		"full": full().model(shell(6), operation.Cursor{}), "empty": found{}.model(shell(0), operation.Cursor{}),
		"single": single.model(shell(1), operation.Cursor{}), "middle": more.model(shell(121), after),
	} {
		for _, lang := range i18n.Langs() {
			ctx := i18n.With(t.Context(), i18n.In(lang))
			t.Run(name+"/"+string(lang), func(t *testing.T) { uitest.Golden(ctx, t, name+"."+string(lang), View(m)) })
		}
	}
}

func TestCursorComesBack(t *testing.T) {
	t.Parallel()
	f := full()
	f.more = true
	m := f.model(shell(6), operation.Cursor{})
	next, err := url.Parse(m.Next)
	if err != nil {
		t.Fatal(err)
	}
	last := f.operations[len(f.operations)-1]
	if got := cursor(next.Query().Get("after")); !got.At.Equal(last.ChangedAt) || got.ID != last.ID {
		t.Errorf("cursor %v, want %v %v", got, last.ChangedAt, last.ID)
	}
	for _, nonsense := range []string{"", "_", "x_y", "2026-12-02T14:05:11Z", "2026-12-02T14:05:11Z_x"} {
		if got := cursor(nonsense); !got.At.IsZero() {
			t.Errorf("cursor(%q) = %v, want the beginning", nonsense, got)
		}
	}
}
