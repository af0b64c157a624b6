package app

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"sverka/internal/safehttp"
	"sverka/internal/telegram"
)

// announce seeds the demo, connects its bots, waits until all is up, and says so.
func (d *dev) announce(ctx context.Context) error {
	password, err := d.kept("admin_password", randomText)
	if err != nil {
		return err
	}
	file, err := d.graph.seed(ctx, d.box, d.sandboxURL(), devAdmin{Email: "admin@example.com", Password: password})
	if err != nil {
		return err
	}
	api := d.cfg.TelegramAPI
	if api == "" {
		api = d.sandboxURL()
	}
	guarded, err := safehttp.New(api, safehttp.Options{AllowLoopback: true})
	if err != nil {
		return err
	}
	client, err := telegram.NewClient(api, guarded.Transport())
	if err != nil {
		return err
	}
	if err := connectBots(ctx, client, d.publicURL(), file.Bots); err != nil {
		return err
	}
	file.PID, file.BaseURL, file.SandboxURL, file.DatabaseURL = os.Getpid(), d.baseURL(), d.sandboxURL(), d.adminURL
	if err := waitReady(ctx, d.baseURL()+"/readyz"); err != nil {
		return err
	}
	if err := file.write(d.cfg.DevDir); err != nil {
		return err
	}
	d.say(fmt.Sprintf(`
Sverka is running.

  Be a customer:  %s
  See it arrive:  %s/t/%s/inbox

  The log is in %s; Ctrl-C stops everything.
`, file.SandboxURL, file.BaseURL, file.Tenant.Slug, filepath.Join(d.cfg.DevDir, "sverka.log")))
	return nil
}

func waitReady(ctx context.Context, url string) error {
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		if answer, err := http.DefaultClient.Do(request); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}
