package owncrm

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
)

// Server is all accounts.
type Server struct {
	dir     string
	log     *slog.Logger
	options Options
	dice    *dice
	stopped chan struct{}

	mu       sync.Mutex
	accounts map[string]*account
}

var journalName = regexp.MustCompile(`^crm-(.+)\.jsonl$`)

// Open loads every account that is kept in dir.
func Open(dir string, log *slog.Logger, o Options) (*Server, error) {
	o = o.withDefaults()
	s := &Server{
		dir: dir, log: log, options: o, dice: newDice(o.Seed),
		stopped: make(chan struct{}), accounts: map[string]*account{},
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		m := journalName.FindStringSubmatch(file.Name())
		if m == nil {
			continue
		}
		a, err := openAccount(filepath.Join(dir, file.Name()), o, s.dice)
		if err != nil {
			return nil, fmt.Errorf("opening account %s: %w", m[1], err)
		}
		if a.settings.Name == "" { // killed between making the file and its first line
			_ = a.journal.Close()
			continue
		}
		s.accounts[m[1]] = a
	}
	return s, nil
}

// Add makes an account or changes the one of that name. Without a token it keeps the one it has, else
// gets sandbox-<name>.
func (s *Server) Add(next Account) (Account, error) {
	if err := next.check(); err != nil {
		return Account{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[next.Name]
	if a == nil {
		opened, err := openAccount(filepath.Join(s.dir, "crm-"+next.Name+".jsonl"), s.options, s.dice)
		if err != nil {
			return Account{}, fmt.Errorf("opening account %s: %w", next.Name, err)
		}
		a = opened
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if next.Token == "" {
		next.Token = a.settings.Token
	}
	if next.Token == "" {
		next.Token = "sandbox-" + next.Name
	}
	if a.settings != next {
		if err := a.record(entry{Account: &next}); err != nil {
			return Account{}, err
		}
		s.log.Info("sandbox account", "account", next.Name, "capability", next.Capability)
	}
	s.accounts[next.Name] = a
	return next, nil
}

func (s *Server) account(name string) *account {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.accounts[name]
}

func (s *Server) sorted() []*account {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*account
	for _, name := range slices.Sorted(maps.Keys(s.accounts)) {
		all = append(all, s.accounts[name])
	}
	return all
}

// Stop lets go of the callers that the fault slow makes wait, so that a server can shut down, and hands
// everything to the disk. It is called once.
func (s *Server) Stop() error {
	close(s.stopped)
	var err error
	for _, a := range s.sorted() {
		err = errors.Join(err, a.journal.Sync())
	}
	return err
}

// Close closes the files.
func (s *Server) Close() error {
	var err error
	for _, a := range s.sorted() {
		err = errors.Join(err, a.journal.Close())
	}
	return err
}
