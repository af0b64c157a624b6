package telegram_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"sverka/internal/telegram"
)

const (
	anna  = `"from":{"id":4101,"is_bot":false,"first_name":"Анна","last_name":"Ким","username":"annakim","language_code":"ru"}`
	here  = `"chat":{"id":4101,"type":"private","first_name":"Анна"}`
	group = `"chat":{"id":-1001987654321,"type":"supergroup","title":"Склад"}`
)

// said makes an update of a private message of Anna's with these further members.
func said(members string) string {
	return `{"update_id":9,"message":{"message_id":77,` + anna + `,` + here + `,"date":1754042400,` + members + `}}`
}

func decode(t *testing.T, body string) telegram.Update {
	t.Helper()
	u, err := telegram.Decode([]byte(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return u
}

// message decodes a message and checks what holds for any.
func message(t *testing.T, body string) *telegram.Message {
	t.Helper()
	u := decode(t, body)
	if u.Message == nil {
		t.Fatalf("no message in %s", body)
	}
	return u.Message
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %#v, want %#v", what, got, want)
	}
}

func TestDecodeText(t *testing.T) {
	t.Parallel()
	u := decode(t, said(`"text":"Здравствуйте"`))
	sender := &telegram.User{ID: 4101, FirstName: "Анна", LastName: "Ким", Username: "annakim", Language: "ru"}
	equal(t, "sender", u.Sender, sender)
	equal(t, "type", u.Type, "message")
	equal(t, "id", u.ID, int64(9))
	equal(t, "chat", u.ChatID, int64(4101))
	m, reason := u.Customer()
	if m == nil {
		t.Fatal(reason)
	}
	equal(t, "text", m.Text, "Здравствуйте")
	equal(t, "date", m.Date, time.Date(2025, 8, 1, 10, 0, 0, 0, time.UTC))
	equal(t, "message", []any{m.ID, m.ChatID, m.ChatType, m.Caption, m.Service}, []any{int64(77), int64(4101), "private", false, ""})
	equal(t, "key", m.BusinessKey(), "m:4101:77")
	equal(t, "group key", m.GroupKey(), "")
}

func TestDecodeIsForgiving(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ body, typ, reason string }{
		"UnknownMembers":   {said(`"text":"a","new_thing":{"a":[1]},"other":null`), "message", ""},
		"NullIsAbsent":     {said(`"text":"a","pinned_message":null,"forward_origin":null,"sender_chat":null`), "message", ""},
		"FalseIsAbsent":    {said(`"text":"a","group_chat_created":false,"new_chat_members":[],"migrate_to_chat_id":0`), "message", ""},
		"ContentNull":      {`{"update_id":1,"message":null,"callback_query":{"id":"1"}}`, "callback_query", "callback_query"},
		"ContentNoObject":  {`{"update_id":1,"message":5}`, "message", "malformed"},
		"NoChat":           {`{"update_id":1,"message":{"message_id":1,` + anna + `}}`, "message", "malformed"},
		"PrivateNoID":      {`{"update_id":1,"message":{"chat":{"type":"private"},"text":"a"}}`, "message", "malformed"},
		"NoFrom":           {`{"update_id":1,"message":{` + here + `,"text":"a"}}`, "message", "no_sender"},
		"FromNothing":      {`{"update_id":1,"message":{"from":{},` + here + `,"text":"a"}}`, "message", "no_sender"},
		"NoIsBot":          {`{"update_id":1,"message":{"from":{"id":4101},` + here + `,"text":"a"}}`, "message", ""},
		"IsBotNull":        {`{"update_id":1,"message":{"from":{"id":4101,"is_bot":null},` + here + `,"text":"a"}}`, "message", ""},
		"NoTypeOf2015":     {`{"update_id":1,"message":{"from":{"id":4101},"chat":{"id":4101},"text":"a"}}`, "message", ""},
		"NoTypeGroup":      {`{"update_id":1,"message":{"from":{"id":4101},"chat":{"id":-7},"text":"a"}}`, "message", "not_private"},
		"Group":            {`{"update_id":1,"message":{` + anna + `,` + group + `,"text":"a"}}`, "message", "not_private"},
		"Bot":              {`{"update_id":1,"message":{"from":{"id":9,"is_bot":true},"chat":{"id":9,"type":"private"},"text":"a"}}`, "message", "from_bot"},
		"NoText":           {said(`"x":1`), "message", "no_content"},
		"TextOfOtherType":  {said(`"text":["a"]`), "message", "no_content"},
		"TextOfNULs":       {said(`"text":"\u0000"`), "message", "no_content"},
		"NewKindOfContent": {said(`"hologram":{"file_id":"a"}`), "message", "no_content"},
		"NewType":          {`{"update_id":1,"mind_reading":{"user":{"id":1}}}`, "unknown", "unknown_type"},
		"NoContent":        {`{"update_id":1}`, "unknown", "unknown_type"},
		"NamesAreExact":    {`{"update_id":1,"Message":{"text":"a"}}`, "unknown", "unknown_type"},
		"EmptyName":        {`{"update_id":1,"message":{"":{},` + anna + `,` + here + `,"photo":[{"file_id":"p"}]}}`, "message", ""},
		"NoUpdateID":       {`{"callback_query":{}}`, "callback_query", "callback_query"},
		"Ancient":          {`{"update_id":1,"message":{"date":-62135596800,` + anna + `,` + here + `,"text":"a"}}`, "message", ""},
		"FarFuture":        {`{"update_id":1,"message":{"date":9007199254740992,` + anna + `,` + here + `,"text":"a"}}`, "message", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := decode(t, c.body)
			m, reason := u.Customer()
			equal(t, "type", u.Type, c.typ)
			equal(t, "reason", reason, c.reason)
			equal(t, "message given", m != nil, reason == "")
			equal(t, "several", u.Several, false)
		})
	}
}

