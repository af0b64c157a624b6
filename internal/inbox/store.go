package inbox

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const insertEvents = `
	WITH incoming AS (
		SELECT *, (now() AT TIME ZONE 'UTC')::date AS day
		FROM unnest(@tenants::uuid[], @ids::uuid[], @sources::text[], @origins::text[], @external_ids::text[],
			@owners::uuid[], @positions::bigint[], @hashes::bytea[], @states::text[], @reasons::text[], @sealed::bytea[])
			AS r (tenant_id, id, source, origin, external_id, owner_id, position, body_sha256, state, reason, sealed)
	), stored AS (
		INSERT INTO inbox_events (tenant_id, id, source, origin, external_id, owner_id, position, body_sha256, day, state, reason)
		SELECT tenant_id, id, source, origin, external_id, owner_id, position, body_sha256, day, state, reason FROM incoming
		ON CONFLICT (tenant_id, source, origin, external_id, generation) WHERE state <> 'variant' DO NOTHING
		RETURNING tenant_id, id
	), bodies AS (
		INSERT INTO inbox_payloads (tenant_id, event_id, day, sealed)
		SELECT tenant_id, id, day, sealed FROM incoming JOIN stored USING (tenant_id, id)
	)
	SELECT id FROM stored`

// insertRows stores every row of a group that is new, and finds out what the others are.
func insertRows(ctx context.Context, tx pgx.Tx, group []*row) error {
	rows, _ := tx.Query(ctx, insertEvents, columns(group))
	stored, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return err
	}
	if len(stored) == len(group) {
		return nil
	}
	isStored := make(map[uuid.UUID]bool, len(stored))
	for _, one := range stored {
		isStored[one] = true
	}
	for _, r := range group {
		if !isStored[r.id.UUID] {
			if err := known(ctx, tx, r); err != nil {
				return err
			}
		}
	}
	return nil
}

func columns(group []*row) pgx.StrictNamedArgs {
	n := len(group)
	// Bytes, which pgx sends as they are; it would turn each of a []uuid.UUID into text and back.
	tenants, ids, owners := make([][16]byte, n), make([][16]byte, n), make([][16]byte, n)
	sources, origins, externals := make([]string, n), make([]string, n), make([]string, n)
	positions, hashes, sealed := make([]int64, n), make([][]byte, n), make([][]byte, n)
	states, reasons := make([]string, n), make([]*string, n)
	for k, r := range group {
		tenants[k], ids[k], owners[k] = r.Tenant.UUID, r.id.UUID, r.Owner
		sources[k], origins[k], externals[k] = string(r.Source), r.Origin, r.ExternalID
		positions[k], hashes[k], sealed[k] = r.Position, r.hash, r.sealed
		states[k], reasons[k] = string(r.state), r.reason
	}
	return pgx.StrictNamedArgs{
		"tenants": tenants, "ids": ids, "owners": owners, "sources": sources, "origins": origins,
		"external_ids": externals, "positions": positions, "hashes": hashes, "sealed": sealed,
		"states": states, "reasons": reasons,
	}
}

const countDelivery = `
	UPDATE inbox_events SET deliveries = deliveries + 1, last_delivery_at = now()
	WHERE tenant_id = @tenant AND source = @source AND origin = @origin AND external_id = @external_id
		AND body_sha256 = @hash`

// An event key that is 7 days old may be a different event: Telegram makes its ids anew after a silent week.
const newestGeneration = `
	SELECT generation, received_at < now() - interval '7 days' FROM inbox_events
	WHERE tenant_id = @tenant AND source = @source AND origin = @origin AND external_id = @external_id
		AND state <> 'variant'
	ORDER BY generation DESC LIMIT 1`

const insertEvent = `
	WITH stored AS (
		INSERT INTO inbox_events (tenant_id, id, source, origin, external_id, generation, owner_id, position,
			body_sha256, day, state, reason)
		VALUES (@tenant, @id, @source, @origin, @external_id, @generation, @owner, @position,
			@hash, (now() AT TIME ZONE 'UTC')::date, @state, @reason)
		ON CONFLICT DO NOTHING RETURNING tenant_id, id, state
	), body AS (
		INSERT INTO inbox_payloads (tenant_id, event_id, day, sealed)
		SELECT tenant_id, id, (now() AT TIME ZONE 'UTC')::date, @sealed FROM stored
	)
	SELECT count(*) FROM stored`

// known decides about a row whose key is there already: the same body again, another body under the
// key (a variant), or an old key in a new life (the next generation).
func known(ctx context.Context, tx pgx.Tx, r *row) error {
	args := pgx.StrictNamedArgs{"tenant": r.Tenant, "source": r.Source, "origin": r.Origin, "external_id": r.ExternalID}
	again := withArgs(args, pgx.StrictNamedArgs{"hash": r.hash})
	for { // until one of the three holds; another transaction may be deciding the same key
		tag, err := tx.Exec(ctx, countDelivery, again)
		if err != nil {
			return err
		}
		if tag.RowsAffected() > 0 {
			r.verdict = Duplicate
			return nil
		}
		var (
			generation int
			old        bool
			stored     int
		)
		if err := tx.QueryRow(ctx, newestGeneration, args).Scan(&generation, &old); err != nil {
			return err
		}
		state, verdict := Variant, Other
		if old {
			generation, state, verdict = generation+1, Pending, Fresh
		}
		insert := withArgs(again, pgx.StrictNamedArgs{"id": r.id, "generation": generation, "owner": r.Owner,
			"position": r.Position, "state": state, "reason": nil, "sealed": r.sealed})
		if err := tx.QueryRow(ctx, insertEvent, insert).Scan(&stored); err != nil {
			return err
		}
		if stored == 1 {
			r.verdict = verdict
			return nil
		}
	}
}

func withArgs(base, more pgx.StrictNamedArgs) pgx.StrictNamedArgs {
	all := make(pgx.StrictNamedArgs, len(base)+len(more))
	for k, v := range base {
		all[k] = v
	}
	for k, v := range more {
		all[k] = v
	}
	return all
}
