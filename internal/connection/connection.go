// Package connection is a tenant's accounts at CRMs: settings, what each can promise, how fast it may
// be called.
//
//	active ◀──▶ paused          a person's wish
//	active ───▶ attention       the CRM refuses the credentials, the certificate, the address
//	any    ───▶ deleted
//
// It alone writes tables connections, connection_capabilities and connection_rate.
package connection

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sverka/internal/crm"
	"sverka/internal/id"
	"sverka/internal/secret"
)

// State of a connection. Only an active one is called.
type State string

// The states.
const (
	Active    State = "active"
	Paused    State = "paused"
	Attention State = "attention"
	Deleted   State = "deleted"
)

// ErrNotFound: the tenant has no such connection.
var ErrNotFound = errors.New("connection: not found")

// Connection is one account at a CRM. Its settings are opened separately.
type Connection struct {
	ID          id.Connection
	Adapter     string
	Name        string
	State       State
	Reason      string // why it needs attention
	Concurrency int    // requests at once
	Version     int
}

// Promise is what the connection can promise for one record kind, copied onto each operation.
type Promise struct {
	Kind       crm.Kind
	Capability crm.Capability
	KeyWindow  *time.Duration // of idempotent_create
	SerialOnly bool
}

// PromiseOf reads the promise off the shape of a create.
func PromiseOf(kind crm.Kind, c crm.Create) Promise {
	p := Promise{Kind: kind, Capability: c.Capability()}
	if keyed, ok := c.(crm.Keyed); ok {
		p.KeyWindow, p.SerialOnly = &keyed.Window, keyed.SerialOnly
	}
	return p
}

func secretsPlace(c id.Connection) secret.Place {
	return secret.Place{Table: "connections", Column: "secrets_sealed", Row: c.String()}
}

// split parts the settings into what may lie open and what is sealed, by the adapter's description.
func split(a crm.Adapter, all crm.Settings) (open, sealed crm.Settings) {
	open, sealed = crm.Settings{}, crm.Settings{}
	for _, f := range a.Fields {
		value, given := all[f.Name]
		switch {
		case !given:
		case f.Secret:
			sealed[f.Name] = value
		default:
			open[f.Name] = value
		}
	}
	return open, sealed
}

func unseal(key *secret.DataKey, c id.Connection, open crm.Settings, sealed []byte) (crm.Settings, error) {
	plain, err := key.Open(secretsPlace(c), sealed)
	if err != nil {
		return nil, err
	}
	var secrets crm.Settings
	if err := json.Unmarshal(plain, &secrets); err != nil {
		return nil, fmt.Errorf("secrets of connection %s: %w", c, err)
	}
	all := crm.Settings{}
	for _, part := range []crm.Settings{open, secrets} {
		for name, value := range part {
			all[name] = value
		}
	}
	return all, nil
}
