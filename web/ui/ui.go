// Package ui is what every page is drawn with: the shell around it, badges, tables' ends, the strip from
// event to record, attempts, times, empty states, errors. It knows words and colours, no nouns: states
// and codes come as text, and one that it does not know is shown as it is.
//
// A page's view sees its Model and this package alone. All text goes through T or Say, which take the
// reader's language from the context.
package ui

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"sverka/internal/i18n"
)

type (
	// Args are the values of a sentence by name.
	Args = i18n.Args
	// Phrase is a sentence that waits for its reader.
	Phrase = i18n.Phrase
)

// T says a message of ours.
func T(ctx context.Context, key string, args ...Args) string { return i18n.From(ctx).T(key, args...) }

// Say says a phrase.
func Say(ctx context.Context, p Phrase) string { return i18n.From(ctx).Say(p) }

// Alone says a phrase that follows a colon elsewhere so that it can stand alone: with a capital.
func Alone(ctx context.Context, p Phrase) string { return capital(Say(ctx, p)) }

func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// Number writes a count.
func Number(ctx context.Context, n int) string { return i18n.From(ctx).Number(n) }

// Word says a code of a family.
func Word(ctx context.Context, family, code string) string {
	return i18n.From(ctx).Word(i18n.Code{Family: family, Word: code})
}

// Short is a machine's word cut to what a list has room for, as a hash; its own page shows it whole.
func Short(text string) string {
	if head, hash, ok := strings.Cut(text, ":"); ok && len(hash) > 12 {
		return head + ":" + hash[:8] + "…"
	}
	return text
}

// Value writes a value as the reader's language does: a count, a count not counted further, a name.
func Value(ctx context.Context, value any) string { return i18n.From(ctx).Value(value) }

// Plain is somebody else's text where no element can be: in an attribute, in an option.
func Plain(text string) string { return i18n.Plain(text) }

// StateWord is the word of an operation's badge alone, to stand beside its dot.
func StateWord(ctx context.Context, state string, attempts int) string {
	return i18n.From(ctx).Word(OperationBadge(state, attempts).Word)
}
