package botapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// hook is the webhook that is set. It is replaced, never changed, so that a POST on its way can tell
// that it was overtaken.
type hook struct {
	hookEntry
	wire    *wire
	sending int // POSTs on their way; guarded by the bot's mu
}

// hookEntry is a webhook in the journal; an empty URL = none.
type hookEntry struct {
	URL            string `json:"url"`
	Secret         string `json:"secret_token,omitempty"`
	IP             string `json:"ip_address,omitempty"`
	FixedIP        bool   `json:"fixed_ip,omitempty"`
	MaxConnections int    `json:"max_connections,omitempty"`
}

func (b *bot) applyHook(e hookEntry) {
	if b.hook != nil {
		b.hook.wire.close()
		b.hook = nil
	}
	b.gone = time.Time{}
	b.line.forgetDelays()
	if e.URL == "" {
		return
	}
	t, err := parseTarget(e.URL, b.options.LocalHosts)
	if err != nil {
		return // was accepted under other options
	}
	t.ip = e.IP
	b.hook = &hook{hookEntry: e, wire: newWire(t, e.Secret, b.options)}
	b.lastError, b.lastErrorAt = "", time.Time{}
}

// setWebhook keeps the order of steps of Client::process_set_webhook_query: the old webhook is gone,
// and pending updates are dropped, before the new URL is looked at.
func (b *bot) setWebhook(ctx context.Context, p params) reply {
	b.mu.Lock()
	defer b.mu.Unlock()
	url := p["url"]
	if url == "" {
		return b.deleteWebhookLocked(p)
	}
	now := b.options.Now()
	if now.Before(b.nextHook) {
		return tooMany(1)
	}
	b.nextHook = now.Add(b.options.HookEvery)
	next := hookEntry{URL: url, Secret: p["secret_token"], MaxConnections: maxConnections(p["max_connections"])}
	next.IP, next.FixedIP = p["ip_address"], p["ip_address"] != ""
	if b.hook != nil && sameHook(b.hook.hookEntry, next) && !p.flag("drop_pending_updates") {
		return orBroken(b.setAllowed(p), done("Webhook is already set"))
	}
	if b.hook != nil {
		if err := b.record(entry{Hook: &hookEntry{}}); err != nil {
			return broken(err)
		}
	}
	if err := b.dropPending(p); err != nil {
		return broken(err)
	}
	if err := b.check(ctx, &next); err != nil {
		return bad(err.Error())
	}
	return orBroken(errors.Join(b.setAllowed(p), b.record(entry{Hook: &next})), done("Webhook was set"))
}

func orBroken(err error, r reply) reply {
	if err != nil {
		return broken(err)
	}
	return r
}

func sameHook(have, want hookEntry) bool {
	return have.URL == want.URL && have.Secret == want.Secret && have.MaxConnections == want.MaxConnections &&
		have.FixedIP == want.FixedIP && (!want.FixedIP || have.IP == want.IP)
}

var secretShape = regexp.MustCompile(`^[A-Za-z0-9_-]*$`)

const maxSecret = 256

func (b *bot) check(ctx context.Context, next *hookEntry) error {
	t, err := parseTarget(next.URL, b.options.LocalHosts)
	switch {
	case errors.Is(err, errInvalidURL):
		return err
	case len(next.Secret) > maxSecret:
		return errors.New("secret token is too long")
	case !secretShape.MatchString(next.Secret):
		return errors.New("secret token contains unallowed characters")
	case err != nil:
		return err
	}
	next.IP, err = t.resolve(ctx, next.IP, b.options.LocalHosts)
	return err
}

func maxConnections(raw string) int {
	if raw == "" {
		return 40
	}
	n, _ := strconv.Atoi(raw)
	return min(max(n, 1), 100)
}

func (b *bot) deleteWebhook(_ context.Context, p params) reply {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.deleteWebhookLocked(p)
}

func (b *bot) deleteWebhookLocked(p params) reply {
	text := "Webhook is already deleted"
	if b.hook != nil {
		text = "Webhook was deleted"
		if err := b.record(entry{Hook: &hookEntry{}}); err != nil {
			return broken(err)
		}
	}
	return orBroken(b.dropPending(p), done(text))
}

func (b *bot) dropPending(p params) error {
	if !p.flag("drop_pending_updates") || b.line.length == 0 {
		return nil
	}
	return b.record(entry{DropAll: true})
}

// setAllowed keeps what was set before unless the parameter is a JSON array of strings. Names that
// nobody knows are ignored; if none is left, the default set is back (get_allowed_update_types).
func (b *bot) setAllowed(p params) error {
	var names []string
	if json.Unmarshal([]byte(p["allowed_updates"]), &names) != nil || names == nil {
		return nil
	}
	for i := range names {
		names[i] = strings.ToLower(names[i])
	}
	known := []string{}
	for _, typ := range updateTypes {
		if slices.Contains(names, typ) {
			known = append(known, typ)
		}
	}
	if len(known) == 0 || slices.Equal(known, defaultTypes()) {
		known = []string{}
	}
	return b.record(entry{Allowed: &known})
}

func defaultTypes() []string {
	return slices.DeleteFunc(slices.Clone(updateTypes), func(typ string) bool { return kinds[typ].quiet })
}

// webhookInfo has its fields in the order in which Telegram emits them. It never shows the secret.
type webhookInfo struct {
	URL            string   `json:"url"`
	Custom         bool     `json:"has_custom_certificate"`
	Pending        int      `json:"pending_update_count"`
	LastErrorDate  int64    `json:"last_error_date,omitempty"`
	LastError      string   `json:"last_error_message,omitempty"`
	MaxConnections int      `json:"max_connections,omitempty"`
	IP             string   `json:"ip_address,omitempty"`
	Allowed        []string `json:"allowed_updates,omitempty"`
}

func (b *bot) getWebhookInfo(context.Context, params) reply {
	b.mu.Lock()
	defer b.mu.Unlock()
	info := webhookInfo{Pending: b.line.length, Allowed: b.allowed}
	if b.lastError != "" {
		info.LastErrorDate, info.LastError = b.lastErrorAt.Unix(), b.lastError
	}
	if b.hook != nil {
		info.URL, info.MaxConnections, info.IP = b.hook.URL, b.hook.MaxConnections, b.hook.IP
	}
	return reply{status: http.StatusOK, result: info}
}
