package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// oldest is the first major version that has what the schema uses.
const oldest = 15

// binaries are a directory with postgres and initdb of one version.
type binaries struct {
	dir     string
	version string // 15.18
	major   string // 15, as in PG_VERSION
}

// find looks on this machine and downloads as the last resort.
//
//	PG_BINDIR → pg_config --bindir → newest /usr/lib/postgresql/*/bin → Homebrew's → the library's
func find(ctx context.Context, log *slog.Logger) (binaries, error) {
	if dir := os.Getenv("PG_BINDIR"); dir != "" {
		found, err := inspect(ctx, dir)
		if err != nil {
			return binaries{}, fmt.Errorf("PG_BINDIR: %w", err)
		}
		return found, nil
	}
	var reasons []error
	for _, dir := range candidates(ctx) {
		found, err := inspect(ctx, dir)
		if err == nil {
			return found, nil
		}
		reasons = append(reasons, err)
	}
	found, err := download(ctx, log)
	if err == nil {
		return found, nil
	}
	return binaries{}, fmt.Errorf("no PostgreSQL %d or newer: "+
		"set SVERKA_DATABASE_URL to a running server, "+
		"or install one (apt-get install postgresql, brew install postgresql; PG_BINDIR names its bin directory), "+
		"or let it be downloaded, which needs the network\n%w",
		oldest, errors.Join(append(reasons, fmt.Errorf("download: %w", err))...))
}

func candidates(ctx context.Context) []string {
	var dirs []string
	// pg_config comes with the client library: it may name a directory without a server.
	if out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	dirs = append(dirs, newestFirst("/usr/lib/postgresql/*/bin")...)
	for _, prefix := range []string{"/opt/homebrew", "/usr/local", "/home/linuxbrew/.linuxbrew"} {
		dirs = append(dirs, newestFirst(prefix+"/opt/postgresql*/bin")...)
	}
	return slices.DeleteFunc(dirs, func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, "postgres"))
		return err != nil
	})
}

var digits = regexp.MustCompile(`\d+`)

// newestFirst sorts …/9.6/bin, …/15/bin, …/postgresql@16/bin by major version.
func newestFirst(pattern string) []string {
	dirs, _ := filepath.Glob(pattern) // only a bad pattern is an error
	number := func(dir string) int {
		n, _ := strconv.Atoi(digits.FindString(filepath.Base(filepath.Dir(dir))))
		return n
	}
	slices.SortStableFunc(dirs, func(a, b string) int { return cmp.Compare(number(b), number(a)) })
	return dirs
}

var reported = regexp.MustCompile(`\(PostgreSQL\) ((\d+)[^\s]*)`)

// inspect asks the binaries in dir for their version.
func inspect(ctx context.Context, dir string) (binaries, error) {
	dir, err := filepath.Abs(dir) // the server runs in another directory than we do
	if err != nil {
		return binaries{}, err
	}
	for _, program := range []string{"postgres", "initdb"} {
		if _, err := os.Stat(filepath.Join(dir, program)); err != nil {
			return binaries{}, fmt.Errorf("%s has no %s", dir, program)
		}
	}
	out, err := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return binaries{}, fmt.Errorf("%s/postgres --version: %w", dir, err)
	}
	m := reported.FindSubmatch(out)
	if m == nil {
		return binaries{}, fmt.Errorf("%s/postgres --version says %q", dir, out)
	}
	found := binaries{dir: dir, version: string(m[1]), major: string(m[2])}
	if n, err := strconv.Atoi(found.major); err != nil || n < oldest {
		return binaries{}, fmt.Errorf("%s has PostgreSQL %s, %d or newer is needed", dir, found.version, oldest)
	}
	return found, nil
}
