package inbox

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"sverka/internal/id"
	"sverka/internal/pg"
)

// ErrNoHook: nobody receives at this address.
var ErrNoHook = errors.New("inbox: no such hook")

// SecretGrace is how long a replaced secret is still accepted: Telegram may have updates under way.
const SecretGrace = 10 * time.Minute

// Hook is where deliveries of one owner come in.
type Hook struct {
	Hook          string // 32 hex digits, 128 random bits; routing, not a secret
	Tenant        id.Tenant
	Kind          Source
	Owner         uuid.UUID
	Origin        string // bot user id
	Secret        []byte // SHA-256
	Previous      []byte // SHA-256, nil = none
	PreviousUntil *time.Time
	Deleted       bool
	ChangedAt     time.Time
}

// NewHookPath makes the random part of a hook's address.
func NewHookPath() string { return random(16) }

// NewHookSecret makes what the sender must show, of Telegram's allowed characters.
func NewHookSecret() string { return random(32) }

func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// HashSecret is how a secret is stored.
func HashSecret(secret string) []byte {
	h := sha256.Sum256([]byte(secret))
	return h[:]
}

// Admits compares the shown secret with the current one, and with the previous one while it lasts, in
// constant time: hashes first, so lengths tell nothing.
func (h Hook) Admits(shown string, now time.Time) bool {
	hash := HashSecret(shown)
	current := subtle.ConstantTimeCompare(hash, h.Secret)
	previous := subtle.ConstantTimeCompare(hash, h.Previous)
	if h.PreviousUntil == nil || now.After(*h.PreviousUntil) {
		previous = 0
	}
	return current|previous == 1
}

// Hooks is every process's memory of all hooks. A change is heard at once, and found by a look every
// second where hearing fails.
type Hooks struct {
	db  *pg.DB
	log *slog.Logger

	mu     sync.RWMutex
	byPath map[string]Hook
	newest time.Time
}

// NewHooks starts empty: a hook that is not in memory is looked up.
func NewHooks(db *pg.DB, log *slog.Logger) *Hooks {
	return &Hooks{db: db, log: log, byPath: map[string]Hook{}}
}

// Find gives the hook at a path: from memory, else from the database. ErrNoHook only when the
// database itself said so; when it is away the error is another one, and the sender must come again.
func (h *Hooks) Find(ctx context.Context, path string) (Hook, error) {
	if len(path) != 32 {
		return Hook{}, ErrNoHook
	}
	h.mu.RLock()
	hook, ok := h.byPath[path]
	h.mu.RUnlock()
	if ok {
		return hook, nil
	}
	hook, err := h.load(ctx, path)
	if err != nil {
		return Hook{}, err
	}
	h.remember(hook)
	return hook, nil
}

func (h *Hooks) remember(hooks ...Hook) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, hook := range hooks {
		if held, ok := h.byPath[hook.Hook]; ok && held.ChangedAt.After(hook.ChangedAt) {
			continue // an older reading came in late
		}
		h.byPath[hook.Hook] = hook
		if hook.ChangedAt.After(h.newest) {
			h.newest = hook.ChangedAt
		}
	}
}

// refreshOverlap is how far a look reaches back: transactions commit in another order than their clock.
const refreshOverlap = 15 * time.Second

func (h *Hooks) refresh(ctx context.Context) error {
	h.mu.RLock()
	since := h.newest.Add(-refreshOverlap)
	h.mu.RUnlock()
	changed, err := h.changedSince(ctx, since)
	if err != nil {
		return err
	}
	h.remember(changed...)
	return nil
}

// Run keeps the memory fresh until the context ends.
func (h *Hooks) Run(ctx context.Context) {
	heard := make(chan struct{}, 1)
	go h.listen(ctx, heard)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		if err := h.refresh(ctx); err != nil && ctx.Err() == nil {
			h.log.Warn("hooks not refreshed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-heard:
		case <-tick.C:
		}
	}
}

func (h *Hooks) listen(ctx context.Context, heard chan<- struct{}) {
	for ctx.Err() == nil {
		err := h.db.Listen(ctx, "hooks", func() {
			select {
			case heard <- struct{}{}:
			default:
			}
		})
		if ctx.Err() != nil {
			return
		}
		h.log.Warn("hooks not heard, looking every second instead", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}
