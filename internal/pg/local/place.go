package local

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// socketLimit: sun_path has 108 bytes on Linux, one of them the closing zero (unix(7)). macOS has 104.
const socketLimit = 103

// place says where one server keeps its things and as whom it runs.
type place struct {
	dir     string   // the caller's
	base    string   // the server's, 0700
	sockets string   // base, or a short directory where base is too deep
	account *account // nil: as ourselves
}

func (p place) data() string         { return filepath.Join(p.base, "data") }
func (p place) pidFile() string      { return filepath.Join(p.data(), "postmaster.pid") }
func (p place) passwordFile() string { return filepath.Join(p.dir, "postgres.password") }
func (p place) logFile() string      { return filepath.Join(p.dir, "postgres.log") }
func (p place) pointer() string      { return filepath.Join(p.dir, "postgres.location") }

// account is the unprivileged user that runs the server for root.
type account struct{ uid, gid uint32 }

// settle chooses the directories of a Dir and makes them. Data that may be lost goes to memory: a clone
// of a test database is some 700 files, and making them is 10 times faster there.
func settle(dir string, durable bool) (place, error) {
	p := place{dir: dir, base: filepath.Join(dir, "postgres")}
	name, owner := "sverka-"+hash(dir), os.Getuid()
	if owner == 0 {
		p.base = filepath.Join("/var/tmp", name)
	}
	if memory := inMemory(); memory != "" && !durable {
		p.base = filepath.Join(memory, name)
	}
	if owner == 0 {
		a, err := accountFor(p.base)
		if err != nil {
			return place{}, err
		}
		p.account, owner = &a, int(a.uid)
	}
	if err := private(p.base, owner, p.account); err != nil {
		return place{}, err
	}
	p.sockets = p.base
	if unfitForSocket(p.base) {
		p.sockets = filepath.Join("/tmp", name)
		if err := private(p.sockets, owner, p.account); err != nil {
			return place{}, err
		}
	}
	return p, os.WriteFile(p.pointer(), []byte(p.base+"\n"), 0o600)
}

// unfitForSocket: too long, or with a character that unix_socket_directories gives a meaning to.
func unfitForSocket(dir string) bool {
	return len(filepath.Join(dir, ".s.PGSQL.65535.lock")) > socketLimit || strings.ContainsAny(dir, `,"`)
}

// hash tells checkouts apart.
func hash(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return hex.EncodeToString(sum[:])[:12]
}

// accountFor is postgres, else nobody; a directory that exists already keeps whichever it has, also when
// the package that brings user postgres was installed in between.
func accountFor(base string) (account, error) {
	var usable []account
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		if uidErr == nil && gidErr == nil && uid != 0 {
			usable = append(usable, account{uint32(uid), uint32(gid)})
		}
	}
	if len(usable) == 0 {
		return account{}, errors.New("PostgreSQL cannot run as root, and there is neither a user postgres nor nobody")
	}
	if uid, err := ownerOf(base); err == nil {
		for _, a := range usable {
			if uid == int(a.uid) {
				return a, nil
			}
		}
	}
	return usable[0], nil
}

// private makes a directory that only its owner can enter. In /tmp and /var/tmp anybody may have made it
// before us, so one that is not the owner's is refused.
func private(dir string, owner int, a *account) error {
	err := os.Mkdir(dir, 0o700)
	switch {
	case err == nil && a != nil:
		return os.Lchown(dir, int(a.uid), int(a.gid))
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrExist):
		return fmt.Errorf("make directory for PostgreSQL: %w", err)
	}
	uid, err := ownerOf(dir)
	if err != nil {
		return err
	}
	if uid != owner {
		return fmt.Errorf("%s belongs to user id %d, not %d: remove it and start again", dir, uid, owner)
	}
	return os.Chmod(dir, 0o700)
}

func ownerOf(dir string) (int, error) {
	info, err := os.Lstat(dir)
	if err != nil {
		return 0, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() {
		return 0, fmt.Errorf("%s is not a directory: remove it and start again", dir)
	}
	return int(stat.Uid), nil
}

// remove leaves nothing but the lock, which is still held.
func (p place) remove() error {
	return errors.Join(os.RemoveAll(p.base), os.RemoveAll(p.sockets),
		os.RemoveAll(p.passwordFile()), os.RemoveAll(p.pointer()),
		os.RemoveAll(p.logFile()), os.RemoveAll(p.logFile()+".1"))
}
