package botapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Server is all bots.
type Server struct {
	dir     string
	log     *slog.Logger
	options Options
	dice    *dice

	mu      sync.Mutex
	bots    map[int64]*bot
	running context.Context // nil = Run has not been called
	loops   sync.WaitGroup
}

var journalName = regexp.MustCompile(`^bot-([0-9]+)\.jsonl$`)

// Open loads every bot that is kept in dir.
func Open(dir string, log *slog.Logger, o Options) (*Server, error) {
	o = o.withDefaults()
	s := &Server{dir: dir, log: log, options: o, dice: newDice(o.Seed), bots: map[int64]*bot{}}
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		m := journalName.FindStringSubmatch(file.Name())
		if m == nil {
			continue
		}
		id, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("name of %s: %w", file.Name(), err)
		}
		b, err := openBot(filepath.Join(dir, file.Name()), id, o, s.dice)
		if err != nil {
			return nil, err
		}
		s.bots[id] = b
	}
	return s, nil
}

// Add makes a bot, or changes the name or token of the one with the same user id. A new token has no
// webhook and the old one is unknown from then on, as after /revoke; pending updates stay.
func (s *Server) Add(bot Bot) error {
	id, err := bot.ID()
	if err != nil {
		return err
	}
	bot.Username = strings.TrimPrefix(bot.Username, "@")
	if bot.Username == "" {
		bot.Username = "sandbox_" + strconv.FormatInt(id, 10) + "_bot"
	}
	if bot.Name == "" {
		bot.Name = bot.Username
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.bots[id]
	if b == nil {
		path := filepath.Join(s.dir, "bot-"+strconv.FormatInt(id, 10)+".jsonl")
		if b, err = openBot(path, id, s.options, s.dice); err != nil {
			return err
		}
		s.bots[id] = b
		s.start(b)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Bot == bot {
		return nil
	}
	s.log.Info("sandbox bot", "bot", id, "username", bot.Username)
	return b.record(entry{Bot: &bot})
}

// start begins the delivery of a bot once Run has been called. The caller holds mu.
func (s *Server) start(b *bot) {
	if ctx := s.running; ctx != nil && ctx.Err() == nil {
		s.loops.Go(func() { b.deliver(ctx) })
	}
}

// Run delivers until ctx ends. Then what is on its way is cut off (it will be sent again after a
// restart) and everything is handed to the disk.
func (s *Server) Run(ctx context.Context) error {
	s.mu.Lock()
	s.running = ctx
	for _, b := range s.bots {
		s.start(b)
	}
	s.mu.Unlock()
	<-ctx.Done()
	s.mu.Lock() // no loop is started after this
	defer s.mu.Unlock()
	s.loops.Wait()
	var err error
	for _, b := range s.bots {
		err = errors.Join(err, b.journal.Sync())
	}
	return err
}

// Close closes the files. Run must have returned.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, b := range s.bots {
		b.mu.Lock()
		if b.hook != nil {
			b.hook.wire.close()
		}
		b.mu.Unlock()
		err = errors.Join(err, b.journal.Close())
	}
	return err
}

// bot finds a bot by its current token; nil = Telegram would say Unauthorized.
func (s *Server) bot(token string) *bot {
	id, err := Bot{Token: token}.ID()
	if err != nil {
		return nil
	}
	s.mu.Lock()
	b := s.bots[id]
	s.mu.Unlock()
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Bot.Token != token {
		return nil
	}
	return b
}

func (s *Server) sorted() []*bot {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*bot
	for _, b := range s.bots {
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b *bot) int { return cmp.Compare(a.id, b.id) })
	return all
}
