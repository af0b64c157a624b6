package botapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"hash/fnv"
	"strconv"
)

// short is the short form of a message.
type short struct {
	UpdateID  json.RawMessage `json:"update_id"`
	MessageID int64           `json:"message_id"`
	Date      int64           `json:"date"`
	From      sender          `json:"from"`
	Text      *string         `json:"text"`
	Caption   *string         `json:"caption"`
	Start     *string         `json:"start"` // payload of a deep link; "" = a bare /start
	Contact   *contact        `json:"contact"`
}

// sender is Telegram's User, in its order of fields.
type sender struct {
	ID        int64  `json:"id"`
	IsBot     bool   `json:"is_bot"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name,omitempty"`
	Username  string `json:"username,omitempty"`
	Language  string `json:"language_code,omitempty"`
}

// contact is Telegram's Contact. Without user_id it is the sender's own; null makes it a stranger's.
type contact struct {
	PhoneNumber string          `json:"phone_number"`
	FirstName   string          `json:"first_name"`
	LastName    string          `json:"last_name,omitempty"`
	VCard       string          `json:"vcard,omitempty"`
	UserID      json.RawMessage `json:"user_id,omitempty"`
}

type privateChat struct {
	ID        int64  `json:"id"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name,omitempty"`
	Username  string `json:"username,omitempty"`
	Type      string `json:"type"`
}

type textEntity struct {
	Offset int    `json:"offset"`
	Length int    `json:"length"`
	Type   string `json:"type"`
}

type shortMessage struct {
	MessageID int64        `json:"message_id"`
	From      sender       `json:"from"`
	Chat      privateChat  `json:"chat"`
	Date      int64        `json:"date"`
	Text      string       `json:"text,omitempty"`
	Entities  []textEntity `json:"entities,omitempty"`
	Caption   string       `json:"caption,omitempty"`
	Contact   *contact     `json:"contact,omitempty"`
}

// ownKeys are the short form's; what else is given (photo, media_group_id, chat, …) goes into the
// message as it stands.
var ownKeys = []string{"update_id", "message_id", "date", "from", "text", "caption", "start", "contact"}

func (b *bot) readShort(body []byte, top map[string]json.RawMessage) (*update, error) {
	var in short
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, shortError("message", err)
	}
	u := &update{Type: "message"}
	id := []byte(in.UpdateID)
	if len(id) == 0 {
		u.ID, u.Ours = b.freshID(), true
		id = strconv.AppendInt(nil, u.ID, 10)
	} else {
		u.ID = usableID(in.UpdateID)
	}
	if in.MessageID == 0 {
		in.MessageID = b.freshMessage()
	}
	if in.Date == 0 {
		in.Date = b.options.Now().Unix()
	}
	m, err := in.message()
	if err != nil {
		return nil, err
	}
	text, err := ascii(m)
	if err != nil {
		return nil, shortError("message", err)
	}
	if text, err = withExtras(text, top); err != nil {
		return nil, err
	}
	u.Body = bytes.Join([][]byte{[]byte(`{"update_id":`), id, []byte(",\n\"message\":"), text, []byte("}")}, nil)
	u.look()
	return u, nil
}

func (in short) message() (shortMessage, error) {
	from := in.From
	if from.FirstName == "" {
		from.FirstName = "Customer"
	}
	if from.ID == 0 {
		from.ID = PersonID(from.FirstName)
	}
	m := shortMessage{MessageID: in.MessageID, From: from, Date: in.Date, Contact: in.Contact}
	m.Chat = privateChat{from.ID, from.FirstName, from.LastName, from.Username, "private"}
	if in.Text != nil {
		m.Text = *in.Text
	}
	if in.Caption != nil {
		m.Caption = *in.Caption
	}
	if in.Start != nil {
		m.Text, m.Entities = "/start", []textEntity{{0, len("/start"), "bot_command"}}
		if *in.Start != "" {
			m.Text += " " + *in.Start
		}
	}
	if c := m.Contact; c != nil {
		if c.PhoneNumber == "" {
			return m, shortError("contact.phone_number", errors.New("is missing"))
		}
		c.own(from)
	}
	return m, nil
}

// own fills what Telegram fills: the server, not the client, says whose number it is.
func (c *contact) own(from sender) {
	if c.FirstName == "" {
		c.FirstName, c.LastName = from.FirstName, from.LastName
	}
	switch {
	case c.UserID == nil:
		c.UserID = strconv.AppendInt(nil, from.ID, 10)
	case string(c.UserID) == "null":
		c.UserID = nil
	}
}

func withExtras(message []byte, top map[string]json.RawMessage) ([]byte, error) {
	extra := map[string]json.RawMessage{}
	for key, value := range top {
		extra[key] = value
	}
	for _, key := range ownKeys {
		delete(extra, key)
	}
	if len(extra) == 0 {
		return message, nil
	}
	if _, given := extra["chat"]; given {
		var own map[string]json.RawMessage
		if err := json.Unmarshal(message, &own); err != nil {
			return nil, shortError("chat", err)
		}
		for key, value := range extra {
			own[key] = value
		}
		return ascii(own)
	}
	more, err := ascii(extra)
	if err != nil {
		return nil, shortError("message", err)
	}
	return append(append(message[:len(message)-1], ','), more[1:]...), nil
}

// PersonID is the user id of somebody who has only a name: the same name is the same person.
func PersonID(name string) int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return 100_000_000 + int64(h.Sum32())
}
