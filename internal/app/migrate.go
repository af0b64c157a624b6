package app

import (
	"context"
	"fmt"

	"sverka/internal/config"
	"sverka/internal/pg"
)

type migrateCommand struct{}

// Run needs an administrator's address: it makes the roles, then the tables as their owner.
func (migrateCommand) Run(ctx context.Context, p Process) error {
	cfg, err := config.Load(p.Getenv, "SVERKA_DATABASE_URL")
	if err != nil {
		return err
	}
	if err := pg.Bootstrap(ctx, cfg.DatabaseURL.Reveal(), cfg.LoginPassword.Reveal()); err != nil {
		return err
	}
	if err := pg.Migrate(ctx, cfg.DatabaseURL.Reveal()); err != nil {
		return err
	}
	fmt.Fprintln(p.Out, "the database is at the newest version")
	return nil
}
