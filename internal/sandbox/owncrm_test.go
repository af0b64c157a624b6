package sandbox_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sverka/internal/sandbox"
)

type object struct {
	ID     string            `json:"id"`
	Kind   string            `json:"kind"`
	Stamp  string            `json:"stamp"`
	Fields map[string]string `json:"fields"`
	Error  string            `json:"error"`
}

type ledger struct {
	Requests []struct {
		At       time.Time `json:"at"`
		Method   string    `json:"method"`
		Path     string    `json:"path"`
		Key      string    `json:"key"`
		Stamp    string    `json:"stamp"`
		Write    bool      `json:"write"`
		Executed bool      `json:"executed"`
		ObjectID string    `json:"object_id"`
		Answered *int      `json:"answered"`
	} `json:"requests"`
	Objects []object `json:"objects"`
}

const auth, token = "Authorization", "Bearer sandbox-acme"

// acme makes the account of a test and gives the path of its API.
func (w *world) acme(capability string) string {
	w.t.Helper()
	r := w.do("PUT", "/crm/acme", `{"capability":"`+capability+`","searchable":true}`)
	equal(w.t, "PUT account", r.status, 200)
	return "/crm/acme"
}

func (w *world) ledger() (l ledger) {
	w.t.Helper()
	w.do("GET", "/crm/acme/ledger", "").into(w.t, &l)
	return l
}

const oneLead = `{"stamp":"svo-1","fields":{"name":"Ann"}}`

func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	w := start(t, fast())
	crm := w.acme("idempotent_create")
	post := func(key string) response {
		r, err := w.try("POST", crm+"/leads", oneLead, auth, token, "Idempotency-Key", key)
		if err != nil {
			t.Error(err)
		}
		return r
	}
	first, again := post("k1"), post("k1")
	equal(t, "statuses", fmt.Sprint(first.status, again.status), "201 200")
	equal(t, "same object", string(again.body), string(first.body))

	statuses := map[int]int{}
	var mu sync.Mutex
	var posting sync.WaitGroup
	for range 20 {
		posting.Go(func() {
			r := post("k2")
			mu.Lock()
			defer mu.Unlock()
			statuses[r.status]++
		})
	}
	posting.Wait()
	equal(t, "made once", statuses[201], 1)
	equal(t, "others", statuses[200]+statuses[409], 19)
	equal(t, "objects", len(w.ledger().Objects), 2)

	w.restart()
	equal(t, "remembered over a restart", post("k2").status, 200)
	w.do("POST", crm+"/leads", oneLead, auth, token)
	equal(t, "without a key: a plain create", len(w.ledger().Objects), 3)
}

func TestKeyInProgressAndWindow(t *testing.T) {
	t.Parallel()
	o := fast()
	o.CRM.Slow = time.Hour
	now := time.Now()
	var mu sync.Mutex
	o.CRM.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	w := start(t, o)
	crm := w.acme("idempotent_create")
	w.do("POST", crm+"/faults", `{"fault":"slow"}`)
	go func() { _, _ = w.try("POST", crm+"/leads", oneLead, auth, token, "Idempotency-Key", "k") }()
	wait(t, "the slow one is executed", func() bool { return len(w.ledger().Objects) == 1 })
	r := w.do("POST", crm+"/leads", oneLead, auth, token, "Idempotency-Key", "k")
	equal(t, "status", r.status, 409)
	equal(t, "body", string(r.body), "{\"error\":\"key_in_progress\"}\n")

	w.restart() // lets go of the slow one
	equal(t, "no answer is on record", w.ledger().Requests[0].Answered == nil, true)
	equal(t, "now it is free", w.do("POST", crm+"/leads", oneLead, auth, token, "Idempotency-Key", "k").status, 200)
	mu.Lock()
	now = now.Add(25 * time.Hour)
	mu.Unlock()
	equal(t, "forgotten", w.do("POST", crm+"/leads", oneLead, auth, token, "Idempotency-Key", "k").status, 201)
}

func TestUpsert(t *testing.T) {
	t.Parallel()
	w := start(t, fast())
	crm := w.acme("upsert_by_external_id")
	put := func(stamp, fields string) response {
		r, err := w.try("PUT", crm+"/leads/external/"+stamp, `{"stamp":"`+stamp+`","fields":`+fields+`}`, auth, token)
		if err != nil {
			t.Error(err)
		}
		return r
	}
	var made, kept int
	var mu sync.Mutex
	var putting sync.WaitGroup
	for range 20 {
		putting.Go(func() {
			r := put("svo-9", `{"name":"Ann"}`)
			mu.Lock()
			defer mu.Unlock()
			made += r.status / 201
			kept += boolInt(r.status == 200)
		})
	}
	putting.Wait()
	equal(t, "made, kept", fmt.Sprint(made, kept), "1 19")
	var o object
	put("svo-9", `{"name":"Anna"}`).into(t, &o)
	equal(t, "an upsert updates", o.Fields["name"], "Anna")
	w.restart()
	equal(t, "over a restart", put("svo-9", `{"name":"Anna"}`).status, 200)
	equal(t, "objects", len(w.ledger().Objects), 1)
	equal(t, "other stamp in the body", w.do("PUT", crm+"/leads/external/a", `{"stamp":"b","fields":{}}`, auth, token).status, 422)
	w.do("POST", crm+"/leads", `{"stamp":"svo-9","fields":{}}`, auth, token)
	equal(t, "POST is a plain create", len(w.ledger().Objects), 2)
}

