package crmtest_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"sverka/internal/crm"
	"sverka/internal/crm/adapters/owncrm"
	"sverka/internal/crm/crmtest"
)

// mutant is an adapter that breaks one promise. The suite must not pass it.
type mutant struct {
	capability crm.Capability
	caught     string                            // the test of the suite that must fail, below the mutant's own
	open       func(opening) (crm.Client, error) // nil = breaks none: the suite must pass it
}

// opening is a call of Open, to be spoilt.
type opening struct {
	settings crm.Settings
	wire     crm.Wire
}

func (o opening) honest() (crm.Client, error) { return owncrm.Adapter().Open(o.settings, o.wire) }

// unsearched opens a connection that does not look before it writes.
func (o opening) unsearched() (crm.Client, error) {
	o.settings["searchable"] = "no"
	return o.honest()
}

const mutantName = "CRMTEST_MUTANT"

// TestMutant is the suite against one mutant, in a process of its own: it is meant to fail.
func TestMutant(t *testing.T) {
	m, ok := mutants()[os.Getenv(mutantName)]
	if !ok {
		t.Skip("run by TestTheSuiteCatchesWhoBreaksAPromise")
	}
	adapter := owncrm.Adapter()
	if m.open != nil {
		adapter.Open = func(s crm.Settings, w crm.Wire) (crm.Client, error) { return m.open(opening{s, w}) }
	}
	crmtest.Run(t, crmtest.Config{
		Adapter:  adapter,
		Settings: crm.Settings{"auth": "bearer", "token": "sandbox-acme", "capability": string(m.capability), "searchable": "yes"},
		Bad:      crm.Settings{"token": "not-the-token"},
		Start:    func(t *testing.T) crmtest.CRM { return acme(t, m.capability) },
		Own:      []int{http.StatusConflict},
	})
}

// A suite that nobody has seen fail proves nothing.
func TestTheSuiteCatchesWhoBreaksAPromise(t *testing.T) {
	t.Parallel()
	for name, m := range mutants() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test := "TestMutant/" + m.caught
			pattern := "^" + strings.ReplaceAll(test, "/", "$/^") + "$"
			child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", pattern, "-test.count=1", "-test.timeout=2m")
			child.Env = append(os.Environ(), mutantName+"="+name, "GORACE=atexit_sleep_ms=0") // a second per process, else
			said, err := child.CombinedOutput()
			caught := strings.Contains(string(said), "--- FAIL: "+strings.ReplaceAll(test, " ", "_"))
			if honest := m.open == nil; caught == honest || (err == nil) != honest || strings.Contains(string(said), "panic:") {
				t.Errorf("caught %v: %v\n%s", caught, err, said)
			}
		})
	}
}

// outcomes changes what comes of every create.
func outcomes(change func(crm.Outcome, crm.Record, opening) crm.Outcome) func(opening) (crm.Client, error) {
	return creates(func(o opening, do send) send {
		return func(ctx context.Context, r crm.Record, key string) crm.Outcome { return change(do(ctx, r, key), r, o) }
	})
}

// send is a create of any shape.
type send func(ctx context.Context, r crm.Record, key string) crm.Outcome

// creates changes every create; the shape stays.
func creates(change func(opening, send) send) func(opening) (crm.Client, error) {
	return func(o opening) (crm.Client, error) {
		client, err := o.honest()
		for kind, create := range client.Creates {
			do := change(o, sendOf(create))
			switch create := create.(type) {
			case crm.Keyed:
				create.Do = func(ctx context.Context, r crm.Record, key crm.Key) crm.Outcome { return do(ctx, r, string(key)) }
				client.Creates[kind] = create
			case crm.Upsert:
				create.Do = func(ctx context.Context, r crm.Record, id crm.ExternalID) crm.Outcome { return do(ctx, r, string(id)) }
				client.Creates[kind] = create
			case crm.Once:
				create.Do = func(ctx context.Context, r crm.Record) crm.Outcome { return do(ctx, r, "") }
				client.Creates[kind] = create
			}
		}
		return client, err
	}
}

func sendOf(create crm.Create) send {
	return func(ctx context.Context, r crm.Record, key string) crm.Outcome {
		switch create := create.(type) {
		case crm.Keyed:
			return create.Do(ctx, r, crm.Key(key))
		case crm.Upsert:
			return create.Do(ctx, r, crm.ExternalID(key))
		}
		return create.(crm.Once).Do(ctx, r)
	}
}

// opened changes the functions of a connection.
func opened(change func(*crm.Client, opening)) func(opening) (crm.Client, error) {
	return func(o opening) (crm.Client, error) {
		client, err := o.honest()
		change(&client, o)
		return client, err
	}
}

// calls changes every call before it leaves.
func calls(change func(*crm.Call)) func(opening) (crm.Client, error) {
	return func(o opening) (crm.Client, error) {
		o.wire = changing{o.wire, change}
		return o.honest()
	}
}

type changing struct {
	to     crm.Wire
	change func(*crm.Call)
}

func (c changing) Send(ctx context.Context, call crm.Call) crm.Answer {
	call.Header = call.Header.Clone()
	c.change(&call)
	return c.to.Send(ctx, call)
}
