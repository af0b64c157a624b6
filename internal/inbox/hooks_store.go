package inbox

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"sverka/internal/pg"
)

const selectHooks = `
	SELECT hook, tenant_id, kind, owner_id, origin, secret_sha256, previous_sha256, previous_until,
		state = 'deleted', changed_at
	FROM hooks `

func (h *Hooks) load(ctx context.Context, path string) (hook Hook, err error) {
	err = h.db.AsIntake(ctx, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, selectHooks+`WHERE hook = $1`, path)
		hook, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Hook])
		return pg.Translate(err, ErrNoHook)
	})
	return hook, err
}

func (h *Hooks) changedSince(ctx context.Context, since time.Time) (hooks []Hook, err error) {
	err = h.db.AsIntake(ctx, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, selectHooks+`WHERE changed_at >= $1 ORDER BY changed_at`, since)
		hooks, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Hook])
		return err
	})
	return hooks, err
}

const insertHook = `
	INSERT INTO hooks (hook, tenant_id, kind, owner_id, origin, secret_sha256)
	VALUES (@hook, @tenant, @kind, @owner, @origin, @secret)`

// OpenHook makes an address where an owner's deliveries are taken, in the caller's transaction.
func OpenHook(ctx context.Context, tx pgx.Tx, h Hook) error {
	_, err := tx.Exec(ctx, insertHook, pgx.StrictNamedArgs{
		"hook": h.Hook, "tenant": h.Tenant, "kind": h.Kind, "owner": h.Owner, "origin": h.Origin, "secret": h.Secret,
	})
	return err
}

const changeSecret = `
	UPDATE hooks SET previous_sha256 = secret_sha256, previous_until = now() + @grace, secret_sha256 = @secret
	WHERE hook = @hook AND tenant_id = @tenant`

// ChangeSecret sets a new secret before Telegram is told of it; the old one lasts SecretGrace more.
func ChangeSecret(ctx context.Context, tx pgx.Tx, h Hook, secret string) error {
	tag, err := tx.Exec(ctx, changeSecret, pgx.StrictNamedArgs{
		"grace": SecretGrace, "secret": HashSecret(secret), "hook": h.Hook, "tenant": h.Tenant,
	})
	if err == nil && tag.RowsAffected() == 0 {
		return ErrNoHook
	}
	return err
}

// CloseHook answers 410 from now on: Telegram gives up on it after a day.
func CloseHook(ctx context.Context, tx pgx.Tx, h Hook) error {
	_, err := tx.Exec(ctx, `UPDATE hooks SET state = 'deleted' WHERE hook = $1 AND tenant_id = $2`, h.Hook, h.Tenant)
	return err
}
