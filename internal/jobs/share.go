package jobs

import (
	"context"
	"sync"
	"time"

	"github.com/riverqueue/river"

	"sverka/internal/id"
	"sverka/internal/pg"
)

// share lets no tenant hold more than a quarter of a process's slots while others wait.
type share struct {
	db   *pg.DB
	most int

	mu   sync.Mutex
	held map[id.Tenant]int
}

func newShare(db *pg.DB, slots int) *share {
	return &share{db: db, most: max(1, slots/4), held: map[id.Tenant]int{}}
}

// waitForTurn is how long a job of a tenant over its share stands back.
const waitForTurn = 250 * time.Millisecond

// within drains the owner, or stands back before the bell is touched.
func (s *share) within(ctx context.Context, rope *bellRope, o id.Owner, d drainer) error {
	over := s.take(o.Tenant)
	defer s.give(o.Tenant)
	if over && s.othersWait(ctx, o.Tenant) {
		return river.JobSnooze(waitForTurn)
	}
	return rope.drain(ctx, o, d)
}

func (s *share) take(t id.Tenant) (over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held[t]++
	return s.held[t] > s.most
}

func (s *share) give(t id.Tenant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[t]--; s.held[t] == 0 {
		delete(s.held, t)
	}
}

const othersWait = `
	SELECT EXISTS (SELECT FROM river_job
		WHERE state = 'available' AND queue = 'default' AND args->>'tenant' IS DISTINCT FROM $1)`

// othersWait asks the queue; if it cannot answer, nobody is slowed.
func (s *share) othersWait(ctx context.Context, t id.Tenant) (waiting bool) {
	err := s.db.Pool().QueryRow(ctx, othersWait, t.String()).Scan(&waiting)
	return err == nil && waiting
}
