package local

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// tick is how often a condition outside of this process is looked at again.
const tick = 10 * time.Millisecond

// process is the server as our child.
type process struct {
	os     *os.Process
	exited chan struct{}
	// lock is held here too: the goroutine that waits for the server keeps it from being collected, and so
	// from being given back, when a caller keeps nothing but an address.
	lock *os.File
}

// run starts the server and waits until it accepts connections.
func (s *Server) run(ctx context.Context, found binaries, o Options) error {
	_ = os.Rename(s.place.logFile(), s.place.logFile()+".1")
	for {
		port, err := choose(o.Port)
		if err != nil {
			return err
		}
		s.port = port
		said, err := s.attempt(ctx, found, o.Durable)
		if err == nil {
			return s.answersOrStop(ctx)
		}
		// Backends of a server that was killed leave a moment after it; a free port can be taken before
		// the server binds it. Both pass.
		leaving := strings.Contains(said, "pre-existing shared memory block")
		taken := strings.Contains(said, "could not bind") && o.Port == 0
		if !leaving && !taken {
			return err
		}
		if pauseErr := pause(ctx, 10*tick); pauseErr != nil {
			return err
		}
	}
}

func (s *Server) answersOrStop(ctx context.Context) error {
	err := s.answers(ctx)
	if err != nil {
		err = errors.Join(err, s.process.shutdown(context.WithoutCancel(ctx)))
	}
	return err
}

// attempt is one start. Where it fails, it also returns what the server wrote to its log.
func (s *Server) attempt(ctx context.Context, found binaries, durable bool) (string, error) {
	if err := s.place.clearSockets(); err != nil {
		return "", err
	}
	log, err := os.OpenFile(s.place.logFile(), os.O_CREATE|os.O_RDWR|os.O_TRUNC, 0o600)
	if err != nil {
		return "", err
	}
	defer log.Close()
	// Not CommandContext: the server outlives the context of its start.
	cmd := s.place.command(context.Background(), filepath.Join(found.dir, "postgres"), s.place.settings(s.port, durable)...)
	cmd.Stdout, cmd.Stderr = log, log
	bindToUs(cmd.SysProcAttr)
	if s.process, err = supervise(cmd); err != nil {
		return "", fmt.Errorf("start PostgreSQL: %w", err)
	}
	s.process.lock = s.lock
	for !s.place.ready(s.process.os.Pid) {
		select {
		case <-s.process.exited:
			said, _ := os.ReadFile(s.place.logFile())
			return string(said), fmt.Errorf("PostgreSQL did not start (%s):\n%s", s.place.logFile(), said)
		case <-time.After(tick):
		case <-ctx.Done():
			return "", errors.Join(fmt.Errorf("wait for PostgreSQL to start: %w", ctx.Err()),
				s.process.shutdown(ctx))
		}
	}
	return "", nil
}

// supervise starts cmd and waits for it on one thread that belongs to it alone. PR_SET_PDEATHSIG fires
// when the *thread* that made the child ends, and a Go thread ends with a goroutine that was locked to
// it: on a shared thread somebody else's goroutine could shut down our server.
func supervise(cmd *exec.Cmd) (*process, error) {
	p := &process{exited: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		p.os = cmd.Process
		started <- err
		if err == nil {
			_ = cmd.Wait() // how it ended is in its log
			close(p.exited)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// shutdown is SIGINT, PostgreSQL's fast shutdown, and SIGQUIT, its immediate one, when ctx ends first.
func (p *process) shutdown(ctx context.Context) error {
	_ = p.os.Signal(syscall.SIGINT) // it may have ended already
	select {
	case <-p.exited:
		return nil
	case <-ctx.Done():
	}
	_ = p.os.Signal(syscall.SIGQUIT)
	<-p.exited // the postmaster itself kills children that ignore it for 5 s
	return fmt.Errorf("PostgreSQL was stopped at once, without its checkpoint: %w", ctx.Err())
}

// command runs a program of PostgreSQL as its user, in a directory that this user can enter, without
// our PG… and locale variables.
func (p place) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = p.base
	cmd.Env = []string{"LC_ALL=C"}
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "PG") && !strings.HasPrefix(kv, "LC_") && !strings.HasPrefix(kv, "SVERKA_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a terminal's Ctrl-C is for us, not for it
	if p.account != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: p.account.uid, Gid: p.account.gid}
	}
	return cmd
}

// choose is the port asked for, or one that is free now.
func choose(port int) (int, error) {
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return 0, fmt.Errorf("port for PostgreSQL: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
