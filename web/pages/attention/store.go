package attention

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sverka/internal/connection"
	"sverka/internal/contact"
	"sverka/internal/id"
	"sverka/internal/operation"
)

// found is everything that the page shows, of one moment.
type found struct {
	operations  []operation.Entry
	more        bool // operations beyond this page
	attempts    map[id.Operation][]operation.Attempt
	names       map[id.Contact]string
	connections map[id.Connection]string
}

// read reads the page in one transaction.
func (p page) read(ctx context.Context, t id.Tenant, after operation.Cursor) (out found, err error) {
	key, err := p.keys.Of(ctx, t)
	if err != nil {
		return found{}, err
	}
	err = p.db.InTenant(ctx, t, func(tx pgx.Tx) (err error) {
		if out.operations, err = operation.ForAPerson(ctx, tx, t, after, perPage+1); err != nil {
			return err
		}
		if out.more = len(out.operations) > perPage; out.more {
			out.operations = out.operations[:perPage]
		}
		operations, contacts := out.ids()
		if out.attempts, err = operation.Attempts(ctx, tx, t, operations); err != nil {
			return err
		}
		if out.names, err = contact.Names(ctx, tx, t, key, contacts); err != nil {
			return err
		}
		return out.name(ctx, tx, t)
	})
	return out, err
}

func (f found) ids() (operations []id.Operation, contacts []id.Contact) {
	for _, o := range f.operations {
		operations = append(operations, o.ID)
		if !o.Contact.IsZero() {
			contacts = append(contacts, o.Contact)
		}
	}
	return operations, contacts
}

// name reads the names of the connections, also of one that is deleted: what waits still belongs to it.
func (f *found) name(ctx context.Context, tx pgx.Tx, t id.Tenant) error {
	f.connections = map[id.Connection]string{}
	for _, o := range f.operations {
		if _, known := f.connections[o.Connection]; known {
			continue
		}
		c, err := connection.Load(ctx, tx, t, o.Connection)
		if err != nil {
			return err
		}
		f.connections[o.Connection] = c.Name
	}
	return nil
}
