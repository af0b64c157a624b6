package botapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"sverka/internal/sandbox/journal"
)

// Bot is what BotFather knows of a bot. The number before the colon of the token is its user id.
type Bot struct {
	Token    string `json:"token"`
	Username string `json:"username"`
	Name     string `json:"name"`
}

// ErrToken: the token does not look like one of Telegram's.
var ErrToken = errors.New("token must look like 123456789:AA…, at least 24 letters, digits, _ or - after the colon")

// tokenShape is Client::start_up's check, loosely.
var tokenShape = regexp.MustCompile(`^([1-9][0-9]{0,15}):[A-Za-z0-9_-]{24,60}$`)

// ID is the bot's user id: it stays when the token is changed.
func (b Bot) ID() (int64, error) {
	m := tokenShape.FindStringSubmatch(b.Token)
	if m == nil {
		return 0, ErrToken
	}
	return strconv.ParseInt(m[1], 10, 64)
}

// bot is a bot with everything it was told. Its journal is the truth; the rest is derived by apply.
type bot struct {
	id      int64
	options Options
	dice    *dice
	journal *journal.Journal
	wake    chan struct{} // tells the delivery loop to look again

	mu          sync.Mutex
	Bot         Bot
	hook        *hook
	allowed     []string // nil = the default set; outlives deleteWebhook
	nextHook    time.Time
	lastError   string
	lastErrorAt time.Time
	gone        time.Time // the first of a row of 410 answers
	updates     []*update // by number
	byID        map[int64]*update
	lastID      int64
	lastMessage int64
	chats       map[int64]bool
	sent        []Sent
	line        line
}

// entry is one line of the journal: exactly one of its fields is set.
type entry struct {
	Bot     *Bot       `json:"bot,omitempty"`
	Hook    *hookEntry `json:"webhook,omitempty"`
	Allowed *[]string  `json:"allowed_updates,omitempty"`
	Update  *update    `json:"update,omitempty"`
	Attempt *attempt   `json:"attempt,omitempty"`
	DropAll bool       `json:"drop_pending,omitempty"`
	Sent    *Sent      `json:"sent,omitempty"`
}

// openBot loads the bot whose journal is at path; a new one has an empty journal.
func openBot(path string, id int64, o Options, d *dice) (*bot, error) {
	b := &bot{
		id: id, options: o, dice: d,
		wake:  make(chan struct{}, 1),
		byID:  map[int64]*update{},
		chats: map[int64]bool{},
		line:  newLine(),
	}
	j, err := journal.Open(path, func(raw []byte) error {
		var e entry
		if err := json.Unmarshal(raw, &e); err != nil {
			return err
		}
		b.apply(e)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("opening bot %d: %w", id, err)
	}
	b.journal = j
	return b, nil
}

// record writes the entry down, then lets it take effect. The caller holds mu.
func (b *bot) record(e entry) error {
	if err := b.journal.Append(e); err != nil {
		return err
	}
	b.apply(e)
	return nil
}

func (b *bot) apply(e entry) {
	switch {
	case e.Bot != nil:
		b.applyBot(*e.Bot)
	case e.Hook != nil:
		b.applyHook(*e.Hook)
	case e.Allowed != nil:
		b.allowed = *e.Allowed
	case e.Update != nil:
		b.applyUpdate(e.Update)
	case e.Attempt != nil:
		b.applyAttempt(*e.Attempt)
	case e.DropAll:
		b.applyDropAll()
	case e.Sent != nil:
		b.sent = append(b.sent, *e.Sent)
		b.lastMessage = max(b.lastMessage, e.Sent.MessageID)
	}
	b.ring()
}

// applyBot takes a new name or token. Webhook settings belong to the token and go with it.
func (b *bot) applyBot(next Bot) {
	if b.Bot.Token != "" && b.Bot.Token != next.Token {
		b.applyHook(hookEntry{})
	}
	b.Bot = next
}

// ring wakes the delivery loop; a second ring before it looks is the same as one.
func (b *bot) ring() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// user is the bot as Telegram shows it inside a message.
func (b *bot) user() map[string]any {
	return map[string]any{
		"id": b.id, "is_bot": true, "first_name": b.Bot.Name, "username": strings.TrimPrefix(b.Bot.Username, "@"),
	}
}
