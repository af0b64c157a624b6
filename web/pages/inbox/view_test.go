package inbox

import (
	"net/url"
	"testing"
	"time"

	"sverka/internal/i18n"
	"sverka/web/ui"
	"sverka/web/ui/uitest"
)

var now = time.Date(2026, 12, 2, 14, 5, 11, 0, time.UTC)

func shell() ui.Shell {
	return ui.Shell{TenantName: "Демо", Slug: "demo", Here: "inbox", Address: &url.URL{Path: "/t/demo/inbox"}, Version: "0123456789ab", Now: now}
}

var bots = []Choice{
	{Value: "0197a000-0000-7000-8000-0000000000b1", Name: "Кофейня «Ключ»"},
	{Value: "0197a000-0000-7000-8000-0000000000b2", Name: "Студия «Апсерт»"},
}

func ago(d time.Duration) time.Time { return now.Add(-d) }

func full() Model {
	m := Model{Shell: shell(), Bots: bots, All: "/t/demo/inbox", Older: "/t/demo/inbox?before=0197a000-0000-7000-8000-000000000001"}
	m.Shell.Waiting = 3
	oldest := ago(3 * time.Minute)
	m.Oldest = &oldest
	m.States = []Choice{
		{Href: "/t/demo/inbox", Chosen: true, Count: 1000, More: true}, {Value: "pending", Href: "/t/demo/inbox?state=pending", Count: 1},
		{Value: "processed", Href: "/t/demo/inbox?state=processed", Count: 1000, More: true},
		{Value: "ignored", Href: "/t/demo/inbox?state=ignored", Count: 41}, {Value: "quarantined", Href: "/t/demo/inbox?state=quarantined", Count: 2},
		{Value: "variant", Href: "/t/demo/inbox?state=variant", Count: 1},
	}
	m.Rows = []Row{
		{Update: "812345690", State: "pending", ReceivedAt: ago(2 * time.Second), Bot: bots[0].Name, Deliveries: 1},
		{Update: "812345689", State: "processed", ReceivedAt: ago(48 * time.Second), Bot: bots[0].Name, Kind: "message", From: "Анна Кузнецова", Deliveries: 3,
			Operations: []Operation{{Kind: "lead", State: "done", Attempts: 2, Ref: "L-12"}}},
		{Update: "812345688", State: "processed", ReceivedAt: ago(2 * time.Minute), Bot: bots[1].Name, Kind: "message", From: "Timur <script>alert(1)</script>", Deliveries: 1,
			Operations: []Operation{{Kind: "lead", State: "needs_reconciliation", Attempts: 1}, {Kind: "note", State: "held"}}},
		{Update: "812345687", State: "processed", ReceivedAt: ago(11 * time.Minute), Bot: bots[1].Name, Kind: "message", From: "Evil \u202egnp.exe", Deliveries: 1,
			Operations: []Operation{{Kind: "lead", State: "pending", Attempts: 2}, {Kind: "lead", State: "failed", Attempts: 1}}},
		{Update: "812345686", State: "ignored", Reason: "not_private", ReceivedAt: ago(2 * time.Hour), Bot: bots[0].Name, Kind: "message", Deliveries: 1},
		{Update: "812345685", State: "ignored", Reason: "edited_message", ReceivedAt: ago(3 * time.Hour), Bot: bots[0].Name, Kind: "edited_message", Deliveries: 2},
		{Update: "sha256:3fa9c1d2…", State: "quarantined", Reason: "no_usable_update_id", ReceivedAt: ago(26 * time.Hour), Bot: bots[1].Name, Deliveries: 1},
		{Update: "812345684", State: "variant", ReceivedAt: ago(50 * time.Hour), Bot: bots[0].Name, Deliveries: 21},
		{Update: "812345683", State: "processed", ReceivedAt: ago(51 * time.Hour), Bot: bots[0].Name, Kind: "message", From: "Ольга", Deliveries: 1},
		{Update: "812345682", State: "ignored", Reason: "a_reason_of_tomorrow", ReceivedAt: ago(5 * 24 * time.Hour), Bot: bots[0].Name, Kind: "a_kind_of_tomorrow", Deliveries: 1},
	}
	for k := range m.Rows {
		m.Rows[k].Href = "/t/demo/inbox/0197a000-0000-7000-8000-00000000010" + string(rune('a'+k))
	}
	return m
}

func TestView(t *testing.T) {
	t.Parallel()
	empty := Model{Shell: shell(), Bots: bots, All: "/t/demo/inbox"}
	noMatch := full()
	noMatch.Rows, noMatch.Older, noMatch.Filtered, noMatch.State, noMatch.Oldest = nil, "", true, "quarantined", nil
	noMatch.States[0].Chosen, noMatch.States[4] = false, Choice{Value: "quarantined", Href: "/t/demo/inbox?state=quarantined", Chosen: true}
	noMatch.Shell.Address = &url.URL{Path: "/t/demo/inbox", RawQuery: "state=quarantined"}
	last := full()
	last.Rows, last.Older, last.Newest, last.Oldest = last.Rows[8:], "", "/t/demo/inbox", nil
	for name, m := range map[string]Model{
		"full": full(), "empty": empty, "empty_no_bots": {Shell: shell(), All: "/t/demo/inbox"}, "no_match": noMatch, "last_page": last,
	} {
		for _, lang := range i18n.Langs() {
			ctx := i18n.With(t.Context(), i18n.In(lang))
			t.Run(name+"/"+string(lang), func(t *testing.T) { uitest.Golden(ctx, t, name+"."+string(lang), View(m)) })
		}
	}
}
