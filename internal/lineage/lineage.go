// Package lineage answers, from either end, how a message became a record: event_key → operation_id →
// crm_id. It reads; it owns no table.
package lineage

import (
	"context"
	"errors"
	"strings"

	"sverka/internal/crm"
	"sverka/internal/id"
	"sverka/internal/inbox"
	"sverka/internal/operation"
	"sverka/internal/pg"
)

// ErrNothing: no event, operation or record is known under the key.
var ErrNothing = errors.New("lineage: nothing found")

// Line is one event with everything that came of it.
type Line struct {
	Tenant     id.Tenant
	Event      inbox.Entry
	Operations []operation.Entry
	Attempts   map[id.Operation][]operation.Attempt
}

// Key is the event key as it is written.
func (l Line) Key() string {
	return inbox.Key(l.Event.Source, l.Tenant, l.Event.Origin, l.Event.ExternalID)
}

// Trace finds everything known under a key: an event key, an operation id (or its stamp), or a CRM's
// id. A CRM's id known to several connections gives all of them.
func Trace(ctx context.Context, db *pg.DB, key string) ([]Line, error) {
	if source, rest, ok := strings.Cut(key, ":"); ok {
		if parts := strings.SplitN(rest, ":", 3); len(parts) == 3 {
			tenant, err := id.Parse[id.Tenant](parts[0])
			if err == nil {
				return byEventKey(ctx, db, tenant, inbox.Source(source), parts[1], parts[2])
			}
		}
	}
	return byOperation(ctx, db, key)
}

func byEventKey(ctx context.Context, db *pg.DB, tenant id.Tenant, source inbox.Source, origin, externalID string) (lines []Line, err error) {
	err = db.InTenant(ctx, tenant, func(tx pg.Tx) error {
		events, err := inbox.ByKey(ctx, tx, tenant, source, origin, externalID)
		if err != nil {
			return err
		}
		lines, err = follow(ctx, tx, tenant, events)
		return err
	})
	return some(lines, err)
}

func byOperation(ctx context.Context, db *pg.DB, key string) ([]Line, error) {
	operationID, err := id.Parse[id.Operation](strings.TrimPrefix(key, "svo-"))
	if err != nil {
		operationID = id.Operation{}
	}
	var owners []operation.Owner
	if err := db.AsScan(ctx, func(tx pg.Tx) (err error) {
		owners, err = operation.Owners(ctx, tx, operationID, crm.Ref(key))
		return err
	}); err != nil {
		return nil, err
	}
	var lines []Line
	for _, o := range owners {
		line, err := Of(ctx, db, o.Tenant, o.Event)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return some(lines, nil)
}

// Of gives the lineage of one event.
func Of(ctx context.Context, db *pg.DB, tenant id.Tenant, event id.Event) (line Line, err error) {
	err = db.InTenant(ctx, tenant, func(tx pg.Tx) error {
		entry, err := inbox.Load(ctx, tx, tenant, event)
		if err != nil {
			return err
		}
		lines, err := follow(ctx, tx, tenant, []inbox.Entry{entry})
		if err == nil {
			line = lines[0]
		}
		return err
	})
	return line, err
}

func follow(ctx context.Context, tx pg.Tx, tenant id.Tenant, events []inbox.Entry) ([]Line, error) {
	lines := make([]Line, len(events))
	for k, event := range events {
		operations, err := operation.OfEvents(ctx, tx, tenant, []id.Event{event.ID})
		if err != nil {
			return nil, err
		}
		ids := make([]id.Operation, len(operations))
		for n, o := range operations {
			ids[n] = o.ID
		}
		attempts, err := operation.Attempts(ctx, tx, tenant, ids)
		if err != nil {
			return nil, err
		}
		lines[k] = Line{Tenant: tenant, Event: event, Operations: operations, Attempts: attempts}
	}
	return lines, nil
}

func some(lines []Line, err error) ([]Line, error) {
	if err == nil && len(lines) == 0 {
		err = ErrNothing
	}
	return lines, err
}
