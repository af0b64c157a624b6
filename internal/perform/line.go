package perform

import (
	"context"
	"errors"
	"fmt"
	"sverka/internal/pg"

	"sverka/internal/connection"
	"sverka/internal/crm"
	"sverka/internal/id"
	"sverka/internal/operation"
	"sverka/internal/secret"
)

// line is an open connection for the length of a drain: everything that a send needs, read beforehand,
// so that between the commit of a claim and the first byte there is no I/O.
type line struct {
	tenant     id.Tenant
	connection connection.Connection
	key        *secret.DataKey
	adapter    crm.Adapter
	settings   crm.Settings
	wire       crm.Wire
	fault      error // why it cannot be opened; operations are then held, not lost
}

// open reads the connection; nil when it is not active.
func (p *Performer) open(ctx context.Context, t id.Tenant, c id.Connection) (*line, error) {
	key, err := p.keys.Of(ctx, t)
	if err != nil {
		return nil, err
	}
	l := &line{tenant: t, key: key}
	err = p.db.InTenant(ctx, t, func(tx pg.Tx) error {
		if l.connection, err = connection.Load(ctx, tx, t, c); err != nil {
			return err
		}
		l.settings, err = connection.LoadSettings(ctx, tx, t, key, c)
		return err
	})
	if err != nil || l.connection.State != connection.Active {
		return nil, err
	}
	adapter, known := p.adapters[l.connection.Adapter]
	if !known {
		l.fault = fmt.Errorf("adapter %q is not in this program", l.connection.Adapter)
		return l, nil
	}
	l.adapter = adapter
	l.wire, l.fault = p.wire(l.settings[crm.BaseURLField])
	return l, nil
}

// send has one conversation about one operation. An adapter that panics leaves us not knowing.
func (l *line) send(ctx context.Context, f operation.InFlight) (seen operation.Observation) {
	if l.fault != nil {
		return operation.Observation{Outcome: crm.NotExecuted{Cause: "connection_unusable", Hold: true}}
	}
	recorder := crm.NewRecorder(l.wire)
	defer func() {
		if recover() != nil {
			seen = operation.Observation{Outcome: crm.Unknown{Cause: "adapter_panic"}}
		}
		seen.Evidence = recorder.Evidence()
	}()
	client, err := l.adapter.Open(l.settings, recorder)
	if err != nil {
		return operation.Observation{Outcome: crm.NotExecuted{Cause: "settings_unusable", Hold: true}}
	}
	record, err := l.record(f)
	if err != nil {
		return operation.Observation{Outcome: crm.Refused{Reason: "payload_unreadable"}}
	}
	return operation.Observation{Outcome: l.create(ctx, client, f, record)}
}

func (l *line) record(f operation.InFlight) (crm.Record, error) {
	fields, err := operation.OpenPayload(l.key, f.ID, f.Sealed)
	if err != nil {
		return crm.Record{}, err
	}
	return crm.Record{Kind: f.Kind, Stamp: f.Stamp(), Parent: f.Parent, Fields: fields}, nil
}

// create calls the function whose shape carries the promise that the operation was made under. Where
// the adapter promises less today, nothing is sent: a person must look first.
func (l *line) create(ctx context.Context, client crm.Client, f operation.InFlight, r crm.Record) crm.Outcome {
	create, known := client.Creates[f.Kind]
	if !known {
		return crm.Refused{Reason: "record_kind_unknown"}
	}
	if _, looksItself := create.(crm.Upsert); f.Waited && !looksItself {
		if out := searchFirst(ctx, client, r); out != nil {
			return out
		}
	}
	switch create := create.(type) {
	case crm.Keyed:
		if f.Capability == crm.IdempotentCreate {
			return create.Do(ctx, r, f.Key)
		}
		if f.Capability == crm.Neither { // demoted: a key does no harm
			return create.Do(ctx, r, crm.Key(f.Stamp()))
		}
	case crm.Upsert:
		if f.Capability != crm.IdempotentCreate {
			return create.Do(ctx, r, f.ExternalID())
		}
	case crm.Once:
		if f.Capability == crm.Neither {
			return create.Do(ctx, r)
		}
	}
	return crm.NotExecuted{Cause: "capability_changed", Hold: true}
}

// searchFirst looks for the record before a create that has waited: it may exist by now. Not found is
// no proof; it only means that the repeat, which must be safe anyway, goes on.
func searchFirst(ctx context.Context, client crm.Client, r crm.Record) crm.Outcome {
	if client.FindByStamp == nil {
		return nil
	}
	found, err := client.FindByStamp(ctx, r.Kind, r.Stamp)
	var unread crm.Unread
	if errors.As(err, &unread) {
		return unread.NotExecuted
	}
	if err != nil {
		return crm.NotExecuted{Cause: "search_failed"}
	}
	if len(found) > 0 {
		return crm.Executed{Ref: found[0].Ref}
	}
	return nil
}
