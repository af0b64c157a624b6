package main

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"sverka/internal/connection"
	"sverka/internal/crm"
	"sverka/internal/crm/adapters/owncrm"
	"sverka/internal/id"
	"sverka/internal/inbox"
	"sverka/internal/intake"
	"sverka/internal/jobs"
	"sverka/internal/operation"
	"sverka/internal/perform"
	"sverka/internal/pg"
	"sverka/internal/route"
	"sverka/internal/safehttp"
	"sverka/internal/sandbox"
)

const (
	messages = 200
	warming  = 10 // messages more, which fill caches
	// An idle system: the message before is done. Not a fixed pause, which could keep step with River's polls.
	pauseLeast, pauseMost = 50 * time.Millisecond, 250 * time.Millisecond
)

// corridorResult is what bench/results/corridor.json holds: from the message at our door to the request
// at the CRM's, one at a time.
type corridorResult struct {
	Messages int     `json:"messages"`
	AckP50   float64 `json:"ack_p50_ms"`
	P50      float64 `json:"message_to_crm_p50_ms"`
	P90      float64 `json:"message_to_crm_p90_ms"`
	P99      float64 `json:"message_to_crm_p99_ms"`
	Goals    []goal  `json:"goals"`
}

// arrivals notes when each request came to the CRM.
type arrivals struct {
	mu   sync.Mutex
	seen []time.Time
	came chan struct{}
}

func (a *arrivals) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			a.mu.Lock()
			a.seen = append(a.seen, time.Now())
			a.mu.Unlock()
			a.came <- struct{}{}
		}
		next.ServeHTTP(w, r)
	})
}

func measureCorridor(ctx context.Context, w *world) (corridorResult, error) {
	// What the intake left waiting belongs to no route and would keep the workers busy.
	if err := w.forget(ctx); err != nil {
		return corridorResult{}, err
	}
	box, err := sandbox.New(filepath.Join(w.dir, "sandbox"), slog.New(slog.DiscardHandler))
	if err != nil {
		return corridorResult{}, err
	}
	defer box.Close()
	if err := box.AddAccount(sandbox.Account{Name: "bench", Capability: sandbox.Capability(crm.IdempotentCreate), Searchable: true}); err != nil {
		return corridorResult{}, err
	}
	at := &arrivals{came: make(chan struct{}, 2*messages)}
	server := httptest.NewServer(at.before(box.Handler()))
	defer server.Close()
	s := w.bots[0]
	if err := w.connect(ctx, s, server.URL+"/crm/bench"); err != nil {
		return corridorResult{}, err
	}
	stop, door, err := w.start(ctx)
	if err != nil {
		return corridorResult{}, err
	}
	defer stop()
	result, err := at.measure(ctx, w, s, door)
	if err == nil {
		result.print()
	}
	return result, err
}

func (a *arrivals) measure(ctx context.Context, w *world, s source, door string) (corridorResult, error) {
	var whole, acks []time.Duration
	for range messages + warming {
		_, _, body := w.message()
		began := time.Now()
		if err := s.post(ctx, http.DefaultClient, door, body); err != nil {
			return corridorResult{}, err
		}
		acks = append(acks, time.Since(began))
		select {
		case <-a.came:
		case <-time.After(10 * time.Second):
			return corridorResult{}, fmt.Errorf("a message did not reach the CRM within 10 s")
		}
		a.mu.Lock()
		whole = append(whole, a.seen[len(a.seen)-1].Sub(began))
		a.mu.Unlock()
		time.Sleep(pauseLeast + rand.N(pauseMost-pauseLeast))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.seen) != len(whole) { // else a time above may be of another message
		return corridorResult{}, fmt.Errorf("%d messages made %d requests to the CRM, not one each", len(whole), len(a.seen))
	}
	whole, acks = whole[warming:], acks[warming:]
	p50 := milliseconds(quantile(whole, .5))
	return corridorResult{Messages: len(whole), AckP50: milliseconds(quantile(acks, .5)), P50: p50,
		P90: milliseconds(quantile(whole, .9)), P99: milliseconds(quantile(whole, .99)),
		Goals: []goal{atMost("message to CRM request, idle, p50, ms", p50, 60)}}, nil
}

func (r corridorResult) print() {
	fmt.Printf("message to CRM request, idle system, %d messages: p50 %.1f ms, p90 %.1f ms, p99 %.1f ms; 200 to Telegram after %.1f ms\n",
		r.Messages, r.P50, r.P90, r.P99, r.AckP50)
	printGoals(r.Goals)
}

// forget takes the load of the intake away, as the superuser may.
func (w *world) forget(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, w.server.URL("sverka"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, sql := range []string{
		`TRUNCATE river_job, inbox_payloads, inbox_events CASCADE`,
		`UPDATE bells SET rung = false, drain_until = NULL`,
		`VACUUM ANALYZE`,
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// connect gives a bot its CRM.
func (w *world) connect(ctx context.Context, s source, baseURL string) error {
	adapter := owncrm.Adapter()
	settings := crm.Settings{crm.BaseURLField: baseURL, "auth": "bearer", "token": "sandbox-bench",
		"capability": string(crm.IdempotentCreate), "searchable": "yes"}
	client, err := adapter.Open(settings, nil)
	if err != nil {
		return err
	}
	key, err := w.keys.Of(ctx, s.tenant)
	if err != nil {
		return err
	}
	var promises []connection.Promise
	for _, kind := range adapter.Kinds {
		promises = append(promises, connection.PromiseOf(kind, client.Creates[kind]))
	}
	return w.admin.InTenant(ctx, s.tenant, func(tx pgx.Tx) error {
		c := connection.Connection{ID: id.NewConnection(), Adapter: adapter.Name, Name: "bench"}
		if err := connection.Create(ctx, tx, s.tenant, key, adapter, c, settings, promises); err != nil {
			return err
		}
		return route.Create(ctx, tx, s.tenant, string(inbox.Telegram), s.bot.ID.UUID, route.Route{ID: id.NewRoute(), Connection: c.ID})
	})
}

// start brings up the door and the workers as the program does.
func (w *world) start(ctx context.Context) (stop func(), door string, err error) {
	quiet := slog.New(slog.DiscardHandler)
	work, err := w.open(ctx, 20)
	if err != nil {
		return nil, "", err
	}
	river, err := pg.Open(ctx, w.url, pg.Options{Name: "river", MaxConns: 10, Soon: true})
	if err != nil {
		return nil, "", err
	}
	in := inbox.New(work, w.keys, w.bells)
	wire := func(base string) (crm.Wire, error) {
		client, err := safehttp.New(base, safehttp.Options{AllowLoopback: true})
		return crm.NewWire(client), err
	}
	performer := perform.New(work, w.keys, []crm.Adapter{owncrm.Adapter()}, wire, "bench", quiet, func(crm.Kind, operation.Step) {})
	workers, err := jobs.NewWorkers(jobs.Pools{Work: work, River: river}, w.bells, intake.New(work, in, w.keys, w.bells, quiet), performer,
		jobs.Watched{Due: []func(context.Context, pg.Tx) ([]id.Owner, error){inbox.WaitingOwners, operation.DueOwners},
			SettleLate: performer.SettleLate, MakeDays: inbox.MakeDays}, quiet)
	if err != nil {
		return nil, "", err
	}
	running, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() { in.Run(running) })
	all.Go(func() { _ = workers.Run(running) })
	url, closeDoor := w.doorAt(in)
	return func() { closeDoor(); cancel(); all.Wait(); work.Close(); river.Close() }, url, nil
}
