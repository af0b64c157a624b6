package ui

import "sverka/internal/i18n"

// Badge is a state as a person sees it: a shape, a word and a colour, never a colour alone.
type Badge struct {
	Icon string
	Tone string // neutral info warn review danger ok: the tokens of app.css
	Word i18n.Code
}

type look struct{ icon, tone string }

// events, operations and outcomes hold one look per state of their kind. A test holds them to the
// states that there are.
var (
	events = map[string]look{
		"pending":     {"clock", "info"},
		"processed":   {"check", "ok"},
		"ignored":     {"dash", "neutral"},
		"quarantined": {"shield", "warn"},
		"variant":     {"copies", "warn"},
	}
	operations = map[string]look{
		"new":                  {"circle", "neutral"},
		"pending":              {"circle", "neutral"},
		"retry":                {"retry", "warn"},
		"held":                 {"pause", "warn"},
		"in_flight":            {"clock", "info"},
		"needs_reconciliation": {"question", "review"}, // the only purple thing there is
		"done":                 {"check", "ok"},
		"failed":               {"cross", "danger"},
		"superseded":           {"skip", "neutral"},
		"cancelled":            {"slash", "neutral"},
	}
	outcomes = map[string]look{
		"running":      {"clock", "info"},
		"executed":     {"check", "ok"},
		"refused":      {"cross", "danger"},
		"not_executed": {"retry", "warn"},
		"stale":        {"skip", "neutral"},
		"unknown":      {"question", "review"},
	}
)

// inDot is the shape inside a dot, where a frame of its own would be one too many.
func (b Badge) inDot() string {
	if b.Icon == "question" {
		return "ask"
	}
	return b.Icon
}

// EventBadge is an event's state.
func EventBadge(state string) Badge { return badge(events, "event.state", state) }

// OperationBadge is an operation's state. One that waits after an attempt waits to be tried again.
func OperationBadge(state string, attempts int) Badge {
	if state == "pending" && attempts > 0 {
		state = "retry"
	}
	return badge(operations, "operation.state", state)
}

// OutcomeBadge is what is known about an attempt; "" = it is under way.
func OutcomeBadge(outcome string) Badge {
	if outcome == "" {
		outcome = "running"
	}
	return badge(outcomes, "outcome", outcome)
}

func badge(looks map[string]look, family, state string) Badge {
	l, ok := looks[state]
	if !ok {
		l = look{"circle", "neutral"}
	}
	return Badge{Icon: l.icon, Tone: l.tone, Word: i18n.Code{Family: family, Word: state}}
}
