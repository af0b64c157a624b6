package app

import (
	"context"
	"fmt"

	"sverka/internal/config"
	"sverka/internal/pg"
)

type migrateCommand struct {
	LoginPassword string `env:"SVERKA_LOGIN_PASSWORD" help:"Password to set for the login role; unchanged when empty."`
}

// Run needs an administrator's address: it makes the roles, then the tables as their owner.
func (c migrateCommand) Run(ctx context.Context, p Process) error {
	cfg, err := config.Load(p.Getenv, "SVERKA_DATABASE_URL")
	if err != nil {
		return err
	}
	if err := pg.Bootstrap(ctx, cfg.DatabaseURL.Reveal(), c.LoginPassword); err != nil {
		return err
	}
	if err := pg.Migrate(ctx, cfg.DatabaseURL.Reveal()); err != nil {
		return err
	}
	fmt.Fprintln(p.Out, "the database is at the newest version")
	return nil
}