func TestDecodeRefusesOnlyWhatIsNoObject(t *testing.T) {
	t.Parallel()
	for _, body := range []string{``, `null`, `5`, `"a"`, `[]`, `{`, `{}x`, `{"a":}`, "\ufeff{}", "\x00"} {
		if u, err := telegram.Decode([]byte(body)); !errors.Is(err, telegram.ErrNotUpdate) {
			t.Errorf("%q: %+v, %v", body, u, err)
		}
	}
}

func TestDecodeSeveralContents(t *testing.T) {
	t.Parallel()
	message := `"message":{` + anna + `,` + here + `,"text":"a"}`
	for name, c := range map[string]struct{ members, typ string }{
		"MessageLast":  {`"poll":{"id":"1"},"callback_query":{"id":"1"},` + message, "message"},
		"MessageFirst": {message + `,"callback_query":{"id":"1"}`, "message"},
		"Twice":        {`"message":{"text":"first"},` + message, "message"},
		"Others":       {`"managed_bot":{},"chat_boost":{},"poll":{}`, "poll"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := decode(t, `{"update_id":1,`+c.members+`}`)
			equal(t, "several", u.Several, true)
			equal(t, "type", u.Type, c.typ)
			if u.Message != nil {
				equal(t, "text", u.Message.Text, "a")
			}
		})
	}
}

func TestDecodeCleansTexts(t *testing.T) {
	t.Parallel()
	m := message(t, said("\"text\":\"a\\u0000b\\ud83d \xff\xc0 \\ud83d\\ude00 \\ufffe\""))
	equal(t, "text", m.Text, "ab\uFFFD \uFFFD\uFFFD 😀 \ufffe")
	m = message(t, said("\"contact\":{\"phone_number\":\"+7\\u0000 999\",\"first_name\":\"\xed\xa0\x80\"}"))
	equal(t, "phone", m.Contact.Phone, "+7 999")
	equal(t, "valid", utf8.ValidString(m.Contact.FirstName), true)
}

func TestDecodeNumbers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		chat string
		want int64
	}{
		"Negative": {"-1001987654321", -1001987654321},
		"Greatest": {"9007199254740992", 1 << 53},
		"Least":    {"-9007199254740992", -1 << 53},
		"TooGreat": {"9007199254740993", 0},
		"Fraction": {"5.0", 0},
		"Quoted":   {`"5"`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := decode(t, `{"update_id":1,"message":{"message_id":2,"chat":{"id":`+c.chat+`,"type":"private"}}}`)
			equal(t, "chat", u.ChatID, c.want)
			equal(t, "message's chat", u.Message.ChatID, c.want)
		})
	}
}

