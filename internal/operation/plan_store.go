package operation

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"sverka/internal/crm"
	"sverka/internal/id"
	"sverka/internal/pg"
	"sverka/internal/secret"
)

// The row lock of the lane makes commit order the lane order.
const nextInLane = `
	INSERT INTO lanes (tenant_id, connection_id, key) VALUES (@tenant, @connection, @lane)
	ON CONFLICT (tenant_id, connection_id, key) DO UPDATE SET last_seq = lanes.last_seq + 1 RETURNING last_seq`

const insertOperation = `
	WITH planned AS (
		INSERT INTO operations (tenant_id, id, event_id, route_id, route_version, connection_id, contact_id, inquiry_id,
			kind, dedupe_key, capability, key_window, serial_only, external_key, state, reason, lane_key, lane_seq, depends_on,
			next_attempt_at, deadline_at)
		VALUES (@tenant, @id, @event, @route, @route_version, @connection, @contact, @inquiry,
			@kind, @effect, @capability, @window, @serial, @key, @state, nullif(@reason, ''), @lane, @seq, @depends_on,
			CASE WHEN @state = 'pending' THEN now() END, now() + @life_time)
		ON CONFLICT (tenant_id, connection_id, dedupe_key, plan) DO NOTHING
		RETURNING tenant_id, id
	)
	INSERT INTO operation_payloads (tenant_id, operation_id, sealed) SELECT tenant_id, id, @sealed FROM planned`

const findEffect = `
	SELECT id FROM operations
	WHERE tenant_id = @tenant AND connection_id = @connection AND dedupe_key = @effect ORDER BY plan DESC LIMIT 1`

// Find gives the operation that already stands for an effect at a connection; ErrNotFound when none.
func Find(ctx context.Context, tx pgx.Tx, tenant id.Tenant, connection id.Connection, e Effect) (found id.Operation, err error) {
	err = tx.QueryRow(ctx, findEffect, pgx.StrictNamedArgs{"tenant": tenant, "connection": connection, "effect": e[:]}).Scan(&found)
	return found, pg.Translate(err, ErrNotFound)
}

// Add stores a planned operation; false when one already stands for the effect, which is no error: the
// effect is planned once.
func Add(ctx context.Context, tx pgx.Tx, tenant id.Tenant, key *secret.DataKey, p Plan) (id.Operation, bool, error) {
	found, err := Find(ctx, tx, tenant, p.Connection, p.Effect)
	if !errors.Is(err, ErrNotFound) {
		return found, false, err
	}
	var seq int64
	lane := pgx.StrictNamedArgs{"tenant": tenant, "connection": p.Connection, "lane": p.Inquiry}
	if err := tx.QueryRow(ctx, nextInLane, lane).Scan(&seq); err != nil {
		return id.Operation{}, false, err
	}
	state, reason, err := startOf(ctx, tx, tenant, p.DependsOn)
	if err != nil {
		return id.Operation{}, false, err
	}
	payload, err := p.payload()
	if err != nil {
		return id.Operation{}, false, err
	}
	o := id.NewOperation()
	tag, err := tx.Exec(ctx, insertOperation, pgx.StrictNamedArgs{
		"tenant": tenant, "id": o, "event": p.Event, "route": p.Route, "route_version": p.RouteVersion,
		"connection": p.Connection, "contact": p.Contact, "inquiry": p.Inquiry, "kind": p.Kind, "effect": p.Effect[:],
		"capability": p.Capability, "window": p.KeyWindow, "serial": p.SerialOnly, "key": keyFor(p.Capability),
		"state": state, "reason": reason, "lane": p.Inquiry, "seq": seq, "depends_on": p.DependsOn, "life_time": LifeTime,
		"sealed": key.Seal(payloadPlace(o), payload),
	})
	if err != nil {
		return id.Operation{}, false, err
	}
	return o, tag.RowsAffected() == 1, nil
}

// The lock makes a predecessor that is just being settled, and this plan, see each other.
const stateOfPredecessor = `SELECT state FROM operations WHERE tenant_id = $1 AND id = $2 FOR SHARE`

// startOf is where a new operation begins: one that follows what did not come to be waits for a person.
func startOf(ctx context.Context, tx pgx.Tx, tenant id.Tenant, predecessor id.Operation) (State, string, error) {
	if predecessor.IsZero() {
		return StatePending, "", nil
	}
	var state State
	if err := tx.QueryRow(ctx, stateOfPredecessor, tenant, predecessor).Scan(&state); err != nil {
		return "", "", pg.Translate(err, ErrNotFound)
	}
	if state == StateFailed || state == StateCancelled {
		return StateHeld, ReasonPredecessor, nil
	}
	return StatePending, "", nil
}

func keyFor(c crm.Capability) *string {
	if c != crm.IdempotentCreate {
		return nil
	}
	key := newKey()
	return &key
}
