package botapi

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// deliver serves the bot until ctx ends, then waits for what is on its way to be cut off.
func (b *bot) deliver(ctx context.Context) {
	var sending sync.WaitGroup
	defer sending.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		if wake := b.sendDue(ctx, &sending); !wake.IsZero() {
			timer.Reset(wake.Sub(b.options.Now()))
		}
		select {
		case <-ctx.Done():
			return
		case <-b.wake:
		case <-timer.C:
		}
	}
}

// sendDue starts what may be sent now and says when to look again.
func (b *bot) sendDue(ctx context.Context, sending *sync.WaitGroup) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.hook
	if h == nil || ctx.Err() != nil {
		return time.Time{}
	}
	window := 2 * h.MaxConnections
	for h.sending < h.MaxConnections {
		now := b.options.Now()
		q, wake := b.line.next(now, window)
		if q == nil {
			return wake
		}
		u := q.updates[0]
		if now.After(u.Expires) {
			if b.record(entry{Attempt: &attempt{No: u.No, At: now, Status: u.lastStatus, End: Expired}}) != nil {
				return now.Add(b.options.Second)
			}
			continue
		}
		q.busy = true
		h.sending++
		b.line.served(q, window)
		sending.Go(func() { b.send(ctx, h, q, u) })
	}
	return time.Time{}
}

// send is one attempt: the POST without the lock, then its result.
func (b *bot) send(ctx context.Context, h *hook, q *queue, u *update) {
	got := h.wire.post(ctx, u.Body)
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.ring()
	h.sending--
	q.busy = false
	if u.state != Waiting {
		return // dropped meanwhile
	}
	if !got.ok() && (h != b.hook || ctx.Err() != nil) {
		return // abandoned: it will be sent again, to the new URL or after the restart
	}
	b.settle(h, q, u, got)
}

// settle applies what the receiver answered (facts: telegram §1.3).
func (b *bot) settle(h *hook, q *queue, u *update, got answer) {
	now := b.options.Now()
	a := attempt{No: u.No, At: now, Status: got.status, Error: got.problem()}
	wait := time.Duration(0)
	if got.ok() {
		a.End = Delivered
	} else {
		wait = u.backoff.failed(got.retryAfter, b.options, b.dice)
		if now.Add(wait).After(u.Expires) {
			a.End = Expired
		}
		q.wake = now.Add(wait)
	}
	if b.record(entry{Attempt: &a}) != nil {
		q.wake = now.Add(b.options.Second)
	}
	if h == b.hook {
		b.watchGone(got, now)
	}
}

// watchGone deletes the webhook after a long row of nothing but 410 answers. A broken connection is
// no answer, so it does not end the row.
func (b *bot) watchGone(got answer, now time.Time) {
	switch {
	case got.status == 0:
	case got.status != http.StatusGone:
		b.gone = time.Time{}
	case b.gone.IsZero():
		b.gone = now
	case now.Sub(b.gone) > b.options.GoneAfter:
		_ = b.record(entry{Hook: &hookEntry{}})
	}
}
