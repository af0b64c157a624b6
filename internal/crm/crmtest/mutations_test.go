package crmtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"sverka/internal/crm"
	"sverka/internal/crm/crmtest"
	"sverka/internal/sandbox"
)

// mutants is every broken promise that the suite must see, by what the adapter does.
func mutants() map[string]mutant {
	const keyed, upsert, once = crm.IdempotentCreate, crm.UpsertByExternalID, crm.Neither
	return map[string]mutant{
		"keeps its promises": {once, "lead/Lost", nil},

		"sends again by itself":            {once, "lead/Lost", creates(sendsAgain)},
		"takes doubt for a refusal":        {once, "lead/Lost", outcomes(doubt(crm.Refused{Reason: "x"}))},
		"takes doubt for not executed":     {once, "lead/Lost", outcomes(doubt(crm.NotExecuted{Cause: "x"}))},
		"takes doubt for success":          {upsert, "lead/Doubtful", outcomes(doubt(crm.Executed{Ref: "1"}))},
		"takes a refusal for doubt":        {once, "lead/Refused", outcomes(refusal(crm.Unknown{Cause: "x"}))},
		"takes a refusal for not executed": {once, "lead/Refused", outcomes(refusal(crm.NotExecuted{Cause: "x"}))},
		"never holds":                      {once, "lead/Held", outcomes(unsent(func(n *crm.NotExecuted) { n.Hold = false }))},
		"always holds":                     {once, "lead/Again", outcomes(unsent(func(n *crm.NotExecuted) { n.Hold = true }))},
		"forgets the wish to wait":         {once, "lead/Throttled", outcomes(unsent(func(n *crm.NotExecuted) { n.RetryIn = 0 }))},
		"goes on when it is cancelled":     {once, "lead/Unsent/cancelled before", creates(goesOn)},
		"tells the token": {once, "lead/Lost", outcomes(func(out crm.Outcome, _ crm.Record, o opening) crm.Outcome {
			return doubt(crm.Unknown{Cause: "refused: " + o.settings["token"]})(out, crm.Record{}, o)
		})},
		"tells the address": {once, "lead/Refused", outcomes(func(out crm.Outcome, _ crm.Record, o opening) crm.Outcome {
			return refusal(crm.Refused{Reason: o.settings[crm.BaseURLField]})(out, crm.Record{}, o)
		})},
		"tells a name": {once, "lead/Refused", outcomes(func(out crm.Outcome, r crm.Record, o opening) crm.Outcome {
			return refusal(crm.Refused{Reason: "bad " + r.Fields["name"]})(out, r, o)
		})},

		"has a key and sends none":     {keyed, "lead/Repeats", calls(func(c *crm.Call) { c.Header.Del("Idempotency-Key") })},
		"makes a new key each time":    {keyed, "lead/Repeats", creates(newKeys())},
		"sends a key that it has not":  {once, "lead/Creates", calls(func(c *crm.Call) { c.Header.Set("X-Idempotency-Key", "1") })},
		"remembers a key for no time":  {keyed, "Description", opened(noWindow)},
		"opens with a request":         {once, "Description", opened(func(c *crm.Client, _ opening) { c.Check(context.Background()) })},
		"cannot read":                  {once, "Description", opened(func(c *crm.Client, _ opening) { c.Read = nil })},
		"writes notes only":            {once, "Description", opened(func(c *crm.Client, _ opening) { delete(c.Creates, crm.Lead) })},
		"writes without looking":       {upsert, "lead/Repeats", creates(looksNowhere)},
		"writes when it cannot look":   {upsert, "lead/Looks", creates(looksInVain)},
		"loses the stamp":              {once, "lead/Creates", creates(records(func(r *crm.Record) { r.Stamp = "" }))},
		"loses the parent":             {once, "note/Creates", creates(records(func(r *crm.Record) { r.Parent = "" }))},
		"gives one ref for everything": {once, "lead/Creates", outcomes(func(crm.Outcome, crm.Record, opening) crm.Outcome { return crm.Executed{Ref: "1"} })},

		"finds nothing when it cannot tell":   {once, "lead/FindsUnreadable", opened(findsNothing)},
		"finds what is not ours":              {once, "lead/Finds", opened(findsAnything)},
		"says not found when it cannot tell":  {once, "lead/ReadsUnreadable", opened(readsNothing)},
		"cannot tell when it is not found":    {once, "lead/Reads", opened(neverNotFound)},
		"finds all credentials good":          {once, "Check/BadCredentials", opened(checksNothing)},
		"finds the credentials good in a fog": {once, "Check/Unreadable", opened(checksNothing)},
		"checks by writing":                   {once, "Check/Good", calls(func(c *crm.Call) { c.Write = true })},
		"throttled check that does not wait":  {once, "Check/Throttled", opened(checksNothing)},
	}
}

func doubt(instead crm.Outcome) func(crm.Outcome, crm.Record, opening) crm.Outcome {
	return func(out crm.Outcome, _ crm.Record, _ opening) crm.Outcome {
		if _, ok := out.(crm.Unknown); ok {
			return instead
		}
		return out
	}
}

