package bot

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sverka/internal/id"
	"sverka/internal/pg"
	"sverka/internal/secret"
)

const claimBot = `INSERT INTO bot_claims (user_id, tenant_id) VALUES (@user, @tenant)`

const insertBot = `
	INSERT INTO bots (tenant_id, id, user_id, username, name, token_sealed, secret_sealed, hook)
	VALUES (@tenant, @id, @user, @username, @name, @token, @secret, @hook)`

// Create claims the bot's user id for the tenant and stores the bot; ErrClaimed if it is taken.
func Create(ctx context.Context, tx pgx.Tx, tenant id.Tenant, key *secret.DataKey, b Bot, s Secrets) error {
	_, err := tx.Exec(ctx, claimBot, pgx.StrictNamedArgs{"user": b.UserID, "tenant": tenant})
	if pg.Violates(err) == "bot_claims_pkey" {
		return ErrClaimed
	}
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, insertBot, pgx.StrictNamedArgs{
		"tenant": tenant, "id": b.ID, "user": b.UserID, "username": b.Username, "name": b.Name, "hook": b.Hook,
		"token":  key.Seal(place(b.ID, "token_sealed"), []byte(s.Token.Reveal())),
		"secret": key.Seal(place(b.ID, "secret_sealed"), []byte(s.Secret.Reveal())),
	})
	return err
}

const selectBots = `SELECT id, user_id, username, name, hook, state FROM bots WHERE tenant_id = @tenant `

// Load reads one bot.
func Load(ctx context.Context, tx pgx.Tx, tenant id.Tenant, bot id.Bot) (Bot, error) {
	rows, _ := tx.Query(ctx, selectBots+`AND id = @bot`, pgx.StrictNamedArgs{"tenant": tenant, "bot": bot})
	b, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Bot])
	return b, pg.Translate(err, ErrNotFound)
}

// All reads a tenant's bots, by name.
func All(ctx context.Context, tx pgx.Tx, tenant id.Tenant) ([]Bot, error) {
	rows, _ := tx.Query(ctx, selectBots+`AND state <> 'deleted' ORDER BY name, id`, pgx.StrictNamedArgs{"tenant": tenant})
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Bot])
}

const selectSecrets = `SELECT token_sealed, secret_sealed FROM bots WHERE tenant_id = @tenant AND id = @bot`

// LoadSecrets opens a bot's secrets.
func LoadSecrets(ctx context.Context, tx pgx.Tx, tenant id.Tenant, key *secret.DataKey, bot id.Bot) (Secrets, error) {
	var token, shown []byte
	err := tx.QueryRow(ctx, selectSecrets, pgx.StrictNamedArgs{"tenant": tenant, "bot": bot}).Scan(&token, &shown)
	if err != nil {
		return Secrets{}, pg.Translate(err, ErrNotFound)
	}
	plainToken, err := key.Open(place(bot, "token_sealed"), token)
	if err != nil {
		return Secrets{}, err
	}
	plainSecret, err := key.Open(place(bot, "secret_sealed"), shown)
	if err != nil {
		return Secrets{}, err
	}
	return Secrets{Token: secret.NewText(string(plainToken)), Secret: secret.NewText(string(plainSecret))}, nil
}
