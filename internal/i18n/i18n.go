// Package i18n says things in the reader's language.
//
//	Phrase{key, values} ──Locale──▶ sentence
//
// A sentence is one message of active.ru.toml and active.en.toml, whole: nothing is glued together in
// code. Values keep their type until they are said, and the language decides how a count, a duration, a
// name or a code looks. A test holds both files complete and without leftovers.
package i18n

import (
	"context"
	"embed"
	"strings"

	"github.com/BurntSushi/toml"
	goi18n "github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"
)

// Lang is a language of the panel, as in HTML's lang.
type Lang string

// The languages. The first one is what a reader gets who asked for neither.
const (
	Russian Lang = "ru"
	English Lang = "en"
)

// Langs lists them in the order of the switch.
func Langs() []Lang { return []Lang{Russian, English} }

// Locale is how one reader is spoken to. The zero value speaks Russian.
type Locale struct{ lang Lang }

// In is the locale of a language.
func In(l Lang) Locale { return Locale{lang: l} }

// Lang is the language of the locale.
func (l Locale) Lang() Lang {
	if l.lang == "" {
		return Russian
	}
	return l.lang
}

//go:embed active.*.toml
var files embed.FS

// speakers holds what is embedded, read once: it never changes while the program runs.
var speakers = load()

func load() map[Lang]*goi18n.Localizer {
	all := make(map[Lang]*goi18n.Localizer, len(Langs()))
	for _, lang := range Langs() {
		bundle := goi18n.NewBundle(language.Make(string(lang))) // one each: never an answer in the other language
		bundle.RegisterUnmarshalFunc("toml", toml.Unmarshal)
		if _, err := bundle.LoadMessageFileFS(files, "active."+string(lang)+".toml"); err != nil {
			panic(err) // embedded: a test loads the same bytes
		}
		all[lang] = goi18n.NewLocalizer(bundle, string(lang))
	}
	return all
}

// Args are the values of a sentence by name. Count, an int, also chooses the plural form.
type Args map[string]any

// Phrase is a sentence that waits for its reader.
type Phrase struct {
	Key  string
	Args Args
}

// T says a message. One that is not there is said as its key, so that a page never breaks over a word.
func (l Locale) T(key string, args ...Args) string {
	text, ok := l.find(key, args...)
	if !ok {
		return key
	}
	return text
}

// Say says a phrase.
func (l Locale) Say(p Phrase) string { return l.T(p.Key, p.Args) }

// Code is a machine's word out of a family of messages: event.state.pending.
type Code struct{ Family, Word string }

// Word says a code; one without words of ours stays as it is, which is better than nothing.
func (l Locale) Word(c Code) string {
	text, ok := l.find(c.Family + "." + c.Word)
	if !ok {
		return c.Word
	}
	return text
}

// Knows reports whether there are words for a code.
func (l Locale) Knows(c Code) bool {
	_, ok := l.find(c.Family + "." + c.Word)
	return ok
}

func (l Locale) find(key string, args ...Args) (string, bool) {
	config := goi18n.LocalizeConfig{MessageID: key}
	if len(args) > 0 && args[0] != nil {
		said := make(map[string]any, len(args[0]))
		for name, value := range args[0] {
			said[name] = l.say(value)
		}
		config.TemplateData = said
		if count, ok := args[0]["Count"]; ok {
			config.PluralCount = count
		}
	}
	text, err := speakers[l.Lang()].Localize(&config)
	return text, err == nil && text != ""
}

type localeKey struct{}

// With gives a context whose reader is spoken to in l.
func With(ctx context.Context, l Locale) context.Context {
	return context.WithValue(ctx, localeKey{}, l)
}

// From is the locale of a context.
func From(ctx context.Context) Locale {
	l, _ := ctx.Value(localeKey{}).(Locale)
	return l
}

// Plain is text of somebody else's made safe to stand inside a sentence of ours: without control
// characters and without the marks that turn the direction of what follows.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r < ' ' || r >= 0x7f && r <= 0x9f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069,
			r == 0x200e, r == 0x200f, r == 0x061c, r == 0x2028, r == 0x2029, r == 0xfeff:
			return -1
		}
		return r
	}, text)
}
