// Package account is people who sign in, and their roles in tenants.
//
// It alone writes tables users, user_tenants and memberships.
package account

import "sverka/internal/id"

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
