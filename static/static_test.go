package static_test

import (
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"sverka/static"
)

func fetch(path string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	static.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
	return answer
}

func TestFilesMayBeKeptForEver(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]string{"app.css": "text/css", "app.js": "text/javascript", "icon.svg": "image/svg+xml", "inter-latin.woff2": "font/woff2"} {
		answer := fetch(static.Path(name))
		if answer.Code != http.StatusOK || answer.Body.Len() == 0 {
			t.Errorf("%s: %d with %d bytes", name, answer.Code, answer.Body.Len())
		}
		if got := answer.Header().Get("Cache-Control"); !strings.Contains(got, "immutable") {
			t.Errorf("%s: Cache-Control %q", name, got)
		}
		if got := answer.Header().Get("Content-Type"); !strings.HasPrefix(got, kind) {
			t.Errorf("%s: Content-Type %q, want %s", name, got, kind)
		}
	}
}

func TestOtherNamesAreNotFound(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/static/", "/static/app.css", "/static/app.000000000000.css", "/static/../static.go", "/static/files/app.css"} {
		if answer := fetch(path); answer.Code != http.StatusNotFound || answer.Header().Get("Cache-Control") != "" {
			t.Errorf("%s: %d, Cache-Control %q", path, answer.Code, answer.Header().Get("Cache-Control"))
		}
	}
}

var (
	inStyle = regexp.MustCompile(`url\("([^"]+)"\)`)
	token   = regexp.MustCompile(`--([a-z]+)(-fg|-bg)?: light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)`)
)

func TestStyleNamesWhatIsServed(t *testing.T) {
	t.Parallel()
	style := fetch(static.Path("app.css")).Body.String()
	urls := inStyle.FindAllStringSubmatch(style, -1)
	if len(urls) == 0 {
		t.Fatal("the style names no file")
	}
	for _, u := range urls {
		if answer := fetch(u[1]); answer.Code != http.StatusOK {
			t.Errorf("%s: %d", u[1], answer.Code)
		}
	}
	if len(style) > 40_000 {
		t.Errorf("the style has %d bytes, the budget is 40 000", len(style))
	}
}

// WCAG 2.2: 1.4.3, text 4.5 to 1; 1.4.11, controls 3 to 1.
func TestColoursCanBeRead(t *testing.T) {
	t.Parallel()
	colours := map[string][2]string{}
	for _, m := range token.FindAllStringSubmatch(fetch(static.Path("app.css")).Body.String(), -1) {
		colours[m[1]+m[2]] = [2]string{m[3], m[4]}
	}
	need := func(fg, bg string, least float64) {
		for scheme := range 2 {
			if got := contrast(t, colours[fg][scheme], colours[bg][scheme]); got < least {
				t.Errorf("%s on %s is %.1f in scheme %d, want %.1f", fg, bg, got, scheme, least)
			}
		}
	}
	for _, tone := range []string{"neutral", "info", "warn", "review", "danger", "ok"} {
		need(tone+"-fg", tone+"-bg", 4.5)
		need(tone+"-fg", "page", 4.5)
	}
	for _, text := range []string{"text", "muted", "accent"} {
		need(text, "page", 4.5)
		need(text, "raised", 4.5)
	}
	need("control", "page", 3)
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, colour string) (sum float64) {
	t.Helper()
	if len(colour) != 7 {
		t.Fatalf("colour %q", colour)
	}
	for k, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[1+2*k:3+2*k], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
