package pg

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// LoginRole is the one role that the program logs in as. It has no grants but River's tables.
const LoginRole = "sverka"

// Bootstrap makes the roles and lets the owner make tables in this database. Idempotent; the roles
// are never dropped. An empty password leaves the login role's as it is.
//
//	sverka_owner   NOLOGIN, owns every table, runs migrations
//	sverka         LOGIN NOINHERIT, may become the next three
//	sverka_app · sverka_intake · sverka_scan
func Bootstrap(ctx context.Context, adminURL, loginPassword string) error {
	conn, err := connect(ctx, adminURL)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, statement := range bootstrapStatements(loginPassword) {
		if err := execAgain(ctx, conn, statement); err != nil {
			return fmt.Errorf("bootstrap roles: %w", err)
		}
	}
	return nil
}

func bootstrapStatements(password string) []string {
	var all []string
	for name, options := range map[string]string{
		"sverka_owner": "NOLOGIN", LoginRole: "LOGIN NOINHERIT",
		"sverka_app": "NOLOGIN", "sverka_intake": "NOLOGIN", "sverka_scan": "NOLOGIN",
	} {
		all = append(all, fmt.Sprintf(`DO $$ BEGIN
			IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '%s') THEN CREATE ROLE %s %s; END IF;
		END $$`, name, name, options))
	}
	all = append(all,
		`GRANT sverka_owner TO CURRENT_USER`,
		`GRANT sverka_app, sverka_intake, sverka_scan TO sverka`,
		`GRANT USAGE, CREATE ON SCHEMA public TO sverka_owner`,
		`GRANT USAGE ON SCHEMA public TO sverka, sverka_app, sverka_intake, sverka_scan`)
	if password != "" {
		all = append(all, "ALTER ROLE sverka PASSWORD "+quote(password))
	}
	return all
}

// quote is for the one statement that takes no parameter; passwords are our own random text.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// execAgain repeats a statement that met another process changing the same role: catalogue rows have
// no locks to wait on, only "tuple concurrently updated".
func execAgain(ctx context.Context, conn *pgx.Conn, statement string) error {
	var err error
	for range 20 {
		if _, err = conn.Exec(ctx, statement); err == nil {
			return nil
		}
		var e *pgconn.PgError
		if !errors.As(err, &e) || (e.Code != "XX000" && e.Code != "23505" && e.Code != "42710") {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	return err
}

func connect(ctx context.Context, url string) (*pgx.Conn, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, errors.New("database address cannot be read")
	}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("connect to database: %w", err)
	}
	return conn, nil
}

// CreateDatabase makes a database where it is not there yet.
func CreateDatabase(ctx context.Context, adminURL, name string) error {
	conn, err := connect(ctx, adminURL)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	var e *pgconn.PgError
	if errors.As(err, &e) && e.Code == "42P04" {
		return nil
	}
	return err
}

// LoginURL is the address of the same database for the login role.
func LoginURL(adminURL, password string) (string, error) {
	u, err := url.Parse(adminURL)
	if err != nil {
		return "", errors.New("database address cannot be read")
	}
	u.User = url.UserPassword(LoginRole, password)
	return u.String(), nil
}
