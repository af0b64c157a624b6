package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// takePause is how long a taken bell is left alone: about as long as a worker needs to come again.
const takePause = 20 * time.Millisecond

// condition is what the intake is measured under.
type condition struct {
	Bots  int    `json:"bots"`
	Bells string `json:"bells"` // waiting | taken, see the command's comment
	Rows  []row  `json:"rows"`
}

// measureSpread compares the baseline with one, two and four writers of groups, under each condition.
func measureSpread(ctx context.Context, w *world, contenders []contender) ([]condition, error) {
	all := []condition{{Bots: len(w.bots), Bells: "waiting"}, {Bots: len(w.bots), Bells: "taken"},
		{Bots: 1, Bells: "waiting"}, {Bots: 1, Bells: "taken"}}
	defer func() { w.busy = len(w.bots) }()
	for k := range all {
		c := &all[k]
		w.busy = c.Bots
		if err := c.measure(ctx, w, contenders); err != nil {
			return nil, fmt.Errorf("%d bots, bells %s: %w", c.Bots, c.Bells, err)
		}
		printRows(fmt.Sprintf("%d bots, bells %s", c.Bots, c.Bells), c.Rows)
	}
	return all, nil
}

func (c *condition) measure(ctx context.Context, w *world, contenders []contender) (failed error) {
	if c.Bells == "taken" {
		stop, err := w.takeBells(ctx)
		if err != nil {
			return err
		}
		defer func() { failed = errors.Join(failed, stop()) }()
	}
	var err error
	c.Rows, err = turns{rounds: 5, during: 800 * time.Millisecond}.take(ctx, contenders)
	return err
}

// takeBells does to the bells what workers do, and nothing else: each is taken by a transaction of its
// own that does not wait for the disk. More than one in a transaction would lock them out of order.
func (w *world) takeBells(ctx context.Context) (stop func() error, err error) {
	conn, err := pgx.Connect(ctx, w.server.URL("sverka"))
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, `SET synchronous_commit = off`); err != nil {
		return nil, err
	}
	running, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		defer conn.Close(context.WithoutCancel(ctx))
		for running.Err() == nil {
			if err := w.takeEach(context.WithoutCancel(ctx), conn); err != nil {
				ended <- err
				return
			}
			time.Sleep(takePause)
		}
		ended <- nil
	}()
	return func() error { cancel(); return <-ended }, nil
}

const takeOne = `
	UPDATE bells SET rung = false WHERE tenant_id = $1 AND kind = 'interpret' AND owner_id = $2 AND rung`

func (w *world) takeEach(ctx context.Context, conn *pgx.Conn) error {
	for _, s := range w.bots[:w.busy] {
		if _, err := conn.Exec(ctx, takeOne, s.tenant, s.bot.ID.UUID); err != nil {
			return err
		}
	}
	_, err := conn.Exec(ctx, `DELETE FROM river_job`)
	return err
}
