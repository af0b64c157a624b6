package crm_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"sverka/internal/crm"
)

// What each status of a write proves (facts: reliability §9, by its rows). What is not named is Unknown.
var (
	refused = []int{400, 404, 405, 406, 409, 410, 411, 413, 414, 415, 416, 417, 422, 431, 451} // 12, 14, 16
	held    = []int{300, 304, 305, 307, 308, 401, 402, 403, 501, 505, 511}                     // 11, 13, 21
	again   = []int{412, 421, 423, 424, 425, 428}                                              // 17, 18
)

const throttled = 429 // 19

// answered is an answer whose body has an id in it; bodies decide about 2xx only.
func answered(status int) crm.Answer {
	return crm.Answer{Status: status, Header: http.Header{}, Body: []byte("L-1"), Whole: true,
		Evidence: crm.Evidence{Connected: true, Status: status}}
}

func body(a crm.Answer) crm.Ref { return crm.Ref(a.Body) }

func want(status int) crm.Outcome {
	code := "http_" + strconv.Itoa(status)
	in := func(all []int) bool {
		for _, one := range all {
			if one == status {
				return true
			}
		}
		return false
	}
	switch {
	case status == 202 || status == 207: // 8
		return crm.Unknown{Cause: "unclear_success"}
	case status >= 200 && status <= 299: // 6
		return crm.Executed{Ref: "L-1"}
	case in(refused):
		return crm.Refused{Reason: code}
	case in(held):
		return crm.NotExecuted{Cause: code, Hold: true}
	case in(again):
		return crm.NotExecuted{Cause: code}
	case status == throttled:
		return crm.NotExecuted{Cause: "throttled"}
	}
	return crm.Unknown{Cause: code} // 9, 10, 15, 20, 22, 23, 24 and all that nobody thought of
}

func TestEveryStatus(t *testing.T) {
	t.Parallel()
	for status := 100; status <= 999; status++ {
		if got := crm.Classify(answered(status), crm.Reading{Ref: body}); got != want(status) {
			t.Errorf("%d: got %#v, want %#v", status, got, want(status))
		}
	}
}

// A status line proves what it proves, whatever became of the body; only a success needs its body.
func TestABodyThatDidNotArrive(t *testing.T) {
	t.Parallel()
	for status := 100; status <= 999; status++ {
		for _, fault := range []crm.Fault{crm.AnswerCut, crm.AnswerTooLong} {
			a := answered(status)
			a.Whole, a.Fault = false, fault
			wanted := want(status)
			if status >= 200 && status <= 299 {
				wanted = crm.Unknown{Cause: string(fault)}
			}
			if got := crm.Classify(a, crm.Reading{Ref: body}); got != wanted {
				t.Errorf("%d, %s: got %#v, want %#v", status, fault, got, wanted)
			}
		}
	}
}

func TestASuccessThatSaysTooLittle(t *testing.T) {
	t.Parallel()
	for name, ref := range map[string]func(crm.Answer) crm.Ref{
		"NoReader": nil,
		"NoID":     func(crm.Answer) crm.Ref { return "" },
		"Endless":  func(crm.Answer) crm.Ref { return crm.Ref(strings.Repeat("1", 201)) },
		"Zero":     func(crm.Answer) crm.Ref { return "L-1\x00" }, // PostgreSQL cannot hold it
		"NotText":  func(crm.Answer) crm.Ref { return "L-\xff" },
	} {
		for _, status := range []int{200, 201, 202, 204, 207} {
			if got, ok := crm.Classify(answered(status), crm.Reading{Ref: ref}).(crm.Unknown); !ok || got.Cause == "" {
				t.Errorf("%s, %d: got %#v", name, status, got)
			}
		}
	}
}

// Rows 1 to 5: without a status only the lack of any connection proves something.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	proofs := map[crm.Fault]crm.Outcome{
		crm.BadRequest:       crm.Refused{Reason: "bad_request"},
		crm.AddressForbidden: crm.NotExecuted{Cause: "address_forbidden", Hold: true},
		crm.CertificateBad:   crm.NotExecuted{Cause: "certificate_bad", Hold: true},
		crm.NoConnection:     crm.NotExecuted{Cause: "no_connection"},
		crm.NotCalled:        crm.NotExecuted{Cause: "not_called"},
		crm.NoFault:          crm.Unknown{Cause: "answer_lost"},
		crm.AnswerLost:       crm.Unknown{Cause: "answer_lost"},
		crm.AnswerCut:        crm.Unknown{Cause: "answer_cut"},
		crm.AnswerTooLong:    crm.Unknown{Cause: "answer_too_long"},
		"never_heard_of":     crm.Unknown{Cause: "never_heard_of"},
	}
	for fault, wanted := range proofs {
		if got := crm.Classify(crm.Answer{Fault: fault}, crm.Reading{Ref: body}); got != wanted {
			t.Errorf("%q, not connected: got %#v, want %#v", fault, got, wanted)
		}
		sent := crm.Answer{Fault: fault, Evidence: crm.Evidence{Connected: true}}
		if got, ok := crm.Classify(sent, crm.Reading{Ref: body}).(crm.Unknown); !ok || got.Cause == "" {
			t.Errorf("%q, connected: got %#v, want Unknown", fault, got)
		}
	}
}

func TestAnAdapterMayDecideAStatusButNotSilence(t *testing.T) {
	t.Parallel()
	shed := crm.NotExecuted{Cause: "shed"}
	r := crm.Reading{Ref: body, Override: func(a crm.Answer) crm.Outcome {
		if a.Status == 200 || a.Status == 503 || a.Status == 0 {
			return shed
		}
		return nil
	}}
	for status, wanted := range map[int]crm.Outcome{200: shed, 503: shed, 500: want(500), 201: want(201), 422: want(422)} {
		if got := crm.Classify(answered(status), r); got != wanted {
			t.Errorf("%d: got %#v, want %#v", status, got, wanted)
		}
	}
	lost := crm.Answer{Fault: crm.AnswerLost, Evidence: crm.Evidence{Connected: true}}
	if got := crm.Classify(lost, r); got != (crm.Unknown{Cause: "answer_lost"}) {
		t.Errorf("no answer: got %#v", got)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for value, wanted := range map[string]time.Duration{
		"": 0, "0": 0, "1": time.Second, "7": 7 * time.Second, "3600": time.Hour, "3601": time.Hour,
		"99999999999999999999": time.Hour, "-1": 0, "+1": 0, "1.5": 0, "1s": 0, "0x10": 0, "1_0": 0, "٣": 0,
		"Wed, 21 Oct 2065 07:28:00 GMT": 0,
	} {
		a := answered(throttled)
		a.Header.Set("Retry-After", value)
		if got := crm.Classify(a, crm.Reading{}); got != (crm.NotExecuted{Cause: "throttled", RetryIn: wanted}) {
			t.Errorf("%q: got %#v, want %v", value, got, wanted)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"", "0", "120", "3601", "99999999999999999999", "-5", "Wed, 21 Oct 2065 07:28:00 GMT", "\x00", "1e9"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		got := crm.RetryAfter(http.Header{"Retry-After": {value}})
		if got < 0 || got > time.Hour || got%time.Second != 0 {
			t.Fatalf("%q: %v", value, got)
		}
		digits := value != "" && strings.Trim(value, "0123456789") == ""
		if !digits && got != 0 {
			t.Fatalf("%q is no number, and gave %v", value, got)
		}
		if seconds, err := strconv.Atoi(value); digits && err == nil && seconds <= 3600 && got != time.Duration(seconds)*time.Second {
			t.Fatalf("%q: %v", value, got)
		}
	})
}
