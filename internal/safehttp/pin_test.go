package safehttp_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// These tests pin what net/http does, so that an upgrade of Go that changes it is noticed
// (facts: reliability §6).

// welcomeThenDrop answers a connection's first request, and drops what comes later on it: a kept
// connection that dies after the request was read.
func welcomeThenDrop(conn *net.TCPConn, nth int64) bool {
	if nth > 1 {
		return false
	}
	_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	return true
}

func TestGoSendsAKeyedRequestAgainByItself(t *testing.T) {
	t.Parallel()
	p := listen(t, welcomeThenDrop)
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	send := func() error {
		request, err := http.NewRequest(http.MethodPost, p.URL, bytes.NewReader([]byte("{}"))) // sets GetBody
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Idempotency-Key", "key-1")
		answer, err := client.Do(request)
		if err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		return answer.Body.Close()
	}
	if err := send(); err != nil {
		t.Fatal(err)
	}
	if send() == nil {
		t.Fatal("the second request was answered")
	}
	equal(t, "times that the second request was sent", p.seen.Load()-1, 2)
}

func TestWeSendItOnce(t *testing.T) {
	t.Parallel()
	p := listen(t, welcomeThenDrop)
	client := bind(t, p.URL)
	equal(t, "first status", client.Send(t.Context(), post()).Status, 200)
	lost := client.Send(t.Context(), post())
	equal(t, "fault", lost.Fault, "answer_lost")
	equal(t, "times that the second request was sent", p.seen.Load()-1, 1)
	equal(t, "connections", p.conns.Load(), 2) // each write has its own
}

func TestReadsKeepTheirConnectionAndWritesDoNot(t *testing.T) {
	t.Parallel()
	p := listen(t, says("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", true))
	client := bind(t, p.URL)
	reads, _ := client.Transports()
	t.Cleanup(reads.CloseIdleConnections)
	first, second := client.Send(t.Context(), get()), client.Send(t.Context(), get())
	equal(t, "connections of two reads", p.conns.Load(), 1)
	equal(t, "connected", first.Evidence.Connected && second.Evidence.Connected, true)
	equal(t, "bytes of the second read", second.Evidence.Written, first.Evidence.Written)
	client.Send(t.Context(), post())
	client.Send(t.Context(), post())
	equal(t, "connections after two writes", p.conns.Load(), 3)
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		var there atomic.Int64
		elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { there.Add(1) }))
		t.Cleanup(elsewhere.Close)
		var here atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			here.Add(1)
			w.Header().Set("Location", elsewhere.URL)
			w.WriteHeader(status)
		}))
		t.Cleanup(server.Close)
		for _, request := range []func() (got int){
			func() int { return bind(t, server.URL).Send(t.Context(), post()).Status },
			func() int { return bind(t, server.URL).Send(t.Context(), get()).Status },
		} {
			equal(t, "status", request(), status)
		}
		equal(t, "requests", here.Load(), 2)
		equal(t, "requests to where it pointed", there.Load(), 0)
	}
}

func TestTransportsHaveNoBackDoor(t *testing.T) {
	t.Parallel()
	reads, writes := bind(t, "https://crm.example.com").Transports()
	for _, through := range []*http.Transport{reads, writes} {
		equal(t, "proxy", through.Proxy == nil, true) // it would hide the target from the guard
		equal(t, "compression off", through.DisableCompression, true)
		equal(t, "HTTP/1", through.Protocols.HTTP1(), true)
		equal(t, "HTTP/2", through.Protocols.HTTP2() || through.Protocols.UnencryptedHTTP2(), false)
		equal(t, "header bytes", through.MaxResponseHeaderBytes, 64<<10)
		equal(t, "header time", through.ResponseHeaderTimeout.Seconds(), 20)
		equal(t, "TLS time", through.TLSHandshakeTimeout.Seconds(), 5)
		equal(t, "TLS config", through.TLSClientConfig == nil, true) // verification on, 1.2 at least
	}
	equal(t, "writes keep connections", !writes.DisableKeepAlives, false)
}
