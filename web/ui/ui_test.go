package ui_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"sverka/internal/i18n"
	"sverka/internal/inbox"
	"sverka/internal/operation"
	"sverka/web/ui"
	"sverka/web/ui/uitest"
)

func TestErrorPages(t *testing.T) {
	t.Parallel()
	within := ui.Shell{TenantName: "Демо", Slug: "demo", Waiting: 2, Address: &url.URL{Path: "/t/demo/inbox", RawQuery: "state=ignored&lang=en"},
		Version: "0123456789ab", Now: time.Date(2026, 12, 2, 14, 5, 11, 0, time.UTC)}
	without := ui.Shell{Address: &url.URL{Path: "/t/nobody/inbox"}, Version: within.Version, Now: within.Now}
	for name, page := range map[string]templ.Component{
		"not_found": ui.ErrorPage(without, ui.Fault{Key: "error.not_found"}),
		"away":      ui.ErrorPage(without, ui.Fault{Key: "error.away", Reference: "5f3a9c01", MayRetry: true}),
		"fault":     ui.ErrorPage(within, ui.Fault{Key: "error.fault", Reference: "5f3a9c01", MayRetry: true}),
	} {
		for _, lang := range i18n.Langs() {
			ctx := i18n.With(t.Context(), i18n.In(lang))
			t.Run(name+"/"+string(lang), func(t *testing.T) { uitest.Golden(ctx, t, name+"."+string(lang), page) })
		}
	}
}

func TestEveryStateHasABadge(t *testing.T) {
	t.Parallel()
	var badges []ui.Badge
	for _, state := range inbox.States() {
		badges = append(badges, ui.EventBadge(string(state)))
	}
	for from, to := range operation.Edges {
		badges = append(badges, ui.OperationBadge(string(from), 0))
		for _, state := range to {
			badges = append(badges, ui.OperationBadge(string(state), 1))
		}
	}
	for _, outcome := range []string{"", "executed", "refused", "not_executed", "stale", "unknown"} {
		badges = append(badges, ui.OutcomeBadge(outcome))
	}
	for _, b := range badges {
		if b.Icon == "circle" && b.Word.Word != "pending" && b.Word.Word != "new" {
			t.Errorf("%s.%s has no look of its own", b.Word.Family, b.Word.Word)
		}
		for _, lang := range i18n.Langs() {
			if !i18n.In(lang).Knows(b.Word) {
				t.Errorf("%s.%s has no word in %s", b.Word.Family, b.Word.Word, lang)
			}
		}
	}
}

func TestCauseReadsCodesItHasNeverSeen(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"throttled":        "the CRM asks us to go slower",
		"http_422":         "the CRM does not accept the values (422)",
		"http_503":         "the CRM broke down over the request (503)",
		"http_307":         "the CRM points to another address (307)",
		"http_418":         "the CRM answered 418",
		"crm_has_won":      "the CRM is already at “won”",
		"code_of_tomorrow": "code_of_tomorrow",
		"":                 "",
	} {
		if got := i18n.In(i18n.English).Say(ui.Cause(code)); got != want {
			t.Errorf("Cause(%q) = %q, want %q", code, got, want)
		}
	}
}

func TestLanguageSwitchKeepsTheAddress(t *testing.T) {
	t.Parallel()
	shell := ui.Shell{TenantName: "Демо", Slug: "demo", Address: &url.URL{Path: "/t/demo/inbox", RawQuery: "state=ignored&lang=ru"}}
	var page strings.Builder
	if err := ui.Page(shell, "x").Render(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	if want := `href="/t/demo/inbox?lang=en&amp;state=ignored"`; !strings.Contains(page.String(), want) {
		t.Errorf("the page has no %s", want)
	}
}

func TestSecure(t *testing.T) {
	t.Parallel()
	answer := httptest.NewRecorder()
	ui.Secure(http.NotFoundHandler()).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "no-store",
	} {
		if got := answer.Header().Get(name); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if policy := answer.Header().Get("Content-Security-Policy"); strings.Contains(policy, "unsafe") {
		t.Errorf("the policy allows what is inline: %s", policy)
	}
}
