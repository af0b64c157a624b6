package i18n_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sverka/internal/i18n"
)

var (
	ru = i18n.In(i18n.Russian)
	en = i18n.In(i18n.English)
)

func want(t *testing.T, got, want string) {
	t.Helper()
	if got = strings.ReplaceAll(got, "\u00a0", " "); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestRussianPlurals(t *testing.T) {
	t.Parallel()
	for n, text := range map[int]string{0: "0 минут", 1: "1 минуту", 2: "2 минуты", 5: "5 минут", 11: "11 минут", 12: "12 минут",
		21: "21 минуту", 22: "22 минуты", 25: "25 минут", 1004: "1 004 минуты", 1111: "1 111 минут"} {
		want(t, ru.T("time.minutes", i18n.Args{"Count": n}), text)
	}
	want(t, en.T("time.minutes", i18n.Args{"Count": 1}), "1 minute")
	want(t, en.T("time.minutes", i18n.Args{"Count": 21}), "21 minutes")
}

func TestTimes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 2, 14, 5, 11, 0, time.UTC)
	for d, texts := range map[time.Duration][2]string{
		-2 * time.Second: {"только что", "just now"}, 4 * time.Second: {"только что", "just now"},
		48 * time.Second: {"48 секунд назад", "48 seconds ago"}, 90 * time.Second: {"1 минуту назад", "1 minute ago"},
		-40 * time.Second: {"через 40 секунд", "in 40 seconds"}, 26 * time.Hour: {"1 день назад", "1 day ago"},
		75 * 24 * time.Hour: {"75 дней назад", "75 days ago"},
	} {
		want(t, ru.Ago(now.Add(-d), now), texts[0])
		want(t, en.Ago(now.Add(-d), now), texts[1])
	}
	for d, texts := range map[time.Duration][2]string{
		-time.Second: {"0 мс", "0 ms"}, 84 * time.Millisecond: {"84 мс", "84 ms"}, 4120 * time.Millisecond: {"4,1 с", "4.1 s"},
		4 * time.Second: {"4 с", "4 s"}, 25*time.Second + 900*time.Millisecond: {"25 с", "25 s"}, 125 * time.Second: {"2 мин 5 с", "2 min 5 s"},
		3 * time.Hour: {"3 ч", "3 h"}, 76 * time.Hour: {"3 дн. 4 ч", "3 d 4 h"},
	} {
		want(t, ru.Brief(d), texts[0])
		want(t, en.Brief(d), texts[1])
	}
	elsewhere := now.In(time.FixedZone("MSK", 3*60*60))
	want(t, ru.Moment(elsewhere), "2 дек. 2026 г., 14:05:11 UTC")
	want(t, en.Moment(elsewhere), "2 Dec 2026, 14:05:11 UTC")
}

func TestValues(t *testing.T) {
	t.Parallel()
	want(t, ru.Number(-1234567), "−1 234 567")
	want(t, en.Number(999), "999")
	want(t, en.Value(i18n.AtLeast(1000)), "1,000+")
	want(t, ru.Value(i18n.Name("Кофейня «Ключ»")), "«Кофейня „Ключ“»")
	want(t, en.Value(i18n.Name("a\u202e“b”\n")), "“a‘b’ ”")
	for n, text := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 112: "112th"} {
		want(t, en.Value(i18n.Ordinal(n)), text)
	}
}

func TestAMissingWordBreaksNothing(t *testing.T) {
	t.Parallel()
	want(t, ru.T("no.such.message"), "no.such.message")
	want(t, ru.Word(i18n.Code{Family: "cause", Word: "code_of_tomorrow"}), "code_of_tomorrow")
	want(t, ru.T("event.state"), "event.state") // a family is no message
	want(t, i18n.From(t.Context()).T("shell.product"), "Сверка")
}

func TestChoose(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, query, cookie, header string
		want                        i18n.Lang
		kept                        bool
	}{
		{name: "nothing said", want: i18n.Russian},
		{name: "asked", query: "?lang=en", cookie: "ru", header: "ru", want: i18n.English, kept: true},
		{name: "asked for none of ours", query: "?lang=xx", want: i18n.Russian},
		{name: "kept", cookie: "en", header: "ru", want: i18n.English},
		{name: "kept nonsense", cookie: "../..", header: "en", want: i18n.English},
		{name: "browser", header: "de-DE,en-GB;q=0.8,ru;q=0.5", want: i18n.English},
		{name: "browser of a neighbour", header: "de, fr;q=0.9", want: i18n.Russian},
		{name: "browser nonsense", header: ";;;q=x", want: i18n.Russian},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodGet, "/"+c.query, nil)
			r.Header.Set("Accept-Language", c.header)
			if c.cookie != "" {
				r.AddCookie(&http.Cookie{Name: i18n.Cookie, Value: c.cookie})
			}
			w := httptest.NewRecorder()
			if got := i18n.Choose(w, r).Lang(); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if kept := w.Header().Get("Set-Cookie") != ""; kept != c.kept {
				t.Errorf("cookie %q", w.Header().Get("Set-Cookie"))
			}
		})
	}
}
