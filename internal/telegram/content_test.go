package telegram_test

import (
	"testing"

	"sverka/internal/telegram"
)

func TestAttachments(t *testing.T) {
	t.Parallel()
	type list = []telegram.Attachment
	for name, c := range map[string]struct {
		members string
		want    list
	}{
		"Document": {
			`"document":{"file_id":"d","file_name":"счёт.pdf","mime_type":"application/pdf","file_size":4200,"thumbnail":{"file_id":"t"}}`,
			list{{Kind: "document", FileID: "d", FileName: "счёт.pdf", MIME: "application/pdf", Size: 4200}},
		},
		"DocumentWithoutType": {`"document":{"file_id":"d","mime_type":null}`, list{{Kind: "document", FileID: "d"}}},
		"AnimationIsNoDocument": {
			`"document":{"file_id":"d"},"animation":{"file_id":"a","mime_type":"video/mp4"}`,
			list{{Kind: "animation", FileID: "a", MIME: "video/mp4"}},
		},
		"VenueIsNoLocation": {
			`"location":{"latitude":55.75,"longitude":37.61},"venue":{"location":{"latitude":55.75,"longitude":37.61},"title":"Кафе","address":"Мясницкая, 1"}`,
			list{{Kind: "venue", Detail: "Кафе, Мясницкая, 1"}},
		},
		"Location": {`"location":{"latitude":55.75,"longitude":-37.610}`, list{{Kind: "location", Detail: "55.75, -37.610"}}},
		"LivePhotoIsNoPhoto": {
			`"photo":[{"file_id":"p"}],"live_photo":{"file_id":"l","photo":[{"file_id":"p"}]}`,
			list{{Kind: "live_photo", FileID: "l"}},
		},
		"LargestPhoto": {
			`"photo":[{"file_id":"s","width":90,"height":60},{"file_id":"l","width":1280,"height":853,"file_size":90000},{"file_id":"m","width":320,"height":213}]`,
			list{{Kind: "photo", FileID: "l", Size: 90000}},
		},
		"PhotoWithoutSizes":  {`"photo":[{"file_id":"a"},7,null,{"file_id":"b"}]`, list{{Kind: "photo", FileID: "b"}}},
		"PhotoEmpty":         {`"photo":[ ]`, nil},
		"PhotoNoArray":       {`"photo":{"file_id":"a"}`, nil},
		"NegativeSize":       {`"voice":{"file_id":"v","file_size":-5}`, list{{Kind: "voice", FileID: "v"}}},
		"Audio":              {`"audio":{"file_id":"a","performer":"П","title":"Т"}`, list{{Kind: "audio", FileID: "a", Detail: "П, Т"}}},
		"Poll":               {`"poll":{"id":"1","question":"Когда?"}`, list{{Kind: "poll", Detail: "Когда?"}}},
		"Dice":               {`"dice":{"emoji":"🎲","value":3}`, list{{Kind: "dice", Detail: "🎲"}}},
		"NewMember":          {`"holo":{"file_id":"v"}`, nil},
		"PhotoOfAChatIsNone": {`"new_chat_photo":[{"file_id":"a"}]`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equal(t, "attachments", message(t, said(c.members)).Attachments, c.want)
		})
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		members, text string
		caption       bool
	}{
		"Text":    {`"text":"a"`, "a", false},
		"Caption": {`"photo":[{"file_id":"p"}],"caption":"под фото"`, "под фото", true},
		"Bare":    {`"photo":[{"file_id":"p"}]`, "", false},
		"Both":    {`"text":"a","caption":"b"`, "a", false},
		"MiniApp": {`"web_app_data":{"button_text":"Заказать","data":"{\"pizza\":2}"}`, `{"pizza":2}`, false},
		"Reply":   {`"text":"a","reply_to_message":{"text":"b","pinned_message":{}}`, "a", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := decode(t, said(c.members))
			m, reason := u.Customer()
			if m == nil {
				t.Fatal(reason)
			}
			equal(t, "text", m.Text, c.text)
			equal(t, "caption", m.Caption, c.caption)
			equal(t, "service", m.Service, "")
		})
	}
}

func TestForwarded(t *testing.T) {
	t.Parallel()
	for _, sign := range []string{
		`"forward_origin":{"type":"hidden_user","sender_user_name":"Ольга"}`, `"forward_from":{"id":5}`,
		`"forward_from_chat":{"id":-5}`, `"forward_sender_name":"Ольга"`, `"forward_date":1754042000`,
	} {
		u := decode(t, said(`"text":"a",`+sign))
		equal(t, sign, u.Message.Forwarded, true)
		equal(t, "the forwarder is the customer", u.Sender.ID, int64(4101))
		_, reason := u.Customer()
		equal(t, "reason", reason, "")
	}
}

func TestServiceMessages(t *testing.T) {
	t.Parallel()
	for members, want := range map[string]string{
		`"new_chat_members":[{"id":1}]`:          "new_chat_members",
		`"pinned_message":{"message_id":1}`:      "pinned_message",
		`"successful_payment":{"currency":"X"}`:  "successful_payment",
		`"migrate_to_chat_id":-1001`:             "migrate_to_chat_id",
		`"migrate_from_chat_id":-1`:              "migrate_from_chat_id",
		`"group_chat_created":true`:              "group_chat_created",
		`"forum_topic_closed":{}`:                "forum_topic_closed",
		`"connected_website":"example.com"`:      "connected_website",
		`"users_shared":{"request_id":1}`:        "users_shared",
		`"write_access_allowed":{}`:              "write_access_allowed",
		`"new_chat_photo":[{"file_id":"a"}]`:     "new_chat_photo",
		`"voice_chat_started":{},"text":"a"`:     "voice_chat_started",
		`"general_forum_topic_hidden":{},"x":[]`: "general_forum_topic_hidden",
	} {
		u := decode(t, said(members))
		equal(t, members, u.Message.Service, want)
		_, reason := u.Customer()
		equal(t, members, reason, "service_message")
	}
}
