package safehttp

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// Evidence is what our side saw of one request. It holds no address, no header and no body.
type Evidence struct {
	Method    string        `json:"method"`
	Write     bool          `json:"write"`
	Connected bool          `json:"connected"` // a connection was handed to the request, at any time
	TLS       bool          `json:"tls"`
	Written   int64         `json:"written"` // bytes that left our process, TLS included
	FirstByte time.Duration `json:"first_byte_ns,omitempty"`
	Took      time.Duration `json:"took_ns"`
	Status    int           `json:"status,omitempty"`
	Fault     Fault         `json:"fault,omitempty"`
}

// tally collects the evidence of one request. It is sticky: once connected, always connected, however
// often the transport begins anew.
type tally struct {
	connected, tls atomic.Bool
	written        atomic.Int64
	firstByte      atomic.Int64
}

type tallyKey struct{}

func tallyOf(ctx context.Context) *tally {
	if t, ok := ctx.Value(tallyKey{}).(*tally); ok {
		return t
	}
	return &tally{} // a request that nobody asks about
}

// watch hooks the tally into a request. GotConn is the one sound sign: it fires after dial and TLS and
// before any request byte. WroteRequest fires before the flush and proves nothing (net/http, Go 1.26).
func (t *tally) watch(ctx context.Context) context.Context {
	began := time.Now()
	return httptrace.WithClientTrace(context.WithValue(ctx, tallyKey{}, t), &httptrace.ClientTrace{
		GotConn:              t.gotConn,
		GotFirstResponseByte: func() { t.firstByte.CompareAndSwap(0, int64(time.Since(began))) },
	})
}

func (t *tally) gotConn(info httptrace.GotConnInfo) {
	t.connected.Store(true)
	conn := info.Conn
	if secure, ok := conn.(*tls.Conn); ok {
		t.tls.Store(true)
		conn = secure.NetConn()
	}
	if counted, ok := conn.(*countedConn); ok {
		counted.tally.Store(t) // a kept connection counts for the request that has it now
	}
}

func (t *tally) evidence(r Request, out Result, took time.Duration) Evidence {
	return Evidence{
		Method: r.Method, Write: r.Write, Connected: t.connected.Load(), TLS: t.tls.Load(), Written: t.written.Load(),
		FirstByte: time.Duration(t.firstByte.Load()), Took: took, Status: out.Status, Fault: out.Fault,
	}
}

// countedConn counts what leaves, first for the request that dialled, then for the one that it was given to.
type countedConn struct {
	net.Conn
	tally atomic.Pointer[tally]
}

func newCountedConn(conn net.Conn, t *tally) *countedConn {
	c := &countedConn{Conn: conn}
	c.tally.Store(t)
	return c
}

// Write counts before it writes, since the answer can be here before Write returns: evidence may say too
// much for a moment, never too little.
func (c *countedConn) Write(p []byte) (int, error) {
	written := &c.tally.Load().written
	written.Add(int64(len(p)))
	n, err := c.Conn.Write(p)
	written.Add(int64(n - len(p)))
	return n, err
}
