// Package web is every HTTP door: one table of routes, each with who may come in.
package web

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"sverka/internal/inbox"
	"sverka/internal/pg"
	"sverka/internal/tenant"
	"sverka/static"
	"sverka/web/hooks"
	"sverka/web/pages/attention"
	"sverka/web/pages/event"
	pageinbox "sverka/web/pages/inbox"
	"sverka/web/ui"
)

// Parts is what the doors lead to.
type Parts struct {
	Intake, Panel *pg.DB
	Tenants       *tenant.Tenants
	Keys          *tenant.Keys
	Hooks         *inbox.Hooks
	Inbox         *inbox.Inbox
	Metrics       http.Handler
	Answered      func(code int, verdict inbox.Verdict)
	Log           *slog.Logger
	Demo          bool // `sverka dev`: the panel answers on this machine without sign-in
	Version       string
}

// access says who may use a route.
type access int

const (
	anyone  access = iota // probes
	sender                // shows the hook's secret; checked in the handler, before anything else
	visitor               // a person in the panel: until sign-in exists, on this machine in dev only
)

type route struct {
	pattern string
	who     access
	to      http.Handler
}

func table(p Parts) []route {
	return []route{
		{"GET /healthz", anyone, http.HandlerFunc(alive)},
		{"GET /readyz", anyone, ready(p.Intake)},
		{"GET /metrics", anyone, p.Metrics},
		{"/hooks/telegram/{hook}", sender, hooks.NewTelegram(p.Hooks, p.Inbox, p.Log, p.Answered)},
		{"GET /static/", anyone, static.Handler()},
		{"GET /{$}", visitor, http.RedirectHandler("/t/demo/inbox", http.StatusSeeOther)},
		{"GET /t/{slug}/inbox", visitor, pageinbox.New(p.Panel, p.Tenants, p.Keys, p.Log)},
		{"GET /t/{slug}/inbox/{event}", visitor, event.New(p.Panel, p.Tenants, p.Keys, p.Log)},
		{"GET /t/{slug}/attention", visitor, attention.New(p.Panel, p.Tenants, p.Keys, p.Log)},
	}
}

// Routes builds the doors.
func Routes(p Parts) http.Handler {
	mux := http.NewServeMux()
	for _, r := range table(p) {
		to := r.to
		if r.who == visitor {
			to = onlyHere(p.Demo, ui.Secure(to))
		}
		mux.Handle(r.pattern, to)
	}
	return recovered(mux, p.Log)
}

// onlyHere answers 404 to everybody but this machine, and in `serve` to everybody.
func onlyHere(demo bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		if !demo || err != nil || !net.ParseIP(host).IsLoopback() {
			http.NotFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// recovered turns a panic into 500 and one log line; nothing of the request is in it but its pattern.
func recovered(next http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				log.Error("handler panicked", "pattern", r.Pattern, "panic", p, "stack", string(debug.Stack()))
				w.WriteHeader(http.StatusInternalServerError)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

func alive(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }

func ready(db *pg.DB) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), time.Second)
		defer cancel()
		if db.Ready(ctx) != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
}
