package tenant

import (
	"context"
	"sync"
	"time"

	"sverka/internal/id"
	"sverka/internal/pg"
	"sverka/internal/secret"
)

// keyAge is how long a process trusts a data key it holds: a destroyed key is forgotten within it.
const keyAge = time.Minute

// Keys gives the data key of a tenant, from memory where it can.
type Keys struct {
	db   *pg.DB
	root *secret.Keyset
	now  func() time.Time

	mu   sync.RWMutex
	held map[id.Tenant]heldKey
}

type heldKey struct {
	key   *secret.DataKey
	until time.Time
}

// NewKeys opens data keys with the root keyset.
func NewKeys(db *pg.DB, root *secret.Keyset) *Keys {
	return &Keys{db: db, root: root, now: time.Now, held: map[id.Tenant]heldKey{}}
}

// Of is the tenant's data key; ErrNotFound when it was destroyed with its tenant.
func (k *Keys) Of(ctx context.Context, tenant id.Tenant) (*secret.DataKey, error) {
	k.mu.RLock()
	held, ok := k.held[tenant]
	k.mu.RUnlock()
	if ok && k.now().Before(held.until) {
		return held.key, nil
	}
	no, sealed, err := k.load(ctx, tenant)
	if err != nil {
		return nil, err
	}
	key, err := k.root.OpenDataKey(tenant.String(), no, sealed)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	k.held[tenant] = heldKey{key: key, until: k.now().Add(keyAge)}
	k.mu.Unlock()
	return key, nil
}
