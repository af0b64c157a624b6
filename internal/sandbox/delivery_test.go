package sandbox_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestSerialPerChatParallelBetween(t *testing.T) {
	t.Parallel()
	w := start(t, fast())
	w.bot()
	var mu sync.Mutex
	inside, most := map[string]int{}, 0
	both := make(chan struct{})
	var open sync.Once
	hook := receive(t, func(_ int, body string, _ http.ResponseWriter) {
		chat := strings.Split(strings.SplitAfter(body, `"chat":{"id":`)[1], ",")[0]
		mu.Lock()
		inside[chat]++
		if inside[chat] > 1 {
			t.Errorf("two updates of chat %s at once", chat)
		}
		busy := 0
		for _, n := range inside {
			busy += n
		}
		most = max(most, busy)
		if most > 1 {
			open.Do(func() { close(both) })
		}
		mu.Unlock()
		<-both // nobody passes before two chats are served at once
		mu.Lock()
		inside[chat]--
		mu.Unlock()
	})
	want := map[string][]string{}
	for i := range 30 {
		chat := fmt.Sprint(100 + i%3)
		want[chat] = append(want[chat], fmt.Sprint(w.inject(`{"from":{"id":`+chat+`,"first_name":"C"},"text":"hi"}`)))
	}
	equal(t, "they wait for a webhook", hook.count(), 0)
	w.call("setWebhook", "url="+hook.url)
	wait(t, "all delivered", func() bool { return w.pending() == 0 })
	got := map[string][]string{}
	for _, d := range hook.deliveries() {
		chat := strings.Split(strings.SplitAfter(d.body, `"chat":{"id":`)[1], ",")[0]
		got[chat] = append(got[chat], strings.TrimSuffix(strings.TrimPrefix(strings.Split(d.body, "\n")[0], `{"update_id":`), ","))
	}
	for chat := range want {
		equal(t, "order of "+chat, fmt.Sprint(got[chat]), fmt.Sprint(want[chat]))
	}
}

