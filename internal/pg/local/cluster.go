package local

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// prepare leaves a cluster that the binaries can start and nobody else runs; it returns the superuser's
// password.
func prepare(ctx context.Context, p place, found binaries, o Options) (string, error) {
	clean, err := p.clearLeftover(ctx)
	if err != nil {
		return "", err
	}
	if o.Temporary || !o.Durable && (!clean || p.version() != found.major) {
		if err := os.RemoveAll(p.data()); err != nil {
			return "", err
		}
	}
	password, err := os.ReadFile(p.passwordFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if len(password) == 0 {
		// Data whose Dir is gone (a deleted checkout, git clean): nobody can log in to it any more.
		if err := p.setAside(o); err != nil {
			return "", err
		}
		password = []byte(rand.Text())
		if err := os.WriteFile(p.passwordFile(), password, 0o600); err != nil {
			return "", err
		}
	}
	switch made := p.version(); made {
	case found.major:
		return string(password), nil
	case "":
		return string(password), p.initialise(ctx, found, string(password), o.Durable)
	default:
		return "", fmt.Errorf("the data in %s was made by PostgreSQL %s, but %s has %s: "+
			"set PG_BINDIR to the bin directory of PostgreSQL %s, or remove %[1]s to begin empty",
			p.data(), made, found.dir, found.major, made)
	}
}

// version is the major version that made the data, "" without data.
func (p place) version() string {
	text, err := os.ReadFile(filepath.Join(p.data(), "PG_VERSION"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// setAside keeps one generation of lost data, for whoever still finds a use for it.
func (p place) setAside(o Options) error {
	if p.version() == "" {
		return nil
	}
	if !o.Durable {
		return os.RemoveAll(p.data())
	}
	aside := p.data() + ".before"
	o.Log.Warn("database files without their password set aside", "path", aside)
	if err := os.RemoveAll(aside); err != nil {
		return err
	}
	return os.Rename(p.data(), aside)
}

// initialise makes the cluster beside its place and moves it there when whole, so that a kill in between
// leaves nothing that looks like data.
func (p place) initialise(ctx context.Context, found binaries, password string, durable bool) error {
	fresh := p.data() + ".new"
	if err := errors.Join(os.RemoveAll(fresh), os.RemoveAll(p.data())); err != nil {
		return err
	}
	secret, err := p.lend(password)
	if err != nil {
		return err
	}
	defer os.Remove(secret)
	locale := "C.UTF-8"
	if runtime.GOOS != "linux" {
		locale = "C" // macOS has no C.UTF-8
	}
	args := []string{"-D", fresh, "-U", superuser, "--pwfile", secret, "-A", "scram-sha-256",
		"--encoding", "UTF8", "--locale", locale, "--no-instructions"}
	if !durable {
		args = append(args, "--no-sync")
	}
	cmd := p.command(ctx, filepath.Join(found.dir, "initdb"), args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb in %s: %w\n%s", p.base, err, out)
	}
	return os.Rename(fresh, p.data())
}

// lend writes the password where the server's user can read it once.
func (p place) lend(password string) (string, error) {
	path := filepath.Join(p.base, "password.new")
	if err := os.RemoveAll(path); err != nil {
		return "", err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return "", err
	}
	if p.account != nil {
		err = f.Chown(int(p.account.uid), int(p.account.gid))
	}
	_, writeErr := f.WriteString(password + "\n")
	return path, errors.Join(err, writeErr, f.Close())
}

// settings of the server. Everything is on its command line, so that a start always has what this
// version of the program asks for.
func (p place) settings(port int, durable bool) []string {
	all := []string{
		"listen_addresses=127.0.0.1", fmt.Sprintf("port=%d", port),
		"unix_socket_directories=" + p.sockets, "unix_socket_permissions=0700",
		"timezone=UTC", "log_timezone=UTC", "log_line_prefix=%m [%p] %d ",
		"max_connections=300", "shared_buffers=256MB",
	}
	if durable {
		all = append(all, "fsync=on", "full_page_writes=on", "synchronous_commit=on", "max_wal_size=4GB")
	} else {
		// autovacuum would enter the template that the tests clone from, and make them wait. The log is
		// kept short because it lies in memory.
		all = append(all, "max_wal_size=512MB", "fsync=off", "full_page_writes=off", "synchronous_commit=off",
			"wal_level=minimal", "max_wal_senders=0", "checkpoint_timeout=1h", "autovacuum=off", "jit=off")
	}
	args := []string{"-D", p.data()}
	for _, s := range all {
		args = append(args, "-c", s)
	}
	return args
}
