package main

import (
	"context"
	"time"

	"sverka/internal/inbox"
)

// intakeResult is what bench/results/intake.json holds.
type intakeResult struct {
	Goals  []goal      `json:"goals"`
	Rows   []row       `json:"rows"` // bells waiting
	Half   halfLoad    `json:"half_load"`
	Lone   lone        `json:"lone"`
	Spread []condition `json:"spread"`
}

// groupAtMost is the inbox's own limit; contenders differ in their writers.
const groupAtMost = 128

func measureIntake(ctx context.Context, w *world) (r intakeResult, err error) {
	p, err := w.pools(ctx)
	if err != nil {
		return r, err
	}
	defer p.close()
	door, stop := w.door(p.built)
	defer stop()
	single := func(ctx context.Context) error { return w.single(ctx, p.single) }
	baseline, built := contender{"baseline: single commits", 64, single}, accept(w, p.built)
	if r.Rows, err = (turns{rounds: 7, during: time.Second}).take(ctx, []contender{
		baseline,
		{"Accept, a transaction each", 64, accept(w, p.alone)},
		{"Accept, grouped", 1, built},
		{"Accept, grouped", 16, built},
		{"Accept, grouped", 64, built},
		{"Accept, grouped", 256, built},
		{"grouped, through HTTP", 64, door},
	}); err != nil {
		return r, err
	}
	printRows("intake, bells waiting", r.Rows)
	if r.Half, err = measureHalfLoad(ctx, r.Rows[4].PerSecond, built); err != nil {
		return r, err
	}
	r.Half.print()
	if r.Lone, err = measureLone(ctx, single, built); err != nil {
		return r, err
	}
	r.Lone.print()
	if r.Spread, err = measureSpread(ctx, w, []contender{
		baseline,
		{"grouped, 1 writer", 64, accept(w, p.writers[0])},
		{"grouped, 2 writers", 64, accept(w, p.writers[1])},
		{"grouped, 4 writers", 64, accept(w, p.writers[2])},
	}); err != nil {
		return r, err
	}
	r.Goals = []goal{
		atLeast("grouped at 64 ÷ baseline, bells waiting", r.Rows[4].Ratio, 4),
		atLeast("grouped at 64 ÷ baseline, bells taken", r.Spread[1].Rows[2].Ratio, 4),
		atMost("p99 at half of that load, ms", r.Half.P99, 50),
		atMost("a lone request ÷ a single commit", r.Lone.Ratio, 1.6),
	}
	printGoals(r.Goals)
	return r, nil
}

func accept(w *world, in *inbox.Inbox) call {
	return func(ctx context.Context) error { _, err := in.Accept(ctx, w.delivery()); return err }
}
