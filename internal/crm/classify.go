package crm

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Reading is how an adapter reads the answers to its writes where they differ from the common table.
type Reading struct {
	// Ref takes the new record's id from a whole 2xx answer; "" = cannot be read.
	Ref func(Answer) Ref
	// Override decides a status before the table does; nil = the table decides.
	Override func(Answer) Outcome
}

// Classify says what a write's answer proves. It is the one place where that is decided
// (facts: reliability §9); what it does not understand is Unknown.
func Classify(a Answer, r Reading) Outcome {
	if out := withoutAnswer(a); out != nil {
		return out
	}
	if r.Override != nil {
		if out := r.Override(a); out != nil {
			return out
		}
	}
	if a.Status >= 200 && a.Status <= 299 {
		return created(a, r)
	}
	return byStatus(a)
}

// withoutAnswer decides what never became an HTTP answer. Only the absence of any connection is
// proof: an error's type is not, since the transport may fail later than it sent.
func withoutAnswer(a Answer) Outcome {
	switch {
	case a.Status != 0:
		return nil
	case a.Evidence.Connected:
		return Unknown{Cause: string(orLost(a.Fault))}
	}
	switch a.Fault {
	case BadRequest:
		return Refused{Reason: string(BadRequest)}
	case AddressForbidden, CertificateBad:
		return NotExecuted{Cause: string(a.Fault), Hold: true}
	case NoConnection, NotCalled:
		return NotExecuted{Cause: string(a.Fault)}
	}
	return Unknown{Cause: string(orLost(a.Fault))}
}

func orLost(f Fault) Fault {
	if f == NoFault {
		return AnswerLost
	}
	return f
}

// created reads a 2xx: without a whole body and an id in it nothing is known.
func created(a Answer, r Reading) Outcome {
	if !a.Whole {
		return Unknown{Cause: string(orLost(a.Fault))}
	}
	if a.Status == http.StatusAccepted || a.Status == http.StatusMultiStatus || r.Ref == nil {
		return Unknown{Cause: "unclear_success"}
	}
	ref := r.Ref(a)
	if !ref.Valid() {
		return Unknown{Cause: "no_id_in_answer"}
	}
	return Executed{Ref: ref}
}

// maxRef is far beyond any CRM's ids, in bytes.
const maxRef = 200

// Valid holds for what can be an id: one that is no text, or that a database cannot hold, would lose the
// outcome that it came with.
func (r Ref) Valid() bool {
	return r != "" && len(r) <= maxRef && utf8.ValidString(string(r)) && !strings.ContainsFunc(string(r), unicode.IsControl)
}

func byStatus(a Answer) Outcome {
	switch code := "http_" + strconv.Itoa(a.Status); a.Status {
	case 300, 304, 305, 307, 308, 401, 402, 403, 501, 505, 511:
		return NotExecuted{Cause: code, Hold: true}
	case 412, 421, 423, 424, 425, 428:
		return NotExecuted{Cause: code}
	case http.StatusTooManyRequests:
		return NotExecuted{Cause: "throttled", RetryIn: RetryAfter(a.Header)}
	case 400, 404, 405, 406, 409, 410, 411, 413, 414, 415, 416, 417, 422, 431, 451:
		return Refused{Reason: code}
	default: // 1xx, 301–303, 408, every other 4xx and 5xx: it may have run
		return Unknown{Cause: code}
	}
}

// RetryAfter reads whole seconds, at most an hour; 0 where the header is absent or something else.
func RetryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if strings.Trim(value, "0123456789") != "" {
		return 0
	}
	seconds, err := strconv.ParseUint(value, 10, 31)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, time.Hour) // too large a number is read as the largest
}
