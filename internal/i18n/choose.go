package i18n

import (
	"net/http"
	"slices"

	"golang.org/x/text/language"
)

// Cookie holds the language that a reader chose.
const Cookie = "lang"

const year = 365 * 24 * 60 * 60 // seconds

// Choose finds the reader's language: what is asked for now (?lang=), what was asked for before (the
// cookie), what the browser prefers, else Russian. What is asked for now is kept in the cookie; it says
// nothing about the person, so it may go over plain HTTP in dev.
func Choose(w http.ResponseWriter, r *http.Request) Locale {
	if asked := Lang(r.URL.Query().Get("lang")); known(asked) {
		http.SetCookie(w, &http.Cookie{Name: Cookie, Value: string(asked), Path: "/", MaxAge: year,
			HttpOnly: true, SameSite: http.SameSiteLaxMode})
		return In(asked)
	}
	if kept, err := r.Cookie(Cookie); err == nil && known(Lang(kept.Value)) {
		return In(Lang(kept.Value))
	}
	return In(preferred(r.Header.Get("Accept-Language")))
}

func known(l Lang) bool { return slices.Contains(Langs(), l) }

var matcher = language.NewMatcher([]language.Tag{language.Russian, language.English})

// preferred falls back to Russian where the header is missing, unreadable or asks for neither.
func preferred(header string) Lang {
	tags, _, err := language.ParseAcceptLanguage(header)
	if err != nil || len(tags) == 0 {
		return Russian
	}
	_, index, confidence := matcher.Match(tags...)
	if confidence == language.No {
		return Russian
	}
	return Langs()[index]
}
