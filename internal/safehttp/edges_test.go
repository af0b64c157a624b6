package safehttp_test

import (
	"bytes"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sverka/internal/safehttp"
)

// A write goes over a connection of its own and is sent once. A read is worth a kept connection, and
// net/http sends a GET again that died on one: it changes nothing, so that is welcome.
func TestOnlyReadsMayBeSentAgain(t *testing.T) {
	t.Parallel()
	p := listen(t, welcomeThenDrop)
	client := bind(t, p.URL)
	equal(t, "first status", client.Send(t.Context(), get()).Status, 200)
	r := client.Send(t.Context(), get())
	equal(t, "fault", r.Fault, safehttp.AnswerLost)
	equal(t, "times that the second read was sent", p.seen.Load()-1, 2)

	keyed := get()
	keyed.Method, keyed.Header, keyed.Body = http.MethodPost, http.Header{"Idempotency-Key": {"k"}}, []byte("{}")
	p = listen(t, welcomeThenDrop)
	client = bind(t, p.URL)
	equal(t, "first status", client.Send(t.Context(), keyed).Status, 200)
	client.Send(t.Context(), keyed)
	equal(t, "times that a read with a key and a body was sent", p.seen.Load()-1, 1) // GetBody is gone
}

// The bare transport is for callers that build requests themselves, with all that tempts net/http.
func TestTheBareTransportSendsOnce(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{"dies": "", "redirects": "HTTP/1.1 307 X\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n"} {
		p := listen(t, func(conn *net.TCPConn, nth int64) bool {
			if nth == 1 {
				return welcomeThenDrop(conn, nth)
			}
			_, _ = io.WriteString(conn, answer)
			return answer != ""
		})
		through := bind(t, p.URL).Transport()
		for range 2 {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL, bytes.NewReader([]byte("{}")))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Idempotency-Key", "k")
			if got, err := through.RoundTrip(request); err == nil {
				_, _ = io.Copy(io.Discard, got.Body)
				_ = got.Body.Close()
			}
		}
		equal(t, name+": times that it was sent", p.seen.Load()-1, 1)
	}
}

func TestOddAnswers(t *testing.T) {
	t.Parallel()
	head := func(length int) string {
		return "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", length) + "\r\nContent-Length: 2\r\n\r\nok"
	}
	for name, c := range map[string]struct {
		says  string
		fault safehttp.Fault
	}{
		"63 KiB of head":    {head(63 << 10), ""},
		"65 KiB of head":    {head(65 << 10), safehttp.AnswerLost},
		"a broken header":   {"HTTP/1.1 200 OK\r\ncanary\r\n\r\n", safehttp.AnswerLost},
		"two lengths":       {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok", safehttp.AnswerLost},
		"no last chunk":     {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n", safehttp.AnswerCut},
		"a broken chunk":    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nzz\r\n", safehttp.AnswerCut},
		"408 for idling":    {"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n", ""},
		"417, nobody asked": {"HTTP/1.1 417 X\r\nContent-Length: 0\r\n\r\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := listen(t, says(c.says, false))
			r := bind(t, p.URL).Send(t.Context(), post())
			equal(t, "fault", r.Fault, c.fault)
			equal(t, "whole", r.Whole, c.fault == "")
			equal(t, "connected", r.Evidence.Connected, true)
			equal(t, "requests", p.seen.Load(), 1)
			noCanary(t, p.URL, r)
		})
	}
}

// No path of an adapter, made of whatever a CRM or a person entered, leads to another host or above the base.
func TestAPathStaysBelowTheBase(t *testing.T) {
	t.Parallel()
	var host, uri atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		host.Store(r.Host)
		uri.Store(r.RequestURI)
	}))
	t.Cleanup(server.Close)
	client := bind(t, server.URL+"/base")
	for _, path := range []string{"//evil.example.com/x", "/@evil.example.com", "/:80/x", `/\evil.example.com`, "/http://evil.example.com/"} {
		equal(t, path+" status", client.Send(t.Context(), safehttp.Request{Method: http.MethodGet, Path: path}).Status, 200)
		equal(t, path+" host", host.Load().(string), strings.TrimPrefix(server.URL, "http://"))
		equal(t, path+" below the base", strings.HasPrefix(uri.Load().(string), "/base/"), true)
	}
}

func TestNoProxyIsAsked(t *testing.T) {
	proxy := listen(t, says("HTTP/1.1 502 Bad Gateway\r\n\r\n", false))
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	t.Setenv("NO_PROXY", "")
	t.Setenv("no_proxy", "")
	client, err := safehttp.New("https://crm.example.com", safehttp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	client.Resolve(nameServer(t, "10.0.0.7"))
	for _, request := range []safehttp.Request{post(), get()} {
		equal(t, "fault", client.Send(t.Context(), request).Fault, safehttp.AddressForbidden)
	}
	equal(t, "connections to the proxy", proxy.conns.Load(), 0)
	request := httptest.NewRequest(http.MethodGet, "https://crm.example.com", nil)
	to, err := http.ProxyFromEnvironment(request)
	equal(t, "net/http would ask it", to != nil && err == nil, true)
}

func TestAnswerLostOverTLS(t *testing.T) {
	t.Parallel()
	ours := newAuthority(t)
	var seen atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		seen.Add(1)
		panic(http.ErrAbortHandler)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	client := bind(t, server.URL)
	pool := ours.pool()
	pool.AddCert(server.Certificate())
	client.Trust(pool)
	r := client.Send(t.Context(), post())
	equal(t, "fault", r.Fault, safehttp.AnswerLost)
	equal(t, "connected", r.Evidence.Connected, true)
	equal(t, "TLS", r.Evidence.TLS, true)
	equal(t, "requests", seen.Load(), 1)
	noCanary(t, server.URL, r)
}

// A deadline counts whatever the server drips: bytes are no reason to wait longer.
func TestADrippingServer(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	p := listen(t, func(conn *net.TCPConn, _ int64) bool {
		_, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
		for tick := time.NewTicker(time.Millisecond); err == nil; {
			select {
			case <-tick.C:
				_, err = conn.Write([]byte("x"))
			case <-stop:
				return false
			}
		}
		return false
	})
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	r := bind(t, p.URL).Send(ctx, post())
	equal(t, "in time", r.Evidence.Took < 10*time.Second, true)
	equal(t, "connected", r.Evidence.Connected, true)
	equal(t, "in doubt", r.Fault == safehttp.AnswerCut || r.Fault == safehttp.AnswerLost, true) // the latter on a machine that is very slow
}
