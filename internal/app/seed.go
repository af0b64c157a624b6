package app

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"sverka/internal/pg"

	"github.com/alexedwards/argon2id"

	"sverka/internal/account"
	"sverka/internal/bot"
	"sverka/internal/connection"
	"sverka/internal/crm"
	"sverka/internal/crm/adapters/owncrm"
	"sverka/internal/id"
	"sverka/internal/inbox"
	"sverka/internal/route"
	"sverka/internal/sandbox"
	"sverka/internal/secret"
	"sverka/internal/telegram"
	"sverka/internal/tenant"
)

const demoSlug = "demo"

// demo is the demo tenant's bots, one per capability, each with its own account in the sandbox.
var demo = []demoBot{
	{name: "Кофейня «Ключ»", username: "coffee_key_bot", account: "key", capability: crm.IdempotentCreate, searchable: true},
	{name: "Студия «Апсерт»", username: "studio_upsert_bot", account: "upsert", capability: crm.UpsertByExternalID, searchable: true},
	{name: "Сервис «Ничего»", username: "service_neither_bot", account: "neither", capability: crm.Neither, searchable: false},
}

type demoBot struct {
	name, username, account string
	capability              crm.Capability
	searchable              bool
}

// settings of the bot's connection at the sandbox.
func (d demoBot) settings(sandboxURL string) crm.Settings {
	searchable := "no"
	if d.searchable {
		searchable = "yes"
	}
	return crm.Settings{
		crm.BaseURLField: sandboxURL + "/crm/" + d.account, "auth": "bearer", "token": "sandbox-" + d.account,
		"capability": string(d.capability), "searchable": searchable,
	}
}

// seed makes the demo tenant where it is not there, tells the sandbox of its bots and accounts, and
// gives what dev.json says of it.
func (g *graph) seed(ctx context.Context, box *sandbox.Sandbox, sandboxURL string, admin devAdmin) (devFile, error) {
	t, err := g.tenants.BySlug(ctx, demoSlug)
	if errors.Is(err, tenant.ErrNotFound) {
		t, err = g.seedTenant(ctx, sandboxURL, admin)
	}
	if err != nil {
		return devFile{}, fmt.Errorf("seed the demo tenant: %w", err)
	}
	file := devFile{Admin: admin, Tenant: devTenant{ID: t.ID, Slug: t.Slug}}
	key, err := g.keys.Of(ctx, t.ID)
	if err != nil {
		return devFile{}, err
	}
	err = g.panel.InTenant(ctx, t.ID, func(tx pg.Tx) error {
		if err := followSandbox(ctx, tx, t.ID, key, sandboxURL); err != nil {
			return err
		}
		file.Bots, err = demoBots(ctx, tx, t.ID, key)
		return err
	})
	if err != nil {
		return devFile{}, err
	}
	return file, introduce(box, file.Bots)
}

func (g *graph) seedTenant(ctx context.Context, sandboxURL string, admin devAdmin) (tenant.Tenant, error) {
	t := tenant.Tenant{ID: id.NewTenant(), Slug: demoSlug, Name: "Демо", State: tenant.Active, PhoneRegion: "RU"}
	if err := g.tenants.Create(ctx, t); err != nil {
		return t, err
	}
	key, err := g.keys.Of(ctx, t.ID)
	if err != nil {
		return t, err
	}
	hash, err := argon2id.CreateHash(admin.Password, &argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32})
	if err != nil {
		return t, err
	}
	return t, g.panel.InTenant(ctx, t.ID, func(tx pg.Tx) error {
		err := account.Join(ctx, tx, t.ID, account.User{ID: id.NewUser(), Email: admin.Email, Name: "Admin", PasswordHash: hash}, account.Owner)
		if err != nil {
			return err
		}
		for k, d := range demo {
			if err := seedBot(ctx, tx, t.ID, key, d, int64(7_000_000_001+k), sandboxURL); err != nil {
				return err
			}
		}
		return nil
	})
}

