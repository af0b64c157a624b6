// Package local runs a PostgreSQL server of our own: for `sverka dev`, for the benchmarks and for the
// tests. Where SVERKA_DATABASE_URL names a server, nobody calls it.
//
//	Dir/                      e.g. .sverka, the caller's own
//	  postgres.lock           flock: one living process per Dir
//	  postgres.password       of the superuser, random, 0600
//	  postgres.log            of the running server; .log.1 of the one before
//	  postgres/               0700: data/ and the socket
//	  postgres.location       where that directory really is:
//
// PostgreSQL refuses to run as root, and another user cannot enter a checkout under a 0700 home. As root
// the server therefore runs as user postgres (or nobody), in /var/tmp/sverka-<hash of Dir>. Without
// Durable it is in /dev/shm/sverka-<hash of Dir>, where that is roomy.
//
// The server ends with us. Ctrl-C does not reach it (it has its own process group), so the program can
// drain before Stop. If the program is killed, Linux interrupts the server (PR_SET_PDEATHSIG), which is
// PostgreSQL's fast shutdown. Whatever is left anyway is cleared by the next Start: a server still
// running is shut down and started again as our own child, with its data, because only a child can be
// bound to our life and has the settings asked for.
package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// ErrRunning: another living process has a server in this Dir.
var ErrRunning = errors.New("PostgreSQL is already running for this directory")

// startTimeout allows for crash recovery after a kill in the middle of a benchmark.
const startTimeout = 2 * time.Minute

// superuser is the one role that initdb makes.
const superuser = "postgres"

// Options of one server.
type Options struct {
	Dir string // made if missing; a server per Dir, always of the same kind
	// Durable keeps what was committed whatever happens. Without it the server is fast and its data a
	// mere cache: it is dropped where it might be damaged or comes from another major version.
	Durable   bool
	Temporary bool         // begin empty, leave nothing
	Port      int          // on 127.0.0.1; 0 = any free one
	Log       *slog.Logger // nil = silence
}

// Server is a running PostgreSQL. Stop it.
type Server struct {
	place     place
	lock      *os.File
	password  string
	port      int
	temporary bool
	process   *process
	stop      sync.Once
	stopErr   error
}

// Start finds PostgreSQL 15 or newer, makes a cluster if there is none, and starts the server. ctx bounds
// the start only. ErrRunning if another process has a server in the same Dir.
func Start(ctx context.Context, o Options) (_ *Server, err error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	dir, lock, err := claim(o.Dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = lock.Close()
		}
	}()
	found, err := find(ctx, o.Log)
	if err != nil {
		return nil, err
	}
	p, err := settle(dir, o.Durable)
	if err != nil {
		return nil, err
	}
	password, err := prepare(ctx, p, found, o)
	if err != nil {
		return nil, err
	}
	s := &Server{place: p, lock: lock, password: password, temporary: o.Temporary}
	if err := s.run(ctx, found, o); err != nil {
		return nil, err
	}
	o.Log.Info("database server started", "version", found.version, "binaries", found.dir,
		"data", p.data(), "port", s.port, "durable", o.Durable)
	return s, nil
}

// URL is the superuser's address of a database, over loopback TCP.
func (s *Server) URL(db string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(superuser, s.password),
		Host:     net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)),
		Path:     "/" + db,
		RawQuery: "sslmode=disable",
	}
	return u.String()
}

// Done is closed when the server has ended, whoever ended it.
func (s *Server) Done() <-chan struct{} { return s.process.exited }

// Stop shuts the server down fast (open transactions are rolled back, what was committed is on disk) and
// waits for it. When ctx ends first, the server is made to quit at once and recovers at its next start.
func (s *Server) Stop(ctx context.Context) error {
	s.stop.Do(func() {
		s.stopErr = s.process.shutdown(ctx)
		if s.temporary {
			s.stopErr = errors.Join(s.stopErr, s.place.remove())
		}
		_ = s.lock.Close()
	})
	return s.stopErr
}

// claim makes Dir and holds its lock. The kernel gives the lock back when the process ends in any way.
func claim(dir string) (string, *os.File, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, fmt.Errorf("make directory for PostgreSQL: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil { // one directory, one name, one hash
		return "", nil, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "postgres.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return "", nil, fmt.Errorf("%w: %s", ErrRunning, dir)
		}
		return "", nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	return dir, lock, nil
}

// answers proves that the server that is ready is the one our password opens.
func (s *Server) answers(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return fmt.Errorf("log in to our own PostgreSQL (data in %s, password in %s): %w",
			s.place.data(), s.place.passwordFile(), err)
	}
	return conn.Close(ctx)
}
