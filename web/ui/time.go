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

// ToneOfAge colours an age from where somebody should care. The words beside it say the same, so the
// colour is only an aid.
func ToneOfAge(age, warn, danger time.Duration) string {
	switch {
	case age >= danger:
		return "danger"
	case age >= warn:
		return "warn"
	}
	return "neutral"
}

// toneOfWaiting: what waits for a person must not grow old in silence.
func toneOfWaiting(age time.Duration) string { return ToneOfAge(age, 15*time.Minute, 4*time.Hour) }
