package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestLife goes through the life of one directory: initdb is the slow part, so it is done once.
func TestLife(t *testing.T) {
	dir := t.TempDir()
	t.Cleanup(func() { removeAll(t, dir) })

	s := start(t, dir)
	exec1(t, s, "CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)")

	t.Run("ASecondOneAtOnceIsRefused", func(t *testing.T) {
		_, err := Start(t.Context(), Options{Dir: dir})
		if !errors.Is(err, ErrRunning) {
			t.Fatalf("got %v, want ErrRunning", err)
		}
	})
	t.Run("SettingsAreDurable", func(t *testing.T) {
		for setting, want := range map[string]string{
			"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on",
			"TimeZone": "UTC", "server_encoding": "UTF8", "lc_ctype": "C.UTF-8",
		} {
			if got := query(t, s.URL("postgres"), "SELECT current_setting('"+setting+"')"); got != want {
				t.Errorf("%s is %q, want %q", setting, got, want)
			}
		}
	})
	t.Run("TheSocketAsksForThePasswordToo", func(t *testing.T) {
		dsn := fmt.Sprintf("host=%s port=%d user=%s dbname=postgres", s.place.sockets, s.port, superuser)
		if got := query(t, dsn+" password="+s.password, "SELECT count(*)::text FROM kept"); got != "1" {
			t.Errorf("got %s rows", got)
		}
		if conn, err := pgx.Connect(t.Context(), dsn+" password=wrong"); err == nil {
			_ = conn.Close(t.Context())
			t.Error("a wrong password was accepted")
		}
	})
	t.Run("TheFilesAreForNobodyElse", func(t *testing.T) { filesArePrivate(t, s) })
	t.Run("StopAndStartKeepsData", func(t *testing.T) {
		stop(t, s)
		s = startWithData(t, dir)
	})
	t.Run("KilledServer", func(t *testing.T) {
		if err := s.process.os.Kill(); err != nil {
			t.Fatal(err)
		}
		<-s.Done()
		stop(t, s)
		s = startWithData(t, dir)
		stop(t, s)
	})
	t.Run("KilledParent", func(t *testing.T) {
		killParent(t, dir)
		s = startWithData(t, dir)
		stop(t, s)
	})
	t.Run("LeftRunning", func(t *testing.T) {
		// As where no Pdeathsig exists: the server runs, its program is gone and so is the lock.
		s = startWithData(t, dir)
		_ = s.lock.Close()
		next := startWithData(t, dir)
		<-s.Done()
		stop(t, next)
	})
	t.Run("PidFileWithTheNumberOfAnotherProcess", func(t *testing.T) {
		other := otherProcess(t, s.place)
		stale := fmt.Sprintf("%d\n%s\n1\n1\n\n\n\nready\n", other, s.place.data())
		if err := os.WriteFile(s.place.pidFile(), []byte(stale), 0o644); err != nil {
			t.Fatal(err)
		}
		stop(t, startWithData(t, dir))
		if err := syscall.Kill(other, 0); err != nil {
			t.Errorf("the other process was touched: %v", err)
		}
	})
	t.Run("AnotherMajorVersionIsRefused", func(t *testing.T) {
		file := filepath.Join(s.place.data(), "PG_VERSION")
		right, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		write(t, file, "9\n")
		_, err = Start(t.Context(), Options{Dir: dir, Durable: true})
		if err == nil || !strings.Contains(err.Error(), "PostgreSQL 9") || !strings.Contains(err.Error(), "PG_BINDIR") {
			t.Errorf("got %v, want both versions and the way out", err)
		}
		write(t, file, string(right))
		stop(t, startWithData(t, dir))
	})
	t.Run("DirGoneAndMadeAgain", func(t *testing.T) {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		s := start(t, dir)
		defer stop(t, s)
		if got := query(t, s.URL("postgres"), "SELECT (to_regclass('kept') IS NULL)::text"); got != "true" {
			t.Error("data of the deleted directory came back")
		}
	})
}

func TestTemporaryLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	s, err := Start(t.Context(), Options{Dir: dir, Temporary: true})
	if err != nil {
		t.Fatal(err)
	}
	dsn := fmt.Sprintf("host=%s port=%d user=%s password=%s dbname=postgres", s.place.sockets, s.port, superuser, s.password)
	if got := query(t, dsn, "SHOW fsync"); got != "off" {
		t.Errorf("fsync is %s", got)
	}
	stop(t, s)
	for _, path := range []string{s.place.base, s.place.sockets, s.place.passwordFile()} {
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there (%v)", path, err)
		}
	}
}

func filesArePrivate(t *testing.T, s *Server) {
	for path, want := range map[string]os.FileMode{
		s.place.base: 0o700, s.place.data(): 0o700, s.place.passwordFile(): 0o600, s.place.logFile(): 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
	pointer, err := os.ReadFile(s.place.pointer())
	if err != nil || strings.TrimSpace(string(pointer)) != s.place.base {
		t.Errorf("the pointer says %q (%v), want %s", pointer, err, s.place.base)
	}
	if os.Getuid() != 0 {
		return
	}
	for _, path := range []string{s.place.base, s.place.data(), filepath.Join("/proc", strconv.Itoa(s.process.os.Pid))} {
		if uid, err := ownerOf(path); err != nil || uid == 0 {
			t.Errorf("%s belongs to user id %d (%v), want an unprivileged one", path, uid, err)
		}
	}
}

func start(t *testing.T, dir string) *Server {
	t.Helper()
	s, err := Start(t.Context(), Options{Dir: dir, Durable: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop(context.Background()) })
	return s
}

func startWithData(t *testing.T, dir string) *Server {
	t.Helper()
	s, err := Start(t.Context(), Options{Dir: dir, Durable: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := query(t, s.URL("postgres"), "SELECT count(*)::text FROM kept"); got != "1" {
		t.Fatalf("table has %s rows, want 1", got)
	}
	return s
}

func stop(t *testing.T, s *Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
}

func exec1(t *testing.T, s *Server, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func query(t *testing.T, url, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var text string
	if err := conn.QueryRow(t.Context(), sql).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); time.Sleep(tick) {
		if time.Now().After(deadline) {
			t.Fatal("never: " + what)
		}
	}
}

// removeAll also removes what lies outside of dir for root.
func removeAll(t *testing.T, dir string) {
	t.Helper()
	p, err := settle(dir, true)
	if err == nil {
		err = p.remove()
	}
	if err != nil {
		t.Error(err)
	}
}

func TestSocketDirectoryIsAlwaysShort(t *testing.T) {
	for dir, unfit := range map[string]bool{
		"/home/somebody/src/sverka/.sverka/postgres":        false,
		"/home/" + strings.Repeat("deep/", 20) + "postgres": true,
		"/home/a,b/postgres":                                true,
	} {
		if got := unfitForSocket(dir); got != unfit {
			t.Errorf("unfit(%s) = %v", dir, got)
		}
	}
}
