package ui

import (
	"context"
	"time"

	"sverka/internal/i18n"
)

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

func moment(ctx context.Context, at time.Time) string { return i18n.From(ctx).Moment(at) }

func ago(ctx context.Context, at, now time.Time) string { return i18n.From(ctx).Ago(at, now) }

func brief(ctx context.Context, d time.Duration) string { return i18n.From(ctx).Brief(d) }

// Tone of an age: what waits for a person must not grow old in silence. The word beside it says the
// same, so the colour is only an aid.
func toneOfAge(age time.Duration) string {
	switch {
	case age >= 4*time.Hour:
		return "danger"
	case age >= 15*time.Minute:
		return "warn"
	}
	return "neutral"
}
