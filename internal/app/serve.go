package app

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"sverka/internal/config"
)

type serveCommand struct{}

// Run serves the web doors. The panel's pages wait for sign-in and answer 404.
func (serveCommand) Run(ctx context.Context, p Process) error {
	cfg, g, err := openConfigured(ctx, p, "SVERKA_PUBLIC_URL")
	if err != nil {
		return err
	}
	defer g.close()
	listener, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return err
	}
	g.log.Info("serving", "listen", listener.Addr().String(), "version", Version())
	return g.runWeb(ctx, listener, g.doors(false))
}

// openConfigured builds the graph of a process that an environment configures.
func openConfigured(ctx context.Context, p Process, more ...string) (config.Config, *graph, error) {
	cfg, err := config.Load(p.Getenv, append(more, "SVERKA_DATABASE_URL", "SVERKA_KEYSET")...)
	if err != nil {
		return cfg, nil, err
	}
	g, err := open(ctx, cfg, cfg.DatabaseURL.Reveal(), limits{}, newLog(p.Err))
	return cfg, g, err
}

type workCommand struct{}

// Run works. SVERKA_LISTEN answers /healthz, /readyz and /metrics.
func (workCommand) Run(ctx context.Context, p Process) error {
	cfg, g, err := openConfigured(ctx, p)
	if err != nil {
		return err
	}
	defer g.close()
	workers, err := g.workers()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return err
	}
	server := newServer(g.probes(), g.log)
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			g.log.Error("probes not served", "error", err)
		}
	}()
	defer server.Close()
	g.log.Info("working", "listen", listener.Addr().String(), "version", Version())
	return workers.Run(ctx)
}

// probes is what an orchestrator asks of a process without doors.
func (g *graph) probes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", g.metrics.handler())
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), time.Second)
		defer cancel()
		if g.work.Ready(ctx) != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	return mux
}
