package crm

import (
	"context"
	"sync"

	"sverka/internal/safehttp"
)

// NewWire makes a wire of the guarded transport, which is bound to the connection's base URL.
func NewWire(client *safehttp.Client) Wire { return wire{client: client} }

type wire struct{ client *safehttp.Client }

// Send sends a call at most once.
func (w wire) Send(ctx context.Context, c Call) Answer {
	r := w.client.Send(ctx, safehttp.Request{Method: c.Method, Path: c.Path, Header: c.Header, Body: c.Body, Write: c.Write})
	return Answer{Status: r.Status, Header: r.Header, Body: r.Body, Whole: r.Whole, Fault: r.Fault, Evidence: r.Evidence}
}

// Recorder is a wire that keeps the evidence of every call of one attempt.
type Recorder struct {
	to Wire

	mu   sync.Mutex
	seen []Evidence
}

// NewRecorder records what goes over a wire.
func NewRecorder(to Wire) *Recorder { return &Recorder{to: to} }

// Send sends a call and keeps its evidence.
func (r *Recorder) Send(ctx context.Context, c Call) Answer {
	a := r.to.Send(ctx, c)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, a.Evidence)
	return a
}

// Evidence gives what was recorded, first call first.
func (r *Recorder) Evidence() []Evidence {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Evidence(nil), r.seen...)
}
