// Package account is people who sign in, and their roles in tenants.
//
// It alone writes tables users, user_tenants and memberships.
package account

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sverka/internal/id"
)

// Role is what a member may do in a tenant.
type Role string

// The roles, weakest first.
const (
	Viewer  Role = "viewer"
	Support Role = "support"
	Admin   Role = "admin"
	Owner   Role = "owner"
)

// User is a person who signs in.
type User struct {
	ID           id.User
	Email        string // lower case
	Name         string
	PasswordHash string // argon2id, PHC format
}

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
