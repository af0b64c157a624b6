package crmtest

import (
	"sync"
	"testing"

	"sverka/internal/crm"
)

// repeats holds a create to its shape.
func (s suite) repeats(t *testing.T) {
	s.test(t, "Creates", func(w *world) {
		o, other := w.own(), w.own()
		if first, second := w.made(w.do(w.Context(), o)), w.made(w.do(w.Context(), other)); first == second {
			w.Errorf("two operations, one record: %s", first)
		}
		w.executed(o, 1)
		w.executed(other, 1)
		w.sent(2)
		w.carries(o, w.line.writes()[0])
	})
	s.test(t, "Repeats", func(w *world) {
		if w.shape().Capability() == crm.Neither {
			w.Skip("a repeat would be blind")
		}
		o := w.own()
		if first, second := w.made(w.do(w.Context(), o)), w.made(w.do(w.Context(), o)); first != second {
			w.Errorf("one operation, two records: %s, %s", first, second)
		}
		w.executed(o, 1)
		if w.looks() {
			w.sent(1) // found: a late write would overwrite what people changed
		} else {
			w.sent(2)
		}
		for _, r := range w.line.writes() {
			w.carries(o, r)
		}
	})
	s.test(t, "RepeatsAtOnce", func(w *world) {
		if keyed, ok := w.shape().(crm.Keyed); w.shape().Capability() == crm.Neither || ok && keyed.SerialOnly {
			w.Skip("not promised")
		}
		o := w.own()
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { w.do(w.Context(), o) })
		}
		all.Wait()
		w.executed(o, 1)
		w.made(w.do(w.Context(), o))
	})
	s.looking(t)
}

// carries requires what every write must have with it: the stamp, a note's parent, the key of a keyed
// create in the same place each time, and no key of any other. An Idempotency-Key that a CRM ignores
// makes net/http send twice.
func (w *world) carries(o operation, r request) {
	w.Helper()
	if !r.has(string(o.Stamp)) {
		w.Errorf("%s %s has no stamp", r.method, r.uri)
	}
	if o.Parent != "" && !r.has(string(o.Parent)) {
		w.Errorf("%s %s has no parent", r.method, r.uri)
	}
	_, keyed := w.shape().(crm.Keyed)
	if r.has(string(o.key)) != keyed {
		w.Errorf("%s %s: key on the wire %v, keyed %v", r.method, r.uri, !keyed, keyed)
	}
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
		if got := r.header.Values(name); len(got) > 0 && (!keyed || got[0] != string(o.key)) {
			w.Errorf("%s %s: %s is %q", r.method, r.uri, name, got)
		}
	}
}

// looking: an upsert that could not look writes nothing.
func (s suite) looking(t *testing.T) {
	bad := unreadable()
	for name, handler := range s.Find {
		bad["own, "+name] = func(e *exchange) { handler(e.w, e.r) }
	}
	s.test(t, "Looks", func(w *world) {
		if !w.looks() {
			w.Skip("does not look")
		}
		for name, f := range bad {
			w.each(name, func(w *world) {
				w.line.hit(false, f)
				o := w.own()
				w.notExecuted(w.do(w.Context(), o))
				w.sent(0)
				w.executed(o, 0)
				w.recovers(o)
			})
		}
	})
	for name, c := range map[string]struct {
		f       fault
		require func(*world, crm.Outcome)
	}{
		"wishes to wait":      {fails(429, "Retry-After", "7"), (*world).throttled},
		"does not let us in":  {fails(401), (*world).held},
		"does not permit it":  {fails(403), (*world).held},
		"is out of order":     {fails(500), (*world).again},
		"hangs up on looking": {closes, (*world).again},
		"resets on looking":   {resets, (*world).again},
	} {
		s.test(t, "Looks/the CRM "+name, func(w *world) {
			if !w.looks() {
				w.Skip("does not look")
			}
			w.line.hit(false, c.f)
			c.require(w, w.do(w.Context(), w.own()))
			w.sent(0)
		})
	}
}
