package botapi

import (
	"math/rand/v2"
	"sync"
	"time"
)

// Options are the knobs. A zero field means Telegram's own value.
type Options struct {
	Second         time.Duration // unit of the first retries and of Retry-After; 1 s
	RetryMin       time.Duration // once doubling has passed it, delays are random from here …
	RetryMax       time.Duration // … to here; 60 s and 120 s
	AnswerDeadline time.Duration // for a whole answer; 60 s
	IdleTimeout    time.Duration // of a kept connection; 60 s
	HookEvery      time.Duration // one setWebhook per bot and this; 1 s
	GoneAfter      time.Duration // of nothing but 410 answers: the webhook is deleted; 23 h

	MessageLife time.Duration // and everything not named below; 24 h
	ClickLife   time.Duration // callback, shipping and pre-checkout queries; 150 s
	InlineLife  time.Duration // inline queries; 30 s
	ChosenLife  time.Duration // chosen inline results; 600 s

	LocalHosts []string         // hosts that, like loopback, may be reached over plain http
	Seed       uint64           // of the random; 0 = a different one each time
	Now        func() time.Time // time.Now
}

func (o Options) withDefaults() Options {
	defaults := []struct {
		knob  *time.Duration
		value time.Duration
	}{
		{&o.Second, time.Second},
		{&o.RetryMin, 60 * time.Second},
		{&o.RetryMax, 120 * time.Second},
		{&o.AnswerDeadline, 60 * time.Second},
		{&o.IdleTimeout, 60 * time.Second},
		{&o.HookEvery, time.Second},
		{&o.GoneAfter, 23 * time.Hour},
		{&o.MessageLife, 24 * time.Hour},
		{&o.ClickLife, 150 * time.Second},
		{&o.InlineLife, 30 * time.Second},
		{&o.ChosenLife, 600 * time.Second},
	}
	for _, d := range defaults {
		if *d.knob <= 0 {
			*d.knob = d.value
		}
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

func newDice(seed uint64) *dice {
	return &dice{source: rand.New(rand.NewPCG(seed, seed))}
}

// between is uniform in [low, high].
func (d *dice) between(low, high int64) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return low + d.source.Int64N(high-low+1)
}
