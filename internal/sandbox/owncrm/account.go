package owncrm

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"sync"
	"time"

	"sverka/internal/sandbox/journal"
)

// Capability is what the account does with a repeat.
type Capability string

// The three capabilities.
const (
	IdempotentCreate   Capability = "idempotent_create"
	UpsertByExternalID Capability = "upsert_by_external_id"
	Neither            Capability = "neither"
)

// Account is a CRM account as it was set up.
type Account struct {
	Name       string     `json:"account"`
	Token      string     `json:"token"`
	Capability Capability `json:"capability"`
	Searchable bool       `json:"searchable"`
}

// ErrAccount: the account cannot be as it was asked for.
var ErrAccount = errors.New("bad account")

var nameShape = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$`)

func (a Account) check() error {
	if !nameShape.MatchString(a.Name) {
		return fmt.Errorf("%w: the name must be 1 to 63 letters, digits, _ or -", ErrAccount)
	}
	switch a.Capability {
	case IdempotentCreate, UpsertByExternalID, Neither:
		return nil
	}
	return fmt.Errorf("%w: capability must be idempotent_create, upsert_by_external_id or neither", ErrAccount)
}

// Object is a record.
type Object struct {
	ID     string         `json:"id"`
	Kind   string         `json:"kind"`
	Stamp  string         `json:"stamp"`
	Fields map[string]any `json:"fields"`
}

// Request is one line of the ledger.
type Request struct {
	At       time.Time `json:"at"`
	Method   string    `json:"method"`
	Path     string    `json:"path"`
	Key      string    `json:"key"`
	Stamp    string    `json:"stamp"`
	Write    bool      `json:"write"`
	Executed bool      `json:"executed"`
	ObjectID string    `json:"object_id"`
	Answered *int      `json:"answered"`        // status sent; nil = none, or not yet
	Fault    string    `json:"fault,omitempty"` // the fault that it ran into
}

// entry is one line of the journal. What happened together is in one line.
type entry struct {
	Account  *Account  `json:"account,omitempty"`
	Request  *Request  `json:"request,omitempty"`
	Object   *Object   `json:"object,omitempty"` // made, or changed
	Key      *usedKey  `json:"key,omitempty"`
	Faults   *[]Fault  `json:"faults,omitempty"` // the whole queue as it is now
	Answered *answered `json:"answered,omitempty"`
}

// usedKey is an idempotency key and what it made.
type usedKey struct {
	Kind   string    `json:"kind"`
	Key    string    `json:"key"`
	Object string    `json:"object_id"`
	At     time.Time `json:"at"`
}

// answered amends a request of the ledger whose answer came later.
type answered struct {
	Request int `json:"request"`
	Status  int `json:"status"`
}

// account is an account with all that happened in it. The journal is the truth, the rest is derived.
type account struct {
	options Options
	dice    *dice
	journal *journal.Journal

	mu       sync.Mutex
	settings Account
	requests []Request
	objects  []*Object
	byID     map[string]*Object
	byStamp  map[string]*Object // the first one, per kind
	keys     map[string]usedKey
	busy     map[string]bool // keys whose first request is not answered yet
	faults   []Fault
}

func openAccount(path string, o Options, d *dice) (*account, error) {
	a := &account{
		options: o, dice: d,
		byID: map[string]*Object{}, byStamp: map[string]*Object{},
		keys: map[string]usedKey{}, busy: map[string]bool{},
	}
	j, err := journal.Open(path, func(raw []byte) error {
		var e entry
		if err := json.Unmarshal(raw, &e); err != nil {
			return err
		}
		a.apply(e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	a.journal = j
	return a, nil
}

// record writes the entry down, then lets it take effect. The caller holds mu.
func (a *account) record(e entry) error {
	if err := a.journal.Append(e); err != nil {
		return err
	}
	a.apply(e)
	return nil
}

func (a *account) apply(e entry) {
	if e.Account != nil {
		a.settings = *e.Account
	}
	if e.Request != nil {
		a.requests = append(a.requests, *e.Request)
	}
	if e.Object != nil {
		a.applyObject(e.Object)
	}
	if e.Key != nil {
		a.keys[e.Key.Kind+" "+e.Key.Key] = *e.Key
	}
	if e.Faults != nil {
		a.faults = *e.Faults
	}
	if e.Answered != nil {
		a.requests[e.Answered.Request].Answered = &e.Answered.Status
	}
}

func (a *account) applyObject(o *Object) {
	if have := a.byID[o.ID]; have != nil {
		have.Fields = o.Fields
		return
	}
	a.objects = append(a.objects, o)
	a.byID[o.ID] = o
	if place := o.Kind + " " + o.Stamp; o.Stamp != "" && a.byStamp[place] == nil {
		a.byStamp[place] = o
	}
}

// firstID makes ids look like those of a CRM that has been in use.
const firstID = 1001

func (a *account) freshID(kind string) string {
	prefix := map[string]string{lead: "L-", note: "N-"}[kind]
	return prefix + strconv.Itoa(firstID+len(a.objects))
}
