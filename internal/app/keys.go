package app

import (
	"context"
	"fmt"

	"sverka/internal/config"
	"sverka/internal/pg"
	"sverka/internal/secret"
	"sverka/internal/tenant"
)

type keysCommand struct {
	Make   keysMake   `cmd:"" help:"Print a fresh root keyset."`
	Rotate keysRotate `cmd:"" help:"Print SVERKA_KEYSET with a new primary key; what was sealed before still opens."`
	Check  keysCheck  `cmd:"" help:"Say whether SVERKA_KEYSET can be read and opens the stored data keys."`
}

type (
	keysMake   struct{}
	keysRotate struct{}
	keysCheck  struct{}
)

// Run prints a keyset. It is cleartext: it belongs into a secret store, not into a shell history.
func (keysMake) Run(p Process) error {
	k, err := secret.NewKeyset()
	if err != nil {
		return err
	}
	return print(k, p)
}

// Run prints the rotated keyset.
func (keysRotate) Run(p Process) error {
	k, err := loadKeyset(p)
	if err != nil {
		return err
	}
	if k, err = k.Rotate(); err != nil {
		return err
	}
	return print(k, p)
}

// Run checks the keyset, and against the database where one is configured.
func (keysCheck) Run(ctx context.Context, p Process) error {
	k, err := loadKeyset(p)
	if err != nil {
		return err
	}
	cfg, err := config.Load(p.Getenv)
	if err != nil {
		return err
	}
	if cfg.DatabaseURL.IsZero() {
		fmt.Fprintf(p.Out, "the keyset can be read (%d keys); SVERKA_DATABASE_URL is not set, so no data key was tried\n", k.Keys())
		return nil
	}
	db, err := pg.Open(ctx, cfg.DatabaseURL.Reveal(), pg.Options{Name: "keys", MaxConns: 1})
	if err != nil {
		return err
	}
	defer db.Close()
	if err := tenant.NewKeys(db, k).Check(ctx); err != nil {
		return err
	}
	fmt.Fprintf(p.Out, "the keyset can be read (%d keys) and opens the stored data keys\n", k.Keys())
	return nil
}

func loadKeyset(p Process) (*secret.Keyset, error) {
	cfg, err := config.Load(p.Getenv, "SVERKA_KEYSET")
	if err != nil {
		return nil, err
	}
	return secret.ParseKeyset(cfg.Keyset)
}

func print(k *secret.Keyset, p Process) error {
	text, err := k.Export()
	if err != nil {
		return err
	}
	fmt.Fprintln(p.Out, text.Reveal())
	return nil
}
