package event

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sverka/internal/bot"
	"sverka/internal/connection"
	"sverka/internal/contact"
	"sverka/internal/id"
	"sverka/internal/inbox"
	"sverka/internal/operation"
	"sverka/internal/pg"
	"sverka/internal/secret"
	"sverka/internal/tenant"
)

// found is everything that the page shows, of one moment.
type found struct {
	tenant      tenant.Tenant
	event       inbox.Entry
	bot         bot.Bot // zero = it is no more
	from        string
	operations  []operation.Entry
	attempts    map[id.Operation][]operation.Attempt
	history     map[id.Operation][]operation.Move
	parents     map[id.Operation]operation.Entry
	connections map[id.Connection]connection.Connection
}

// read reads the page in one transaction.
func (p page) read(ctx context.Context, t id.Tenant, event id.Event) (out found, err error) {
	key, err := p.keys.Of(ctx, t)
	if err != nil {
		return found{}, err
	}
	err = p.db.InTenant(ctx, t, func(tx pgx.Tx) (err error) {
		if out.event, err = inbox.Load(ctx, tx, t, event); err != nil {
			return err
		}
		if out.bot, err = bot.Load(ctx, tx, t, id.Bot{UUID: out.event.Owner}); pg.Ignore(err, bot.ErrNotFound) != nil {
			return err
		}
		if out.from, err = name(ctx, tx, t, key, out.event.Contact); err != nil {
			return err
		}
		if out.operations, err = operation.OfEvents(ctx, tx, t, []id.Event{event}); err != nil {
			return err
		}
		return out.follow(ctx, tx, t)
	})
	return out, err
}

func name(ctx context.Context, tx pgx.Tx, t id.Tenant, key *secret.DataKey, c id.Contact) (string, error) {
	if c.IsZero() {
		return "", nil
	}
	names, err := contact.Names(ctx, tx, t, key, []id.Contact{c})
	return names[c], err
}

// follow reads what was tried for each operation, where it goes and what it waits for.
func (f *found) follow(ctx context.Context, tx pgx.Tx, t id.Tenant) (err error) {
	f.history, f.parents = map[id.Operation][]operation.Move{}, map[id.Operation]operation.Entry{}
	f.connections = map[id.Connection]connection.Connection{}
	all := make([]id.Operation, len(f.operations))
	for k, o := range f.operations {
		all[k] = o.ID
		if f.history[o.ID], err = operation.History(ctx, tx, t, o.ID); err != nil {
			return err
		}
		if f.connections[o.Connection], err = connection.Load(ctx, tx, t, o.Connection); err != nil {
			return err
		}
		if o.DependsOn.IsZero() {
			continue
		}
		if f.parents[o.DependsOn], err = operation.Load(ctx, tx, t, o.DependsOn); err != nil {
			return err
		}
	}
	f.attempts, err = operation.Attempts(ctx, tx, t, all)
	return err
}
