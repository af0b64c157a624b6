package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"sverka/internal/config"
	"sverka/internal/pg"
	"sverka/internal/pgtest"
	"sverka/internal/sandbox"
	"sverka/internal/secret"
)

// stand is the whole program in one test, against a real PostgreSQL of its own and the sandbox over real
// HTTP. Only durability is switched off.
type stand struct {
	t      *testing.T
	db     *pgtest.DB
	proxy  *proxy // stands between the program and PostgreSQL
	cfg    config.Config
	login  string
	graph  *graph
	box    *httptest.Server
	web    string
	demo   devFile
	logs   *lines
	keyset string
	super  *pgxpool.Pool
}

// The demo's bots, by what their CRM promises.
const (
	keyed = iota
	upsert
	neither
)

// testLimits: the server of the tests forgets on purpose, and many stands share it.
var testLimits = limits{unsafe: pg.Unsafe{Durability: true}, maxConns: 6}

// newStand brings up the doors and the sandbox. Workers come when the test starts them.
func newStand(t *testing.T, crmKnobs sandbox.CRMOptions) *stand {
	t.Helper()
	s := &stand{t: t, db: pgtest.New(t), logs: &lines{}}
	s.super = s.db.Super(t)
	s.proxy = newProxy(t, s.db.LoginURL)
	s.login = s.proxy.url
	k, err := secret.NewKeyset()
	check(t, err)
	text, err := k.Export()
	check(t, err)
	s.keyset = text.Reveal()
	s.cfg = config.Config{Keyset: text}

	box, err := sandbox.NewWith(t.TempDir(), slog.New(slog.DiscardHandler), sandbox.Options{CRM: crmKnobs})
	check(t, err)
	s.box = httptest.NewServer(box.Handler())
	outside, stopOutside := context.WithCancel(context.Background())
	delivered := make(chan error, 1)
	go func() { delivered <- box.Run(outside) }()
	t.Cleanup(func() { s.box.Close(); stopOutside(); <-delivered; _ = box.Close() })

	s.graph, err = open(context.Background(), s.cfg, s.login, testLimits, newLog(s.logs))
	check(t, err)
	s.graph.allowLoopback = true
	s.demo, err = s.graph.seed(context.Background(), box, s.box.URL, devAdmin{Email: "a@example.com", Password: "only for this test"})
	check(t, err)
	s.serve()
	return s
}

func (s *stand) serve() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(s.t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.graph.runWeb(ctx, listener, s.graph.doors(true)) }()
	s.web = "http://" + listener.Addr().String()
	s.t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			s.t.Error(err)
		}
		s.graph.close()
	})
}

// work starts workers in this process; they stop with the test or by the function given back.
func (s *stand) work() (stop func()) {
	workers, err := s.graph.workers()
	check(s.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- workers.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			s.t.Error(err)
		}
	})
	s.t.Cleanup(stop)
	return stop
}

// post delivers a body to a bot as Telegram does, and gives the answer's code.
func (s *stand) post(bot int, body string) int {
	s.t.Helper()
	code, _ := s.postAs(s.demo.Bots[bot].HookPath, s.demo.Bots[bot].Secret, body)
	return code
}

func (s *stand) postAs(hookPath, hookSecret, body string) (int, http.Header) {
	s.t.Helper()
	request, err := http.NewRequest(http.MethodPost, s.web+hookPath, strings.NewReader(body))
	check(s.t, err)
	request.Header.Set("Content-Type", "application/json")
	if hookSecret != "" {
		request.Header.Set("X-Telegram-Bot-Api-Secret-Token", hookSecret)
	}
	answer, err := http.DefaultClient.Do(request)
	check(s.t, err)
	defer answer.Body.Close()
	if rest, _ := io.ReadAll(answer.Body); len(rest) > 0 {
		s.t.Errorf("an answer at a hook has a body: %q", rest)
	}
	return answer.StatusCode, answer.Header
}

// deliver posts and wants 200.
func (s *stand) deliver(bot int, body string) {
	s.t.Helper()
	if code := s.post(bot, body); code != http.StatusOK {
		s.t.Fatalf("delivery answered %d, want 200", code)
	}
}

// fault injects a fault into a bot's CRM.
func (s *stand) fault(bot int, fault string, count int) {
	s.t.Helper()
	s.sandboxPost("/crm/"+s.demo.Bots[bot].Account+"/faults", map[string]any{"fault": fault, "count": count})
}

func (s *stand) sandboxPost(path string, body any) {
	s.t.Helper()
	raw, err := json.Marshal(body)
	check(s.t, err)
	answer, err := http.Post(s.box.URL+path, "application/json", bytes.NewReader(raw))
	check(s.t, err)
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		s.t.Fatalf("sandbox answered %d to %s", answer.StatusCode, path)
	}
}

// message is a private message as Telegram writes it.
func message(update, id int64, user int64, text string) string {
	return fmt.Sprintf(`{"update_id":%d,"message":{"message_id":%d,"from":{"id":%d,"is_bot":false,"first_name":"Anna","last_name":"K","username":"anna"},"chat":{"id":%d,"first_name":"Anna","type":"private"},"date":1764590000,"text":%q}}`,
		update, id, user, user, text)
}

// sharedContact is a contact card; own when user is its person.
func sharedContact(update, id, user int64, phone string) string {
	return fmt.Sprintf(`{"update_id":%d,"message":{"message_id":%d,"from":{"id":%d,"is_bot":false,"first_name":"Anna"},"chat":{"id":%d,"type":"private"},"date":1764590000,"contact":{"phone_number":%q,"first_name":"Anna","user_id":%d}}}`,
		update, id, user, user, phone, user)
}

// until waits for a condition; the test fails when it does not come.
func (s *stand) until(what string, holds func() bool) {
	s.t.Helper()
	deadline := time.Now().Add(90 * time.Second)
	for !holds() {
		if time.Now().After(deadline) {
			s.t.Fatalf("waited in vain until %s; log:\n%s", what, s.logs.tail(30))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// untilQuiet waits until nothing is pending or in flight.
func (s *stand) untilQuiet() {
	s.t.Helper()
	s.until("all is quiet", func() bool {
		return s.count(`SELECT (SELECT count(*) FROM inbox_events WHERE state = 'pending')
			+ (SELECT count(*) FROM operations WHERE state IN ('pending', 'in_flight'))`) == 0
	})
}

// count asks the database as its superuser.
func (s *stand) count(query string, args ...any) (n int) {
	s.t.Helper()
	check(s.t, s.super.QueryRow(context.Background(), query, args...).Scan(&n))
	return n
}

func (s *stand) exec(query string, args ...any) {
	s.t.Helper()
	_, err := s.super.Exec(context.Background(), query, args...)
	check(s.t, err)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// lines collects a log.
type lines struct {
	mu  sync.Mutex
	all bytes.Buffer
}

// Write takes one line of the log.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

func (l *lines) with(text string) (found []string) {
	for line := range strings.Lines(l.String()) {
		if strings.Contains(line, text) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

func (l *lines) tail(n int) string {
	all := strings.Split(l.String(), "\n")
	return strings.Join(all[max(0, len(all)-n):], "\n")
}
