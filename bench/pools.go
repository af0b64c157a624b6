package main

import (
	"context"

	"sverka/internal/inbox"
	"sverka/internal/pg"
)

// pools keeps the contenders apart, each with the connections that it would have.
type pools struct {
	single  *pg.DB          // the baseline's
	built   *inbox.Inbox    // as the program has it
	alone   *inbox.Inbox    // a transaction per request
	writers [3]*inbox.Inbox // 1, 2 and 4 of them
	stop    []func()
}

func (w *world) pools(ctx context.Context) (p pools, err error) {
	if p.single, err = w.open(ctx, 64); err != nil {
		return p, err
	}
	p.stop = append(p.stop, p.single.Close)
	for _, one := range []struct {
		to            **inbox.Inbox
		conns         int32
		writers, rows int
	}{
		{&p.built, 10, 0, 0},
		{&p.alone, 64, 64, 1},
		{&p.writers[0], 10, 1, groupAtMost},
		{&p.writers[1], 10, 2, groupAtMost},
		{&p.writers[2], 10, 4, groupAtMost},
	} {
		db, err := w.open(ctx, one.conns)
		if err != nil {
			p.close()
			return p, err
		}
		in := inbox.New(db, w.keys, w.bells)
		if one.writers > 0 {
			in.Grouped(one.writers, one.rows)
		}
		running, stop := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() { in.Run(running); close(ended) }()
		p.stop = append(p.stop, func() { stop(); <-ended; db.Close() })
		*one.to = in
	}
	return p, nil
}

func (p pools) close() {
	for _, stop := range p.stop {
		stop()
	}
}
