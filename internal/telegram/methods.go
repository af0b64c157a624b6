package telegram

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"
)

// AllowedUpdates is what our webhooks ask for: what customers say and press, whether they blocked the
// bot, and what reaches a business account. Channels, groups' members and payments are not ours.
var AllowedUpdates = []string{
	"message", "edited_message", "callback_query", "my_chat_member",
	"business_connection", "business_message", "edited_business_message", "deleted_business_messages",
}

// Me is the bot as Telegram knows it.
type Me struct {
	ID        int64
	Username  string // without @
	FirstName string
	// ReadsGroups: the bot's privacy mode is off, it sees all that is said in its groups.
	ReadsGroups bool
	JoinsGroups bool
	Business    bool // people may connect their business account to it
}

// GetMe asks whose the token is: the way to check it. The answer must be about the bot that the token names.
func (c *Client) GetMe(ctx context.Context, token string) (Me, error) {
	a, err := c.call(ctx, token, "getMe", struct{}{})
	if err != nil {
		return Me{}, err
	}
	if id, _ := BotID(token); a.integer("id") != id || !a.truth("is_bot") {
		return Me{}, fmt.Errorf("telegram getMe: %w: it is about somebody else", ErrAnswer)
	}
	return Me{
		ID:          a.integer("id"),
		Username:    a.text("username"),
		FirstName:   a.text("first_name"),
		ReadsGroups: a.truth("can_read_all_group_messages"),
		JoinsGroups: a.truth("can_join_groups"),
		Business:    a.truth("can_connect_to_business"),
	}, nil
}

// Webhook is where Telegram shall send a bot's updates. It prints without its secret.
type Webhook struct {
	URL            string
	Secret         string   // 1 … 256 of A-Z a-z 0-9 _ -, comes back in X-Telegram-Bot-Api-Secret-Token
	AllowedUpdates []string // nil = AllowedUpdates
	MaxConnections int      // 1 … 100; 0 = Telegram's 40. Few make one slow chat stall the others
	DropPending    bool     // forget what waits. Never in the course of a change: those are customers
}

// String hides the secret, and the address, which is hard to guess for a reason.
func (Webhook) String() string { return "webhook " + mask }

// GoString hides them from %#v.
func (w Webhook) GoString() string { return w.String() }

// LogValue hides them from slog.
func (w Webhook) LogValue() slog.Value { return slog.StringValue(w.String()) }

const (
	maxHookURL     = 2048 // bytes. Telegram's request head has 4096; with a longer URL it sends nothing, silently
	maxHookSecret  = 256
	maxConnections = 100
)

func (w Webhook) check() error {
	u, err := url.Parse(w.URL)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") || len(w.URL) > maxHookURL:
		return fmt.Errorf("%w: the address must be an https URL of at most %d bytes", ErrWebhook, maxHookURL)
	case w.Secret == "" || len(w.Secret) > maxHookSecret || strings.Trim(w.Secret, wordAlphabet) != "":
		return fmt.Errorf("%w: the secret must be 1 to %d of A-Z, a-z, 0-9, _ and -", ErrWebhook, maxHookSecret)
	case w.MaxConnections < 0 || w.MaxConnections > maxConnections:
		return fmt.Errorf("%w: connections must be 1 to %d", ErrWebhook, maxConnections)
	}
	return nil
}

// SetWebhook makes Telegram send the bot's updates to w. Success proves neither that the address can be
// reached nor that its certificate is good: read WebhookInfo back. After any error but ErrToken and
// ErrWebhook the bot may have no webhook at all. One call a second for each bot.
func (c *Client) SetWebhook(ctx context.Context, token string, w Webhook) error {
	if err := w.check(); err != nil {
		return fmt.Errorf("telegram setWebhook: %w", err)
	}
	if w.AllowedUpdates == nil {
		w.AllowedUpdates = AllowedUpdates // left out, the previous choice would stay
	}
	_, err := c.call(ctx, token, "setWebhook", struct {
		URL            string   `json:"url"`
		Secret         string   `json:"secret_token"`
		AllowedUpdates []string `json:"allowed_updates"`
		MaxConnections int      `json:"max_connections,omitempty"`
		DropPending    bool     `json:"drop_pending_updates"`
	}{w.URL, w.Secret, w.AllowedUpdates, w.MaxConnections, w.DropPending})
	return err
}

// DeleteWebhook stops the sending. Without dropPending what waits is kept, for 24 hours.
func (c *Client) DeleteWebhook(ctx context.Context, token string, dropPending bool) error {
	_, err := c.call(ctx, token, "deleteWebhook", struct {
		DropPending bool `json:"drop_pending_updates"`
	}{dropPending})
	return err
}

// WebhookInfo is what Telegram says of a bot's webhook. The secret is never in it.
type WebhookInfo struct {
	URL              string // "" = none; what holds the token is masked, and so not ours
	Pending          int64  // updates that wait
	LastErrorAt      time.Time
	LastErrorMessage string // stays until the next SetWebhook: look at LastErrorAt
	MaxConnections   int64
	IPAddress        string   // "" or "<unknown>" before the first look-up
	AllowedUpdates   []string // nil = Telegram's default set
}

// WebhookInfo asks what Telegram knows of the webhook.
func (c *Client) WebhookInfo(ctx context.Context, token string) (WebhookInfo, error) {
	a, err := c.call(ctx, token, "getWebhookInfo", struct{}{})
	if err != nil {
		return WebhookInfo{}, err
	}
	if _, ok := a.object["url"]; !ok {
		return WebhookInfo{}, fmt.Errorf("telegram getWebhookInfo: %w: no url in it", ErrAnswer)
	}
	return WebhookInfo{
		URL:              a.text("url"),
		Pending:          a.integer("pending_update_count"),
		LastErrorAt:      a.moment("last_error_date"),
		LastErrorMessage: a.text("last_error_message"),
		MaxConnections:   a.integer("max_connections"),
		IPAddress:        a.text("ip_address"),
		AllowedUpdates:   a.texts("allowed_updates"),
	}, nil
}

// Sent is a message that the bot has sent.
type Sent struct {
	MessageID int64
	ChatID    int64
	At        time.Time
}

// SendMessage sends a plain text, 1 … 4096 characters, to a chat whose person has spoken to the bot.
// After ErrUnreachable and ErrAnswer it may have been sent.
func (c *Client) SendMessage(ctx context.Context, token string, chat int64, text string) (Sent, error) {
	a, err := c.call(ctx, token, "sendMessage", struct {
		Chat int64  `json:"chat_id"`
		Text string `json:"text"`
	}{chat, text})
	if err != nil {
		return Sent{}, err
	}
	sent := Sent{
		MessageID: a.integer("message_id"),
		ChatID:    a.at("chat").integer("id"),
		At:        a.moment("date"),
	}
	if sent.MessageID <= 0 {
		return Sent{}, fmt.Errorf("telegram sendMessage: %w: no message in it", ErrAnswer)
	}
	return sent, nil
}
