package telegram_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"sverka/internal/telegram"
)

// corpus gives the directory of updates as bots received them, kept beside the repository:
// SVERKA_CORPUS, else shared/corpus/telegram beside a parent of this package; "" = not here.
func corpus() string {
	if dir := os.Getenv("SVERKA_CORPUS"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		found := filepath.Join(dir, "shared", "corpus", "telegram")
		if info, err := os.Stat(found); err == nil && info.IsDir() {
			return found
		}
	}
	return ""
}

// What the files are: "type reason sender chat"; "-" = none.
var received = map[string]string{
	// the corpus beside the repository
	"animation.json":                           "message - 12345 12345",
	"business_connection.json":                 "business_connection business_connection 12345 0",
	"callback_query.json":                      "callback_query callback_query 222222222 222222222",
	"callback_query_inaccessible_message.json": "callback_query callback_query 222222222 222222222",
	"channel_chat_created.json":                "message service_message 12345 12345",
	"chat_boost.json":                          "chat_boost chat_boost 123 456",
	"chat_member.json":                         "chat_member chat_member 123456789 987654321",
	"chat_owner_left.json":                     "message service_message 12345 12345",
	"checklist.json":                           "message - 12345 12345",
	"checklist_tasks_done.json":                "message service_message 12345 12345",
	"command.json":                             "message - 10081232 10081232",
	"command_tag_valid.json":                   "message - 10081232 10081232",
	"command_with_parameters.json":             "message - 456 456",
	"community_chat_removed.json":              "message service_message 12345 12345",
	"contact.json":                             "message - 12345 12345",
	"deleted_business_messages.json":           "deleted_business_messages deleted_business_messages 0 456",
	"direct_message_price_changed.json":        "message service_message 11111111 11111111",
	"edited_business_message.json":             "edited_business_message edited_business_message 456 456",
	"edited_message.json":                      "edited_message edited_message 999999999 999999999",
	"food.json":                                "message - 456 456",
	"forum_topic_created.json":                 "message service_message 11111111 11111111",
	"forum_topic_reopened.json":                "message service_message 11111111 11111111",
	"giveaway.json":                            "message - 456 456",
	"giveaway_created.json":                    "message service_message 456 456",
	"group_chat_created.json":                  "message service_message 12345 12345",
	"inline_query.json":                        "inline_query inline_query 123456789 0",
	"left_chat_member.json":                    "message service_message 12345 12345",
	"managed_bot.json":                         "managed_bot managed_bot 12345 0",
	"message.json":                             "message - 456 456",
	"message_boost_added.json":                 "message service_message 11111111 11111111",
	"message_different_topic_reply.json":       "message not_private 123456 -1001234567489",
	"message_general_topic.json":               "message not_private 123456 -1001234567489",
	"message_poll.json":                        "message - 12345 12345",
	"message_reaction_count.json":              "message_reaction_count message_reaction_count 0 -100123456789",
	"migrate_from_chat_id.json":                "message service_message 12345 12345",
	"my_chat_member.json":                      "my_chat_member my_chat_member 123456789 987654321",
	"new_chat_photo.json":                      "message service_message 12345 12345",
	"not_command.json":                         "message - 10081232 10081232",
	"passport_data.json":                       "message service_message 12345 12345",
	"pinned_message.json":                      "message service_message 12345 12345",
	"poll_answer.json":                         "poll_answer poll_answer 123456789 0",
	"poll_option_deleted.json":                 "message service_message 12345 12345",
	"proximity_alert_triggered.json":           "message service_message 12345 12345",
	"removed_chat_boost.json":                  "removed_chat_boost removed_chat_boost 123 456",
	"shipping_query.json":                      "shipping_query shipping_query 123456789 0",
	"story.json":                               "message - 12345 12345",
	"successful_payment.json":                  "message service_message 456 456",
	"text.json":                                "message - 12345678 12345678",
	"venue.json":                               "message - 12345 12345",
	"video_chat_ended.json":                    "message service_message 12345 12345",
	"video_chat_scheduled.json":                "message service_message 12345 12345",
	"video_note.json":                          "message - 12345 12345",
	"web_app_data.json":                        "message - 12345 12345",
	// our own, in testdata/updates
	"album_part.json":        "message - 4101 4101",
	"blocked.json":           "my_chat_member my_chat_member 4101 4101",
	"broken_bytes.json":      "callback_query callback_query 4101 4101",
	"gif.json":               "message - 4101 4101",
	"group_anonymous.json":   "message not_private 0 -1001987654321",
	"own_phone.json":         "message - 4101 4101",
	"paid.json":              "message service_message 4101 4101",
	"place.json":             "message - 4101 4101",
	"start_with_order.json":  "message - 4101 4101",
	"tomorrows_type.json":    "unknown unknown_type 0 0",
	"two_contents.json":      "message - 4101 4101",
	"year_2015.json":         "message - 4101 4101",
	"business_customer.json": "business_message business_message 4101 4101",
}

