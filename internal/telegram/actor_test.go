package telegram_test

import (
	"slices"
	"testing"

	"sverka/internal/telegram"
)

const (
	person5   = `{"id":5,"first_name":"A"}`
	bot99     = `{"id":99,"is_bot":true,"first_name":"B"}`
	anonymous = `{"id":1087968824,"is_bot":true,"first_name":"Group","username":"GroupAnonymousBot"}`
	inGroup   = `"chat":{"id":-7,"type":"supergroup"}`
)

// Who acted and where, type by type, as the Bot API documents it.
var acts = map[string]struct {
	content, reason string
	who, where      int64
}{
	"Message":             {`"message":{"from":` + person5 + `,` + inGroup + `}`, "not_private", 5, -7},
	"MessageOfChat":       {`"message":{"from":` + anonymous + `,"sender_chat":{"id":-7},` + inGroup + `}`, "not_private", 0, -7},
	"MessageOfFake":       {`"message":{"from":` + anonymous + `,` + inGroup + `}`, "not_private", 0, -7},
	"PrivateOfChat":       {`"message":{"from":` + person5 + `,"sender_chat":{"id":-7},"chat":{"id":5,"type":"private"},"text":"a"}`, "no_sender", 0, 5},
	"MessageOfTelegram":   {`"message":{"from":{"id":777000},"chat":{"id":777000,"type":"private"},"text":"a"}`, "no_sender", 0, 777000},
	"Edited":              {`"edited_message":{"from":` + person5 + `,"chat":{"id":5,"type":"private"},"text":"a"}`, "edited_message", 5, 5},
	"ChannelPost":         {`"channel_post":{"from":` + person5 + `,"sender_chat":{"id":-7},` + inGroup + `}`, "channel_post", 0, -7},
	"ChannelPostBare":     {`"channel_post":{"from":` + person5 + `,` + inGroup + `}`, "channel_post", 0, -7},
	"EditedChannelPost":   {`"edited_channel_post":{` + inGroup + `}`, "edited_channel_post", 0, -7},
	"BusinessConnection":  {`"business_connection":{"id":"c","user":` + person5 + `,"user_chat_id":5,"is_enabled":false}`, "business_connection", 5, 0},
	"BusinessMessage":     {`"business_message":{"business_connection_id":"c","from":` + person5 + `,"chat":{"id":5,"type":"private"},"text":"a"}`, "business_message", 5, 5},
	"BusinessOwner":       {`"business_message":{"business_connection_id":"c","from":` + person5 + `,"sender_business_bot":` + bot99 + `,"chat":{"id":6,"type":"private"}}`, "business_message", 5, 6},
	"EditedBusiness":      {`"edited_business_message":{"from":` + person5 + `,"chat":{"id":5}}`, "edited_business_message", 5, 5},
	"DeletedBusiness":     {`"deleted_business_messages":{"business_connection_id":"c","chat":{"id":5},"message_ids":[1]}`, "deleted_business_messages", 0, 5},
	"Guest":               {`"guest_message":{"guest_query_id":"q","from":` + person5 + `,` + inGroup + `,"text":"a"}`, "guest_message", 5, -7},
	"Callback":            {`"callback_query":{"id":"1","from":` + person5 + `,"message":{"message_id":1,"from":` + bot99 + `,"chat":{"id":5,"type":"private"},"date":1},"data":"x"}`, "callback_query", 5, 5},
	"CallbackGone":        {`"callback_query":{"from":` + person5 + `,"message":{"message_id":1,"chat":{"id":5},"date":0},"data":"x"}`, "callback_query", 5, 5},
	"CallbackInline":      {`"callback_query":{"from":` + person5 + `,"inline_message_id":"i","data":"x"}`, "callback_query", 5, 0},
	"CallbackNullMessage": {`"callback_query":{"from":` + person5 + `,"message":null}`, "callback_query", 5, 0},
	"InlineQuery":         {`"inline_query":{"from":` + person5 + `,"query":"a"}`, "inline_query", 5, 0},
	"ChosenInline":        {`"chosen_inline_result":{"from":` + person5 + `}`, "chosen_inline_result", 5, 0},
	"Shipping":            {`"shipping_query":{"from":` + person5 + `}`, "shipping_query", 5, 0},
	"PreCheckout":         {`"pre_checkout_query":{"from":` + person5 + "," + "\"invoice_payload\":\"\xff\"}", "pre_checkout_query", 5, 0},
	"PaidMedia":           {`"purchased_paid_media":{"from":` + person5 + `}`, "purchased_paid_media", 5, 0},
	"Subscription":        {`"subscription":{"user":` + person5 + `,"state":"active"}`, "subscription", 5, 0},
	"Poll":                {`"poll":{"id":"1","user":` + person5 + `}`, "poll", 0, 0},
	"PollAnswer":          {`"poll_answer":{"poll_id":"1","user":` + person5 + `,"option_ids":[]}`, "poll_answer", 5, 0},
	"PollAnswerOfChat":    {`"poll_answer":{"poll_id":"1","voter_chat":{"id":-7},"user":{"id":136817688,"is_bot":true}}`, "poll_answer", 0, 0},
	"Blocked":             {`"my_chat_member":{"from":` + person5 + `,"chat":{"id":5,"type":"private"},"new_chat_member":{"status":"kicked","user":` + bot99 + `}}`, "my_chat_member", 5, 5},
	"ChatMember":          {`"chat_member":{"from":` + person5 + `,` + inGroup + `,"new_chat_member":{"user":{"id":6}}}`, "chat_member", 5, -7},
	"JoinRequest":         {`"chat_join_request":{"from":` + person5 + `,` + inGroup + `,"user_chat_id":5}`, "chat_join_request", 5, -7},
	"Reaction":            {`"message_reaction":{"user":` + person5 + `,` + inGroup + `}`, "message_reaction", 5, -7},
	"ReactionOfChat":      {`"message_reaction":{"actor_chat":{"id":-7},"user":` + person5 + `,` + inGroup + `}`, "message_reaction", 0, -7},
	"ReactionCount":       {`"message_reaction_count":{` + inGroup + `}`, "message_reaction_count", 0, -7},
	"Boost":               {`"chat_boost":{` + inGroup + `,"boost":{"source":{"source":"premium","user":` + person5 + `}}}`, "chat_boost", 5, -7},
	"BoostOfNobody":       {`"chat_boost":{` + inGroup + `,"boost":{"source":{"source":"giveaway"}}}`, "chat_boost", 0, -7},
	"BoostRemoved":        {`"removed_chat_boost":{` + inGroup + `,"source":{"user":` + person5 + `}}`, "removed_chat_boost", 5, -7},
	"ManagedBot":          {`"managed_bot":{"user":` + person5 + `,"bot":` + bot99 + `}`, "managed_bot", 5, 0},
	"Stopped":             {`"stopped_message_generation":{"chat":{"id":5},"message_thread_id":null}`, "stopped_message_generation", 0, 5},
}

func TestWhoAndWhere(t *testing.T) {
	t.Parallel()
	for name, c := range acts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := decode(t, `{"update_id":1,`+c.content+`}`)
			var who int64
			if u.Sender != nil {
				who = u.Sender.ID
			}
			equal(t, "who", who, c.who)
			equal(t, "where", u.ChatID, c.where)
			m, reason := u.Customer()
			equal(t, "reason", reason, c.reason)
			if m != nil || !slices.Contains(telegram.Reasons, reason) {
				t.Errorf("message %v, reason %q, of %q", m, reason, telegram.Reasons)
			}
		})
	}
}

func TestReasonsAreDistinctWords(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range telegram.Reasons {
		if seen[r] || r == "" || r == "message" {
			t.Errorf("%q", r)
		}
		seen[r] = true
		for _, c := range r {
			if c != '_' && (c < 'a' || c > 'z') {
				t.Errorf("%q is not snake_case", r)
			}
		}
	}
}
