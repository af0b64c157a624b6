package inbox

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"sverka/internal/id"
	"sverka/internal/pg"
)

const (
	groupWriters = 2       // the prototype: two beat one and four; bench/ shows one and two alike, four behind
	groupRows    = 128     // a group's transaction stays short
	groupBytes   = 4 << 20 // and so does its statement
	queueLength  = 4096    // more than that many waiting requests are refused by their own deadline
	groupTime    = 1500 * time.Millisecond
)

// Run writes groups until the context ends, then answers what is still queued and returns.
func (i *Inbox) Run(ctx context.Context) {
	var writers sync.WaitGroup
	for range i.writers {
		writers.Go(func() { i.write(ctx) })
	}
	writers.Wait()
}

// write takes what is there and commits it: a lone row at once, concurrent rows together. The queue
// fills while a group is being committed, so groups grow with load and with nothing else.
func (i *Inbox) write(ctx context.Context) {
	for {
		select {
		case first := <-i.queue:
			i.store(i.gather(first))
		case <-ctx.Done():
			for { // the doors are closed already: only rows that wait for an answer are left
				select {
				case first := <-i.queue:
					i.store(i.gather(first))
				default:
					return
				}
			}
		}
	}
}

func (i *Inbox) gather(first *row) []*row {
	group, size := []*row{first}, len(first.sealed)
	for len(group) < i.rows && size < groupBytes {
		select {
		case next := <-i.queue:
			group, size = append(group, next), size+len(next.sealed)
		default:
			return group
		}
	}
	return group
}

// store commits a group. When it fails for any reason but the connection, a row in it is guilty: then
// each is tried alone, and only the guilty one's sender comes again.
func (i *Inbox) store(group []*row) {
	slices.SortFunc(group, compareKeys)
	err := i.commit(group)
	if err == nil || len(group) == 1 || pg.IsAway(err) {
		answer(group, err)
		return
	}
	for _, r := range group {
		one := []*row{r}
		answer(one, i.commit(one))
	}
}

func answer(group []*row, err error) {
	for _, r := range group {
		r.done <- err
	}
}

// commit is one transaction with its own deadline: a waiter that goes away never cancels its group.
func (i *Inbox) commit(group []*row) error {
	ctx, cancel := context.WithTimeout(context.Background(), groupTime)
	defer cancel()
	return i.db.AsIntake(ctx, func(tx pg.Tx) error {
		if err := insertRows(ctx, tx, group); err != nil {
			return err
		}
		return i.bells.Ring(ctx, tx, owners(group)...)
	})
}

// owners are those whose bell must ring: only a fresh pending event needs work.
func owners(group []*row) []id.Owner {
	var all []id.Owner
	for _, r := range group {
		if r.verdict == Fresh {
			all = append(all, id.Owner{Tenant: r.Tenant, Work: id.Interpret, ID: r.Owner})
		}
	}
	return all
}

// compareKeys orders rows by event key: two groups that share keys lock them in one order.
func compareKeys(a, b *row) int {
	return cmp.Or(
		bytes.Compare(a.Tenant.UUID[:], b.Tenant.UUID[:]), cmp.Compare(a.Source, b.Source),
		cmp.Compare(a.Origin, b.Origin), cmp.Compare(a.ExternalID, b.ExternalID))
}
