// Package bot is a tenant's Telegram bots.
//
//	active ◀──▶ paused      what arrives for a paused bot is stored and waits
//	   └──▶ deleted
//
// It alone writes tables bots and bot_claims.
package bot

import (
	"errors"

	"sverka/internal/id"
	"sverka/internal/secret"
)

// State of a bot.
type State string

// The states.
const (
	Active  State = "active"
	Paused  State = "paused"
	Deleted State = "deleted"
)

var (
	// ErrNotFound: the tenant has no such bot.
	ErrNotFound = errors.New("bot: not found")
	// ErrClaimed: the bot user id belongs to a tenant already, perhaps another one.
	ErrClaimed = errors.New("bot: connected already")
)

// Bot is one Telegram bot of a tenant.
type Bot struct {
	ID       id.Bot
	UserID   int64 // Telegram's: part of the event key, survives a change of token
	Username string
	Name     string
	Hook     string
	State    State
}

// Secrets of a bot.
type Secrets struct {
	Token  secret.Text // from BotFather
	Secret secret.Text // that Telegram shows at our hook
}

func place(b id.Bot, column string) secret.Place {
	return secret.Place{Table: "bots", Column: column, Row: b.String()}
}
