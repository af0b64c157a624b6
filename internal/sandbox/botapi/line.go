package botapi

import (
	"slices"
	"time"
)

// line is the updates that wait, as Telegram holds them: queues that are served one update at a time,
// of which only a window is loaded. A window full of failing queues stalls the whole bot, as it does
// there.
type line struct {
	queues map[string]*queue
	order  []*queue // by arrival of their first update; the loaded ones come first
	length int
}

// queue is one chat's (or user's) updates, oldest first.
type queue struct {
	name    string
	updates []*update
	busy    bool      // its head is being sent
	wake    time.Time // not before this
}

func newLine() line { return line{queues: map[string]*queue{}} }

func (l *line) add(u *update) {
	q := l.queues[u.Queue]
	if q == nil {
		q = &queue{name: u.Queue}
		l.queues[u.Queue] = q
		l.order = append(l.order, q)
	}
	q.updates = append(q.updates, u)
	l.length++
}

// remove takes out an update; it is the head of its queue, but for a journal written by hand.
func (l *line) remove(u *update) {
	q := l.queues[u.Queue]
	if q == nil {
		return
	}
	at := slices.Index(q.updates, u)
	if at < 0 {
		return
	}
	q.updates = slices.Delete(q.updates, at, at+1)
	l.length--
	if len(q.updates) > 0 {
		return
	}
	delete(l.queues, q.name)
	l.order = slices.DeleteFunc(l.order, func(other *queue) bool { return other == q })
}

// next finds a queue whose head may be sent now, looking at the first window queues only; else it says
// when to look again (zero: when something changes).
func (l *line) next(now time.Time, window int) (*queue, time.Time) {
	var wake time.Time
	for _, q := range l.order[:min(window, len(l.order))] {
		switch {
		case q.busy:
		case !q.wake.After(now):
			return q, time.Time{}
		case wake.IsZero() || q.wake.Before(wake):
			wake = q.wake
		}
	}
	return nil, wake
}

// served moves a queue behind the others of the window, so that a long one does not hold its
// connection for ever.
func (l *line) served(q *queue, window int) {
	at := slices.Index(l.order, q)
	end := min(window, len(l.order)) - 1
	if at < 0 || at >= end {
		return
	}
	copy(l.order[at:end], l.order[at+1:end+1])
	l.order[end] = q
}

// forgetDelays is what a new webhook does: everything is due at once, as if never tried.
func (l *line) forgetDelays() {
	for _, q := range l.order {
		q.wake = time.Time{}
		for _, u := range q.updates {
			u.backoff = backoff{}
		}
	}
}

func (l *line) all() []*update {
	var all []*update
	for _, q := range l.order {
		all = append(all, q.updates...)
	}
	return all
}
