// Package inbox is the page of what arrived: GET /t/{slug}/inbox. Newest first, 50 at a time, by keyset.
package inbox

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"slices"

	"github.com/a-h/templ"

	"sverka/internal/id"
	"sverka/internal/inbox"
	"sverka/internal/pg"
	"sverka/internal/secret"
	"sverka/internal/tenant"
	"sverka/web/panel"
	"sverka/web/ui"
)

const perPage = 50

type page struct {
	db   *pg.DB
	keys keys
}

type keys interface {
	Of(context.Context, id.Tenant) (*secret.DataKey, error)
}

// New is the door of the page.
func New(db *pg.DB, tenants *tenant.Tenants, keys *tenant.Keys, log *slog.Logger) http.Handler {
	return panel.New(db, tenants, log).Page(page{db: db, keys: keys}.show)
}

func (p page) show(ctx context.Context, v panel.Visit) (templ.Component, error) {
	filter := asked(v.URL.Query())
	found, err := p.read(ctx, v.Tenant.ID, filter)
	if err != nil {
		return nil, err
	}
	return View(model(v.Shell, filter, found)), nil
}

// asked reads the filter; what is none of ours does not narrow.
func asked(query url.Values) inbox.Filter {
	var f inbox.Filter
	if state := inbox.State(query.Get("state")); slices.Contains(inbox.States(), state) {
		f.State = state
	}
	if bot, err := id.Parse[id.Bot](query.Get("bot")); err == nil {
		f.Owner = bot.UUID
	}
	if before, err := id.Parse[id.Event](query.Get("before")); err == nil {
		f.Before = before
	}
	return f
}

func model(shell ui.Shell, f inbox.Filter, found found) Model {
	shell.Here = "inbox"
	to := address{path: shell.Inbox(), filter: f}
	m := Model{
		Shell: shell, Oldest: found.oldest, State: string(f.State), All: shell.Inbox(),
		Filtered: f.State != "" || f.Owner != [16]byte{},
		States:   to.states(found.counts), Bots: to.bots(found.bots), Rows: make([]Row, len(found.events)),
	}
	for k, e := range found.events {
		m.Rows[k] = found.row(shell, e)
	}
	if !f.Before.IsZero() {
		m.Newest = to.before(id.Event{})
	}
	if found.more {
		m.Older = to.before(found.events[len(found.events)-1].ID)
	}
	return m
}

func (f found) row(shell ui.Shell, e inbox.Entry) Row {
	r := Row{
		Href: shell.Inbox() + "/" + e.ID.String(), Update: ui.Short(e.ExternalID), State: string(e.State), Reason: e.Reason,
		ReceivedAt: e.ReceivedAt, Bot: e.Origin, Kind: e.Kind, From: f.names[e.Contact], Deliveries: e.Deliveries,
	}
	for _, b := range f.bots {
		if b.ID.UUID == e.Owner {
			r.Bot = b.Name
		}
	}
	for _, o := range f.operations[e.ID] {
		r.Operations = append(r.Operations, Operation{Kind: string(o.Kind), State: string(o.State), Attempts: o.AttemptNo, Ref: string(o.Ref)})
	}
	return r
}
