package connection

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"sverka/internal/id"
)

// Slot is the right to begin one request now. The transaction that took it holds the connection's
// rate row, so claims of one connection come one after the other; rolled back, the slot is not spent.
type Slot struct {
	Concurrency int
	Version     int // of the connection: settings read earlier are stale if it differs
}

// NotNow says why there is no slot.
type NotNow struct {
	State State
	Wait  time.Duration // until the rate allows one; 0 when the state is why
}

// Error is for logs.
func (n NotNow) Error() string {
	return "connection: no slot: " + string(n.State) + " " + n.Wait.String()
}

// GCRA: a request may begin once tat − tolerance has come; it moves tat by one emission interval.
const takeSlot = `
	UPDATE connection_rate r SET tat = greatest(r.tat, clock_timestamp()) + r.emission
	FROM connections c
	WHERE r.tenant_id = @tenant AND r.connection_id = @id AND c.tenant_id = r.tenant_id AND c.id = r.connection_id
		AND c.state = 'active' AND r.tat - r.tolerance <= clock_timestamp()
	RETURNING c.concurrency, c.version`

const whyNot = `
	SELECT c.state, greatest(r.tat, clock_timestamp()) - r.tolerance - clock_timestamp()
	FROM connection_rate r JOIN connections c ON c.tenant_id = r.tenant_id AND c.id = r.connection_id
	WHERE r.tenant_id = @tenant AND r.connection_id = @id`

// TakeSlot is the first statement of a claim: it locks the connection's rate row and takes a slot.
// Without one the error is a NotNow.
func TakeSlot(ctx context.Context, tx pgx.Tx, tenant id.Tenant, connection id.Connection) (Slot, error) {
	args := pgx.StrictNamedArgs{"tenant": tenant, "id": connection}
	var slot Slot
	err := tx.QueryRow(ctx, takeSlot, args).Scan(&slot.Concurrency, &slot.Version)
	if err == nil {
		return slot, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return Slot{}, err
	}
	var why NotNow
	if err := tx.QueryRow(ctx, whyNot, args).Scan(&why.State, &why.Wait); err != nil {
		return Slot{}, err
	}
	why.Wait = max(why.Wait, 0)
	return Slot{}, why
}

const pushBack = `
	UPDATE connection_rate SET tat = greatest(tat, clock_timestamp() + @wait + tolerance)
	WHERE tenant_id = @tenant AND connection_id = @id`

// PushBack lets no request begin for a while: the CRM asked for it.
func PushBack(ctx context.Context, tx pgx.Tx, tenant id.Tenant, connection id.Connection, wait time.Duration) error {
	_, err := tx.Exec(ctx, pushBack, pgx.StrictNamedArgs{"wait": wait, "tenant": tenant, "id": connection})
	return err
}
