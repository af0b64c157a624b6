package main

import (
	"context"
	"crypto/sha256"

	"github.com/jackc/pgx/v5"

	"sverka/internal/id"
	"sverka/internal/pg"
	"sverka/internal/secret"
)

const insertOne = `
	WITH stored AS (
		INSERT INTO inbox_events (tenant_id, id, source, origin, external_id, owner_id, position, body_sha256, day, state)
		VALUES (@tenant, @id, @source, @origin, @external_id, @owner, @position, @hash, (now() AT TIME ZONE 'UTC')::date, 'pending')
		ON CONFLICT (tenant_id, source, origin, external_id, generation) WHERE state <> 'variant' DO NOTHING
		RETURNING tenant_id, id, (now() AT TIME ZONE 'UTC')::date AS day
	)
	INSERT INTO inbox_payloads (tenant_id, event_id, day, sealed) SELECT tenant_id, id, day, @sealed FROM stored`

// single is the baseline: the same rows, bell and job, in a transaction and a commit of their own.
func (w *world) single(ctx context.Context, db *pg.DB) error {
	d := w.delivery()
	key, err := w.keys.Of(ctx, d.Tenant)
	if err != nil {
		return err
	}
	event := id.NewEvent()
	hash := sha256.Sum256(d.Body)
	sealed := key.Seal(secret.Place{Table: "inbox_payloads", Column: "sealed", Row: event.String()}, d.Body)
	return db.AsIntake(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, insertOne, pgx.StrictNamedArgs{"tenant": d.Tenant, "id": event, "source": d.Source, "origin": d.Origin,
			"external_id": d.ExternalID, "owner": d.Owner, "position": d.Position, "hash": hash[:], "sealed": sealed})
		if err != nil {
			return err
		}
		return w.bells.Ring(ctx, tx, id.Owner{Tenant: d.Tenant, Work: id.Interpret, ID: d.Owner})
	})
}