func TestRetryIsByteIdentical(t *testing.T) {
	t.Parallel()
	w := start(t, fast())
	w.bot()
	hook := receive(t, func(n int, _ string, rw http.ResponseWriter) {
		switch n {
		case 1:
			rw.WriteHeader(http.StatusInternalServerError)
		case 2:
			rw.Header().Set("Location", "/elsewhere")
			rw.WriteHeader(http.StatusTemporaryRedirect)
		case 3:
			panic(http.ErrAbortHandler)
		}
	})
	w.call("setWebhook", "url="+hook.url)
	w.inject(`{"update_id": 77 , "message":{"chat":{"id":1},"text":"\u0000 raw"} }`)
	wait(t, "delivered", func() bool { return w.pending() == 0 })
	for _, d := range hook.deliveries() {
		equal(t, "body", d.body, `{"update_id": 77 , "message":{"chat":{"id":1},"text":"\u0000 raw"} }`)
	}
	equal(t, "attempts", hook.count(), 4)
	info := string(w.call("getWebhookInfo", "").Result)
	equal(t, "the error is sticky: "+info, strings.Contains(info, `"last_error_message":"Webhook connection closed"`), true)
	w.call("setWebhook", "max_connections=7&url="+hook.url)
	info = string(w.call("getWebhookInfo", "").Result)
	equal(t, "until the next setWebhook: "+info, strings.Contains(info, `last_error`), false)
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	o := fast()
	o.Telegram.Second = 50 * time.Millisecond
	o.Telegram.MessageLife = 2 * time.Second // 40 of these seconds
	w := start(t, o)
	w.bot()
	hook := receive(t, func(n int, body string, rw http.ResponseWriter) {
		switch {
		case strings.Contains(body, "patient") && n == 1:
			rw.Header().Set("Retry-After", "5")
			rw.WriteHeader(http.StatusServiceUnavailable)
		case strings.Contains(body, "hopeless"):
			rw.Header().Set("Retry-After", "99999")
			rw.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	w.call("setWebhook", "url="+hook.url)
	w.inject(`{"text":"patient"}`)
	wait(t, "delivered", func() bool { return w.pending() == 0 })
	got := hook.deliveries()
	equal(t, "attempts", len(got), 2)
	equal(t, "waited as long as asked", got[1].at.Sub(got[0].at) >= 250*time.Millisecond, true)
	w.inject(`{"text":"hopeless"}`)
	wait(t, "dropped", func() bool { return w.pending() == 0 })
	equal(t, "after one attempt", hook.count(), 3)
}

func TestTelegramRestart(t *testing.T) {
	t.Parallel()
	w := start(t, fast())
	w.bot()
	var down sync.Map
	down.Store("down", true)
	hook := receive(t, func(_ int, _ string, rw http.ResponseWriter) {
		if _, yes := down.Load("down"); yes {
			rw.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	w.call("setWebhook", "url="+hook.url+"&secret_token=s&max_connections=5&allowed_updates=[\"message\"]")
	first := w.inject(`{"text":"one"}`)
	wait(t, "tried", func() bool { return hook.count() > 0 })
	w.restart()
	equal(t, "the sequence goes on", w.inject(`{"text":"two"}`), first+1)
	equal(t, "range", first >= 2_000_001 && first <= 1_000_000_000, true)
	info := string(w.call("getWebhookInfo", "").Result)
	for _, part := range []string{hook.url, `"pending_update_count":2`, `"max_connections":5`, `"allowed_updates":["message"]`, `"ip_address":"127.0.0.1"`} {
		equal(t, part+" in "+info, strings.Contains(info, part), true)
	}
	down.Delete("down")
	wait(t, "delivered", func() bool { return w.pending() == 0 })
	n := hook.count()
	w.restart()
	w.inject(`{"text":"three"}`)
	wait(t, "delivered", func() bool { return w.pending() == 0 })
	equal(t, "what was delivered is not sent again", hook.count(), n+1)
}

func TestGoneDeletesTheWebhook(t *testing.T) {
	t.Parallel()
	o := fast()
	o.Telegram.GoneAfter = 20 * time.Millisecond
	w := start(t, o)
	w.bot()
	hook := receive(t, func(_ int, _ string, rw http.ResponseWriter) { rw.WriteHeader(http.StatusGone) })
	w.call("setWebhook", "url="+hook.url)
	w.inject(`{"text":"anyone?"}`)
	wait(t, "the webhook is deleted", func() bool {
		return strings.Contains(string(w.call("getWebhookInfo", "").Result), `{"url":"",`)
	})
	equal(t, "the update waits", w.pending(), 1)
}

func TestAnswerDeadline(t *testing.T) {
	t.Parallel()
	o := fast()
	o.Telegram.AnswerDeadline = 100 * time.Millisecond
	w := start(t, o)
	w.bot()
	release := make(chan struct{})
	hook := receive(t, func(n int, _ string, _ http.ResponseWriter) {
		if n == 1 {
			<-release
		}
	})
	defer close(release)
	w.call("setWebhook", "url="+hook.url)
	w.inject(`{"text":"hi"}`)
	wait(t, "delivered", func() bool { return w.pending() == 0 })
	info := string(w.call("getWebhookInfo", "").Result)
	equal(t, info, strings.Contains(info, `"last_error_message":"Read timeout expired"`), true)
}

func TestThousandUpdates(t *testing.T) {
	t.Parallel()
	w := start(t, fast())
	w.bot()
	hook := receive(t, nil)
	w.call("setWebhook", "url="+hook.url)
	var injecting sync.WaitGroup
	for i := range 10 {
		injecting.Go(func() {
			for j := range 100 {
				body := fmt.Sprintf(`{"from":{"id":%d,"first_name":"C"},"text":"%d"}`, 1+(i*100+j)%70, j)
				if r, err := w.try("POST", "/telegram/"+botToken+"/inject", body); err != nil || r.status != 200 {
					t.Errorf("inject: %v %v", r.status, err)
				}
			}
		})
	}
	injecting.Wait()
	wait(t, "all delivered", func() bool { return w.pending() == 0 })
	seen := map[string]bool{}
	for _, d := range hook.deliveries() {
		seen[d.body] = true
	}
	equal(t, "different updates", len(seen), 1000)
	equal(t, "deliveries", hook.count(), 1000)
}

func TestLifeDependsOnTheType(t *testing.T) {
	t.Parallel()
	o := fast()
	o.Telegram.ClickLife = 30 * time.Millisecond
	w := start(t, o)
	w.bot()
	hook := receive(t, func(_ int, _ string, rw http.ResponseWriter) { rw.WriteHeader(http.StatusInternalServerError) })
	w.call("setWebhook", "url="+hook.url)
	w.inject(`{"callback_query":{"id":"1","from":{"id":5},"data":"x"}}`)
	w.inject(`{"message":{"chat":{"id":5},"text":"hi"}}`)
	wait(t, "the click has expired", func() bool { return w.pending() == 1 })
	n := hook.count()
	wait(t, "the message is still tried", func() bool { return hook.count() > n })
	last := hook.deliveries()[hook.count()-1]
	equal(t, last.body, strings.Contains(last.body, `"message"`), true)
}