func TestStart(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 64)
	for text, want := range map[string]struct {
		start   bool
		payload string
	}{
		"/start":                      {true, ""},
		"/start ":                     {true, ""},
		"/start abc_DEF-1":            {true, "abc_DEF-1"},
		"/start@our_bot":              {true, ""},
		"/start@our_bot abc":          {true, "abc"},
		"/start   abc  ":              {true, "abc"},
		"/start " + long:              {true, long},
		"/start " + long + "a":        {},
		"/start два":                  {},
		"/start a b":                  {},
		"/start a.b":                  {},
		"/start a=b":                  {},
		"/start@":                     {},
		"/start@ abc":                 {},
		"/start@our_bot!abc":          {},
		"/starter":                    {},
		"/startgroup abc":             {},
		"/Start abc":                  {},
		" /start abc":                 {},
		"please /start abc":           {},
		"/start abc\\u0000":           {true, "abc"},
		"/start\\nabc":                {true, "abc"},
		"/start " + long + "\\u00a0b": {},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			m := message(t, said(`"text":"`+text+`"`))
			equal(t, "start", m.IsStart, want.start)
			equal(t, "payload", m.StartPayload, want.payload)
			equal(t, "the text is kept", strings.Contains(m.Text, "/"), true)
		})
	}
	m := message(t, said(`"text":"/start abc","forward_origin":{"type":"user"}`))
	equal(t, "a forwarded start", m.IsStart, false)
	m = message(t, said(`"caption":"/start abc","photo":[{"file_id":"a"}]`))
	equal(t, "a start under a photo", m.IsStart, false)
}

func TestContact(t *testing.T) {
	t.Parallel()
	const own = `"contact":{"phone_number":"79991234567","first_name":"Анна","last_name":"Ким","user_id":4101}`
	for name, c := range map[string]struct {
		body string
		own  bool
	}{
		"Own":           {said(own), true},
		"OfSomebody":    {said(strings.Replace(own, "4101", "4102", 1)), false},
		"OfNobody":      {said(`"contact":{"phone_number":"79991234567"}`), false},
		"UserIDText":    {said(strings.Replace(own, "4101", `"4101"`, 1)), false},
		"Forwarded":     {said(own + `,"forward_origin":{"type":"user"}`), false},
		"ForwardedOld":  {said(own + `,"forward_date":1754042000`), false},
		"InGroup":       {`{"update_id":1,"message":{` + anna + `,` + group + `,` + own + `}}`, false},
		"OfNobodyAtAll": {`{"update_id":1,"message":{` + here + `,"contact":{"phone_number":"7"}}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := message(t, c.body)
			if m.Contact == nil {
				t.Fatal("no contact")
			}
			equal(t, "own", m.Contact.Own, c.own)
		})
	}
	equal(t, "card", message(t, said(own)).Contact, &telegram.SharedContact{
		Phone: "79991234567", FirstName: "Анна", LastName: "Ким", UserID: 4101, Own: true,
	})
	equal(t, "without phone", message(t, said(`"contact":{"first_name":"А"}`)).Contact, (*telegram.SharedContact)(nil))
}

func TestKeys(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ members, key, group string }{
		"Text":       {`"message_id":5,"chat":{"id":-100}`, "m:-100:5", ""},
		"Album":      {`"message_id":5,"chat":{"id":4101},"media_group_id":"13579"`, "m:4101:5", "g:4101:13579"},
		"AlbumOfInt": {`"message_id":5,"chat":{"id":4101},"media_group_id":13579`, "m:4101:5", "g:4101:13579"},
		"AlbumNull":  {`"message_id":5,"chat":{"id":4101},"media_group_id":null`, "m:4101:5", ""},
		"AlbumLong":  {`"message_id":5,"chat":{"id":4101},"media_group_id":"` + strings.Repeat("9", 65) + `"`, "m:4101:5", ""},
		"NoNumber":   {`"message_id":0,"chat":{"id":4101}`, "u:31", ""},
		"NoChat":     {`"message_id":5,"media_group_id":"1"`, "u:31", ""},
		"Business":   {`"message_id":5,"chat":{"id":4101},"media_group_id":"1","business_connection_id":"bc"`, "b:bc:m:4101:5", "b:bc:g:4101:1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := message(t, `{"update_id":31,"message":{`+c.members+`}}`)
			equal(t, "key", m.BusinessKey(), c.key)
			equal(t, "group", m.GroupKey(), c.group)
		})
	}
}
