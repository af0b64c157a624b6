package account

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sverka/internal/id"
)

const addUser = `
	WITH person AS (
		INSERT INTO users (id, email, name, password_hash) VALUES (@id, @email, @name, @hash) RETURNING id
	), routing AS (
		INSERT INTO user_tenants (user_id, tenant_id) SELECT id, @tenant FROM person
	)
	INSERT INTO memberships (tenant_id, user_id, role) SELECT @tenant, id, @role FROM person`

// Join stores a new user as a member of the tenant of the transaction.
func Join(ctx context.Context, tx pgx.Tx, tenant id.Tenant, u User, role Role) error {
	_, err := tx.Exec(ctx, addUser, pgx.StrictNamedArgs{"id": u.ID, "email": u.Email, "name": u.Name,
		"hash": u.PasswordHash, "tenant": tenant, "role": role})
	return err
}
