package botapi

import (
	"strconv"
	"strings"
	"time"
)

// backoff is the retry arithmetic of one update (WebhookActor::on_update_error): the first failure
// is repeated at once, then the delay doubles until the random ceiling is the smaller of the two. A
// Retry-After replaces one delay and does not grow the next.
type backoff struct {
	delay time.Duration // 0 = nothing failed yet
	fails int
}

// failed gives the wait before the next attempt. retryAfter 0 = the receiver had no wish.
func (b *backoff) failed(retryAfter time.Duration, o Options, d *dice) time.Duration {
	if b.fails == 0 {
		b.delay = o.Second
	}
	wait := retryAfter
	if retryAfter == 0 && b.fails > 0 {
		ceiling := time.Duration(d.between(int64(o.RetryMin), int64(max(o.RetryMin, o.RetryMax))))
		b.delay = min(ceiling, 2*b.delay)
		wait = b.delay
	}
	b.fails++
	return wait
}

// maxRetryAfter is in seconds (WebhookActor.cpp, MAX_RETRY_AFTER).
const maxRetryAfter = 3600

// retryAfter reads the header: integer seconds, clamped; the date form counts as absent.
func retryAfter(header string, second time.Duration) time.Duration {
	n, err := strconv.Atoi(strings.TrimSpace(header))
	if err != nil {
		return 0
	}
	return time.Duration(min(max(n, 0), maxRetryAfter)) * second
}
