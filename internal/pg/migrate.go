package pg

import (
	"context"
	"errors"
	"fmt"

	"github.com/golang-migrate/migrate/v4"
	migratepgx "github.com/golang-migrate/migrate/v4/database/pgx/v5"
	"github.com/golang-migrate/migrate/v4/source/iofs"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"sverka/migrations"
)

// Migrate brings the database to the newest version, as the owner of the tables. Safe to run from
// several processes at once: one migrates, the others wait.
func Migrate(ctx context.Context, adminURL string) error {
	return migrated(adminURL, func(m *migrate.Migrate) error {
		stop := context.AfterFunc(ctx, func() { m.GracefulStop <- true })
		defer stop()
		return m.Up()
	})
}

// MigrateTo goes up or down to one version; 0 takes everything back.
func MigrateTo(adminURL string, version uint) error {
	return migrated(adminURL, func(m *migrate.Migrate) error {
		if version == 0 {
			return m.Down()
		}
		return m.Migrate(version)
	})
}

func migrated(adminURL string, run func(*migrate.Migrate) error) error {
	cfg, err := pgx.ParseConfig(adminURL)
	if err != nil {
		return errors.New("database address cannot be read")
	}
	cfg.RuntimeParams["role"] = "sverka_owner"
	db := stdlib.OpenDB(*cfg)
	driver, err := migratepgx.WithInstance(db, &migratepgx.Config{})
	if err != nil {
		_ = db.Close()
		return fmt.Errorf("connect to migrate: %w", err)
	}
	files, err := iofs.New(migrations.FS, ".")
	if err != nil {
		return err
	}
	m, err := migrate.NewWithInstance("files", files, "pgx5", driver)
	if err != nil {
		return err
	}
	defer m.Close()
	if err := run(m); err != nil && !errors.Is(err, migrate.ErrNoChange) {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}
