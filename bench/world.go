package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"sverka/internal/bot"
	"sverka/internal/id"
	"sverka/internal/inbox"
	"sverka/internal/jobs"
	"sverka/internal/pg"
	"sverka/internal/pg/local"
	"sverka/internal/secret"
	"sverka/internal/tenant"
)

const (
	manyTenants   = 20
	botsPerTenant = 3
)

// world is a durable database with tenants and bots, as a small shop of shops has them.
type world struct {
	facts  facts
	dir    string
	server *local.Server
	url    string // of the login role
	admin  *pg.DB // the same, for setting up
	keys   *tenant.Keys
	bells  *jobs.Bells
	bots   []source
	busy   int          // to how many of them messages come
	next   atomic.Int64 // update ids, never the same twice
}

// source is a bot at whose hook messages arrive.
type source struct {
	tenant id.Tenant
	bot    bot.Bot
	secret string
}

func newWorld(ctx context.Context) (*world, error) {
	dir, err := os.MkdirTemp("", "sverka-bench-")
	if err != nil {
		return nil, err
	}
	w := &world{facts: machine(), dir: dir}
	if err := w.build(ctx); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

func (w *world) close() {
	if w.admin != nil {
		w.admin.Close()
	}
	if w.server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		_ = w.server.Stop(ctx)
	}
	_ = os.RemoveAll(w.dir)
}

func (w *world) build(ctx context.Context) (err error) {
	const password = "only for this bench"
	if w.server, err = local.Start(ctx, local.Options{Dir: w.dir, Durable: true, Temporary: true}); err != nil {
		return err
	}
	url := w.server.URL("sverka")
	steps := []func() error{
		func() error { return pg.CreateDatabase(ctx, w.server.URL("postgres"), "sverka") },
		func() error { return pg.Bootstrap(ctx, url, password) },
		func() error { return pg.Migrate(ctx, url) },
		func() (err error) { w.url, err = pg.LoginURL(url, password); return err },
		func() (err error) { w.admin, err = w.open(ctx, 4); return err },
		func() error { return w.admin.Check(ctx, pg.Unsafe{}) },
		func() error { return w.look(ctx) },
		func() (err error) { w.bells, err = jobs.NewBells(); return err },
		func() error { return w.fill(ctx) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// open makes a pool of so many connections.
func (w *world) open(ctx context.Context, conns int32) (*pg.DB, error) {
	return pg.Open(ctx, w.url, pg.Options{Name: "bench", MaxConns: conns})
}

func (w *world) look(ctx context.Context) error {
	return w.admin.Pool().QueryRow(ctx, `
		SELECT current_setting('server_version'), current_setting('fsync'), current_setting('synchronous_commit'),
			current_setting('full_page_writes')`).
		Scan(&w.facts.PostgreSQL, &w.facts.Fsync, &w.facts.SynchronousCommit, &w.facts.FullPageWrites)
}

func (w *world) fill(ctx context.Context) error {
	root, err := secret.NewKeyset()
	if err != nil {
		return err
	}
	tenants := tenant.New(w.admin, root)
	w.keys = tenant.NewKeys(w.admin, root)
	for k := range manyTenants {
		t := tenant.Tenant{ID: id.NewTenant(), Slug: fmt.Sprint("t", k), Name: "T", PhoneRegion: "RU"}
		if err := tenants.Create(ctx, t); err != nil {
			return err
		}
		for n := range botsPerTenant {
			if err := w.addBot(ctx, t.ID, int64(1000*k+n+1)); err != nil {
				return err
			}
		}
	}
	w.busy = len(w.bots)
	return nil
}

func (w *world) addBot(ctx context.Context, t id.Tenant, userID int64) error {
	key, err := w.keys.Of(ctx, t)
	if err != nil {
		return err
	}
	s := source{tenant: t, secret: inbox.NewHookSecret(),
		bot: bot.Bot{ID: id.NewBot(), UserID: userID, Name: fmt.Sprint("bot ", userID), Hook: inbox.NewHookPath()}}
	w.bots = append(w.bots, s)
	return w.admin.InTenant(ctx, t, func(tx pgx.Tx) error {
		secrets := bot.Secrets{Token: secret.NewText("0:none"), Secret: secret.NewText(s.secret)}
		if err := bot.Create(ctx, tx, t, key, s.bot, secrets); err != nil {
			return err
		}
		return inbox.OpenHook(ctx, tx, inbox.Hook{Hook: s.bot.Hook, Tenant: t, Kind: inbox.Telegram, Owner: s.bot.ID.UUID,
			Origin: strconv.FormatInt(userID, 10), Secret: inbox.HashSecret(s.secret)})
	})
}

// message is the next update, at one bot after the other.
func (w *world) message() (source, int64, []byte) {
	n := w.next.Add(1)
	s := w.bots[int(n)%w.busy]
	return s, n, fmt.Appendf(nil, `{"update_id":%d,
"message":{"message_id":%d,"from":{"id":%d,"is_bot":false,"first_name":"Anna","language_code":"ru"},"chat":{"id":%d,"first_name":"Anna","type":"private"},"date":1764590000,"text":"\u0417\u0434\u0440\u0430\u0432\u0441\u0442\u0432\u0443\u0439\u0442\u0435, \u0441\u043a\u043e\u043b\u044c\u043a\u043e \u0441\u0442\u043e\u0438\u0442?"}}`, n, n, 10_000+n, 10_000+n)
}

// delivery is the next message as the inbox takes it.
func (w *world) delivery() inbox.Delivery {
	s, n, body := w.message()
	return inbox.Delivery{Tenant: s.tenant, Source: inbox.Telegram, Origin: strconv.FormatInt(s.bot.UserID, 10), Owner: s.bot.ID.UUID,
		ExternalID: strconv.FormatInt(n, 10), Position: n, Body: body}
}
