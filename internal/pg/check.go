package pg

import (
	"context"
	"errors"
	"fmt"
)

// Unsafe lets a program run on a server that may forget commits. Only tests hold one: there is no
// way to set it from the environment.
type Unsafe struct{ Durability bool }

// Check refuses a server that cannot keep the promises: a login that is stronger than it must be, a
// version under 15, settings under which a commit can be forgotten, a schema that is not ours. Every
// fault is reported at once.
func (db *DB) Check(ctx context.Context, unsafe Unsafe) error {
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("reach database: %w", err)
	}
	defer conn.Release()
	var (
		version                              int
		fsync, pages, commit, login          string
		strongLogin, strongRole, schemaReady bool
	)
	const look = `SELECT current_setting('server_version_num')::int, current_setting('fsync'),
		current_setting('full_page_writes'), current_setting('synchronous_commit'), session_user,
		(SELECT rolsuper OR rolbypassrls OR rolinherit FROM pg_roles WHERE rolname = session_user),
		EXISTS (SELECT FROM pg_roles WHERE rolname IN ('sverka_app', 'sverka_intake', 'sverka_scan') AND (rolsuper OR rolbypassrls)),
		to_regclass('public.operations') IS NOT NULL`
	if err := conn.QueryRow(ctx, look).Scan(&version, &fsync, &pages, &commit, &login,
		&strongLogin, &strongRole, &schemaReady); err != nil {
		return fmt.Errorf("look at database: %w", err)
	}
	var faults []error
	refuse := func(wrong bool, format string, args ...any) {
		if wrong {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	refuse(version < 150000, "PostgreSQL 15 or newer is needed, this is %d", version/10000)
	refuse(strongLogin, "login role %q is stronger than it must be (superuser, BYPASSRLS or INHERIT): use %q", login, LoginRole)
	refuse(strongRole, "a sverka_* role is superuser or bypasses row level security")
	refuse(!schemaReady, "the tables are not there: run `sverka migrate`")
	if !unsafe.Durability {
		refuse(fsync != "on", "fsync is %s: a commit could be forgotten", fsync)
		refuse(pages != "on", "full_page_writes is %s: a commit could be damaged", pages)
		refuse(commit == "off", "synchronous_commit is off: an answer could be given before its commit is safe")
	}
	return errors.Join(faults...)
}

// Ready answers whether a transaction can be had now.
func (db *DB) Ready(ctx context.Context) error {
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return conn.Conn().Ping(ctx)
}
