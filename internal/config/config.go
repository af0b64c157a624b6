// Package config reads SVERKA_* from the environment, checks all of it at once and keeps secrets hidden.
package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"

	"sverka/internal/secret"
)

// Config is the whole configuration of a process.
type Config struct {
	Listen        string      // host:port of the web doors
	SandboxListen string      // host:port of the sandbox
	DatabaseURL   secret.Text // zero: dev starts a database of its own
	PublicURL     string      // how the outside reaches the web doors; no trailing slash
	Keyset        secret.Text // root keyset
	LoginPassword secret.Text // that `migrate` gives the login role; zero: left as it is
	DevDir        string      // what `sverka dev` keeps
	TelegramAPI   string      // base URL of the Bot API; no trailing slash
}

// Variable is one environment variable; README's table is held equal to Variables.
type Variable struct {
	Name    string
	Default string
	Help    string
}

// Variables lists everything that is read.
var Variables = []Variable{
	{"SVERKA_LISTEN", "127.0.0.1:8080", "address of the web doors"},
	{"SVERKA_SANDBOX_LISTEN", "127.0.0.1:8090", "address of the sandbox (`dev`, `sandbox`)"},
	{"SVERKA_DATABASE_URL", "", "PostgreSQL 15 or newer; an administrator's for `migrate`, the login role's for `serve` and `work`; `dev` starts its own without"},
	{"SVERKA_LOGIN_PASSWORD", "", "`migrate` gives the login role this password; left as it is without"},
	{"SVERKA_PUBLIC_URL", "", "https address under which Telegram reaches the web doors; `dev` uses its own"},
	{"SVERKA_KEYSET", "", "root keyset made by `sverka keys make`; `file:PATH` reads a file; `dev` makes its own"},
	{"SVERKA_DEV_DIR", ".sverka", "what `dev` and `sandbox` keep"},
	{"SVERKA_TELEGRAM_API_URL", "", "Bot API; https://api.telegram.org without, `dev` uses its sandbox"},
}

// Error is every fault of a configuration at once.
type Error struct{ Faults []error }

// Error lists the faults, one a line.
func (e *Error) Error() string { return "configuration: " + errors.Join(e.Faults...).Error() }

// Load reads the configuration and reports every problem at once. required names variables that the
// command cannot do without.
func Load(getenv func(string) string, required ...string) (Config, error) {
	r := reader{getenv: getenv, required: required}
	c := Config{
		Listen:        r.address("SVERKA_LISTEN"),
		SandboxListen: r.address("SVERKA_SANDBOX_LISTEN"),
		DatabaseURL:   r.database("SVERKA_DATABASE_URL"),
		PublicURL:     r.url("SVERKA_PUBLIC_URL"),
		Keyset:        r.keyset("SVERKA_KEYSET"),
		LoginPassword: secret.NewText(r.text("SVERKA_LOGIN_PASSWORD")),
		DevDir:        r.text("SVERKA_DEV_DIR"),
		TelegramAPI:   r.url("SVERKA_TELEGRAM_API_URL"),
	}
	if len(r.faults) > 0 {
		return Config{}, &Error{Faults: r.faults}
	}
	return c, nil
}

type reader struct {
	getenv   func(string) string
	required []string
	faults   []error
}

func (r *reader) fault(name, format string, args ...any) {
	r.faults = append(r.faults, fmt.Errorf("%s: "+format, append([]any{name}, args...)...))
}

func (r *reader) text(name string) string {
	value := strings.TrimSpace(r.getenv(name))
	if value != "" {
		return value
	}
	if slices.Contains(r.required, name) {
		r.fault(name, "is required")
	}
	for _, v := range Variables {
		if v.Name == name {
			return v.Default
		}
	}
	return ""
}

func (r *reader) address(name string) string {
	value := r.text(name)
	if _, port, err := net.SplitHostPort(value); err != nil || port == "" {
		r.fault(name, "want host:port, for example 127.0.0.1:8080")
	}
	return value
}

// url wants https; plain http only to this machine.
func (r *reader) url(name string) string {
	value := strings.TrimRight(r.text(name), "/")
	if value == "" {
		return ""
	}
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		r.fault(name, "want an address like https://sverka.example.com")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		r.fault(name, "plain http is for this machine only: want https")
	case u.Scheme != "http" && u.Scheme != "https":
		r.fault(name, "want https")
	}
	return value
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

func (r *reader) database(name string) secret.Text {
	value := r.text(name)
	if value != "" && !strings.HasPrefix(value, "postgres://") && !strings.HasPrefix(value, "postgresql://") {
		r.fault(name, "want postgres://user@host/database")
	}
	return secret.NewText(value)
}

func (r *reader) keyset(name string) secret.Text {
	value := r.text(name)
	if path, isFile := strings.CutPrefix(value, "file:"); isFile {
		raw, err := os.ReadFile(path)
		if err != nil {
			r.fault(name, "file cannot be read")
			return secret.Text{}
		}
		value = strings.TrimSpace(string(raw))
	}
	text := secret.NewText(value)
	if value != "" {
		if _, err := secret.ParseKeyset(text); err != nil {
			r.fault(name, "%v: make one with `sverka keys make`", err)
		}
	}
	return text
}
