package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"sverka/internal/pg/local"
)

// Variable names a server that is there already: ours, started by withpg, or one of your own. The
// address is a superuser's.
const Variable = "SVERKA_TEST_DATABASE_URL"

// slots is more than there are test binaries at once.
const slots = 64

// StartServer starts a fast and forgetful PostgreSQL, kept between runs for its template and for the
// databases of tests that failed; on CI nothing is kept. It ends with this process if nobody stops it.
//
// A checkout has numbered slots, .sverka/test-1, -2, …. A process takes the first that no living process
// has, so parallel test binaries never wait for each other, and no run leaves more behind than the last.
func StartServer(ctx context.Context) (*local.Server, error) {
	root, err := checkout()
	if err != nil {
		return nil, err
	}
	for n := 1; n <= slots; n++ {
		s, err := local.Start(ctx, local.Options{
			Dir:       filepath.Join(root, ".sverka", fmt.Sprint("test-", n)),
			Temporary: os.Getenv("CI") != "",
		})
		if !errors.Is(err, local.ErrRunning) {
			return s, err
		}
	}
	return nil, fmt.Errorf("%d test servers run already in %s", slots, root)
}

// checkout is the directory of go.mod, here or above (a test runs in its package's directory).
func checkout() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("tests need their checkout: no go.mod here or above")
		}
	}
}
