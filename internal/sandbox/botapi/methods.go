package botapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// methods of the Bot API by their name in lower case: Telegram does not mind the case either.
var methods = map[string]func(*bot, context.Context, params) reply{
	"getme":          (*bot).getMe,
	"setwebhook":     (*bot).setWebhook,
	"deletewebhook":  (*bot).deleteWebhook,
	"getwebhookinfo": (*bot).getWebhookInfo,
	"sendmessage":    (*bot).sendMessage,
}

// ServeMethod answers /{bot}/{method}, where bot is the word "bot" and the token, as one.
func (s *Server) ServeMethod(w http.ResponseWriter, r *http.Request) {
	token, ours := strings.CutPrefix(r.PathValue("bot"), "bot")
	if !ours || (r.Method != http.MethodGet && r.Method != http.MethodPost) {
		notFound.write(w)
		return
	}
	s.answer(w, r, token).write(w)
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, token string) reply {
	b := s.bot(token)
	if b == nil {
		return unauthorized
	}
	call, known := methods[strings.ToLower(r.PathValue("method"))]
	if !known {
		return noMethod
	}
	p, err := readParams(w, r)
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return tooLarge
	case err != nil:
		return bad("can't parse the parameters")
	}
	return call(b, r.Context(), p)
}

// me has its fields in Telegram's order.
type me struct {
	ID              int64  `json:"id"`
	IsBot           bool   `json:"is_bot"`
	FirstName       string `json:"first_name"`
	Username        string `json:"username"`
	JoinGroups      bool   `json:"can_join_groups"`
	ReadAll         bool   `json:"can_read_all_group_messages"`
	Inline          bool   `json:"supports_inline_queries"`
	Guest           bool   `json:"supports_guest_queries"`
	Business        bool   `json:"can_connect_to_business"`
	MainWebApp      bool   `json:"has_main_web_app"`
	Topics          bool   `json:"has_topics_enabled"`
	UsersMakeTopics bool   `json:"allows_users_to_create_topics"`
	CanManageBots   bool   `json:"can_manage_bots"`
}

func (b *bot) getMe(context.Context, params) reply {
	b.mu.Lock()
	defer b.mu.Unlock()
	return reply{status: http.StatusOK, result: b.me()}
}

func (b *bot) me() me {
	return me{ID: b.id, IsBot: true, FirstName: b.Bot.Name, Username: b.Bot.Username, JoinGroups: true}
}

// Sent is a message that the bot sent.
type Sent struct {
	MessageID int64     `json:"message_id"`
	Chat      int64     `json:"chat"`
	Text      string    `json:"text"`
	At        time.Time `json:"at"`
}

const maxText = 4096 // characters

func (b *bot) sendMessage(_ context.Context, p params) reply {
	b.mu.Lock()
	defer b.mu.Unlock()
	chat, err := strconv.ParseInt(p["chat_id"], 10, 64)
	switch text := p["text"]; {
	case p["chat_id"] == "":
		return bad("chat_id is empty")
	case err != nil || !b.chats[chat]:
		return bad("chat not found")
	case strings.TrimSpace(text) == "":
		return bad("message text is empty")
	case utf8.RuneCountInString(text) > maxText:
		return bad("message is too long")
	}
	sent := Sent{MessageID: b.freshMessage(), Chat: chat, Text: p["text"], At: b.options.Now()}
	if err := b.record(entry{Sent: &sent}); err != nil {
		return broken(err)
	}
	return reply{status: http.StatusOK, result: struct {
		MessageID int64          `json:"message_id"`
		From      map[string]any `json:"from"`
		Chat      map[string]any `json:"chat"`
		Date      int64          `json:"date"`
		Text      string         `json:"text"`
	}{sent.MessageID, b.user(), map[string]any{"id": chat, "type": "private"}, sent.At.Unix(), sent.Text}}
}
