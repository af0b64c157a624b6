package app

import (
	"context"
	"net"
	"net/http"

	"golang.org/x/sync/errgroup"

	"sverka/web"
)

// runWeb serves the doors until the context ends: the server stops taking requests and answers those
// under way, then the inbox writes what they wait for, then the memory of hooks stops.
func (g *graph) runWeb(ctx context.Context, listener net.Listener, doors http.Handler) error {
	behind, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var group errgroup.Group
	group.Go(func() error { g.inbox.Run(behind); return nil })
	group.Go(func() error { g.hooks.Run(behind); return nil })
	err := serveHTTP(ctx, listener, newServer(doors, g.log))
	stop()
	if waited := group.Wait(); err == nil {
		err = waited
	}
	return err
}

// doors is every route of the web; demo opens the pages, on this machine only.
func (g *graph) doors(demo bool) http.Handler {
	return web.Routes(web.Parts{
		Intake: g.intake, Panel: g.panel, Tenants: g.tenants, Keys: g.keys, Hooks: g.hooks, Inbox: g.inbox,
		Metrics: g.metrics.handler(), Answered: g.metrics.update, Log: g.log, Demo: demo, Version: Version(),
	})
}
