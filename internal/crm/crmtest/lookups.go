package crmtest

import (
	"errors"
	"fmt"
	"testing"

	"sverka/internal/crm"
)

// lookups holds searches and reads to finding what is there, and to saying when they cannot tell.
func (s suite) lookups(t *testing.T) {
	s.test(t, "Finds", func(w *world) {
		w.searches()
		o, other := w.own(), w.own()
		ref := w.made(w.do(w.Context(), o))
		w.made(w.do(w.Context(), other))
		w.line.forget()
		found, err := w.client.FindByStamp(w.Context(), w.kind, o.Stamp)
		if err != nil || len(found) != 1 || found[0].Ref != ref || found[0].Stamp != o.Stamp || found[0].Kind != w.kind {
			w.Errorf("found %v, %v, want %s", found, err, ref)
		}
		none, err := w.client.FindByStamp(w.Context(), w.kind, w.own().Stamp)
		if err != nil || len(none) != 0 {
			w.Errorf("found %v, %v, want nothing", none, err)
		}
		w.sent(0)
	})
	s.test(t, "Reads", func(w *world) {
		o := w.own()
		ref := w.made(w.do(w.Context(), o))
		w.line.forget()
		if got, err := w.client.Read(w.Context(), w.kind, ref); err != nil || got.Ref != ref || got.Stamp != o.Stamp || got.Kind != w.kind {
			w.Errorf("read %v, %v, want %s", got, err, ref)
		}
		missing := w.Missing
		if missing == "" {
			missing = ref + "000"
		}
		if got, err := w.client.Read(w.Context(), w.kind, missing); !errors.Is(err, crm.ErrNotFound) {
			w.Errorf("read %v, %v, want ErrNotFound", got, err)
		}
		w.sent(0)
	})
	s.unreadable(t)
	s.test(t, "NobodyToAsk", func(w *world) {
		o := w.own()
		w.reopen(w.at(nowhere))
		got, err := w.client.Read(w.Context(), w.kind, "1")
		w.cannotTell(o, err, got.Ref == "")
		w.searches()
		found, err := w.client.FindByStamp(w.Context(), w.kind, o.Stamp)
		w.cannotTell(o, err, len(found) == 0)
	})
}

// unreadable: an answer that tells nothing is neither a record nor the lack of one.
func (s suite) unreadable(t *testing.T) {
	bad := unreadable()
	for name, handler := range s.Find {
		bad["own, "+name] = func(e *exchange) { handler(e.w, e.r) }
	}
	s.test(t, "FindsUnreadable", func(w *world) {
		w.searches()
		o := w.own()
		w.made(w.do(w.Context(), o))
		for name, f := range bad {
			w.each(name, func(w *world) {
				w.line.hit(false, f)
				found, err := w.client.FindByStamp(w.Context(), w.kind, o.Stamp)
				w.cannotTell(o, err, len(found) == 0)
			})
		}
	})
	s.test(t, "ReadsUnreadable", func(w *world) {
		o := w.own()
		ref := w.made(w.do(w.Context(), o))
		for name, f := range unreadable() {
			w.each(name, func(w *world) {
				w.line.hit(false, f)
				got, err := w.client.Read(w.Context(), w.kind, ref)
				w.cannotTell(o, err, got.Ref == "")
			})
		}
	})
}

// searches skips a test where the CRM cannot be searched.
func (w *world) searches() {
	w.Helper()
	if w.client.FindByStamp == nil {
		w.Skip("cannot be searched")
	}
}

// cannotTell requires a read without a usable answer to say so, and nothing else.
func (w *world) cannotTell(o operation, err error, empty bool) {
	w.Helper()
	if !errors.Is(err, crm.ErrUnreadable) || !empty {
		w.Errorf("error %v, nothing found: %v; want ErrUnreadable and nothing", err, empty)
	}
	w.quiet(fmt.Sprint(err), o)
}
