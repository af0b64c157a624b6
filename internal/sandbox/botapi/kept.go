package botapi

import (
	"bufio"
	"context"
	"errors"
	"net"
	"os"
	"time"
)

// kept is a connection that stays open between two updates. While it is idle a goroutine listens on
// it, so that one which the receiver has closed is not used again.
type kept struct {
	conn   net.Conn
	reader *bufio.Reader
	quiet  chan error // why the listening ended
}

// connection gives a kept connection that is still alive, else a new one.
func (w *wire) connection(ctx context.Context) (*kept, error) {
	for {
		w.mu.Lock()
		if len(w.idle) == 0 {
			w.mu.Unlock()
			return w.dial(ctx)
		}
		k := w.idle[len(w.idle)-1]
		w.idle = w.idle[:len(w.idle)-1]
		w.mu.Unlock()
		if k.resume() {
			return k, nil
		}
		_ = k.conn.Close()
	}
}

// keep puts a connection aside, for the idle time-out at most.
func (w *wire) keep(k *kept) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.life.Err() != nil {
		_ = k.conn.Close()
		return
	}
	k.quiet = make(chan error, 1)
	idle := time.AfterFunc(w.options.IdleTimeout, func() { _ = k.conn.Close() })
	go func() {
		_, err := k.reader.Peek(1)
		idle.Stop()
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			_ = k.conn.Close()
		}
		k.quiet <- err
	}()
	w.idle = append(w.idle, k)
}

// resume ends the listening and reports whether nothing had come or closed meanwhile.
func (k *kept) resume() bool {
	_ = k.conn.SetReadDeadline(time.Unix(1, 0))
	err := <-k.quiet
	_ = k.conn.SetReadDeadline(time.Time{})
	return errors.Is(err, os.ErrDeadlineExceeded)
}
