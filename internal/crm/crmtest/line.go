package crmtest

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// marker is a header that the suite's wire puts on writes, so that the line can tell them from reads
// that a CRM wants to be POSTed. A copy that the transport makes behind our back bears it too.
const marker = "X-Crmtest-Write"

// line is the HTTP server between an adapter and its fake CRM.
type line struct {
	server *httptest.Server
	crm    http.Handler
	closed chan struct{}

	mu    sync.Mutex
	seen  []request
	fault map[bool]fault // for writes, for reads
}

// request is one request as it arrived.
type request struct {
	write  bool
	method string
	uri    string
	header http.Header
	body   string
}

// has reports whether a request carries a text anywhere.
func (r request) has(text string) bool {
	if strings.Contains(r.uri, text) || strings.Contains(r.body, text) {
		return true
	}
	for _, values := range r.header {
		if slices.ContainsFunc(values, func(v string) bool { return strings.Contains(v, text) }) {
			return true
		}
	}
	return false
}

func newLine(t *testing.T, c CRM) *line {
	l := &line{crm: c.Handler, closed: make(chan struct{}), fault: map[bool]fault{}}
	l.server = httptest.NewServer(l)
	t.Cleanup(func() {
		close(l.closed)
		l.server.Close()
	})
	return l
}

// ServeHTTP passes a request on to the fake, or lets a fault have it.
func (l *line) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	seen := request{write: r.Header.Get(marker) != "", method: r.Method, uri: r.RequestURI, header: r.Header.Clone(), body: string(body)}
	seen.header.Del(marker)
	l.mu.Lock()
	l.seen = append(l.seen, seen)
	hit := l.fault[seen.write]
	l.mu.Unlock()

	e := &exchange{w: w, r: r, closed: l.closed, execute: func() *httptest.ResponseRecorder {
		onward := r.Clone(r.Context())
		onward.Header.Del(marker)
		onward.Body = io.NopCloser(bytes.NewReader(body))
		answer := httptest.NewRecorder()
		l.crm.ServeHTTP(answer, onward)
		return answer
	}}
	if hit == nil {
		hit = passes
	}
	hit(e)
}

// hit makes a fault hit every write, or every read, from now on.
func (l *line) hit(writes bool, f fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fault[writes] = f
}

// heal ends all faults.
func (l *line) heal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fault = map[bool]fault{}
}

// forget empties the list of what was seen.
func (l *line) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = nil
}

func (l *line) all() []request {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.seen)
}

// writes is what arrived and may have changed the CRM.
func (l *line) writes() []request {
	return slices.DeleteFunc(l.all(), func(r request) bool { return !r.write })
}

// exchange is one request in the hands of a fault.
type exchange struct {
	w       http.ResponseWriter
	r       *http.Request
	closed  <-chan struct{}
	execute func() *httptest.ResponseRecorder // lets the fake have it
}

// conn takes the connection away from net/http.
func (e *exchange) conn() *net.TCPConn {
	conn, _, err := http.NewResponseController(e.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return conn.(*net.TCPConn)
}

// until waits until the caller is gone.
func (e *exchange) until() {
	select {
	case <-e.r.Context().Done():
	case <-e.closed:
	}
}