func boolInt(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func TestRecords(t *testing.T) {
	t.Parallel()
	w := start(t, fast())
	crm := w.acme("neither")
	var made object
	w.do("POST", crm+"/leads", oneLead, auth, token).into(t, &made)
	again := w.do("POST", crm+"/leads", oneLead, auth, token)
	equal(t, "neither executes again", again.status, 201)

	for _, c := range []struct {
		method, path, body string
		status             int
		contains           string
	}{
		{"GET", "/ping", "", 200, `{"account":"acme"}`},
		{"GET", "/leads/" + made.ID, "", 200, `"name":"Ann"`},
		{"GET", "/leads/L-9", "", 404, `not_found`},
		{"GET", "/notes/" + made.ID, "", 404, `not_found`},
		{"GET", "/leads?stamp=svo-1", "", 200, `"items":[{`},
		{"GET", "/leads?stamp=svo-2", "", 200, `{"items":[]}`},
		{"POST", "/notes", `{"stamp":"s","fields":{"parent":"` + made.ID + `"}}`, 201, `"kind":"note"`},
		{"POST", "/notes", `{"stamp":"s","fields":{"parent":"L-9"}}`, 422, `fields.parent`},
		{"POST", "/leads", `{"stamp":"s"}`, 422, `fields must be an object`},
		{"POST", "/leads", `{"stamp":"s","fields":null}`, 422, `fields must be an object`},
		{"POST", "/leads", `{"stamp":"s","fields":{}} x`, 400, `bad JSON`},
		{"POST", "/leads", `lead`, 400, `bad JSON`},
		{"POST", "/leads", `{"fields":{"a":"` + strings.Repeat("x", 1<<20) + `"}}`, 413, `too_large`},
		{"PUT", "/leads/external/s", oneLead, 405, `not_supported`},
		{"DELETE", "/leads/" + made.ID, "", 405, `method_not_allowed`},
		{"POST", "/deals", oneLead, 404, `not_found`},
	} {
		r := w.do(c.method, crm+c.path, c.body, auth, token)
		equal(t, c.method+" "+c.path, r.status, c.status)
		equal(t, c.path+" has "+c.contains+": "+string(r.body), strings.Contains(string(r.body), c.contains), true)
	}
	equal(t, "unauthorized", string(w.do("POST", crm+"/leads", oneLead).body), "{\"error\":\"unauthorized\"}\n")
	equal(t, "every one is on record", len(w.ledger().Requests), 19)
	equal(t, "objects", len(w.ledger().Objects), 3)

	w.do("PUT", crm, `{"capability":"neither","searchable":false}`)
	equal(t, "not searchable", w.do("GET", crm+"/leads?stamp=x", "", auth, token).status, http.StatusForbidden)
	equal(t, "still readable", w.do("GET", crm+"/leads/"+made.ID, "", auth, token).status, 200)
	equal(t, "bad capability", w.do("PUT", crm, `{"capability":"magic"}`).status, 400)
	equal(t, "no account", w.do("GET", "/crm/nobody/ping", "", auth, token).status, 404)
}

func TestCRMRestartAndTornLine(t *testing.T) {
	t.Parallel()
	w := start(t, fast())
	crm := w.acme("neither")
	for range 3 {
		w.do("POST", crm+"/leads", oneLead, auth, token)
	}
	before := string(w.do("GET", crm+"/ledger", "").body)
	w.stop()
	path := filepath.Join(w.dir, "crm-acme.jsonl")
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(`{"request":{"at":"20`); err != nil {
		t.Fatal(err)
	}
	_ = file.Close()
	w.open()
	equal(t, "ledger", string(w.do("GET", crm+"/ledger", "").body), before)
	w.do("POST", crm+"/leads", oneLead, auth, token)
	w.restart()
	equal(t, "objects after the torn line", len(w.ledger().Objects), 4)
}

func TestAccountIsIdempotent(t *testing.T) {
	t.Parallel()
	w := start(t, fast())
	a := sandbox.Account{Name: "demo", Capability: "neither"}
	for range 2 {
		if err := w.box.AddAccount(a); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "token", w.do("GET", "/crm/demo/ping", "", auth, "Bearer sandbox-demo").status, 200)
	content, err := os.ReadFile(filepath.Join(w.dir, "crm-demo.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "accounts written", strings.Count(string(content), `{"account":{`), 1)
}
