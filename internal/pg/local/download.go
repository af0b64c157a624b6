package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
)

// version is what is downloaded where the machine has no PostgreSQL.
const version = embeddedpostgres.V17

// download fetches the binaries once and keeps them for every checkout of this user.
func download(ctx context.Context, log *slog.Logger) (binaries, error) {
	cache, err := cacheDir()
	if err != nil {
		return binaries{}, err
	}
	return downloadTo(ctx, log, cache, embeddedpostgres.DefaultConfig())
}

// cacheDir: as root the server's own user must reach the binaries, which it cannot under /root.
func cacheDir() (string, error) {
	if os.Getuid() == 0 {
		return "/var/cache/sverka", nil
	}
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "sverka"), err
}

func downloadTo(ctx context.Context, log *slog.Logger, cache string, from embeddedpostgres.Config) (binaries, error) {
	kept := filepath.Join(cache, "postgres-"+string(version))
	if found, err := inspect(ctx, filepath.Join(kept, "bin")); err == nil {
		return found, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return binaries{}, err
	}
	log.Info("downloading PostgreSQL, once", "version", version, "to", kept)
	work, err := os.MkdirTemp(cache, "download-")
	if err != nil {
		return binaries{}, err
	}
	fetched := make(chan error, 1)
	go func() {
		err := fetch(from, work, kept)
		fetched <- errors.Join(err, os.RemoveAll(work))
	}()
	select {
	case err = <-fetched:
	case <-ctx.Done():
		err = ctx.Err() // the library cannot be interrupted; its work directory goes when it returns
	}
	if err != nil {
		return binaries{}, err
	}
	return inspect(ctx, filepath.Join(kept, "bin"))
}

// fetch uses the library for the binaries alone: it wipes its runtime directory at every start and cannot
// run as root. It has no way to only download, so we let it start a server in a directory that goes; as
// root that part fails, after the part that we want.
func fetch(from embeddedpostgres.Config, work, kept string) error {
	port, err := choose(0)
	if err != nil {
		return err
	}
	unpacked := filepath.Join(work, "unpacked")
	server := embeddedpostgres.NewDatabase(from.Version(version).Port(uint32(port)).
		CachePath(filepath.Join(work, "archive")).BinariesPath(unpacked).
		RuntimePath(filepath.Join(work, "run")).DataPath(filepath.Join(work, "data")).Logger(io.Discard))
	err = server.Start()
	if err == nil {
		err = server.Stop()
	}
	for _, program := range []string{"postgres", "initdb"} {
		_, missing := os.Stat(filepath.Join(unpacked, "bin", program))
		switch {
		case missing == nil: // whatever came of its server
		case err != nil:
			return err
		default:
			return fmt.Errorf("the downloaded archive has no %s", program)
		}
	}
	if err := os.Chmod(unpacked, 0o755); err != nil {
		return err
	}
	if err := os.Rename(unpacked, kept); err != nil && !errors.Is(err, os.ErrExist) { // another process was faster
		return err
	}
	return nil
}
