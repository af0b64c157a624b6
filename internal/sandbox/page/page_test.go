package page

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"sverka/internal/sandbox/botapi"
	"sverka/internal/sandbox/owncrm"
)

const token = "123456789:AAexampleexampleexampleexample"

// open serves the page of an empty sandbox.
func open(t *testing.T) (*Page, string) {
	t.Helper()
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	bots, err := botapi.Open(dir, log, botapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	accounts, err := owncrm.Open(dir, log, owncrm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := New(bots, accounts, "http://panel.example/", log)
	mux := http.NewServeMux()
	p.Routes(mux)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return p, server.URL
}

func fill(t *testing.T, p *Page) {
	t.Helper()
	if err := p.bots.Add(botapi.Bot{Token: token, Username: "acme_bot", Name: "Acme"}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.accounts.Add(owncrm.Account{Name: "acme", Capability: owncrm.Neither}); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, address, language string) (string, http.Header) {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept-Language", language)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %d %v", address, answer.StatusCode, err)
	}
	return string(body), answer.Header
}

// press posts a form and gives the place where the browser is sent.
func press(t *testing.T, base, what string, form url.Values) string {
	t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.PostForm(base+"/act/"+what, form)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusSeeOther {
		t.Fatalf("POST %s: %d, want 303", what, answer.StatusCode)
	}
	return answer.Header.Get("Location")
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	_, base := open(t)
	for _, c := range []struct{ query, accept, want string }{
		{"", "", "Sandbox"},
		{"", "de, ru;q=0.8", "Песочница"},
		{"?lang=en", "ru", "Sandbox"},
		{"?lang=ru", "en", "Песочница"},
		{"?lang=xx", "en-GB", "Sandbox"},
	} {
		html, _ := get(t, base+"/"+c.query, c.accept)
		if !strings.Contains(html, "<h1>"+c.want+"</h1>") {
			t.Errorf("%q with %q: no %s", c.query, c.accept, c.want)
		}
	}
}

func TestEveryKeyHasATextAndEveryTextBothLanguages(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"page.html", "customer.html", "crm.html"} {
		source, err := templates.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, use := range regexp.MustCompile(`\.T "([a-z_0-9]+)"`).FindAllStringSubmatch(string(source), -1) {
			if _, known := texts[use[1]]; !known {
				t.Errorf("%s uses %s, which has no text", name, use[1])
			}
		}
	}
	for _, fault := range owncrm.Faults() {
		if _, known := texts["fault_"+fault]; !known {
			t.Errorf("fault %s has no text", fault)
		}
	}
	for key, text := range texts {
		if text.en == "" || text.ru == "" || strings.Count(text.en, "%") != strings.Count(text.ru, "%") {
			t.Errorf("%s: %q and %q", key, text.en, text.ru)
		}
	}
}

func TestACustomersWay(t *testing.T) {
	t.Parallel()
	p, base := open(t)
	fill(t, p)
	who := url.Values{"bot": {token}, "as": {"Анна <b>"}, "lang": {"en"}, "place": {"talk"}}
	say := func(what string, more url.Values) string {
		form := url.Values{}
		for _, values := range []url.Values{who, more} {
			for name := range values {
				form[name] = values[name]
			}
		}
		return press(t, base, what, form)
	}
	back := say("message", url.Values{"text": {"<script>alert(1)</script>"}})
	say("phone", url.Values{"phone": {"+7900"}})
	say("start", url.Values{"payload": {"ad_7"}})
	say("fault", url.Values{"account": {"acme"}, "fault": {"slow"}})

	html, header := get(t, base+strings.TrimSuffix(back, "#talk"), "")
	for _, part := range []string{
		"&lt;script&gt;alert(1)&lt;/script&gt;", "Phone: &#43;7900", "/start ad_7", "waits for a webhook",
		"Answer after 30 s (written) × 1", `href="http://panel.example/"`, "Анна &lt;b&gt;",
	} {
		if !strings.Contains(html, part) {
			t.Errorf("the page lacks %s", part)
		}
	}
	if !strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Error("no policy")
	}
	for _, inline := range []string{"<style", " style=", " onclick=", "<script>"} {
		if strings.Contains(html, inline) {
			t.Errorf("the page has %s, which its policy forbids", inline)
		}
	}
	if people := p.bots.People(token); len(people) != 1 {
		t.Errorf("one name became %d people", len(people))
	}
	say("clear", url.Values{"account": {"acme"}})
	if faults := p.accounts.Accounts()[0].Faults; len(faults) != 0 {
		t.Errorf("faults after clearing: %v", faults)
	}
}

func TestRefusedButtonsSayWhy(t *testing.T) {
	t.Parallel()
	p, base := open(t)
	fill(t, p)
	for _, c := range []struct {
		what string
		form url.Values
		want string
	}{
		{"message", url.Values{"bot": {token}, "as": {"A"}}, "error_text"},
		{"message", url.Values{"bot": {token}, "text": {"hi"}}, "error_name"},
		{"message", url.Values{"bot": {"x"}, "as": {"A"}, "text": {"hi"}}, "error_bot"},
		{"phone", url.Values{"bot": {token}, "as": {"A"}}, "error_phone"},
		{"bot", url.Values{}, "error_bot_name"},
		{"account", url.Values{"account": {"../etc"}, "capability": {"neither"}}, "error_account"},
		{"fault", url.Values{"account": {"nobody"}, "fault": {"slow"}}, "error_other"},
	} {
		if back := press(t, base, c.what, c.form); !strings.Contains(back, "error="+c.want) {
			t.Errorf("%s %v leads to %s, want %s", c.what, c.form, back, c.want)
		}
	}
	html, _ := get(t, base+"/?error=error_text&lang=en", "")
	if !strings.Contains(html, `role="alert">Write something first.`) {
		t.Error("the page does not say what was wrong")
	}
}

func TestMakingABotAndACRM(t *testing.T) {
	t.Parallel()
	p, base := open(t)
	back := press(t, base, "bot", url.Values{"name": {"Tea"}})
	press(t, base, "account", url.Values{"account": {"shop"}, "capability": {"idempotent_create"}, "searchable": {"yes"}})
	bots, accounts := p.bots.Bots(), p.accounts.Accounts()
	if len(bots) != 1 || bots[0].Name != "Tea" || !strings.Contains(back, url.QueryEscape(bots[0].Token)) {
		t.Errorf("bots %v, back to %s", bots, back)
	}
	if len(accounts) != 1 || !accounts[0].Searchable {
		t.Errorf("accounts %v", accounts)
	}
}
