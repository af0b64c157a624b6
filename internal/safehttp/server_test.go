package safehttp_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"sverka/internal/safehttp"
)

// peer is a server on bare TCP: it reads whole requests, counts them, and answers with the bytes that
// its test wants, or none.
type peer struct {
	URL   string
	seen  atomic.Int64 // requests that were read to their end
	conns atomic.Int64
}

// listen starts a peer. answer gets the ordinal of the request, from 1; false closes the connection.
func listen(t *testing.T, answer func(conn *net.TCPConn, nth int64) (keep bool)) *peer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{URL: "http://" + listener.Addr().String()}
	var (
		mu   sync.Mutex
		open []net.Conn
		all  sync.WaitGroup
	)
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			p.conns.Add(1)
			mu.Lock()
			open = append(open, conn)
			mu.Unlock()
			all.Go(func() { p.serve(conn.(*net.TCPConn), answer) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		mu.Lock()
		for _, conn := range open {
			_ = conn.Close()
		}
		mu.Unlock()
		all.Wait()
	})
	return p
}

func (p *peer) serve(conn *net.TCPConn, answer func(*net.TCPConn, int64) bool) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	for {
		request, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, request.Body); err != nil {
			return
		}
		if !answer(conn, p.seen.Add(1)) {
			return
		}
	}
}

// says answers every request with the same bytes.
func says(bytes string, keep bool) func(*net.TCPConn, int64) bool {
	return func(conn *net.TCPConn, _ int64) bool {
		_, _ = io.WriteString(conn, bytes)
		return keep
	}
}

func bind(t *testing.T, url string) *safehttp.Client {
	t.Helper()
	client, err := safehttp.New(url, safehttp.Options{AllowLoopback: true})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// post is a write that carries all that could tempt net/http to send it again.
func post() safehttp.Request {
	return safehttp.Request{Method: http.MethodPost, Path: "/leads", Body: []byte(`{"name":"canary-body"}`), Write: true,
		Header: http.Header{"Idempotency-Key": {"key-1"}, "Authorization": {"Bearer canary-token"}}}
}

func get() safehttp.Request { return safehttp.Request{Method: http.MethodGet, Path: "/leads"} }

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
