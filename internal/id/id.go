// Package id is the identifiers of Sverka: one Go type per noun, all UUIDv7, made in Go.
//
// A value of one type cannot be passed where another is wanted. It owns no table.
package id

import (
	"bytes"
	"cmp"
	"database/sql/driver"
	"fmt"

	"github.com/google/uuid"
)

// Kind is the phantom that keeps identifiers of different nouns apart.
type kind interface {
	tenant | bot | connection | route | event | contact | inquiry | operation | user
}

type (
	tenant     struct{}
	bot        struct{}
	connection struct{}
	route      struct{}
	event      struct{}
	contact    struct{}
	inquiry    struct{}
	operation  struct{}
	user       struct{}
)

// Of is the identifier of one noun. The zero value means "none" and is stored as NULL.
type Of[K kind] struct{ uuid.UUID }

type (
	// Tenant is a customer of ours; it leads every key.
	Tenant = Of[tenant]
	// Bot is a tenant's Telegram bot (our row, not Telegram's user id).
	Bot = Of[bot]
	// Connection is a tenant's account at a CRM.
	Connection = Of[connection]
	// Route leads from a source to a connection.
	Route = Of[route]
	// Event is something that arrived.
	Event = Of[event]
	// Contact is a person.
	Contact = Of[contact]
	// Inquiry is one business conversation.
	Inquiry = Of[inquiry]
	// Operation is one intended CRM write.
	Operation = Of[operation]
	// User is a person who signs in.
	User = Of[user]
)

// New makes a fresh UUIDv7.
func New[K kind]() Of[K] { return Of[K]{uuid.Must(uuid.NewV7())} }

// NewTenant makes the id of a tenant.
func NewTenant() Tenant { return New[tenant]() }

// NewBot makes the id of a bot.
func NewBot() Bot { return New[bot]() }

// NewConnection makes the id of a connection.
func NewConnection() Connection { return New[connection]() }

// NewRoute makes the id of a route.
func NewRoute() Route { return New[route]() }

// NewEvent makes the id of an event.
func NewEvent() Event { return New[event]() }

// NewContact makes the id of a contact.
func NewContact() Contact { return New[contact]() }

// NewInquiry makes the id of an inquiry.
func NewInquiry() Inquiry { return New[inquiry]() }

// NewOperation makes the id of an operation.
func NewOperation() Operation { return New[operation]() }

// NewUser makes the id of a user.
func NewUser() User { return New[user]() }

// Parse reads the canonical text form; anything else is an error.
func Parse[I Of[K], K kind](text string) (I, error) {
	if len(text) != 36 {
		return I{}, fmt.Errorf("id %q: want 36 characters", text)
	}
	u, err := uuid.Parse(text)
	if err != nil {
		return I{}, fmt.Errorf("id %q: %w", text, err)
	}
	return I{u}, nil
}

// IsZero reports whether the id means "none".
func (i Of[K]) IsZero() bool { return i.UUID == uuid.Nil }

// Value stores the id; "none" becomes NULL.
func (i Of[K]) Value() (driver.Value, error) {
	if i.IsZero() {
		return nil, nil
	}
	return i.UUID.String(), nil
}

// Scan reads the id; NULL becomes "none".
func (i *Of[K]) Scan(src any) error {
	if src == nil {
		i.UUID = uuid.Nil
		return nil
	}
	return i.UUID.Scan(src)
}

// Work is what a bell wakes its owner for.
type Work string

// The two kinds of work.
const (
	Interpret Work = "interpret" // of a bot, partner or connection: turn its events into operations
	Perform   Work = "perform"   // of a connection: carry out its operations
)

// Owner is whom a bell belongs to: never an operation, so the queue is no deeper than the owners.
type Owner struct {
	Tenant Tenant
	Work   Work
	ID     uuid.UUID // the bot, partner or connection
}

// Compare orders owners the same way everywhere, so that two transactions never wait for each other.
func (o Owner) Compare(other Owner) int {
	return cmp.Or(
		bytes.Compare(o.Tenant.UUID[:], other.Tenant.UUID[:]),
		cmp.Compare(o.Work, other.Work),
		bytes.Compare(o.ID[:], other.ID[:]))
}
