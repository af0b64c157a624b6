package crm

import (
	"context"
	"time"
)

// Capability is what may follow a lost answer (DESIGN.md §1.4).
type Capability string

// The three capabilities, strongest promise first.
const (
	IdempotentCreate   Capability = "idempotent_create"     // repeat with the same key inside its window
	UpsertByExternalID Capability = "upsert_by_external_id" // look by external id, else repeat
	Neither            Capability = "neither"               // never a second blind create
)

// Capabilities lists them in the order a person chooses from.
func Capabilities() []Capability { return []Capability{IdempotentCreate, UpsertByExternalID, Neither} }

// Valid reports whether c is one of the three.
func (c Capability) Valid() bool {
	return c == IdempotentCreate || c == UpsertByExternalID || c == Neither
}

// Key is the idempotency key of one operation: made once, stored before the first send, the same on
// every repeat.
type Key string

// ExternalID is the operation's own id, under which an upsert files the record.
type ExternalID string

// Create makes one record. Its shape is its capability.
//
//sumtype:decl
type Create interface{ Capability() Capability }

type (
	// Keyed is a create whose repeats with one key have one effect while the key's window is open.
	Keyed struct {
		Window     time.Duration // how long the CRM remembers a key, guaranteed minimum
		SerialOnly bool          // two requests with one key at once may both run: repeats wait
		Do         func(context.Context, Record, Key) Outcome
	}
	// Upsert is a create that is atomic by external id. Do looks first, then writes.
	Upsert struct {
		Do func(context.Context, Record, ExternalID) Outcome
	}
	// Once is a create without protection: an unknown outcome needs a person.
	Once struct {
		Do func(context.Context, Record) Outcome
	}
)

// Capability of a keyed create.
func (Keyed) Capability() Capability { return IdempotentCreate }

// Capability of an upsert.
func (Upsert) Capability() Capability { return UpsertByExternalID }

// Capability of an unprotected create.
func (Once) Capability() Capability { return Neither }
