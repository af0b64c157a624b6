package i18n

import (
	"fmt"
	"time"
)

// justNow is below what a person feels as time gone by; clocks that differ a little hide in it.
const justNow = 5 * time.Second

// units of a span, longest first; a span is said in the longest that fits, rounded down.
var units = []struct {
	key  string
	size time.Duration
}{
	{"time.days", 24 * time.Hour},
	{"time.hours", time.Hour},
	{"time.minutes", time.Minute},
	{"time.seconds", time.Second},
}

// Span says how long, in words and in one unit: "3 minutes".
func (l Locale) Span(d time.Duration) string {
	d = max(d, 0)
	for _, u := range units {
		if d >= u.size {
			return l.T(u.key, Args{"Count": int(d / u.size)})
		}
	}
	return l.T("time.seconds", Args{"Count": 0})
}

// Ago says when, seen from now: "3 minutes ago", "in 40 seconds", "just now".
func (l Locale) Ago(at, now time.Time) string {
	d := now.Sub(at)
	switch {
	case d >= justNow:
		return l.T("time.ago", Args{"Span": d})
	case d <= -justNow:
		return l.T("time.ahead", Args{"Span": -d})
	}
	return l.T("time.now")
}

// Brief says how long, exactly and short: "84 ms", "4.1 s", "2 min 5 s", "3 h 12 min", "5 d 4 h".
func (l Locale) Brief(d time.Duration) string {
	d = max(d, 0)
	two := func(n time.Duration, unit string, m time.Duration, lower string) string {
		text := l.Number(int(n)) + nbsp + l.T(unit)
		if m == 0 {
			return text
		}
		return text + nbsp + l.Number(int(m)) + nbsp + l.T(lower)
	}
	switch {
	case d < time.Second:
		return l.Number(int(d/time.Millisecond)) + nbsp + l.T("time.ms")
	case d < 10*time.Second:
		return l.tenths(d) + nbsp + l.T("time.s")
	case d < time.Minute:
		return two(d/time.Second, "time.s", 0, "")
	case d < time.Hour:
		return two(d/time.Minute, "time.min", d%time.Minute/time.Second, "time.s")
	case d < 24*time.Hour:
		return two(d/time.Hour, "time.h", d%time.Hour/time.Minute, "time.min")
	}
	return two(d/(24*time.Hour), "time.d", d%(24*time.Hour)/time.Hour, "time.h")
}

func (l Locale) tenths(d time.Duration) string {
	whole, tenth := int(d/time.Second), int(d%time.Second/(100*time.Millisecond))
	if tenth == 0 {
		return l.Number(whole)
	}
	point := ","
	if l.Lang() == English {
		point = "."
	}
	return fmt.Sprintf("%d%s%d", whole, point, tenth)
}

// months as they stand in a date; the forms of Intl.DateTimeFormat, so that the script changes nothing.
var months = map[Lang][12]string{
	Russian: {"янв.", "февр.", "мар.", "апр.", "мая", "июн.", "июл.", "авг.", "сент.", "окт.", "нояб.", "дек."},
	English: {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sept", "Oct", "Nov", "Dec"},
}

// Moment writes a time to the second, in UTC and saying so: "2 дек. 2026 г., 14:05:11 UTC".
func (l Locale) Moment(at time.Time) string {
	at = at.UTC()
	year := at.Format("2006")
	if l.Lang() == Russian {
		year += nbsp + "г."
	}
	return fmt.Sprintf("%d%s%s %s, %s%sUTC", at.Day(), nbsp, months[l.Lang()][at.Month()-1], year, at.Format("15:04:05"), nbsp)
}
