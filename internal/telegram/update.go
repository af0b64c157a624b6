package telegram

import (
	"encoding/json"
	"errors"
)

// Unknown is the type of an update whose content we do not know: Telegram adds types every few months.
const Unknown = "unknown"

// ErrNotUpdate says that a body is not one whole JSON object.
var ErrNotUpdate = errors.New("telegram: the body is not one JSON object")

// Update is what a bot was told, read forgivingly. Its texts are valid UTF-8 without NUL.
type Update struct {
	ID      int64    // as UpdateID gives it; 0 = not usable
	Type    string   // the name of the content, "message" and so on, or Unknown
	Several bool     // more than one known content; the first by our order was taken
	Message *Message // the message itself, for the types that are one; else nil
	// Sender is the user who acted; nil if nobody did, or a chat did. Telegram then names a fake user,
	// who must never become a contact.
	Sender *User
	ChatID int64 // where; 0 = nowhere (inline queries, polls, payments) or not said
}

// User is a Telegram user. Only ID identifies: a username can be changed and given to somebody else.
type User struct {
	ID        int64 // > 0
	IsBot     bool
	FirstName string
	LastName  string
	Username  string
	Language  string // IETF tag of the person's app; may be ""
}

// shape says where a type of update keeps who acted and where.
type shape struct {
	name    string
	message bool     // the content is a Message
	actor   []string // the way to the user; nil = nobody acts
	instead []string // if this is there a chat acted, and the user is a fake
	chat    []string // the way to the chat; nil = none
}

var (
	from       = []string{"from"}
	user       = []string{"user"}
	senderChat = []string{"sender_chat"}
	inChat     = []string{"chat"}
)

// shapes is every type known, in the order in which one of several contents is taken: what a customer
// says first. The Bot API promises at most one.
var shapes = []shape{
	{name: "message", message: true, actor: from, instead: senderChat, chat: inChat},
	{name: "edited_message", message: true, actor: from, instead: senderChat, chat: inChat},
	{name: "business_message", message: true, actor: from, instead: senderChat, chat: inChat},
	{name: "edited_business_message", message: true, actor: from, instead: senderChat, chat: inChat},
	{name: "guest_message", message: true, actor: from, instead: senderChat, chat: inChat},
	{name: "callback_query", actor: from, chat: []string{"message", "chat"}},
	{name: "channel_post", message: true, chat: inChat}, // a channel speaks, not a person
	{name: "edited_channel_post", message: true, chat: inChat},
	{name: "inline_query", actor: from},
	{name: "chosen_inline_result", actor: from},
	{name: "shipping_query", actor: from},
	{name: "pre_checkout_query", actor: from},
	{name: "purchased_paid_media", actor: from},
	{name: "subscription", actor: user},
	{name: "my_chat_member", actor: from, chat: inChat},
	{name: "chat_member", actor: from, chat: inChat},
	{name: "chat_join_request", actor: from, chat: inChat},
	{name: "message_reaction", actor: user, instead: []string{"actor_chat"}, chat: inChat},
	{name: "message_reaction_count", chat: inChat},
	{name: "poll"},
	{name: "poll_answer", actor: user, instead: []string{"voter_chat"}},
	{name: "chat_boost", actor: []string{"boost", "source", "user"}, chat: inChat},
	{name: "removed_chat_boost", actor: []string{"source", "user"}, chat: inChat},
	{name: "business_connection", actor: user},
	{name: "deleted_business_messages", chat: inChat},
	{name: "managed_bot", actor: user},
	{name: "stopped_message_generation", chat: inChat},
}

// Decode reads an update. Unknown members do not matter, null is absent, a member of an unexpected type
// is absent: only a body that is not one JSON object is an error, ErrNotUpdate.
func Decode(body []byte) (Update, error) {
	if first(body) != '{' || !json.Valid(body) {
		return Update{}, ErrNotUpdate
	}
	u := Update{Type: Unknown}
	u.ID, _ = usableID(body)
	best, known := len(shapes), 0
	var content []byte
	for name, value := range members(body) {
		i := shapeOf(unquoted(name))
		if i == len(shapes) || first(value) == 'n' {
			continue
		}
		known++
		if i <= best {
			best, content = i, value
		}
	}
	u.Several = known > 1
	if best < len(shapes) {
		u.fill(shapes[best], open(content))
	}
	return u, nil
}

func shapeOf(name string) int {
	for i, s := range shapes {
		if s.name == name {
			return i
		}
	}
	return len(shapes)
}

// fill reads the content by its shape. A content that is no object leaves everything but the type empty.
func (u *Update) fill(s shape, content object) {
	u.Type = s.name
	if content == nil {
		return
	}
	u.ChatID = content.at(s.chat...).integer("id")
	if content.at(s.instead...) == nil {
		u.Sender = person(content.at(s.actor...))
	}
	if s.message {
		u.Message = readMessage(content)
		u.Message.update = u.ID
	}
}

// The users that Telegram names when a chat or Telegram itself speaks. The first two come with
// sender_chat (or voter_chat); they are listed for the day when they do not.
const (
	groupAnonymousBot = 1087968824
	channelBot        = 136817688
	telegramItself    = 777000
)

// person is a user who can be someone: not one of the fakes.
func person(o object) *User {
	u := readUser(o)
	if u == nil || u.ID == groupAnonymousBot || u.ID == channelBot || u.ID == telegramItself {
		return nil
	}
	return u
}

func readUser(o object) *User {
	id := o.integer("id")
	if id <= 0 {
		return nil
	}
	return &User{
		ID:        id,
		IsBot:     o.truth("is_bot"),
		FirstName: o.text("first_name"),
		LastName:  o.text("last_name"),
		Username:  o.text("username"),
		Language:  o.text("language_code"),
	}
}
