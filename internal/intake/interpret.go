package intake

import (
	"context"
	"fmt"
	"strconv"
	"sverka/internal/pg"

	"sverka/internal/contact"
	"sverka/internal/id"
	"sverka/internal/inbox"
	"sverka/internal/inquiry"
	"sverka/internal/route"
	"sverka/internal/secret"
	"sverka/internal/telegram"
)

// Why an event made no operation, beside telegram's own reasons.
const (
	ReasonNoRoute      = "no_route"      // nobody said where this bot's messages go
	ReasonKnownMessage = "known_message" // the same message came under another update id
	ReasonAlbumPart    = "album_part"    // a further picture of an album, without words
)

// Reasons lists what this package itself says, for translation.
var Reasons = []string{ReasonNoRoute, ReasonKnownMessage, ReasonAlbumPart}

// interpret says what an event means and plans what must be done about it.
func (i *Intake) interpret(ctx context.Context, tx pg.Tx, from source, e inbox.Event) (
	reading inbox.Reading, owners []id.Owner, err error) {
	defer func() { // what one customer sends must not stop the next one
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	body, err := i.inbox.Body(ctx, from.tenant.ID, e)
	if err != nil {
		return inbox.Reading{}, nil, err
	}
	update, err := telegram.Decode(body)
	if err != nil {
		return inbox.Reading{}, nil, err
	}
	message, reason := update.Customer()
	if message == nil {
		return inbox.Reading{State: inbox.Ignored, Reason: reason, Kind: update.Type}, nil, nil
	}
	key, err := i.keys.Of(ctx, from.tenant.ID)
	if err != nil {
		return inbox.Reading{}, nil, err
	}
	m := said{source: from, event: e.ID, sender: update.Sender, message: message, key: key}
	reading, owners, err = m.handle(ctx, tx)
	reading.Kind = update.Type
	return reading, owners, err
}

// said is one message of a customer on its way through a transaction.
type said struct {
	source
	event   id.Event
	sender  *telegram.User
	message *telegram.Message
	key     *secret.DataKey
}

func (s said) handle(ctx context.Context, tx pg.Tx) (inbox.Reading, []id.Owner, error) {
	ignored := func(reason string) (inbox.Reading, []id.Owner, error) {
		return inbox.Reading{State: inbox.Ignored, Reason: reason}, nil, nil
	}
	fresh, err := inbox.Remember(ctx, tx, s.tenant.ID, s.bot.UserID, s.message.BusinessKey(), s.event)
	if err != nil {
		return inbox.Reading{}, nil, err
	}
	if !fresh {
		return ignored(ReasonKnownMessage)
	}
	part, err := s.isAlbumPart(ctx, tx)
	if err != nil {
		return inbox.Reading{}, nil, err
	}
	if part && s.message.Text == "" {
		return ignored(ReasonAlbumPart)
	}
	routes, err := route.Of(ctx, tx, s.tenant.ID, string(inbox.Telegram), s.bot.ID.UUID)
	if err != nil {
		return inbox.Reading{}, nil, err
	}
	if len(routes) == 0 {
		return ignored(ReasonNoRoute)
	}
	return s.plan(ctx, tx, routes)
}

// isAlbumPart: an album arrives as one update per picture; the first makes the record.
func (s said) isAlbumPart(ctx context.Context, tx pg.Tx) (bool, error) {
	group := s.message.GroupKey()
	if group == "" {
		return false, nil
	}
	first, err := inbox.Remember(ctx, tx, s.tenant.ID, s.bot.UserID, group, s.event)
	return !first, err
}

func (s said) plan(ctx context.Context, tx pg.Tx, routes []route.Route) (inbox.Reading, []id.Owner, error) {
	who, phone, err := s.recognise(ctx, tx)
	if err != nil {
		return inbox.Reading{}, nil, err
	}
	reading := inbox.Reading{State: inbox.Processed, Contact: who}
	known := s.known(phone)
	var owners []id.Owner
	for _, r := range routes {
		opened, fresh, err := inquiry.Continue(ctx, tx, s.tenant.ID, r.ID, who)
		if err != nil {
			return inbox.Reading{}, nil, err
		}
		if err := s.add(ctx, tx, r, who, opened, fresh, r.Mapping.Apply(known)); err != nil {
			return inbox.Reading{}, nil, err
		}
		reading.Inquiry = opened
		owners = append(owners, id.Owner{Tenant: s.tenant.ID, Work: id.Perform, ID: r.Connection.UUID})
	}
	return reading, owners, nil
}

// recognise gives the sender's contact and, where a phone was shared, the phone in E.164 if it is one.
func (s said) recognise(ctx context.Context, tx pg.Tx) (id.Contact, string, error) {
	who, err := contact.Recognise(ctx, tx, s.tenant.ID, s.key, contact.Person{
		Source: contact.Identity{Kind: contact.Telegram, Value: strconv.FormatInt(s.sender.ID, 10), Verified: true},
		Name:   fullName(s.sender.FirstName, s.sender.LastName),
	})
	if err != nil || s.message.Contact == nil {
		return who, "", err
	}
	phone, valid := contact.Normalised(s.message.Contact.Phone, s.tenant.PhoneRegion)
	if valid && s.message.Contact.Own { // Telegram vouches for the sender's own number and for no other
		err = contact.AddIdentity(ctx, tx, s.tenant.ID, s.key, who,
			contact.Identity{Kind: contact.Phone, Value: phone, Verified: true})
	}
	return who, phone, err
}
