package ui

// Strip is how a message became records: event_key → operation_id → crm_id, one line per operation.
type Strip struct {
	EventKey string
	Event    Badge
	Lines    []StripLine
}

// StripLine is one operation and the record that it made.
type StripLine struct {
	Operation string // its id
	Title     Phrase
	State     Badge
	Ref       string // "" = none, for the reason in NoRef
	NoRef     string // key of the words
}

// WithoutRef says why an operation in a state has no record.
func WithoutRef(state string) string {
	switch state {
	case "needs_reconciliation", "in_flight":
		return "lineage.none_known"
	case "failed", "cancelled", "superseded":
		return "lineage.none_made"
	}
	return "lineage.none_yet"
}
