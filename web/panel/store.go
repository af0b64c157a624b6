package panel

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"sverka/internal/id"
	"sverka/internal/operation"
)

// standing is how many operations stand on the tenant's list for a person, and the database's clock,
// which ages are counted from.
func (p *Panel) standing(ctx context.Context, t id.Tenant) (waiting int, now time.Time, err error) {
	err = p.db.InTenant(ctx, t, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, `SELECT now()`).Scan(&now); err != nil {
			return err
		}
		counts, err := operation.CountForAPerson(ctx, tx, t)
		for _, n := range counts {
			waiting += n
		}
		return err
	})
	return waiting, now, err
}
