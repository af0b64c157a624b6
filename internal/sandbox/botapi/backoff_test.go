package botapi

import (
	"testing"
	"time"
)

func TestBackoff(t *testing.T) {
	t.Parallel()
	o := Options{}.withDefaults()
	d := newDice(7)
	for range 50 {
		var b backoff
		for i, want := range []time.Duration{0, 2, 4, 8, 16, 32} {
			if got := b.failed(0, o, d); got != want*time.Second {
				t.Fatalf("failure %d waits %v, want %v", i+1, got, want*time.Second)
			}
		}
		if got := b.failed(0, o, d); got < 60*time.Second || got > 64*time.Second {
			t.Fatalf("failure 7 waits %v, want 60 to 64 s", got)
		}
		for range 20 {
			if got := b.failed(0, o, d); got < 60*time.Second || got > 120*time.Second {
				t.Fatalf("a late failure waits %v, want 60 to 120 s", got)
			}
		}
	}
}

func TestBackoffHonoursRetryAfterWithoutGrowing(t *testing.T) {
	t.Parallel()
	o := Options{}.withDefaults()
	d := newDice(7)
	var b backoff
	for i, c := range []struct{ wish, want time.Duration }{{7, 7}, {0, 2}, {9, 9}, {0, 4}} {
		if got := b.failed(c.wish*time.Second, o, d); got != c.want*time.Second {
			t.Errorf("failure %d waits %v, want %v s", i+1, got, c.want)
		}
	}
}

func TestRetryAfterHeader(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{
		"": 0, "5": 5, " 5 ": 5, "-3": 0, "99999": 3600, "1.5": 0, "Wed, 21 Oct 2026 07:28:00 GMT": 0,
	} {
		if got := retryAfter(header, time.Second); got != want*time.Second {
			t.Errorf("Retry-After %q = %v, want %v s", header, got, want)
		}
	}
}

func TestQueues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typ, body, want string }{
		{"message", `{"message":{"chat":{"id":-5}}}`, "message/-5"},
		{"edited_message", `{"edited_message":{"chat":{"id":-5}}}`, "message/-5"},
		{"business_message", `{"business_message":{"chat":{"id":5}}}`, "business/5"},
		{"callback_query", `{"callback_query":{"from":{"id":9},"data":"x"}}`, "callback/9"},
		{"my_chat_member", `{"my_chat_member":{"chat":{"id":5},"from":{"id":5}}}`, "me/5"},
		{"poll", `{"poll":{"id":"77"}}`, "poll/77"},
		{"poll_answer", `{"poll_answer":{"poll_id":"77","user":{"id":1}}}`, "poll/77"},
		{"business_connection", `{"business_connection":{"id":"c","user":{"id":3}}}`, "connection/3"},
		{"brand_new", `{"brand_new":{"chat":{"id":5}}}`, "alone/4"},
		{"message", `{"message":"no object"}`, "alone/4"},
	} {
		u := update{Type: c.typ, Body: []byte(c.body)}
		if got := queueOf(c.typ, u.content(), 4); got != c.want {
			t.Errorf("queue of %s = %s, want %s", c.body, got, c.want)
		}
	}
}
