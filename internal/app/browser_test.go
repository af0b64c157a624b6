package app

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sverka/internal/safehttp"
	"sverka/internal/sandbox"
	"sverka/internal/telegram"
)

// browser is a real Chromium, with a profile of its own. A screenshot of a failed journey is left in build/.
func browser(t *testing.T) context.Context {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		t.Fatal("no browser: install chromium (make test does it as root on Debian)")
	}
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(program), chromedp.Headless, chromedp.DisableGPU,
		chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1280, 900),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-dev-shm-usage", true)}
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	tab, leave := chromedp.NewContext(allocator)
	ctx, cancel := context.WithTimeout(tab, 60*time.Second)
	t.Cleanup(func() {
		if t.Failed() {
			keepScreenshot(tab, t)
		}
		cancel()
		leave()
		stop()
	})
	return ctx
}

func keepScreenshot(ctx context.Context, t *testing.T) {
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(90))
	if err != nil {
		return
	}
	path := filepath.Join("..", "..", "build", t.Name()+".jpg")
	if os.WriteFile(path, picture, 0o644) == nil {
		t.Log("screenshot:", path)
	}
}

func do(ctx context.Context, t *testing.T, what string, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// sees waits until a text is on the page. The page may be leaving for another one just now: look again.
func sees(ctx context.Context, t *testing.T, text string) {
	t.Helper()
	quoted, err := json.Marshal(text)
	check(t, err)
	for ctx.Err() == nil {
		there, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("document.body.innerText.includes("+string(quoted)+")"))
		if err == nil && there {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("the page never showed %q", text)
}

// The newcomer's journey: a message typed in the sandbox becomes a lead in the CRM, and the panel shows
// its whole lineage; an answer that is lost becomes a question.
func TestAMessageTypedInTheSandboxIsSeenAsALead(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.work()
	s.connect()
	ctx := browser(t)
	talk := func(bot int) string { return s.box.URL + "/?lang=en&bot=" + url.QueryEscape(s.demo.Bots[bot].Token) }

	do(ctx, t, "open the sandbox", chromedp.Navigate(talk(keyed)))
	do(ctx, t, "type a message", chromedp.SendKeys("#text", "How much is a cappuccino?"), chromedp.Click(".compose button"))
	sees(ctx, t, "How much is a cappuccino?")
	s.untilQuiet()
	do(ctx, t, "look again", chromedp.Navigate(talk(keyed)))
	sees(ctx, t, "L-1001")

	s.fault(neither, "lose_response", 1)
	do(ctx, t, "open the sandbox", chromedp.Navigate(talk(neither)))
	do(ctx, t, "type a message", chromedp.SendKeys("#text", "My boiler is broken"), chromedp.Click(".compose button"))
	s.until("a person is asked", func() bool {
		return s.count(`SELECT count(*) FROM operations WHERE state = 'needs_reconciliation'`) == 1
	})

	line := s.lineages()[0]
	do(ctx, t, "open the inbox", chromedp.Navigate(s.web+"/t/demo/inbox?lang=en"))
	sees(ctx, t, line.Event.ExternalID)
	do(ctx, t, "open the event", chromedp.Navigate(s.web+"/t/demo/inbox/"+line.Event.ID.String()+"?lang=en"))
	sees(ctx, t, line.Key())
	sees(ctx, t, line.Operations[0].ID.String())
	sees(ctx, t, "L-1001")
	do(ctx, t, "open what needs a person", chromedp.Navigate(s.web+"/t/demo/attention?lang=ru"))
	sees(ctx, t, "Сервис «Ничего»")
}

// connect sets the demo's webhooks at the sandbox, as dev does.
func (s *stand) connect() {
	s.t.Helper()
	guarded, err := safehttp.New(s.box.URL, safehttp.Options{AllowLoopback: true})
	check(s.t, err)
	client, err := telegram.NewClient(s.box.URL, guarded.Transport())
	check(s.t, err)
	check(s.t, connectBots(s.t.Context(), client, s.web, s.demo.Bots))
}
