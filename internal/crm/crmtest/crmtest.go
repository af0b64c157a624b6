// Package crmtest is the conformance suite of adapters: what every one of them must hold, whatever its
// CRM, derived from the shapes that it declares.
//
//	suite ─▶ adapter ─▶ crm.Wire ─HTTP─▶ line ─▶ the adapter's own fake CRM
//	                                      └─ faults: on the socket, before or after the fake executes
//
// An adapter's test starts its fake and calls Run. The line sits before the fake; it counts what really
// arrives, and does to answers what networks, proxies and dying servers do. A pass says: this adapter
// never takes a lost answer for a refusal, never sends a write twice by itself, never tells secrets.
package crmtest

import (
	"net/http"
	"testing"

	"sverka/internal/crm"
)

// Config is one adapter with one set of settings, and a fake of its CRM.
type Config struct {
	Adapter  crm.Adapter
	Settings crm.Settings                // good ones; the suite fills in base_url
	Bad      crm.Settings                // what to change for credentials that the CRM does not take
	Start    func(t *testing.T) CRM      // an empty CRM that takes the good credentials
	Fields   map[crm.Kind]crm.Record     // what a record must hold beside the suite's own fields; nil = nothing
	Missing  crm.Ref                     // of no record; "" = made up from a real one
	Own      []int                       // statuses that the adapter reads in its own way: it tests them itself
	Find     map[string]http.HandlerFunc // further answers to a search that are unreadable for this CRM, by name
}

// CRM is a fake CRM.
type CRM struct {
	Handler http.Handler
	Path    string                        // where its interface begins, without a trailing slash
	Count   func(crm.Kind, crm.Stamp) int // the records that bear a stamp
}

// Run holds an adapter to the port's promises.
func Run(t *testing.T, c Config) {
	t.Run("Description", c.description)
	t.Run("Check", c.check)
	for _, kind := range c.Adapter.Kinds {
		t.Run(string(kind), func(t *testing.T) {
			s := suite{Config: c, kind: kind}
			s.answers(t)
			s.repeats(t)
			s.lookups(t)
		})
	}
}

// suite is the tests of one record kind.
type suite struct {
	Config
	kind crm.Kind
}

// test runs one test against a CRM of its own.
func (s suite) test(t *testing.T, name string, check func(w *world)) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		check(s.open(t))
	})
}

// description compares what an adapter says with what it opens.
func (c Config) description(t *testing.T) {
	t.Parallel()
	w := c.open(t)
	if len(c.Adapter.Kinds) == 0 || len(w.client.Creates) != len(c.Adapter.Kinds) {
		t.Errorf("kinds %v, creates of %d", c.Adapter.Kinds, len(w.client.Creates))
	}
	for _, kind := range c.Adapter.Kinds {
		switch create := w.client.Creates[kind].(type) {
		case crm.Keyed:
			if create.Do == nil || create.Window <= 0 {
				t.Errorf("%s: keyed, window %v", kind, create.Window)
			}
		case crm.Upsert:
			if create.Do == nil {
				t.Errorf("%s: an upsert without a function", kind)
			}
		case crm.Once:
			if create.Do == nil {
				t.Errorf("%s: a create without a function", kind)
			}
		default:
			t.Errorf("%s: no create", kind)
		}
	}
	if w.client.Check == nil || w.client.Read == nil {
		t.Error("every CRM can be checked, and a record read by its ref")
	}
	if r := c.Adapter.Rate; r.PerSecond <= 0 || r.Burst < 1 || r.Concurrency < 1 {
		t.Errorf("rate %+v", r)
	}
	if len(w.line.all()) != 0 {
		t.Error("Open does I/O")
	}
}