func refusal(instead crm.Outcome) func(crm.Outcome, crm.Record, opening) crm.Outcome {
	return func(out crm.Outcome, _ crm.Record, _ opening) crm.Outcome {
		if _, ok := out.(crm.Refused); ok {
			return instead
		}
		return out
	}
}

func unsent(change func(*crm.NotExecuted)) func(crm.Outcome, crm.Record, opening) crm.Outcome {
	return func(out crm.Outcome, _ crm.Record, _ opening) crm.Outcome {
		if n, ok := out.(crm.NotExecuted); ok {
			change(&n)
			return n
		}
		return out
	}
}

func records(change func(*crm.Record)) func(opening, send) send {
	return func(_ opening, do send) send {
		return func(ctx context.Context, r crm.Record, key string) crm.Outcome {
			change(&r)
			return do(ctx, r, key)
		}
	}
}

func sendsAgain(_ opening, do send) send {
	return func(ctx context.Context, r crm.Record, key string) crm.Outcome {
		out := do(ctx, r, key)
		if _, lost := out.(crm.Unknown); lost {
			return do(ctx, r, key)
		}
		return out
	}
}

func goesOn(_ opening, do send) send {
	return func(ctx context.Context, r crm.Record, key string) crm.Outcome {
		return do(context.WithoutCancel(ctx), r, key)
	}
}

func newKeys() func(opening, send) send {
	return func(_ opening, do send) send {
		n := ""
		return func(ctx context.Context, r crm.Record, key string) crm.Outcome {
			n += "+"
			return do(ctx, r, key+n)
		}
	}
}

// looksNowhere writes with a connection of the same account that cannot search.
func looksNowhere(o opening, _ send) send {
	return func(ctx context.Context, r crm.Record, key string) crm.Outcome {
		blind, err := o.unsearched()
		if err != nil {
			panic(err)
		}
		return sendOf(blind.Creates[r.Kind])(ctx, r, key)
	}
}

func looksInVain(o opening, do send) send {
	return func(ctx context.Context, r crm.Record, key string) crm.Outcome {
		out := do(ctx, r, key)
		if _, ok := out.(crm.NotExecuted); ok {
			return looksNowhere(o, nil)(ctx, r, key)
		}
		return out
	}
}

func noWindow(c *crm.Client, _ opening) {
	keyed := c.Creates[crm.Lead].(crm.Keyed)
	keyed.Window = 0
	c.Creates[crm.Lead] = keyed
}

func findsNothing(c *crm.Client, _ opening) {
	find := c.FindByStamp
	c.FindByStamp = func(ctx context.Context, k crm.Kind, s crm.Stamp) ([]crm.Object, error) {
		found, _ := find(ctx, k, s)
		return found, nil
	}
}

func findsAnything(c *crm.Client, _ opening) {
	find := c.FindByStamp
	c.FindByStamp = func(ctx context.Context, k crm.Kind, s crm.Stamp) ([]crm.Object, error) {
		found, err := find(ctx, k, s)
		return append(found, crm.Object{Ref: "1", Kind: k}), err
	}
}

func readsNothing(c *crm.Client, _ opening) {
	read := c.Read
	c.Read = func(ctx context.Context, k crm.Kind, r crm.Ref) (crm.Object, error) {
		o, err := read(ctx, k, r)
		if err != nil {
			err = crm.ErrNotFound
		}
		return o, err
	}
}

func neverNotFound(c *crm.Client, _ opening) {
	read := c.Read
	c.Read = func(ctx context.Context, k crm.Kind, r crm.Ref) (crm.Object, error) {
		o, err := read(ctx, k, r)
		if errors.Is(err, crm.ErrNotFound) {
			err = crm.ErrUnreadable
		}
		return o, err
	}
}

func checksNothing(c *crm.Client, _ opening) {
	check := c.Check
	c.Check = func(ctx context.Context) crm.Outcome {
		check(ctx)
		return crm.Executed{Ref: "acme"}
	}
}

// acme is an account of the sandbox's CRM.
func acme(t *testing.T, c crm.Capability) crmtest.CRM {
	t.Helper()
	box, err := sandbox.New(t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = box.Close() })
	if err := box.AddAccount(sandbox.Account{Name: "acme", Capability: sandbox.Capability(c), Searchable: true}); err != nil {
		t.Fatal(err)
	}
	handler := box.Handler()
	return crmtest.CRM{Handler: handler, Path: "/crm/acme", Count: func(kind crm.Kind, stamp crm.Stamp) (n int) {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/crm/acme/ledger", nil))
		var ledger struct {
			Objects []struct {
				Kind  crm.Kind
				Stamp crm.Stamp
			}
		}
		if err := json.Unmarshal(answer.Body.Bytes(), &ledger); err != nil {
			t.Error(err)
		}
		for _, o := range ledger.Objects {
			if o.Kind == kind && o.Stamp == stamp {
				n++
			}
		}
		return n
	}}
}
