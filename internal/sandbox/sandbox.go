package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"sverka/internal/sandbox/botapi"
	"sverka/internal/sandbox/owncrm"
	"sverka/internal/sandbox/page"
)

type (
	// Bot is what BotFather knows of a bot.
	Bot = botapi.Bot
	// Account is an account at a CRM of our own.
	Account = owncrm.Account
	// Capability is what an account does with a repeat.
	Capability = owncrm.Capability
	// TelegramOptions are the knobs of the Bot API and its deliveries.
	TelegramOptions = botapi.Options
	// CRMOptions are the knobs of the CRMs.
	CRMOptions = owncrm.Options
)

// Options are the knobs; every zero field means the real world's value.
type Options struct {
	PanelURL string // Sverka's own address, linked from the page; "" = no link
	Telegram TelegramOptions
	CRM      CRMOptions
}

// Sandbox is the whole fake world of one folder. Only one process may use a folder at a time.
type Sandbox struct {
	bots     *botapi.Server
	accounts *owncrm.Server
	page     *page.Page
}

// New loads the sandbox that is kept under dir, or makes an empty one there.
func New(dir string, log *slog.Logger) (*Sandbox, error) {
	return NewWith(dir, log, Options{})
}

// NewWith is New with knobs.
func NewWith(dir string, log *slog.Logger, o Options) (*Sandbox, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the sandbox folder: %w", err)
	}
	bots, err := botapi.Open(dir, log, o.Telegram)
	if err != nil {
		return nil, fmt.Errorf("loading the sandbox bots: %w", err)
	}
	accounts, err := owncrm.Open(dir, log, o.CRM)
	if err != nil {
		return nil, fmt.Errorf("loading the sandbox accounts: %w", err)
	}
	return &Sandbox{bots: bots, accounts: accounts, page: page.New(bots, accounts, o.PanelURL, log)}, nil
}

// AddBot plays BotFather. Adding the same bot again changes nothing; another token for the same user id
// is a revoked token.
func (s *Sandbox) AddBot(b Bot) error { return s.bots.Add(b) }

// AddAccount makes a CRM account, or changes the one of that name. An empty Token becomes
// sandbox-<name>.
func (s *Sandbox) AddAccount(a Account) error {
	_, err := s.accounts.Add(a)
	return err
}

// Run delivers updates until ctx ends; then everything is on disk. It is called once.
func (s *Sandbox) Run(ctx context.Context) error {
	err := s.bots.Run(ctx)
	return errors.Join(err, s.accounts.Stop())
}

// Close closes the files, after Run and the HTTP server have ended.
func (s *Sandbox) Close() error {
	return errors.Join(s.bots.Close(), s.accounts.Close())
}
