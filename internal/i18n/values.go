package i18n

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

type (
	// Name is what somebody called a thing of theirs; it is said in quotes.
	Name string
	// Ordinal is a place in a row: 2nd, 2-я.
	Ordinal int
	// Brief is a duration said short, with units: 4 s.
	Brief time.Duration
	// AtLeast is a count that was not counted further: 1 000+.
	AtLeast int
)

// nbsp keeps a number and what belongs to it on one line.
const nbsp = "\u00a0"

// say gives a value as the language writes it.
func (l Locale) say(value any) any {
	switch v := value.(type) {
	case int:
		return l.Number(v)
	case AtLeast:
		return l.Number(int(v)) + "+"
	case Ordinal:
		return l.ordinal(int(v))
	case time.Duration:
		return l.Span(v)
	case Brief:
		return l.Brief(time.Duration(v))
	case Name:
		return l.quote(string(v))
	case Code:
		return l.Word(v)
	case Phrase:
		return l.Say(v)
	}
	return value
}

// Number writes a whole number with its thousands apart.
func (l Locale) Number(n int) string {
	digits, sign := strconv.Itoa(n), ""
	if n < 0 {
		digits, sign = digits[1:], "−"
	}
	gap := nbsp
	if l.Lang() == English {
		gap = ","
	}
	var out strings.Builder
	for k, digit := range digits {
		if k > 0 && (len(digits)-k)%3 == 0 {
			out.WriteString(gap)
		}
		out.WriteRune(digit)
	}
	return sign + out.String()
}

func (l Locale) ordinal(n int) string {
	text := strconv.Itoa(n)
	if l.Lang() == Russian {
		return text + "\u2011й" // «со 2‑й попытки», on one line
	}
	if tens := n % 100; tens >= 11 && tens <= 13 {
		return text + "th"
	}
	switch n % 10 {
	case 1:
		return text + "st"
	case 2:
		return text + "nd"
	case 3:
		return text + "rd"
	}
	return text + "th"
}

var (
	russianInner = strings.NewReplacer("«", "„", "»", "“")
	englishInner = strings.NewReplacer("“", "‘", "”", "’")
)

func (l Locale) quote(name string) string {
	name = Plain(name)
	if l.Lang() == Russian {
		return "«" + russianInner.Replace(name) + "»"
	}
	return "“" + englishInner.Replace(name) + "”"
}

// Value gives a value that stands alone.
func (l Locale) Value(value any) string { return fmt.Sprint(l.say(value)) }
