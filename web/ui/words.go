package ui

import (
	"strings"

	"sverka/internal/i18n"
)

// Cause says why, out of the stable codes of the engine and the adapters: "throttled", "http_502",
// "crm_has_won". It begins small, to follow a colon.
func Cause(code string) Phrase {
	if status, ok := strings.CutPrefix(code, "http_"); ok && !known("cause", code) {
		return Phrase{Key: causeOfStatus(status), Args: Args{"Status": status}}
	}
	if have, ok := strings.CutPrefix(code, "crm_has_"); ok {
		return Phrase{Key: "cause.crm_has", Args: Args{"Have": i18n.Name(have)}}
	}
	return orCode("cause", code)
}

func causeOfStatus(status string) string {
	switch {
	case len(status) == 3 && status[0] == '3':
		return "cause.http_3xx"
	case len(status) == 3 && status[0] == '5':
		return "cause.http_5xx"
	}
	return "cause.http"
}

// EventReason says why an event was ignored or set aside. It begins small.
func EventReason(code string) Phrase { return orCode("event.reason", code) }

func known(family, code string) bool {
	return i18n.Locale{}.Knows(i18n.Code{Family: family, Word: code})
}

// orCode is the words for a code, or the code itself: better an odd word than none.
func orCode(family, code string) Phrase {
	if !known(family, code) {
		return Phrase{Key: code}
	}
	return Phrase{Key: family + "." + code}
}

// OfKind picks the sentence for a record kind: the kinds differ in gender, so each has its own.
func OfKind(key, kind string) string {
	switch kind {
	case "lead", "note":
		return key + "_" + kind
	}
	return key + "_record"
}
