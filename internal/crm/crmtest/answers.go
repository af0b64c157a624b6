package crmtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sverka/internal/crm"
)

// What a status of a write proves (facts: reliability §9). Everything else proves nothing.
var (
	refusals = []int{400, 404, 405, 406, 409, 410, 411, 413, 414, 415, 416, 417, 422, 431, 451}
	holds    = []int{300, 304, 305, 307, 308, 401, 402, 403, 501, 505, 511}
	repeats  = []int{412, 421, 423, 424, 425, 428}
	doubts   = []int{301, 302, 303, 408, 418, 420, 426, 444, 499, 500, 502, 503, 504, 507, 508, 520, 521, 522, 523, 524, 525, 526, 527, 530, 599, 999}
)

// answers holds a create to what the answers to its write prove.
func (s suite) answers(t *testing.T) {
	for _, group := range []struct {
		name     string
		statuses []int
		require  func(*world, crm.Outcome)
	}{
		{"Refused", refusals, (*world).refused},
		{"Held", holds, (*world).held},
		{"Again", repeats, (*world).again},
		{"Doubtful", doubts, (*world).unknown},
	} {
		s.test(t, group.name, func(w *world) {
			for _, status := range group.statuses {
				w.status(status, group.require)
			}
		})
	}
	s.test(t, "Throttled", func(w *world) {
		w.line.hit(true, fails(429, "Retry-After", "7"))
		w.throttled(w.do(w.Context(), w.own()))
		w.sent(1)
	})
	s.test(t, "BadCredentials", func(w *world) {
		w.reopen(w.bad())
		o := w.own()
		w.held(w.do(w.Context(), o))
		w.executed(o, 0)
	})
	s.losses(t)
	s.unsent(t)
}

// status holds a create to what one status proves, from a CRM and from a proxy before it. A place to go
// to comes with it, and nobody goes there.
func (w *world) status(status int, require func(*world, crm.Outcome)) {
	if slices.Contains(w.Own, status) {
		return
	}
	for kind, f := range map[string]fault{"": fails(status, "Location", "/elsewhere"), " in HTML": failsInHTML(status, "Location", "/elsewhere")} {
		w.each(fmt.Sprint(status, kind), func(w *world) {
			w.line.hit(true, f)
			o := w.own()
			require(w, w.do(w.Context(), o))
			w.sent(1)
			w.executed(o, 0)
			for _, r := range w.line.all() {
				if r.has("/elsewhere") {
					w.Errorf("a redirect was followed: %s %s", r.method, r.uri)
				}
			}
		})
	}
}

// losses: whatever is lost, nothing is claimed, and nothing is sent again by itself.
func (s suite) losses(t *testing.T) {
	s.test(t, "Lost", func(w *world) {
		for name, f := range lost() {
			w.each(name, func(w *world) {
				w.line.hit(true, f)
				o := w.own()
				w.unknown(w.do(w.Context(), o))
				w.sent(1)
				w.executed(o, count(strings.HasPrefix(name, "executed")))
				w.recovers(o)
			})
		}
	})
	s.test(t, "Lost/cancelled after it arrived", func(w *world) {
		ctx, cancel := context.WithCancel(w.Context())
		defer cancel()
		arrived := make(chan struct{}, 1)
		w.line.hit(true, silent(arrived))
		go func() {
			<-arrived
			cancel()
		}()
		o := w.own()
		w.unknown(w.do(ctx, o))
		w.sent(1)
		w.executed(o, 1)
		w.recovers(o)
	})
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// recovers repeats a create whose answer was lost, where its shape says that this is safe.
func (w *world) recovers(o operation) {
	w.Helper()
	if w.shape().Capability() == crm.Neither {
		return
	}
	w.line.heal()
	w.made(w.do(w.Context(), o))
	w.executed(o, 1)
}

// unsent: what never left has provably done nothing.
func (s suite) unsent(t *testing.T) {
	s.test(t, "Unsent/nobody listens", func(w *world) {
		o := w.own()
		w.reopen(w.at(nowhere))
		w.again(w.do(w.Context(), o))
		w.executed(o, 0)
	})
	s.test(t, "Unsent/cancelled before", func(w *world) {
		o := w.own()
		w.again(w.do(cancelled(), o))
		w.arrived(0)
		w.executed(o, 0)
	})
}

// refused requires that the CRM has refused for good.
func (w *world) refused(out crm.Outcome) {
	w.Helper()
	if r, ok := out.(crm.Refused); !ok || r.Reason == "" {
		w.Errorf("outcome %#v, want Refused", out)
	}
}
