package owncrm_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sverka/internal/crm"
	"sverka/internal/crm/adapters/owncrm"
	"sverka/internal/safehttp"
	"sverka/internal/sandbox"
)

// account is an account of the sandbox's CRM, and the adapter's connection to it.
type account struct {
	*testing.T
	url    string
	client crm.Client
}

func openAccount(t *testing.T, c crm.Capability, searchable bool) account {
	t.Helper()
	box, err := sandbox.NewWith(t.TempDir(), slog.New(slog.DiscardHandler), sandbox.Options{CRM: sandbox.CRMOptions{Slow: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(box.Handler())
	t.Cleanup(func() {
		server.Close()
		_ = box.Close()
	})
	if err := box.AddAccount(sandbox.Account{Name: "acme", Capability: sandbox.Capability(c), Searchable: searchable}); err != nil {
		t.Fatal(err)
	}
	through, err := safehttp.New(server.URL+"/crm/acme", safehttp.Options{AllowLoopback: true})
	if err != nil {
		t.Fatal(err)
	}
	settings := crm.Settings{crm.BaseURLField: server.URL + "/crm/acme", "auth": "bearer", "token": "sandbox-acme",
		"capability": string(c), "searchable": map[bool]string{true: "yes", false: "no"}[searchable]}
	client, err := owncrm.Adapter().Open(settings, crm.NewWire(through))
	if err != nil {
		t.Fatal(err)
	}
	return account{t, server.URL + "/crm/acme", client}
}

func (a account) create(r crm.Record) crm.Outcome {
	a.Helper()
	switch create := a.client.Creates[r.Kind].(type) {
	case crm.Keyed:
		return create.Do(a.Context(), r, crm.Key("key of "+r.Stamp))
	case crm.Upsert:
		return create.Do(a.Context(), r, crm.ExternalID(r.Stamp))
	case crm.Once:
		return create.Do(a.Context(), r)
	}
	a.Fatalf("no create of %s", r.Kind)
	return nil
}

func (a account) fault(name string) {
	a.Helper()
	answer, err := http.Post(a.url+"/faults", "application/json", strings.NewReader(`{"fault":"`+name+`"}`))
	if err != nil || answer.StatusCode != http.StatusOK {
		a.Fatalf("fault %s: %v", name, err)
	}
	_ = answer.Body.Close()
}

// ledger counts what the CRM has, and the writes that it saw.
func (a account) ledger() (objects, writes int, keys string) {
	a.Helper()
	answer, err := http.Get(a.url + "/ledger")
	if err != nil {
		a.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var l struct {
		Objects  []json.RawMessage
		Requests []struct {
			Write bool
			Key   string
		}
	}
	if err := json.NewDecoder(answer.Body).Decode(&l); err != nil {
		a.Fatal(err)
	}
	for _, r := range l.Requests {
		if r.Write {
			writes++
			keys += r.Key
		}
	}
	return len(l.Objects), writes, keys
}

// contract is what the sandbox's faults (design/wire.md) must look like from here, and what the CRM has then.
var contract = map[string]struct {
	want    crm.Outcome
	objects int
}{
	"lose_response":          {crm.Unknown{Cause: "answer_lost"}, 1},
	"lose_request":           {crm.Unknown{Cause: "answer_lost"}, 0},
	"refuse":                 {crm.Refused{Reason: "http_422"}, 0},
	"throttle":               {crm.NotExecuted{Cause: "throttled", RetryIn: time.Second}, 0},
	"error_500_executed":     {crm.Unknown{Cause: "http_500"}, 1},
	"error_500_not_executed": {crm.Unknown{Cause: "http_500"}, 0},
	"slow":                   {crm.Executed{Ref: "L-1001"}, 1},
	"reset_mid_body":         {crm.Unknown{Cause: "answer_cut"}, 1},
	"garbage_2xx":            {crm.Unknown{Cause: "no_id_in_answer"}, 1},
}

func TestFaultsOfTheSandbox(t *testing.T) {
	t.Parallel()
	for _, capability := range crm.Capabilities() {
		for fault, c := range contract {
			t.Run(fmt.Sprint(capability, " ", fault), func(t *testing.T) {
				t.Parallel()
				a := openAccount(t, capability, capability != crm.Neither)
				a.fault(fault)
				lead := crm.Record{Kind: crm.Lead, Stamp: "svo-1", Fields: map[string]string{"name": "Ann"}}
				got := a.create(lead)
				lost := fault == "reset_mid_body" && got == crm.Unknown{Cause: "answer_lost"} // a reset may overtake the headers
				if objects, writes, _ := a.ledger(); got != c.want && !lost || objects != c.objects || writes != 1 {
					t.Fatalf("got %#v, %d objects after %d writes, want %#v, %d", got, objects, writes, c.want, c.objects)
				}
				if capability == crm.Neither {
					return // a repeat would be blind
				}
				if got := a.create(lead); got != (crm.Executed{Ref: "L-1001"}) {
					t.Errorf("repeat: %#v", got)
				}
				objects, writes, _ := a.ledger()
				looked := capability == crm.UpsertByExternalID && c.objects == 1 // found: not written again
				if objects != 1 || writes != map[bool]int{true: 1, false: 2}[looked] {
					t.Errorf("repeat: %d objects after %d writes", objects, writes)
				}
			})
		}
	}
}

func TestLeadThenNote(t *testing.T) {
	t.Parallel()
	for _, capability := range crm.Capabilities() {
		t.Run(string(capability), func(t *testing.T) {
			t.Parallel()
			a := openAccount(t, capability, true)
			if got := a.client.Check(t.Context()); got != (crm.Executed{Ref: "acme"}) {
				t.Errorf("check: %#v", got)
			}
			lead, ok := a.create(crm.Record{Kind: crm.Lead, Stamp: "svo-1", Fields: map[string]string{"name": "Ann"}}).(crm.Executed)
			note, ok2 := a.create(crm.Record{Kind: crm.Note, Stamp: "svo-2", Parent: lead.Ref, Fields: map[string]string{"text": "hi"}}).(crm.Executed)
			if !ok || !ok2 {
				t.Fatalf("lead %v, note %v", lead, note)
			}
			found, err := a.client.FindByStamp(t.Context(), crm.Note, "svo-2")
			if err != nil || len(found) != 1 || found[0].Ref != note.Ref || found[0].Fields["parent"] != string(lead.Ref) {
				t.Errorf("found %v, %v", found, err)
			}
			read, err := a.client.Read(t.Context(), crm.Lead, lead.Ref)
			if err != nil || read.Stamp != "svo-1" || read.Fields["name"] != "Ann" {
				t.Errorf("read %v, %v", read, err)
			}
			if _, err := a.client.Read(t.Context(), crm.Lead, note.Ref); err != crm.ErrNotFound {
				t.Errorf("a note read as a lead: %v", err)
			}
			if _, _, keys := a.ledger(); (keys != "") != (capability == crm.IdempotentCreate) {
				t.Errorf("keys on the wire: %q", keys)
			}
		})
	}
}

// An account that cannot be searched offers no search; one whose settings say otherwise holds its upserts.
func TestAccountThatCannotBeSearched(t *testing.T) {
	t.Parallel()
	if a := openAccount(t, crm.Neither, false); a.client.FindByStamp != nil {
		t.Error("offers a search")
	}
	a := openAccount(t, crm.UpsertByExternalID, true)
	request, err := http.NewRequest(http.MethodPut, a.url, strings.NewReader(`{"capability":"upsert_by_external_id","searchable":false}`))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	got := a.create(crm.Record{Kind: crm.Lead, Stamp: "svo-1"})
	if objects, writes, _ := a.ledger(); got != (crm.NotExecuted{Cause: "not_searchable", Hold: true}) || objects+writes != 0 {
		t.Errorf("got %#v, %d objects after %d writes", got, objects, writes)
	}
}
