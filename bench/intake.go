package main

import (
	"context"
	"fmt"
	"time"

	"sverka/internal/inbox"
	"sverka/internal/pg"
)

const (
	rounds    = 5
	roundTime = 1500 * time.Millisecond
)

// contender is one way to store what arrives.
type contender struct {
	name    string
	callers int
	do      call
}

// intakeResult is what bench/results/intake.json holds.
type intakeResult struct {
	Rows         []intakeRow `json:"rows"`
	HalfLoad     float64     `json:"half_load_per_second"`
	HalfLoadP50  float64     `json:"half_load_p50_ms"`
	HalfLoadP99  float64     `json:"half_load_p99_ms"`
	LoneAccept   float64     `json:"lone_accept_p50_ms"`
	SingleCommit float64     `json:"single_commit_p50_ms"`
	LoneRatio    float64     `json:"lone_ratio"`
}

type intakeRow struct {
	Name      string    `json:"name"`
	Callers   int       `json:"callers"`
	PerSecond float64   `json:"per_second"` // median of the rounds
	Ratio     float64   `json:"ratio"`      // median of the rounds' ratios to the baseline
	Rounds    []float64 `json:"rounds"`
}

func measureIntake(ctx context.Context, w *world) (intakeResult, error) {
	pools, err := w.pools(ctx)
	if err != nil {
		return intakeResult{}, err
	}
	defer pools.close()
	door, stop := w.door(pools.grouped)
	defer stop()
	contenders := []contender{
		{"baseline: single commits", 64, func(ctx context.Context) error { return w.single(ctx, pools.single) }},
		{"Accept, a transaction each", 64, accept(w, pools.alone)},
		{"Accept, grouped", 1, accept(w, pools.grouped)},
		{"Accept, grouped", 16, accept(w, pools.grouped)},
		{"Accept, grouped", 64, accept(w, pools.grouped)},
		{"Accept, grouped", 256, accept(w, pools.grouped)},
		{"grouped, through HTTP", 64, door},
	}
	var result intakeResult
	if result.Rows, err = takeTurns(ctx, contenders); err != nil {
		return result, err
	}
	if err := halfLoad(ctx, &result, contenders[4]); err != nil {
		return result, err
	}
	if err := lone(ctx, &result, contenders[0], contenders[2]); err != nil {
		return result, err
	}
	result.print()
	return result, nil
}

func accept(w *world, in *inbox.Inbox) call {
	return func(ctx context.Context) error { _, err := in.Accept(ctx, w.delivery()); return err }
}

// takeTurns runs every contender once a round, so that a slow minute of the machine hits all of them.
func takeTurns(ctx context.Context, contenders []contender) ([]intakeRow, error) {
	rows := make([]intakeRow, len(contenders))
	ratios := make([][]float64, len(contenders))
	for round := range rounds + 1 {
		var baseline float64
		for k, c := range contenders {
			perSecond, err := closedLoop(ctx, c.callers, roundTime, c.do)
			if err != nil {
				return nil, fmt.Errorf("%s at %d: %w", c.name, c.callers, err)
			}
			if k == 0 {
				baseline = perSecond
			}
			if round == 0 {
				continue // warm up
			}
			rows[k].Rounds = append(rows[k].Rounds, perSecond)
			ratios[k] = append(ratios[k], perSecond/baseline)
		}
	}
	for k, c := range contenders {
		rows[k].Name, rows[k].Callers = c.name, c.callers
		rows[k].PerSecond, rows[k].Ratio = median(rows[k].Rounds), median(ratios[k])
	}
	return rows, nil
}

func halfLoad(ctx context.Context, r *intakeResult, c contender) error {
	r.HalfLoad = r.Rows[4].PerSecond / 2
	latencies, err := openLoop(ctx, r.HalfLoad, 8*time.Second, c.do)
	r.HalfLoadP50, r.HalfLoadP99 = milliseconds(quantile(latencies, .5)), milliseconds(quantile(latencies, .99))
	return err
}

// lone compares one request alone with one commit alone, in pairs.
func lone(ctx context.Context, r *intakeResult, single, grouped contender) error {
	var singles, accepts []time.Duration
	for range 400 {
		for _, one := range []struct {
			do call
			to *[]time.Duration
		}{{single.do, &singles}, {grouped.do, &accepts}} {
			began := time.Now()
			if err := one.do(ctx); err != nil {
				return err
			}
			*one.to = append(*one.to, time.Since(began))
		}
	}
	r.SingleCommit, r.LoneAccept = milliseconds(quantile(singles, .5)), milliseconds(quantile(accepts, .5))
	r.LoneRatio = r.LoneAccept / r.SingleCommit
	return nil
}

func (r intakeResult) print() {
	fmt.Printf("%-30s %8s %12s %8s\n", "intake", "callers", "events/s", "ratio")
	for _, row := range r.Rows {
		fmt.Printf("%-30s %8d %12.0f %7.2f×\n", row.Name, row.Callers, row.PerSecond, row.Ratio)
	}
	fmt.Printf("\nat half of grouped 64 (%.0f/s): p50 %.1f ms, p99 %.1f ms            (goal: p99 ≤ 50 ms)\n", r.HalfLoad, r.HalfLoadP50, r.HalfLoadP99)
	fmt.Printf("a lone request: %.2f ms, a single commit: %.2f ms, ratio %.2f       (goal: ≤ 1.6)\n\n", r.LoneAccept, r.SingleCommit, r.LoneRatio)
}

// pools keeps the contenders apart, each with the connections that it would have.
type pools struct {
	single         *pg.DB
	alone, grouped *inbox.Inbox
	stop           []func()
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
	}{{&p.alone, 64, 64, 1}, {&p.grouped, 10, 0, 0}} {
		db, err := w.open(ctx, one.conns)
		if err != nil {
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
