package inquiry

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"sverka/internal/id"
)

const latestOpen = `
	SELECT id FROM inquiries
	WHERE tenant_id = @tenant AND route_id = @route AND contact_id = @contact AND state = 'open'
	ORDER BY last_at DESC, id DESC LIMIT 1 FOR NO KEY UPDATE`

const open = `
	INSERT INTO inquiries (tenant_id, id, route_id, contact_id) VALUES (@tenant, @id, @route, @contact)`

const touch = `UPDATE inquiries SET last_at = now() WHERE tenant_id = @tenant AND id = @id`

// Continue gives the contact's open inquiry on the route, locked, or opens one. The caller holds the
// contact's lock, so two messages of one person never open two.
func Continue(ctx context.Context, tx pgx.Tx, tenant id.Tenant, route id.Route, contact id.Contact) (inquiry id.Inquiry, fresh bool, err error) {
	args := pgx.StrictNamedArgs{"tenant": tenant, "route": route, "contact": contact}
	err = tx.QueryRow(ctx, latestOpen, args).Scan(&inquiry)
	if err == nil {
		_, err = tx.Exec(ctx, touch, pgx.StrictNamedArgs{"tenant": tenant, "id": inquiry})
		return inquiry, false, err
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return id.Inquiry{}, false, err
	}
	inquiry = id.NewInquiry()
	args["id"] = inquiry
	_, err = tx.Exec(ctx, open, args)
	return inquiry, true, err
}
