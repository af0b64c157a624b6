package owncrm

import (
	"math/rand/v2"
	"sync"
	"time"
)

// Options are the knobs. A zero field means the default.
type Options struct {
	KeyWindow time.Duration // how long an idempotency key is remembered; 24 h
	Slow      time.Duration // how late the answer of the fault slow is; 30 s
	Seed      uint64        // of the random behind rates; 0 = a different one each time
	Now       func() time.Time
}

func (o Options) withDefaults() Options {
	if o.KeyWindow <= 0 {
		o.KeyWindow = 24 * time.Hour
	}
	if o.Slow <= 0 {
		o.Slow = 30 * time.Second
	}
	if o.Seed == 0 {
		o.Seed = rand.Uint64()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// dice is a seeded random that goroutines may share.
type dice struct {
	mu     sync.Mutex
	source *rand.Rand
}

func newDice(seed uint64) *dice { return &dice{source: rand.New(rand.NewPCG(seed, seed))} }

func (d *dice) hits(rate float64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.source.Float64() < rate
}
