package perform

import (
	"context"
	"errors"

	"sverka/internal/id"
	"sverka/internal/operation"
	"sverka/internal/pg"
)

// SettleLate settles attempts whose worker was lost and ends waiting beyond a deadline. The scan only
// finds them; each is moved in its own tenant, and a worker that was faster wins.
func (p *Performer) SettleLate(ctx context.Context, scan pg.ScanTx) error {
	return errors.Join(
		p.moveLate(ctx, scan, operation.LeaseOver, operation.Expire),
		p.moveLate(ctx, scan, operation.DeadlineOver, operation.GiveUp))
}

func (p *Performer) moveLate(ctx context.Context, scan pg.ScanTx,
	find func(context.Context, pg.Tx) ([]operation.Late, error),
	end func(context.Context, pg.Tx, id.Tenant, id.Operation) (operation.Step, error),
) error {
	var late []operation.Late
	if err := scan(ctx, func(tx pg.Tx) (err error) {
		late, err = find(ctx, tx)
		return err
	}); err != nil {
		return err
	}
	for _, one := range late {
		var step operation.Step
		err := p.db.InTenant(ctx, one.Tenant, func(tx pg.Tx) (err error) {
			step, err = end(ctx, tx, one.Tenant, one.Operation)
			return err
		})
		if errors.Is(err, operation.ErrStale) {
			continue
		}
		if err != nil {
			return err
		}
		p.log.Warn("late operation settled", "tenant", one.Tenant, "connection", one.Connection,
			"operation", one.Operation, "state", step.To(), "reason", step.Reason())
	}
	return nil
}