// seedBot makes one bot with its hook, connection and route.
func seedBot(ctx context.Context, tx pg.Tx, t id.Tenant, key *secret.DataKey, d demoBot, userID int64, sandboxURL string) error {
	hookSecret := inbox.NewHookSecret()
	b := bot.Bot{ID: id.NewBot(), UserID: userID, Username: d.username, Name: d.name, Hook: inbox.NewHookPath()}
	secrets := bot.Secrets{Token: secret.NewText(botToken(userID)), Secret: secret.NewText(hookSecret)}
	if err := bot.Create(ctx, tx, t, key, b, secrets); err != nil {
		return err
	}
	if err := inbox.OpenHook(ctx, tx, inbox.Hook{Hook: b.Hook, Tenant: t, Kind: inbox.Telegram, Owner: b.ID.UUID,
		Origin: strconv.FormatInt(userID, 10), Secret: inbox.HashSecret(hookSecret)}); err != nil {
		return err
	}
	adapter, settings := owncrm.Adapter(), d.settings(sandboxURL)
	client, err := adapter.Open(settings, nil)
	if err != nil {
		return err
	}
	var promises []connection.Promise
	for _, kind := range adapter.Kinds {
		promises = append(promises, connection.PromiseOf(kind, client.Creates[kind]))
	}
	c := connection.Connection{ID: id.NewConnection(), Adapter: adapter.Name, Name: d.name}
	if err := connection.Create(ctx, tx, t, key, adapter, c, settings, promises); err != nil {
		return err
	}
	return route.Create(ctx, tx, t, string(inbox.Telegram), b.ID.UUID, route.Route{ID: id.NewRoute(), Connection: c.ID})
}

// botToken is shaped like BotFather's.
func botToken(userID int64) string {
	b := make([]byte, 26)
	_, _ = rand.Read(b) // never fails
	return strconv.FormatInt(userID, 10) + ":" + base64.RawURLEncoding.EncodeToString(b)
}

// followSandbox points the demo's connections to where the sandbox listens today.
func followSandbox(ctx context.Context, tx pg.Tx, t id.Tenant, key *secret.DataKey, sandboxURL string) error {
	all, err := connection.All(ctx, tx, t)
	if err != nil {
		return err
	}
	adapter := owncrm.Adapter()
	for _, c := range all {
		for _, d := range demo {
			if c.Name != d.name {
				continue
			}
			settings, err := connection.LoadSettings(ctx, tx, t, key, c.ID)
			if err != nil {
				return err
			}
			if wanted := d.settings(sandboxURL); settings[crm.BaseURLField] != wanted[crm.BaseURLField] {
				if err := connection.ChangeSettings(ctx, tx, t, key, adapter, c.ID, wanted); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func demoBots(ctx context.Context, tx pg.Tx, t id.Tenant, key *secret.DataKey) ([]devBot, error) {
	all, err := bot.All(ctx, tx, t)
	if err != nil {
		return nil, err
	}
	var bots []devBot
	for _, d := range demo {
		for _, b := range all {
			if b.Name != d.name {
				continue
			}
			s, err := bot.LoadSecrets(ctx, tx, t, key, b.ID)
			if err != nil {
				return nil, err
			}
			bots = append(bots, devBot{ID: b.ID, Name: b.Name, Capability: d.capability, Searchable: d.searchable,
				Token: s.Token.Reveal(), HookPath: "/hooks/telegram/" + b.Hook, Secret: s.Secret.Reveal(), Account: d.account})
		}
	}
	return bots, nil
}

// introduce tells the sandbox of the demo's bots and accounts: it may be younger than the database.
func introduce(box *sandbox.Sandbox, bots []devBot) error {
	var faults error
	for k, b := range bots {
		faults = errors.Join(faults,
			box.AddBot(sandbox.Bot{Token: b.Token, Username: demo[k].username, Name: b.Name}),
			box.AddAccount(sandbox.Account{Name: b.Account, Capability: sandbox.Capability(b.Capability),
				Searchable: b.Searchable, Token: "sandbox-" + b.Account}))
	}
	return faults
}

// connectBots tells Telegram (the sandbox) where to deliver.
func connectBots(ctx context.Context, client *telegram.Client, publicURL string, bots []devBot) error {
	for _, b := range bots {
		err := client.SetWebhook(ctx, b.Token, telegram.Webhook{URL: publicURL + b.HookPath, Secret: b.Secret,
			AllowedUpdates: telegram.AllowedUpdates, MaxConnections: 40})
		if err != nil {
			return fmt.Errorf("connect bot %s: %w", b.ID, err)
		}
	}
	return nil
}
