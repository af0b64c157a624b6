package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"sverka/internal/sandbox"
)

// world is a running sandbox.
type world struct {
	t    *testing.T
	dir  string
	url  string
	o    sandbox.Options
	box  *sandbox.Sandbox
	stop func()
}

// fast is Telegram's clock at a speed that a test can wait for.
func fast() sandbox.Options {
	return sandbox.Options{
		Telegram: sandbox.TelegramOptions{
			Second: 2 * time.Millisecond, RetryMin: 20 * time.Millisecond, RetryMax: 40 * time.Millisecond,
			HookEvery: time.Nanosecond, Seed: 1,
		},
		CRM: sandbox.CRMOptions{Slow: 50 * time.Millisecond, Seed: 1},
	}
}

func start(t *testing.T, o sandbox.Options) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), o: o}
	w.open()
	t.Cleanup(func() { w.stop() })
	return w
}

func (w *world) open() {
	w.t.Helper()
	box, err := sandbox.NewWith(w.dir, slog.New(slog.DiscardHandler), w.o)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- box.Run(ctx) }()
	server := httptest.NewServer(box.Handler())
	w.box, w.url = box, server.URL
	w.stop = func() {
		cancel()
		if err := <-ran; err != nil {
			w.t.Errorf("Run: %v", err)
		}
		server.Close()
		if err := box.Close(); err != nil {
			w.t.Errorf("Close: %v", err)
		}
		w.stop = func() {}
	}
}

// restart is a new process on the same folder.
func (w *world) restart() {
	w.t.Helper()
	w.stop()
	w.open()
}

// response is an HTTP answer, read whole.
type response struct {
	status int
	header http.Header
	body   []byte
}

// into decodes the body; a test that reads garbage fails.
func (r response) into(t *testing.T, v any) {
	t.Helper()
	if err := json.Unmarshal(r.body, v); err != nil {
		t.Fatalf("body %q: %v", r.body, err)
	}
}

// do sends one request; headers come in pairs.
func (w *world) do(method, path, body string, headers ...string) response {
	w.t.Helper()
	r, err := w.try(method, path, body, headers...)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	return r
}

func (w *world) try(method, path, body string, headers ...string) (response, error) {
	request, err := http.NewRequest(method, w.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return response{}, err
	}
	request.GetBody = nil // no hidden second try
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	transport := &http.Transport{DisableKeepAlives: true}
	answer, err := transport.RoundTrip(request)
	if err != nil {
		return response{}, err
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	return response{answer.StatusCode, answer.Header, content}, err
}

// wait polls a condition that another goroutine makes true.
func wait(t *testing.T, what string, true func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !true() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for: %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}
