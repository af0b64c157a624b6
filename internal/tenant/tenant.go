// Package tenant is the customers of Sverka and the keys that seal their data.
//
// It alone writes tables tenants, tenant_slugs and tenant_keys.
package tenant

import (
	"context"
	"errors"

	"sverka/internal/id"
	"sverka/internal/pg"
	"sverka/internal/secret"
)

// State of a tenant. What arrives for a suspended one is stored and waits.
type State string

// The states.
const (
	Active    State = "active"
	Suspended State = "suspended"
	Deleted   State = "deleted"
)

var (
	// ErrNotFound: no such tenant.
	ErrNotFound = errors.New("tenant: not found")
	// ErrSlugTaken: the address in URLs belongs to somebody else.
	ErrSlugTaken = errors.New("tenant: slug is taken")
)

// Tenant is one customer.
type Tenant struct {
	ID          id.Tenant
	Slug        string
	Name        string
	State       State
	PhoneRegion string // ISO 3166 country that national phone numbers are read in
}

// Tenants makes and finds tenants.
type Tenants struct {
	db   *pg.DB
	root *secret.Keyset
}

// New needs the root keyset to seal the data keys of new tenants.
func New(db *pg.DB, root *secret.Keyset) *Tenants { return &Tenants{db: db, root: root} }

// Create stores a tenant with its slug and its first data key.
func (s *Tenants) Create(ctx context.Context, t Tenant) error {
	sealed, err := s.root.SealDataKey(t.ID.String(), 1, secret.NewRawDataKey())
	if err != nil {
		return err
	}
	return s.db.InTenant(ctx, t.ID, insert(ctx, t, sealed))
}
