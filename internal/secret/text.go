// Package secret keeps what must not be seen: texts that print as •••, and the seals of a tenant's data.
//
//	root keyset (Tink AEAD, SVERKA_KEYSET) ──seals──▶ data key of a tenant ──seals──▶ secrets, payloads, identities
//
// It owns no table; data keys are stored by package tenant.
package secret

import "log/slog"

// Text is a secret text. It prints as ••• wherever it is printed, logged or encoded.
type Text struct{ value string }

// NewText wraps a secret.
func NewText(value string) Text { return Text{value} }

// Reveal gives the secret itself, to the one place that needs it.
func (t Text) Reveal() string { return t.value }

// IsZero reports whether there is no secret.
func (t Text) IsZero() bool { return t.value == "" }

const mask = "•••"

// String hides the secret.
func (Text) String() string { return mask }

// GoString hides the secret from %#v.
func (Text) GoString() string { return mask }

// MarshalText hides the secret from JSON and its like.
func (Text) MarshalText() ([]byte, error) { return []byte(mask), nil }

// UnmarshalText takes the secret from the environment or a flag.
func (t *Text) UnmarshalText(b []byte) error {
	t.value = string(b)
	return nil
}

// LogValue hides the secret from slog.
func (Text) LogValue() slog.Value { return slog.StringValue(mask) }
