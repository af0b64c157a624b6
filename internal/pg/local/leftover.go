package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// stopLeftover is how long a server that was left running gets for its fast shutdown.
const stopLeftover = 30 * time.Second

// clearLeftover ends a server that a killed program left in this place, and says whether the data was
// left clean. We hold the lock of Dir, so nobody alive uses it.
func (p place) clearLeftover(ctx context.Context) (clean bool, err error) {
	pid, err := p.postmaster()
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err == nil && p.runs(pid) {
		return true, p.end(ctx, pid)
	}
	// PostgreSQL recovers by itself after a pid file of a dead process. It refuses one whose number some
	// other process of its user has now, so that one goes.
	if err != nil || syscall.Kill(pid, 0) == nil {
		return false, os.Remove(p.pidFile())
	}
	return false, nil
}

// end is a fast shutdown of a server that is not our child, an immediate one if that takes too long.
func (p place) end(ctx context.Context, pid int) error {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT} {
		if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop the PostgreSQL left running (process %d): %w", pid, err)
		}
		for deadline := time.Now().Add(stopLeftover); time.Now().Before(deadline); {
			if !p.runs(pid) {
				return nil
			}
			if err := pause(ctx, tick); err != nil {
				return fmt.Errorf("wait for the PostgreSQL left running (process %d): %w", pid, err)
			}
		}
	}
	return fmt.Errorf("the PostgreSQL left running (process %d) does not stop", pid)
}

// postmaster is the process number in postmaster.pid. An error other than not-exist: unreadable.
func (p place) postmaster() (int, error) {
	lines, err := p.pidLines()
	if err != nil {
		return 0, err
	}
	pid, err := strconv.Atoi(lines[0])
	if err != nil || pid <= 1 {
		return 0, fmt.Errorf("%s does not begin with a process number", p.pidFile())
	}
	return pid, nil
}

// ready: the postmaster writes its state into line 8 of its pid file (miscadmin.h,
// LOCK_FILE_LINE_PM_STATUS), which is also what pg_ctl waits for.
func (p place) ready(pid int) bool {
	lines, err := p.pidLines()
	return err == nil && len(lines) >= 8 && lines[0] == strconv.Itoa(pid) && strings.TrimSpace(lines[7]) == "ready"
}

func (p place) pidLines() ([]string, error) {
	text, err := os.ReadFile(p.pidFile())
	if err != nil {
		return nil, err
	}
	return strings.Split(string(text), "\n"), nil
}

// runs reports whether the process is a server on our data, and not another one that got its number.
func (p place) runs(pid int) bool {
	for _, arg := range commandLine(pid) {
		if arg == p.data() {
			return true
		}
	}
	return false
}

// clearSockets removes what a killed server left beside its data; no server runs here now.
func (p place) clearSockets() error {
	left, err := filepath.Glob(filepath.Join(p.sockets, ".s.PGSQL.*"))
	if err != nil {
		return err
	}
	for _, path := range left {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
