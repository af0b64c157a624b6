// Package attention is the page of what needs a person: GET /t/{slug}/attention. Operations that need a
// decision, are on hold or have failed, the longest waiting first, 50 at a time, by keyset.
package attention

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"

	"sverka/internal/id"
	"sverka/internal/operation"
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
	after := cursor(v.URL.Query().Get("after"))
	found, err := p.read(ctx, v.Tenant.ID, after)
	if err != nil {
		return nil, err
	}
	return View(found.model(v.Shell, after)), nil
}

// cursor reads a place in the list, "<time>_<operation>"; anything else is its beginning.
func cursor(text string) operation.Cursor {
	at, last, _ := strings.Cut(text, "_")
	moment, errTime := time.Parse(time.RFC3339Nano, at)
	o, errID := id.Parse[id.Operation](last)
	if errTime != nil || errID != nil {
		return operation.Cursor{}
	}
	return operation.Cursor{At: moment, ID: o}
}

func (f found) model(shell ui.Shell, after operation.Cursor) Model {
	shell.Here = "attention"
	m := Model{Shell: shell}
	for _, o := range f.operations {
		m.Rows = append(m.Rows, Row{
			Href: shell.Inbox() + "/" + o.Event.String(), Since: o.ChangedAt, Kind: string(o.Kind), State: string(o.State),
			Why: f.why(o), Means: means(o), Connection: f.connections[o.Connection], Customer: f.names[o.Contact],
		})
	}
	switch {
	case !after.At.IsZero():
		m.First = shell.Attention()
	case len(m.Rows) > 0:
		m.Since = &m.Rows[0].Since
	}
	if f.more {
		last := f.operations[len(f.operations)-1]
		m.Next = shell.Attention() + "?after=" + url.QueryEscape(last.ChangedAt.UTC().Format(time.RFC3339Nano)+"_"+last.ID.String())
	}
	return m
}

// why prefers what the last attempt saw to the engine's summary of it.
func (f found) why(o operation.Entry) string {
	tries := f.attempts[o.ID]
	if o.Reason == operation.ReasonAnswerUnknown && len(tries) > 0 && tries[len(tries)-1].Cause != nil {
		return *tries[len(tries)-1].Cause
	}
	return o.Reason
}

// means is what an operation's standing here means for the customer.
func means(o operation.Entry) string {
	if o.State != operation.StateHeld {
		return "attention.means." + string(o.State)
	}
	switch o.Reason {
	case operation.ReasonConnection, operation.ReasonPredecessor, "paused", "match_review":
		return "attention.means.held_" + o.Reason
	}
	return "attention.means.held"
}
