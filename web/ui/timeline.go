package ui

import (
	"strconv"
	"time"

	"sverka/internal/i18n"
)

// Attempt is one try, with what our side saw of it.
type Attempt struct {
	No        int
	Outcome   string // "" = under way
	Cause     string // a stable code; "" = the outcome says it all
	Status    int    // of the last answer; 0 = none
	StartedAt time.Time
	Late      bool
	Doubt     bool // an attempt before it may have worked
	Requests  []Request
}

// Request is one HTTP request of an attempt.
type Request struct {
	Method    string
	Write     bool
	Connected bool
	TLS       bool
	Written   int64 // bytes that left us
	FirstByte time.Duration
	Took      time.Duration
	Status    int // 0 = no answer
}

func (a Attempt) title() Phrase {
	return Phrase{Key: "attempt.no", Args: Args{"No": a.No, "Outcome": OutcomeBadge(a.Outcome).Word}}
}

// quietly: nothing was asked of the CRM, or nobody is left to tell.
func (a Attempt) quietly() string {
	if a.Outcome == "unknown" {
		return "attempt.nothing_seen"
	}
	return "attempt.nothing_sent"
}

func (r Request) purpose() string {
	if r.Write {
		return "evidence.writes"
	}
	return "evidence.reads"
}

func (r Request) answer() Phrase {
	if r.Status == 0 {
		return Phrase{Key: "evidence.none"}
	}
	return Phrase{Key: "evidence.status", Args: Args{"Status": strconv.Itoa(r.Status)}}
}

func (r Request) firstByte() Phrase {
	if r.FirstByte == 0 {
		return Phrase{Key: "evidence.none"}
	}
	return Phrase{Key: "evidence.after", Args: Args{"After": i18n.Brief(r.FirstByte)}}
}

func yes(is bool) string {
	if is {
		return "evidence.yes"
	}
	return "evidence.no"
}
