// Package intake turns stored events into contacts, inquiries and operations, and wakes the
// connections that must carry them out: one transaction per event, serial per bot.
//
//	event ──▶ update ──▶ customer's message? ──no──▶ ignored, with the reason
//	                          │ yes, and not known under its business key
//	                          ▼
//	            contact ──▶ inquiry per route ──▶ lead (a new inquiry) | note (it continues)
//
// It owns no table.
package intake

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/google/uuid"

	"sverka/internal/bot"
	"sverka/internal/id"
	"sverka/internal/inbox"
	"sverka/internal/pg"
	"sverka/internal/secret"
	"sverka/internal/tenant"
)

// Intake interprets events.
type Intake struct {
	db    *pg.DB
	inbox *inbox.Inbox
	keys  keys
	bells bells
	log   *slog.Logger
}

type keys interface {
	Of(context.Context, id.Tenant) (*secret.DataKey, error)
}

type bells interface {
	Ring(ctx context.Context, tx pg.Tx, owners ...id.Owner) error
}

// New builds the use case.
func New(db *pg.DB, in *inbox.Inbox, keys keys, bells bells, log *slog.Logger) *Intake {
	return &Intake{db: db, inbox: in, keys: keys, bells: bells, log: log}
}

// Drain interprets a bot's waiting events in order, one transaction each.
func (i *Intake) Drain(ctx context.Context, t id.Tenant, owner uuid.UUID, more func() bool) (func(), error) {
	for more() {
		err := i.Next(ctx, t, id.Bot{UUID: owner})
		if errors.Is(err, inbox.ErrNothingWaiting) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// Left reports whether the bot has an event that could be interpreted now.
func (i *Intake) Left(ctx context.Context, tx pg.Tx, t id.Tenant, owner uuid.UUID) (bool, error) {
	if _, err := open(ctx, tx, t, id.Bot{UUID: owner}); err != nil {
		return false, pg.Ignore(err, inbox.ErrNothingWaiting)
	}
	return inbox.IsWaiting(ctx, tx, t, owner)
}

// source is where a message came in.
type source struct {
	tenant tenant.Tenant
	bot    bot.Bot
}

// open gives the source; inbox.ErrNothingWaiting while the bot is paused or the tenant suspended: what
// arrives for them is stored and waits.
func open(ctx context.Context, tx pg.Tx, t id.Tenant, b id.Bot) (source, error) {
	owner, err := tenant.Load(ctx, tx, t)
	if err != nil {
		return source{}, err
	}
	from, err := bot.Load(ctx, tx, t, b)
	if err != nil {
		return source{}, err
	}
	if owner.State != tenant.Active || from.State != bot.Active {
		return source{}, inbox.ErrNothingWaiting
	}
	return source{tenant: owner, bot: from}, nil
}

// unreadable is a fault of the event, not of our database: counted, and set aside the third time.
type unreadable struct {
	event id.Event
	err   error
}

func (u unreadable) Error() string { return fmt.Sprintf("interpret event %s: %v", u.event, u.err) }
func (u unreadable) Unwrap() error { return u.err }

// Next interprets the bot's next waiting event; inbox.ErrNothingWaiting when there is none. Any other
// error means that our own database failed.
func (i *Intake) Next(ctx context.Context, t id.Tenant, b id.Bot) error {
	// Nobody outside has been told yet: a crash that takes this back leaves the event waiting.
	err := i.db.InTenantSoon(ctx, t, func(tx pg.Tx) error {
		from, err := open(ctx, tx, t, b)
		if err != nil {
			return err
		}
		return i.interpretNext(ctx, tx, from)
	})
	var poison unreadable
	if errors.As(err, &poison) {
		return i.countFailure(ctx, t, poison)
	}
	return err
}

func (i *Intake) interpretNext(ctx context.Context, tx pg.Tx, from source) error {
	t := from.tenant.ID
	event, err := inbox.Next(ctx, tx, t, from.bot.ID.UUID)
	if err != nil {
		return err
	}
	reading, owners, err := i.interpret(ctx, tx, from, event)
	if err != nil {
		if pg.IsAway(err) {
			return err
		}
		return unreadable{event: event.ID, err: err}
	}
	if err := inbox.Finish(ctx, tx, t, event.ID, reading); err != nil {
		return err
	}
	return i.bells.Ring(ctx, tx, owners...)
}

func (i *Intake) countFailure(ctx context.Context, t id.Tenant, poison unreadable) error {
	return i.db.InTenant(ctx, t, func(tx pg.Tx) error {
		setAside, err := inbox.CountFailure(ctx, tx, t, poison.event)
		if errors.Is(err, inbox.ErrStale) {
			return nil
		}
		i.log.Error("event not interpreted", "tenant", t, "event", poison.event, "set_aside", setAside, "error", poison.err)
		return err
	})
}