func TestReceived(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{filepath.Join("testdata", "updates"), corpus()} {
		files, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			t.Run(filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				isAsReceived(t, file, received[filepath.Base(file)])
			})
		}
	}
}

func isAsReceived(t *testing.T, file, want string) {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := telegram.UpdateID(body); !ok {
		t.Error("no usable update_id")
	}
	u := decode(t, string(body))
	isClean(t, reflect.ValueOf(u))
	if want != "" { // a file that is newer than the table need only be read
		equal(t, "read", summary(u), want)
	}
}

// The traps in the corpus that the summary does not show.
func TestReceivedTraps(t *testing.T) {
	t.Parallel()
	dir := corpus()
	if dir == "" {
		t.Skip("the corpus is not beside this repository")
	}
	read := func(name string) *telegram.Message {
		body, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Skip(err)
		}
		return message(t, string(body))
	}
	kinds := func(m *telegram.Message) (kinds []string) {
		for _, a := range m.Attachments {
			kinds = append(kinds, a.Kind)
		}
		return kinds
	}
	equal(t, "animation", kinds(read("animation.json")), []string{"animation"})
	equal(t, "venue", kinds(read("venue.json")), []string{"venue"})
	equal(t, "contact", *read("contact.json").Contact, telegram.SharedContact{Phone: "911", FirstName: "911"})
	equal(t, "web app", read("web_app_data.json").Text, "asdfsaasd")
	equal(t, "command", read("command_tag_valid.json").IsStart, false)
	equal(t, "payment", read("successful_payment.json").Service, "successful_payment")
	equal(t, "reply in a topic", read("message_different_topic_reply.json").Text, "bbbb")
}

func FuzzDecode(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		before := slices.Clone(body)
		u, err := telegram.Decode(body)
		again, errAgain := telegram.Decode(body)
		if !reflect.DeepEqual(u, again) || (err == nil) != (errAgain == nil) {
			t.Fatalf("%+v, then %+v", u, again)
		}
		if !slices.Equal(before, body) {
			t.Fatal("the body was changed")
		}
		isClean(t, reflect.ValueOf(u))
		m, reason := u.Customer()
		if (m == nil) != slices.Contains(telegram.Reasons, reason) || (m != nil && reason != "") {
			t.Fatalf("message %v, reason %q", m, reason)
		}
		if m != nil && (u.Sender == nil || u.Sender.ID <= 0 || m.ChatID == 0 || m.BusinessKey() == "") {
			t.Fatalf("a customer without identity: %+v", u)
		}
	})
}

func seeds(f *testing.F) {
	for _, dir := range []string{filepath.Join("testdata", "updates"), corpus()} {
		files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
		for _, file := range files {
			body, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(body)
		}
	}
	f.Add([]byte(said("\"text\":\"/start a\\u0000\xff\\ud83d\",\"photo\":[{},7],\"contact\":{\"phone_number\":\"1\"}")))
}

// isClean checks every text in a value: valid UTF-8 without NUL.
func isClean(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		if s := v.String(); !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			t.Errorf("%q is not clean", s)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			isClean(t, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			isClean(t, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			isClean(t, v.Field(i))
		}
	}
}

func summary(u telegram.Update) string {
	_, reason := u.Customer()
	if reason == "" {
		reason = "-"
	}
	var who int64
	if u.Sender != nil {
		who = u.Sender.ID
	}
	return fmt.Sprintf("%s %s %d %d", u.Type, reason, who, u.ChatID)
}
