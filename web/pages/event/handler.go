// Package event is the page of one event: GET /t/{slug}/inbox/{event}. It says what happened in one
// sentence, then shows the way from event to record and everything that was tried, with the evidence.
package event

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/a-h/templ"

	"sverka/internal/id"
	"sverka/internal/inbox"
	"sverka/internal/pg"
	"sverka/internal/secret"
	"sverka/internal/tenant"
	"sverka/web/panel"
	"sverka/web/ui"
)

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
	event, err := id.Parse[id.Event](v.PathValue("event"))
	if err != nil {
		return nil, panel.ErrNotFound
	}
	found, err := p.read(ctx, v.Tenant.ID, event)
	if err != nil {
		return nil, err
	}
	found.tenant = v.Tenant
	return View(found.model(v.Shell)), nil
}

func (f found) model(shell ui.Shell) Model {
	shell.Here = "inbox"
	e := f.event
	m := Model{
		Shell: shell, Update: e.ExternalID, Said: f.said(), State: string(e.State), Kind: e.Kind, Bot: f.bot.Name, From: f.from,
		ReceivedAt: e.ReceivedAt, Deliveries: e.Deliveries, Generation: e.Generation, Times: f.times(),
		Strip: ui.Strip{EventKey: inbox.Key(e.Source, f.tenant.ID, e.Origin, e.ExternalID), Event: ui.EventBadge(string(e.State))},
	}
	for _, o := range f.operations {
		m.Strip.Lines = append(m.Strip.Lines, ui.StripLine{
			Operation: o.ID.String(), Title: f.title(o), Ref: string(o.Ref), NoRef: ui.WithoutRef(string(o.State)),
			State: ui.OperationBadge(string(o.State), o.AttemptNo),
		})
		m.Operations = append(m.Operations, f.operation(shell, o))
	}
	return m
}

// times is the event's life in order, as far as it is known.
func (f found) times() []Time {
	e := f.event
	all := []Time{{ui.Phrase{Key: "event.received"}, e.ReceivedAt}}
	if e.Deliveries > 1 {
		all = append(all, Time{ui.Phrase{Key: "event.last_delivery"}, e.LastDeliveryAt})
	}
	if e.ProcessedAt != nil {
		all = append(all, Time{ui.Phrase{Key: "event.processed"}, *e.ProcessedAt})
	}
	for _, o := range f.operations {
		all = append(all, Time{ui.Phrase{Key: "event.planned", Args: ui.Args{"Title": f.title(o)}}, o.CreatedAt})
		if o.ChangedAt.After(o.CreatedAt) {
			state := ui.OperationBadge(string(o.State), o.AttemptNo).Word
			all = append(all, Time{ui.Phrase{Key: "event.reached", Args: ui.Args{"Title": f.title(o), "State": state}}, o.ChangedAt})
		}
	}
	return sorted(all)
}
