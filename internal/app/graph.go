package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"sverka/internal/config"
	"sverka/internal/crm"
	"sverka/internal/crm/adapters"
	"sverka/internal/id"
	"sverka/internal/inbox"
	"sverka/internal/intake"
	"sverka/internal/jobs"
	"sverka/internal/operation"
	"sverka/internal/perform"
	"sverka/internal/pg"
	"sverka/internal/safehttp"
	"sverka/internal/secret"
	"sverka/internal/tenant"
)

// graph is everything that both web and workers stand on.
type graph struct {
	log     *slog.Logger
	root    *secret.Keyset
	intake  *pg.DB // stores what arrives; apart, so that a busy panel or worker never starves the doors
	panel   *pg.DB // pages
	work    *pg.DB // interpretation, claims, settles
	river   *pg.DB // River's own statements
	tenants *tenant.Tenants
	keys    *tenant.Keys
	bells   *jobs.Bells
	inbox   *inbox.Inbox
	hooks   *inbox.Hooks
	metrics *metrics
	// allowLoopback lets connections reach this machine: the sandbox of dev, and nothing else.
	allowLoopback bool
}

// limits are what only tests set: many graphs share one forgetful server there.
type limits struct {
	unsafe   pg.Unsafe
	maxConns int32 // per pool; 0 = as many as the pool is meant to have
}

// open builds the graph on the login role's address and refuses an unsafe server, a stronger login and
// a wrong keyset before anything is served.
func open(ctx context.Context, cfg config.Config, url string, l limits, log *slog.Logger) (*graph, error) {
	root, err := secret.ParseKeyset(cfg.Keyset)
	if err != nil {
		return nil, err
	}
	g := &graph{log: log, root: root}
	pools := []struct {
		to   **pg.DB
		opts pg.Options
	}{
		{&g.intake, pg.Options{Name: "intake", MaxConns: 10, StatementTimeout: intakeStatement}},
		{&g.panel, pg.Options{Name: "panel", MaxConns: 10}},
		{&g.work, pg.Options{Name: "work", MaxConns: 20}},
		{&g.river, pg.Options{Name: "river", MaxConns: 10, Soon: true}},
	}
	for _, p := range pools {
		if l.maxConns > 0 {
			p.opts.MaxConns = min(p.opts.MaxConns, l.maxConns)
		}
		if *p.to, err = pg.Open(ctx, url, p.opts); err != nil {
			g.close()
			return nil, err
		}
	}
	if err := g.build(ctx, l.unsafe); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

func (g *graph) build(ctx context.Context, unsafe pg.Unsafe) error {
	if err := g.work.Check(ctx, unsafe); err != nil {
		return fmt.Errorf("database is not fit to be used:\n%w", err)
	}
	g.tenants, g.keys = tenant.New(g.panel, g.root), tenant.NewKeys(g.work, g.root)
	if err := g.keys.Check(ctx); err != nil {
		return fmt.Errorf("SVERKA_KEYSET: %w", err)
	}
	bells, err := jobs.NewBells()
	if err != nil {
		return err
	}
	g.bells = bells
	g.inbox = inbox.New(g.intake, g.keys, bells)
	g.hooks = inbox.NewHooks(g.intake, g.log)
	g.metrics = newMetrics(g.panel)
	return nil
}

func (g *graph) close() {
	for _, db := range []*pg.DB{g.intake, g.panel, g.work, g.river} {
		if db != nil {
			db.Close()
		}
	}
}

// workers builds the part that interprets and performs.
func (g *graph) workers() (*jobs.Workers, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%s/%d", host, os.Getpid())
	in := intake.New(g.work, g.inbox, g.keys, g.bells, g.log)
	performer := perform.New(g.work, g.keys, adapters.All(), g.wire, name, g.log,
		func(kind crm.Kind, s operation.Step) { g.metrics.operation(string(kind), string(s.To())) })
	return jobs.NewWorkers(jobs.Pools{Work: g.work, River: g.river}, g.bells, in, performer, jobs.Watched{
		Due:        []func(context.Context, pg.Tx) ([]id.Owner, error){inbox.WaitingOwners, operation.DueOwners},
		SettleLate: performer.SettleLate,
		MakeDays:   inbox.MakeDays,
	}, g.log)
}

// wire makes the guarded transport to one CRM.
func (g *graph) wire(baseURL string) (crm.Wire, error) {
	client, err := safehttp.New(baseURL, safehttp.Options{AllowLoopback: g.allowLoopback})
	if err != nil {
		return nil, errors.New("base URL is not usable")
	}
	return crm.NewWire(client), nil
}
