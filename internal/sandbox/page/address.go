package page

import (
	"net/http"
	"net/url"
	"strings"
)

// address is what one looks at, and in which language: the query of the page.
type address struct {
	Bot   string // token of the chosen bot; "" = the first
	As    string // the customer's name
	Lang  string // "en" or "ru"
	Live  string // "" = by script, "on" = also without, "off" = not at all
	Error string // key of a text: why the last button did nothing
	asked string // the language was asked for, not guessed
}

func readAddress(r *http.Request, values url.Values) address {
	a := address{Bot: values.Get("bot"), As: strings.TrimSpace(values.Get("as")), Live: values.Get("live")}
	switch a.asked = values.Get("lang"); a.asked {
	case "en", "ru":
		a.Lang = a.asked
	default:
		a.Lang, a.asked = guess(r.Header.Get("Accept-Language")), ""
	}
	key := values.Get("error")
	if _, known := texts[key]; known && strings.HasPrefix(key, "error_") {
		a.Error = key
	}
	return a
}

// guess takes the first of the two languages that the browser names.
func guess(accept string) string {
	for part := range strings.SplitSeq(strings.ToLower(accept), ",") {
		switch lang := strings.TrimSpace(part); {
		case strings.HasPrefix(lang, "ru"):
			return "ru"
		case strings.HasPrefix(lang, "en"):
			return "en"
		}
	}
	return "en"
}

// URL is the page at this address.
func (a address) URL() string {
	values := url.Values{}
	for name, value := range map[string]string{"bot": a.Bot, "as": a.As, "lang": a.asked, "live": a.Live, "error": a.Error} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if len(values) == 0 {
		return "/"
	}
	return "/?" + values.Encode()
}

// The links of the page are the same address with one thing changed.

// WithLang is the page in another language.
func (a address) WithLang(lang string) string { a.asked, a.Error = lang, ""; return a.URL() }

// WithLive is the page with another way of renewing.
func (a address) WithLive(live string) string { a.Live, a.Error = live, ""; return a.URL() }

// WithName is the page of another customer.
func (a address) WithName(name string) string { a.As, a.Error = name, ""; return a.URL() }

// Asked is the language that was asked for; "" = it is guessed anew each time.
func (a address) Asked() string { return a.asked }
