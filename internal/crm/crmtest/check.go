package crmtest

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"sverka/internal/crm"
)

// nowhere is an address at which nobody listens.
const nowhere = "http://127.0.0.1:1"

// check holds the look at the credentials to its promise: it changes nothing, and knows what it says.
func (c Config) check(t *testing.T) {
	test := func(name string, check func(w *world)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(c.open(t))
		})
	}
	test("Good", func(w *world) {
		w.made(w.checked(w.Context()))
		w.sent(0)
	})
	test("BadCredentials", func(w *world) {
		w.reopen(w.bad())
		w.held(w.checked(w.Context()))
	})
	test("Throttled", func(w *world) {
		w.line.hit(false, fails(429, "Retry-After", "7"))
		w.throttled(w.checked(w.Context()))
	})
	test("Nobody", func(w *world) {
		w.reopen(w.at(nowhere))
		w.again(w.checked(w.Context()))
	})
	test("Cancelled", func(w *world) {
		w.again(w.checked(cancelled()))
		w.arrived(0)
	})
	test("Unreadable", func(w *world) {
		for name, f := range unreadable() {
			w.each(name, func(w *world) {
				w.line.hit(false, f)
				if done, ok := w.checked(w.Context()).(crm.Executed); ok {
					w.Errorf("outcome %#v of an answer that tells nothing", done)
				}
			})
		}
	})
}

// each runs one test after the other against one CRM, which is healed before each.
func (w *world) each(name string, check func(w *world)) {
	w.Run(name, func(t *testing.T) {
		one := *w
		one.T = t
		one.line.heal()
		one.line.forget()
		one.reopen(one.settings)
		check(&one)
	})
}

func (w *world) checked(ctx context.Context) crm.Outcome {
	w.Helper()
	out := w.client.Check(ctx)
	w.quiet(fmt.Sprintf("%#v", out), operation{})
	return out
}

// bad is the settings with credentials that the CRM does not take.
func (w *world) bad() crm.Settings {
	s := maps.Clone(w.settings)
	maps.Copy(s, w.Bad)
	return s
}

// at is the settings with another address.
func (w *world) at(url string) crm.Settings {
	s := maps.Clone(w.settings)
	s[crm.BaseURLField] = url
	return s
}

func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// held requires that a person must mend the connection first.
func (w *world) held(out crm.Outcome) {
	w.Helper()
	if n := w.notExecuted(out); !n.Hold {
		w.Errorf("outcome %#v, want a hold", n)
	}
}

// again requires that nothing happened, and that it may be tried again without a person.
func (w *world) again(out crm.Outcome) {
	w.Helper()
	if n := w.notExecuted(out); n.Hold {
		w.Errorf("outcome %#v, want no hold", n)
	}
}

// throttled requires that the CRM's wish to wait seven seconds is passed on.
func (w *world) throttled(out crm.Outcome) {
	w.Helper()
	if n := w.notExecuted(out); n.Hold || n.RetryIn != 7*time.Second {
		w.Errorf("outcome %#v, want no hold and 7 s", n)
	}
}

// arrived is how many requests arrived, reads among them.
func (w *world) arrived(want int) {
	w.Helper()
	if n := len(w.line.all()); n != want {
		w.Errorf("%d requests arrived, want %d", n, want)
	}
}
