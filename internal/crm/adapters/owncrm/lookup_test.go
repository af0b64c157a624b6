package owncrm

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"sverka/internal/crm"
	"sverka/internal/safehttp"
)

// opened opens a connection to a CRM that answers reads in one way, and counts what would change it.
func opened(t *testing.T, change map[string]string, answer http.HandlerFunc) (crm.Client, *atomic.Int64) {
	t.Helper()
	var writes atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			answer(w, r)
			return
		}
		writes.Add(1)
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"id":"L-new"}`)
	}))
	t.Cleanup(server.Close)
	through, err := safehttp.New(server.URL, safehttp.Options{AllowLoopback: true})
	if err != nil {
		t.Fatal(err)
	}
	s := filled(change)
	s[crm.BaseURLField] = server.URL
	c, err := open(s, crm.NewWire(through))
	if err != nil {
		t.Fatal(err)
	}
	return c, &writes
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// An upsert that could not look has written nothing, and says what must happen before it looks again.
func TestUpsertLooksBeforeItWrites(t *testing.T) {
	t.Parallel()
	made := crm.Executed{Ref: "L-new"}
	failed := crm.NotExecuted{Cause: "search_failed"}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   crm.Outcome
		writes int64
	}{
		"Found":         {says(200, `{"items":[{"id":"L-7","stamp":"svo-1"}]}`), crm.Executed{Ref: "L-7"}, 0},
		"FoundOfTwo":    {says(200, `{"items":[{"id":"L-1","stamp":"svo-2"},{"id":"L-7","stamp":"svo-1"}]}`), crm.Executed{Ref: "L-7"}, 0},
		"NotFound":      {says(200, `{"items":[]}`), made, 1},
		"OthersOnly":    {says(200, `{"items":[{"id":"L-1","stamp":"svo-2"},{"id":"L-2"},{"stamp":""}]}`), made, 1},
		"OursWithoutID": {says(200, `{"items":[{"stamp":"svo-1"}]}`), failed, 0},
		"NoList":        {says(200, `{"items":null}`), failed, 0},
		"Garbage":       {says(200, `<html>`), failed, 0},
		"Empty":         {says(204, ``), failed, 0},
		"Broken":        {says(500, `{"items":[]}`), failed, 0},
		"Busy":          {says(503, ``), failed, 0},
		"Absent":        {says(404, `{"error":"not_found"}`), failed, 0},
		"Throttled":     {says(429, ``), crm.NotExecuted{Cause: "throttled", RetryIn: 7 * time.Second}, 0},
		"SignedOut":     {says(401, ``), crm.NotExecuted{Cause: "http_401", Hold: true}, 0},
		"Forbidden":     {says(403, ``), crm.NotExecuted{Cause: "http_403", Hold: true}, 0},
		"NoSearch403":   {says(403, `{"error":"not_searchable"}`), crm.NotExecuted{Cause: "not_searchable", Hold: true}, 0},
		"NoSearch404":   {says(404, `{"error":"not_searchable"}`), crm.NotExecuted{Cause: "not_searchable", Hold: true}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, writes := opened(t, map[string]string{capability: "upsert_by_external_id", searchable: "yes"}, c.answer)
			got := client.Creates[crm.Lead].(crm.Upsert).Do(t.Context(), crm.Record{Kind: crm.Lead, Stamp: "svo-1"}, "svo-1")
			if got != c.want || writes.Load() != c.writes {
				t.Errorf("got %#v after %d writes, want %#v after %d", got, writes.Load(), c.want, c.writes)
			}
		})
	}
}

// A CRM that ignores what was asked gives everything it has: none of it is ours.
func TestOnlyTheStampProves(t *testing.T) {
	t.Parallel()
	client, _ := opened(t, map[string]string{searchable: "yes"}, says(200, `{"items":[{"id":"L-1"},{"id":"L-2","stamp":"svo-10"},{"id":"L-3","stamp":"SVO-1"}]}`))
	found, err := client.FindByStamp(t.Context(), crm.Lead, "svo-1")
	if err != nil || len(found) != 0 {
		t.Errorf("got %v, %v", found, err)
	}
}

// A ref may be typed by a person. One that is no segment of a path would read something else.
func TestARefThatIsNoneReadsNothing(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 9)
	client, _ := opened(t, nil, func(w http.ResponseWriter, r *http.Request) {
		asked <- r.RequestURI
		_, _ = io.WriteString(w, `{"id":"L-1"}`)
	})
	for _, ref := range []crm.Ref{"", ".", ".."} {
		if got, err := client.Read(t.Context(), crm.Lead, ref); err != crm.ErrNotFound {
			t.Errorf("%q: %v, %v", ref, got, err)
		}
	}
	for ref, want := range map[crm.Ref]string{"L-1": "/leads/L-1", "a/../b?c#d": "/leads/a%2F..%2Fb%3Fc%23d", "ё %": "/leads/%D1%91%20%25"} {
		if _, err := client.Read(t.Context(), crm.Lead, ref); err != nil {
			t.Errorf("%q: %v", ref, err)
		}
		if got := <-asked; got != want {
			t.Errorf("%q was asked for as %s, want %s", ref, got, want)
		}
	}
	if len(asked) != 0 {
		t.Errorf("asked for %s", <-asked)
	}
}

// A record that would lose a value is refused before anything is sent.
func TestCollisionIsNotSent(t *testing.T) {
	t.Parallel()
	client, writes := opened(t, map[string]string{mapping: `{"name":"fields.text"}`}, says(500, ``))
	r := crm.Record{Kind: crm.Lead, Stamp: "svo-1", Fields: map[string]string{"name": "Ann", "text": "hi"}}
	got := client.Creates[crm.Lead].(crm.Once).Do(t.Context(), r)
	if got != (crm.Refused{Reason: "mapping_collision"}) || writes.Load() != 0 {
		t.Errorf("got %#v after %d writes", got, writes.Load())
	}
}

func TestKeyInProgressIsNoRefusal(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]crm.Outcome{
		409: crm.NotExecuted{Cause: "key_in_progress", RetryIn: 7 * time.Second},
		422: crm.Refused{Reason: "http_422"},
		500: crm.Unknown{Cause: "http_500"},
	} {
		a := crm.Answer{Status: status, Header: http.Header{"Retry-After": {"7"}}, Whole: true, Evidence: crm.Evidence{Connected: true}}
		if got := crm.Classify(a, crm.Reading{Override: keyBusy}); got != want {
			t.Errorf("%d: got %#v, want %#v", status, got, want)
		}
	}
	if fmt.Sprint(keyBusy(crm.Answer{})) != "<nil>" {
		t.Error("no answer is nobody's to decide")
	}
}
