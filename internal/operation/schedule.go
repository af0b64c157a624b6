package operation

import (
	"math/rand/v2"
	"time"
)

// schedule is how long to wait after the first, second, … attempt that may be repeated.
var schedule = []time.Duration{
	2 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 3 * time.Hour,
}

// Backoff is the wait after attempt no, ±20 % so that an outage does not end in a stampede.
func Backoff(no int) time.Duration {
	base := schedule[min(max(no, 1), len(schedule))-1]
	return base*8/10 + time.Duration(rand.Int64N(int64(base)*4/10+1))
}

// windowMargin keeps a repeat clear of the end of its key's window: a tenth of it, at least the
// deadline of a conversation and five minutes (facts: reliability §10).
func windowMargin(window time.Duration) time.Duration {
	return max(window/10, Deadline+5*time.Minute)
}

// deadlineFrom is how long a keyed operation may be repeated after its first send.
func deadlineFrom(window time.Duration) time.Duration { return max(window-windowMargin(window), 0) }
