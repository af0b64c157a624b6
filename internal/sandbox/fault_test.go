package sandbox_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestFaults(t *testing.T) {
	t.Parallel()
	cases := []struct {
		fault    string
		status   int // that the caller sees; 0 = none
		lost     bool
		executed bool
		answered int // that the ledger says; 0 = null
	}{
		{"lose_response", 0, true, true, 0},
		{"lose_request", 0, true, false, 0},
		{"refuse", 422, false, false, 422},
		{"throttle", 429, false, false, 429},
		{"error_500_executed", 500, false, true, 500},
		{"error_500_not_executed", 500, false, false, 500},
		{"slow", 201, false, true, 201},
		{"reset_mid_body", 201, true, true, 201},
		{"garbage_2xx", 201, false, true, 201},
	}
	for _, c := range cases {
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel()
			w := start(t, fast())
			crm := w.acme("neither")
			equal(t, "POST fault", w.do("POST", crm+"/faults", `{"fault":"`+c.fault+`"}`).status, 200)
			equal(t, "a read is spared", w.do("GET", crm+"/leads", "", auth, token).status, 200)

			began := time.Now()
			r, err := w.try("POST", crm+"/leads", oneLead, auth, token)
			equal(t, "status", r.status, c.status)
			equal(t, "lost", err != nil, c.lost)
			looksLike(t, c.fault, r, err, time.Since(began))

			l := w.ledger()
			last := l.Requests[len(l.Requests)-1]
			equal(t, "executed", last.Executed, c.executed)
			equal(t, "objects", len(l.Objects) == 1, c.executed)
			equal(t, "write", last.Write, true)
			equal(t, "stamp", last.Stamp, "svo-1")
			equal(t, "answered", status(last.Answered), c.answered)
			equal(t, "after it all is well", w.do("POST", crm+"/leads", oneLead, auth, token).status, 201)
		})
	}
}

func status(answered *int) int {
	if answered == nil {
		return 0
	}
	return *answered
}

// looksLike checks what only this fault shows to the caller.
func looksLike(t *testing.T, fault string, r response, err error, took time.Duration) {
	t.Helper()
	switch fault {
	case "slow":
		equal(t, "took its time", took >= 50*time.Millisecond, true)
	case "throttle":
		equal(t, "Retry-After", r.header.Get("Retry-After"), "1")
	case "garbage_2xx":
		equal(t, "is garbage", strings.HasPrefix(string(r.body), "<html>"), true)
	case "reset_mid_body":
		equal(t, "half a body, then a reset", len(r.body) > 0 && strings.Contains(err.Error(), "reset"), true)
	case "lose_response", "lose_request":
		equal(t, "not a byte", err.Error(), "EOF")
	}
}

func TestFaultQueue(t *testing.T) {
	t.Parallel()
	w := start(t, fast())
	crm := w.acme("neither")
	post := func(body string) int { return w.do("POST", crm+"/faults", body).status }

	for _, wrong := range []string{
		`{`, `{}`, `{"fault":"boom"}`, `{"fault":"slow","count":0}`, `{"fault":"slow","rate":0}`, `{"fault":"slow","rate":1.5}`,
		`{"fault":"slow","on":"read"}`, `{"fault":"slow","count":1,"rate":0.5}`, `{"fault":"slow","cuont":2}`,
	} {
		equal(t, wrong, post(wrong), 400)
	}
	equal(t, "nothing queued", string(w.do("GET", crm+"/faults", "").body), "{\"faults\":[]}\n")

	equal(t, "queue", post(`{"fault":"refuse","count":2}`)+post(`{"fault":"throttle"}`), 400)
	w.restart()
	var got []int
	for range 4 {
		got = append(got, w.do("POST", crm+"/leads", oneLead, auth, token).status)
	}
	equal(t, "in order, over a restart", fmt.Sprint(got), "[422 422 429 201]")

	post(`{"fault":"throttle","rate":1,"on":"any"}`)
	equal(t, "any hits reads", w.do("GET", crm+"/ping", "", auth, token).status, 429)
	equal(t, "rate stays", w.do("POST", crm+"/leads", oneLead, auth, token).status, 429)
	equal(t, "clear", w.do("DELETE", crm+"/faults", "").status, 200)
	equal(t, "cleared", w.do("GET", crm+"/ping", "", auth, token).status, 200)

	post(`{"fault":"refuse","rate":0.5}`)
	hits := 0
	for range 100 {
		hits += w.do("POST", crm+"/leads", oneLead, auth, token).status / 422
	}
	equal(t, "half of them", hits > 20 && hits < 80, true)
}
