package local

import (
	"archive/zip"
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
)

func TestBindirIsTakenAtItsWord(t *testing.T) {
	for name, c := range map[string]struct{ says, want string }{
		"Newer":   {"postgres (PostgreSQL) 18.1 (Debian 18.1-1.pgdg12+1)", ""},
		"Beta":    {"postgres (PostgreSQL) 19beta1", ""},
		"TooOld":  {"postgres (PostgreSQL) 14.22", "15 or newer is needed"},
		"Another": {"mongod 8", "says"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fakeBinaries(t, dir, c.says)
			t.Setenv("PG_BINDIR", dir)
			found, err := find(t.Context(), slog.New(slog.DiscardHandler))
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want == "" && found.dir != dir:
				t.Errorf("found %s, want %s", found.dir, dir)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
	t.Run("Empty", func(t *testing.T) {
		t.Setenv("PG_BINDIR", t.TempDir())
		if found, err := find(t.Context(), slog.New(slog.DiscardHandler)); err == nil {
			t.Errorf("found %s instead", found.dir)
		}
	})
}

func TestNewestIsFirst(t *testing.T) {
	root := t.TempDir()
	var want []string
	for _, version := range []string{"18", "17", "9.6"} {
		dir := filepath.Join(root, version, "bin")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		want = append(want, dir)
	}
	got := newestFirst(filepath.Join(root, "*", "bin"))
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The library is pointed at an archive of our own. Its server cannot start from it, as it cannot for root:
// the binaries must be kept all the same, and be found without the network the next time.
func TestDownloadKeepsTheBinaries(t *testing.T) {
	archive := fakeArchive(t)
	requests := 0
	repository := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		if strings.HasSuffix(r.URL.Path, ".sha256") {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(archive)
	}))
	defer repository.Close()
	cache := t.TempDir()
	for range 2 {
		from := embeddedpostgres.DefaultConfig().BinaryRepositoryURL(repository.URL)
		found, err := downloadTo(t.Context(), slog.New(slog.DiscardHandler), cache, from)
		if err != nil {
			t.Fatal(err)
		}
		if found.major != "17" {
			t.Errorf("found PostgreSQL %s", found.major)
		}
	}
	if requests != 2 { // the archive and its checksum, once
		t.Errorf("%d requests", requests)
	}
	left, err := os.ReadDir(cache)
	if err != nil || len(left) != 1 {
		t.Errorf("the cache has %v (%v), want the binaries alone", left, err)
	}
}

func fakeBinaries(t *testing.T, dir, says string) {
	t.Helper()
	for name, script := range map[string]string{
		"postgres": "echo '" + says + "'", "initdb": "exit 1", "pg_ctl": "exit 1",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// fakeArchive is a .jar with a .txz, as the library expects it.
func fakeArchive(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	fakeBinaries(t, filepath.Join(dir, "bin"), "postgres (PostgreSQL) 17.5")
	txz, err := exec.Command("tar", "-C", dir, "-cJf", "-", "bin").Output()
	if err != nil {
		t.Skipf("tar with xz is not here: %v", err)
	}
	var jar bytes.Buffer
	z := zip.NewWriter(&jar)
	w, err := z.Create("postgres.txz")
	if err == nil {
		_, err = w.Write(txz)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return jar.Bytes()
}
