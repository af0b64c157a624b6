// Package perform carries out operations: claim, one conversation with the CRM, settle.
//
//	tx 3: slot, claim = intent, COMMIT ──▶ adapter: one HTTP conversation ──▶ Outcome ──▶ tx 4: settle
//
// Nothing is sent before the claim is committed, and nothing is held open while it is sent. It owns no
// table.
package perform

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"sverka/internal/connection"
	"sverka/internal/crm"
	"sverka/internal/id"
	"sverka/internal/operation"
	"sverka/internal/pg"
	"sverka/internal/secret"
	"sverka/internal/tenant"
)

// Performer carries out the operations of connections.
type Performer struct {
	db       *pg.DB
	keys     keys
	adapters map[string]crm.Adapter
	wire     func(baseURL string) (crm.Wire, error)
	name     string // of this process, kept with each lease
	log      *slog.Logger
	settled  func(kind crm.Kind, step operation.Step) // for metrics
}

type keys interface {
	Of(context.Context, id.Tenant) (*secret.DataKey, error)
}

// New builds the use case. wire makes the guarded transport to a CRM's base URL.
func New(db *pg.DB, keys keys, adapters []crm.Adapter, wire func(string) (crm.Wire, error), name string, log *slog.Logger,
	settled func(crm.Kind, operation.Step)) *Performer {
	byName := make(map[string]crm.Adapter, len(adapters))
	for _, a := range adapters {
		byName[a.Name] = a
	}
	return &Performer{db: db, keys: keys, adapters: byName, wire: wire, name: name, log: log, settled: settled}
}

// Left reports whether the connection has an operation that could be sent now.
func (p *Performer) Left(ctx context.Context, tx pg.Tx, t id.Tenant, owner uuid.UUID) (bool, error) {
	of, err := tenant.Load(ctx, tx, t)
	if err != nil || of.State != tenant.Active {
		return false, err
	}
	c, err := connection.Load(ctx, tx, t, id.Connection{UUID: owner})
	if err != nil || c.State != connection.Active {
		return false, err
	}
	return operation.IsDue(ctx, tx, t, c.ID)
}

// Drain sends what is due on a connection, as many at once as the connection bears. finish waits for
// the conversations that are still under way.
func (p *Performer) Drain(ctx context.Context, t id.Tenant, owner uuid.UUID, more func() bool) (func(), error) {
	line, err := p.open(ctx, t, id.Connection{UUID: owner})
	if err != nil || line == nil {
		return nil, err
	}
	var (
		all   sync.WaitGroup
		ended = make(chan error, line.connection.Concurrency)
	)
	for range line.connection.Concurrency {
		all.Go(func() { ended <- p.serve(ctx, line, more) })
	}
	return all.Wait, firstPause(ended, line.connection.Concurrency)
}

// drainPause is a little longer than a drain may begin new conversations.
const drainPause = 6 * time.Second

// firstPause returns once nobody may begin anything more: the servers still talking are waited for
// later. It gives the database errors of those that have ended.
func firstPause(ended <-chan error, servers int) error {
	var faults error
	pause := time.After(drainPause)
	for range servers {
		select {
		case err := <-ended:
			faults = errors.Join(faults, err)
		case <-pause:
			return faults
		}
	}
	return faults
}

// serve sends one operation after the other.
func (p *Performer) serve(ctx context.Context, line *line, more func() bool) error {
	for more() {
		err := p.one(ctx, line)
		var wait connection.NotNow
		switch {
		case err == nil:
		case errors.Is(err, operation.ErrNothingDue):
			return nil
		case errors.Is(err, errChanged):
			if line, err = p.open(ctx, line.tenant, line.connection.ID); err != nil || line == nil {
				return err
			}
		case errors.As(err, &wait):
			if wait.State != connection.Active || !sleep(ctx, wait.Wait) {
				return nil
			}
		default:
			return err
		}
	}
	return nil
}

// longestPause is how long a drain waits for the rate to allow one more; beyond it others have their turn.
const longestPause = time.Second

func sleep(ctx context.Context, d time.Duration) bool {
	if d > longestPause {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// errChanged: the connection was changed since its settings were read.
var errChanged = errors.New("perform: the connection changed")

// one claims, sends and settles one operation. Its errors are our database's, or say that there is
// nothing to send.
func (p *Performer) one(ctx context.Context, line *line) error {
	began := time.Now() // before the claim: what is trusted afterwards is counted from here
	f, err := p.claim(ctx, line)
	if errors.Is(err, pg.ErrCommitUnknown) && !f.ID.IsZero() {
		return p.settle(line, f, operation.Observation{Outcome: crm.NotExecuted{Cause: string(crm.NotCalled)}})
	}
	if err != nil {
		return err
	}
	talk, cancel := context.WithDeadline(context.WithoutCancel(ctx), began.Add(operation.Deadline))
	defer cancel()
	return p.settle(line, f, line.send(talk, f))
}

func (p *Performer) claim(ctx context.Context, line *line) (f operation.InFlight, err error) {
	err = p.db.InTenant(ctx, line.tenant, func(tx pg.Tx) error {
		slot, err := connection.TakeSlot(ctx, tx, line.tenant, line.connection.ID)
		if err != nil {
			return err
		}
		if slot.Version != line.connection.Version {
			return errChanged
		}
		f, err = operation.Claim(ctx, tx, line.tenant, line.connection.ID, slot.Concurrency, p.name)
		return err
	})
	return f, err
}

// settle records the outcome, again and again while our database is away: the answer is in hand, and
// after the lease the operation would become a question to a person.
func (p *Performer) settle(line *line, f operation.InFlight, seen operation.Observation) error {
	ctx, cancel := context.WithTimeout(context.Background(), f.LeaseFor)
	defer cancel()
	for {
		step, err := p.settleOnce(ctx, line, f, seen)
		switch {
		case err == nil:
			p.note(line, f, seen, step)
			return nil
		case errors.Is(err, operation.ErrStale):
			p.log.Warn("answer came after the operation had moved", "tenant", line.tenant, "operation", f.ID, "attempt", f.AttemptNo)
			return nil
		case !pg.IsAway(err):
			return fmt.Errorf("settle operation %s: %w", f.ID, err)
		}
		if !sleep(ctx, 200*time.Millisecond) {
			return fmt.Errorf("settle operation %s: %w", f.ID, err)
		}
	}
}

func (p *Performer) settleOnce(ctx context.Context, line *line, f operation.InFlight, seen operation.Observation) (step operation.Step, err error) {
	err = p.db.InTenant(ctx, line.tenant, func(tx pg.Tx) error {
		if out, ok := seen.Outcome.(crm.NotExecuted); ok && out.RetryIn > 0 {
			if err := connection.PushBack(ctx, tx, line.tenant, line.connection.ID, out.RetryIn); err != nil {
				return err
			}
		}
		step, err = operation.Settle(ctx, tx, f, seen)
		if err != nil {
			return err
		}
		if out, ok := seen.Outcome.(crm.NotExecuted); ok && out.Hold {
			return connection.NeedAttention(ctx, tx, line.tenant, line.connection.ID, out.Cause)
		}
		return nil
	})
	return step, err
}

func (p *Performer) note(line *line, f operation.InFlight, seen operation.Observation, step operation.Step) {
	p.settled(f.Kind, step)
	p.log.Info("operation attempted", "tenant", line.tenant, "connection", line.connection.ID, "operation", f.ID,
		"attempt", f.AttemptNo, "outcome", fmt.Sprintf("%T", seen.Outcome), "state", step.To(), "reason", step.Reason())
}
