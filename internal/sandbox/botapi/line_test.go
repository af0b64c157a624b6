package botapi

import (
	"testing"
	"time"
)

func queueNames(l *line) (names []string) {
	for _, q := range l.order {
		names = append(names, q.name)
	}
	return names
}

func TestAWindowOfFailingQueuesStallsTheBot(t *testing.T) {
	t.Parallel()
	l, now := newLine(), time.Now()
	for i, name := range []string{"a", "b", "c"} {
		l.add(&update{No: i, Queue: name})
	}
	l.queues["a"].wake = now.Add(2 * time.Second)
	l.queues["b"].wake = now.Add(time.Second)
	if q, wake := l.next(now, 2); q != nil || !wake.Equal(now.Add(time.Second)) {
		t.Errorf("next = %v, %v; want nothing until b is due", q, wake)
	}
	if q, _ := l.next(now, 3); q == nil || q.name != "c" {
		t.Errorf("with a wider window next = %v, want c", q)
	}
	l.remove(l.queues["a"].updates[0])
	if q, _ := l.next(now, 2); q == nil || q.name != "c" {
		t.Errorf("once a is gone next = %v, want c", q)
	}
}

func TestServedQueueGoesToTheEndOfTheWindow(t *testing.T) {
	t.Parallel()
	l := newLine()
	for i, name := range []string{"a", "b", "c", "d"} {
		l.add(&update{No: i, Queue: name})
	}
	l.served(l.queues["a"], 3)
	if got := queueNames(&l); got[0] != "b" || got[1] != "c" || got[2] != "a" || got[3] != "d" {
		t.Errorf("order %v, want b c a d", got)
	}
}
