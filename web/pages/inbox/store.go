package inbox

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"sverka/internal/bot"
	"sverka/internal/contact"
	"sverka/internal/id"
	"sverka/internal/inbox"
	"sverka/internal/operation"
	"sverka/internal/secret"
)

// found is everything that the page shows, of one moment.
type found struct {
	events     []inbox.Entry
	more       bool // events beyond this page
	oldest     *time.Time
	counts     map[inbox.State]int
	bots       []bot.Bot
	names      map[id.Contact]string
	operations map[id.Event][]operation.Entry
}

// read reads the page in one transaction.
func (p page) read(ctx context.Context, t id.Tenant, f inbox.Filter) (out found, err error) {
	key, err := p.keys.Of(ctx, t)
	if err != nil {
		return found{}, err
	}
	err = p.db.InTenant(ctx, t, func(tx pgx.Tx) (err error) {
		if out.events, err = inbox.List(ctx, tx, t, f, perPage+1); err != nil {
			return err
		}
		if out.more = len(out.events) > perPage; out.more {
			out.events = out.events[:perPage]
		}
		if out.oldest, err = inbox.OldestPending(ctx, tx, t); err != nil {
			return err
		}
		if out.counts, err = inbox.Counts(ctx, tx, t, f.Owner); err != nil {
			return err
		}
		if out.bots, err = bot.All(ctx, tx, t); err != nil {
			return err
		}
		return out.follow(ctx, tx, t, key)
	})
	return out, err
}

// follow reads what came of the events, and from whom they are.
func (f *found) follow(ctx context.Context, tx pgx.Tx, t id.Tenant, key *secret.DataKey) error {
	events, contacts := make([]id.Event, len(f.events)), []id.Contact(nil)
	for k, e := range f.events {
		events[k] = e.ID
		if !e.Contact.IsZero() {
			contacts = append(contacts, e.Contact)
		}
	}
	operations, err := operation.OfEvents(ctx, tx, t, events)
	if err != nil {
		return err
	}
	f.operations = map[id.Event][]operation.Entry{}
	for _, o := range operations {
		f.operations[o.Event] = append(f.operations[o.Event], o)
	}
	f.names, err = contact.Names(ctx, tx, t, key, contacts)
	return err
}
