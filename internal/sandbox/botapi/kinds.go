package botapi

import (
	"encoding/json"
	"strconv"
	"time"
)

// kind says in which queue an update of a type waits, and how long (facts: telegram §1.4).
type kind struct {
	queue string // updates of one queue name and owner are delivered one after the other
	owner owner
	life  life
	quiet bool // not sent unless asked for by allowed_updates
}

type owner int

const (
	byChat owner = iota + 1
	byUser
	byPoll
)

type life int

const (
	day life = iota + 1
	click
	inline
	chosen
)

func (l life) of(o Options) time.Duration {
	switch l {
	case click:
		return o.ClickLife
	case inline:
		return o.InlineLife
	case chosen:
		return o.ChosenLife
	}
	return o.MessageLife
}

// updateTypes is also what allowed_updates may name. The order is that of the Bot API's page.
var updateTypes = []string{
	"message", "edited_message", "channel_post", "edited_channel_post", "business_connection",
	"business_message", "edited_business_message", "deleted_business_messages", "guest_message",
	"message_reaction", "message_reaction_count", "inline_query", "chosen_inline_result",
	"callback_query", "shipping_query", "pre_checkout_query", "purchased_paid_media", "poll",
	"poll_answer", "my_chat_member", "chat_member", "chat_join_request", "chat_boost",
	"removed_chat_boost", "managed_bot",
}

var kinds = map[string]kind{
	"message":                   {"message", byChat, day, false},
	"edited_message":            {"message", byChat, day, false},
	"channel_post":              {"message", byChat, day, false},
	"edited_channel_post":       {"message", byChat, day, false},
	"business_connection":       {"connection", byUser, day, false},
	"business_message":          {"business", byChat, day, false},
	"edited_business_message":   {"business", byChat, day, false},
	"deleted_business_messages": {"business", byChat, day, false},
	"guest_message":             {"guest", byChat, day, false},
	"message_reaction":          {"reaction", byChat, day, true},
	"message_reaction_count":    {"reactions", byChat, day, true},
	"inline_query":              {"inline", byUser, inline, false},
	"chosen_inline_result":      {"chosen", byUser, chosen, false},
	"callback_query":            {"callback", byUser, click, false},
	"shipping_query":            {"checkout", byUser, click, false},
	"pre_checkout_query":        {"checkout", byUser, click, false},
	"purchased_paid_media":      {"media", byUser, day, false},
	"poll":                      {"poll", byPoll, day, false},
	"poll_answer":               {"poll", byPoll, day, false},
	"my_chat_member":            {"me", byChat, day, false},
	"chat_member":               {"member", byUser, day, true},
	"chat_join_request":         {"member", byUser, day, false},
	"chat_boost":                {"boost", byChat, day, false},
	"removed_chat_boost":        {"boost", byChat, day, false},
	"managed_bot":               {"managed", byUser, day, false},
}

// person is the part of Telegram's User that we look at.
type person struct {
	ID        int64  `json:"id"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
}

// payload is the part of an update's content that decides its queue and draws it on the page.
type payload struct {
	ID        json.RawMessage `json:"id"`
	PollID    string          `json:"poll_id"`
	MessageID int64           `json:"message_id"`
	Chat      *person         `json:"chat"`
	From      *person         `json:"from"`
	User      *person         `json:"user"`
	Text      string          `json:"text"`
	Caption   string          `json:"caption"`
	Data      string          `json:"data"`
	Contact   *struct {
		PhoneNumber string `json:"phone_number"`
	} `json:"contact"`
}

// queueOf names the queue. What has no owner waits alone, as an update without queue id does there.
func queueOf(typ string, p payload, no int) string {
	k, known := kinds[typ]
	if !known {
		return "alone/" + strconv.Itoa(no)
	}
	switch {
	case k.owner == byChat && p.Chat != nil:
		return k.queue + "/" + strconv.FormatInt(p.Chat.ID, 10)
	case k.owner == byUser && p.actor() != nil:
		return k.queue + "/" + strconv.FormatInt(p.actor().ID, 10)
	case k.owner == byPoll && p.PollID != "":
		return k.queue + "/" + p.PollID
	case k.owner == byPoll && len(p.ID) > 2:
		return k.queue + "/" + string(p.ID[1:len(p.ID)-1])
	}
	return "alone/" + strconv.Itoa(no)
}

func (p payload) actor() *person {
	if p.From != nil {
		return p.From
	}
	return p.User
}
