package telegram

import (
	"strconv"
	"strings"
	"time"
)

const private = "private"

// maxGroup bounds media_group_id, in bytes: Telegram's are numbers, and what we key by must fit an index.
const maxGroup = 64

// Message is one message as far as we read it. Its texts are valid UTF-8 without NUL.
type Message struct {
	ID       int64 // unique in its chat only; 0 = Telegram gave none
	ChatID   int64 // negative for groups
	ChatType string
	// From is the user named as the author, who may be a fake one: Update.Sender is who really acted.
	From       *User
	SenderChat bool // said in the name of a chat
	Date       time.Time
	Text       string // the text, else the caption, else what a Mini App sent
	Caption    bool   // Text is a caption
	MediaGroup string // the album this message is part of; its other parts come as updates of their own
	Contact    *SharedContact
	// IsStart: the person pressed Start or followed t.me/<bot>?start=<payload>. The payload can be typed
	// by anyone: a hint, never a proof. Text keeps the whole command.
	IsStart      bool
	StartPayload string
	Attachments  []Attachment
	Service      string // what happened, such as pinned_message; "" for what somebody said
	Forwarded    bool   // passed on by From; the words are somebody else's
	BusinessID   string // of the business connection it came through; "" = the bot's own chat

	update int64 // names the message when nothing else does
}

// SharedContact is a contact card. Phone is as it was given: with or without + and spaces.
type SharedContact struct {
	Phone     string
	FirstName string
	LastName  string
	UserID    int64 // 0 = not a Telegram user, or not known
	// Own: the sender's own number, vouched for by Telegram, which fills in the card's user itself
	// (its developer in github.com/tdlib/td/issues/2575). All others are notes about a third person.
	Own bool
}

// readMessage reads a message; nothing in it is required.
func readMessage(o object) *Message {
	chat := o.at("chat")
	m := &Message{
		ID:         max(o.integer("message_id"), 0),
		ChatID:     chat.integer("id"),
		ChatType:   chat.text("type"),
		From:       readUser(o.at("from")),
		SenderChat: o.at("sender_chat") != nil,
		Date:       o.moment("date"),
		Text:       o.text("text"),
		MediaGroup: mediaGroup(o),
		Service:    service(o),
		Forwarded:  forwarded(o),
		BusinessID: o.text("business_connection_id"),
	}
	if m.ChatType == "" && m.From != nil && m.From.ID == m.ChatID {
		m.ChatType = private // before 2016 chats had no type; a private chat has the number of its person
	}
	if !m.Forwarded { // a passed on "/start" starts nothing
		m.StartPayload, m.IsStart = startPayload(m.Text)
	}
	if m.Text == "" {
		m.Text = o.text("caption")
		m.Caption = m.Text != ""
	}
	if m.Text == "" {
		m.Text = o.at("web_app_data").text("data") // a bad app can send anything: words of the user
	}
	m.Contact = m.readContact(o.at("contact"))
	m.Attachments = attachments(o)
	return m
}

func (m *Message) readContact(o object) *SharedContact {
	if o.text("phone_number") == "" {
		return nil
	}
	c := &SharedContact{
		Phone:     o.text("phone_number"),
		FirstName: o.text("first_name"),
		LastName:  o.text("last_name"),
		UserID:    max(o.integer("user_id"), 0),
	}
	c.Own = m.From != nil && c.UserID == m.From.ID && m.ChatType == private && !m.Forwarded && !m.SenderChat
	return c
}

// mediaGroup is a string by the documentation and a number in some libraries.
func mediaGroup(o object) string {
	if id := o.scalar("media_group_id"); len(id) <= maxGroup {
		return id
	}
	return ""
}

// forwarded knows the new member and the ones before Bot API 7.0, which are still sent beside it.
func forwarded(o object) bool {
	for _, sign := range []string{
		"forward_origin", "forward_from", "forward_from_chat", "forward_sender_name", "forward_date",
	} {
		if o.has(sign) {
			return true
		}
	}
	return false
}

// startPayload reads "/start", "/start payload" and "/start@bot payload". What Telegram could not have
// made of a link is plain text, not a start (core.telegram.org/bots/features#deep-linking).
func startPayload(text string) (payload string, ok bool) {
	rest, ok := strings.CutPrefix(text, "/start")
	if !ok {
		return "", false
	}
	if name, addressed := strings.CutPrefix(rest, "@"); addressed {
		if rest = strings.TrimLeft(name, wordAlphabet); rest == name {
			return "", false
		}
	}
	payload = strings.TrimSpace(rest)
	switch {
	case rest != "" && strings.TrimLeft(rest, " \t\r\n") == rest:
		return "", false // another command that begins alike
	case len(payload) > 64 || strings.Trim(payload, wordAlphabet) != "":
		return "", false
	}
	return payload, true
}

// wordAlphabet is base64url: what a deep link, a bot's token and a webhook's secret may hold, and more
// than a bot's name may.
const wordAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

// BusinessKey names the message for good, whichever update brings it: "m:<chat>:<id>". Chats of a
// business connection may have the numbers of the bot's own and get its id in front. A message without
// a number is named by its update, "u:<update id>", so that two of them are never taken for one.
func (m *Message) BusinessKey() string {
	if m.ID == 0 || m.ChatID == 0 {
		return "u:" + strconv.FormatInt(m.update, 10)
	}
	return m.key("m:", strconv.FormatInt(m.ID, 10))
}

// GroupKey names the album that the message is part of: "g:<chat>:<media group>"; "" = none.
func (m *Message) GroupKey() string {
	if m.MediaGroup == "" || m.ChatID == 0 {
		return ""
	}
	return m.key("g:", m.MediaGroup)
}

func (m *Message) key(kind, own string) string {
	key := kind + strconv.FormatInt(m.ChatID, 10) + ":" + own
	if m.BusinessID != "" {
		return "b:" + m.BusinessID + ":" + key
	}
	return key
}
