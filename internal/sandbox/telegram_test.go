package sandbox_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sverka/internal/sandbox"
)

const botToken = "123456789:AAexampleexampleexampleexample"

// delivery is one POST that the receiver got.
type delivery struct {
	at   time.Time
	body string
}

// receiver is a webhook that answers as it is told.
type receiver struct {
	url    string
	mu     sync.Mutex
	got    []delivery
	answer func(n int, body string, w http.ResponseWriter) // n counts from 1; nil = 200
}

func receive(t *testing.T, answer func(n int, body string, w http.ResponseWriter)) *receiver {
	t.Helper()
	r := &receiver{answer: answer}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		r.mu.Lock()
		r.got = append(r.got, delivery{time.Now(), string(body)})
		n, answer := len(r.got), r.answer
		r.mu.Unlock()
		if answer != nil {
			answer(n, string(body), w)
		}
	}))
	t.Cleanup(server.Close)
	r.url = server.URL + "/hook"
	return r
}

func (r *receiver) deliveries() []delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

func (r *receiver) count() int { return len(r.deliveries()) }

// reply is the Bot API's envelope.
type reply struct {
	OK          bool            `json:"ok"`
	Result      json.RawMessage `json:"result"`
	ErrorCode   int             `json:"error_code"`
	Description string          `json:"description"`
	Parameters  struct {
		RetryAfter int `json:"retry_after"`
	} `json:"parameters"`
}

func (w *world) bot() {
	w.t.Helper()
	equal(w.t, "PUT bot", w.do("PUT", "/telegram/"+botToken, `{"username":"acme_bot","name":"Acme"}`).status, 200)
}

// call is a Bot API method with a form body.
func (w *world) call(method, form string) (r reply) {
	w.t.Helper()
	got := w.do("POST", "/bot"+botToken+"/"+method, form, "Content-Type", "application/x-www-form-urlencoded")
	got.into(w.t, &r)
	return r
}

func (w *world) inject(body string) int64 {
	w.t.Helper()
	got := w.do("POST", "/telegram/"+botToken+"/inject", body)
	var r struct {
		Result struct {
			UpdateID int64 `json:"update_id"`
		} `json:"result"`
	}
	got.into(w.t, &r)
	equal(w.t, "inject: "+string(got.body), got.status, 200)
	return r.Result.UpdateID
}

func (w *world) pending() int {
	w.t.Helper()
	var info struct {
		Pending int `json:"pending_update_count"`
	}
	if err := json.Unmarshal(w.call("getWebhookInfo", "").Result, &info); err != nil {
		w.t.Fatal(err)
	}
	return info.Pending
}

func TestRequestOnTheWire(t *testing.T) {
	t.Parallel()
	w := start(t, fast())
	w.bot()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	w.call("setWebhook", "secret_token=s3cret_-&url=http://"+listener.Addr().String()+"/hook?a=b")
	id := w.inject(`{"from":{"id":42,"first_name":"Аня"},"text":"Привет 👋 <b>"}`)
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	head := make([]byte, 4096)
	n, err := conn.Read(head)
	if err != nil {
		t.Fatal(err)
	}
	text, body, _ := strings.Cut(string(head[:n]), "\r\n\r\n")
	equal(t, "head", text, "POST /hook?a=b HTTP/1.1\r\nHost: 127.0.0.1\r\n"+
		"X-Telegram-Bot-Api-Secret-Token: s3cret_-\r\nContent-Type: application/json\r\n"+
		fmt.Sprintf("Content-Length: %d\r\n", len(body))+
		"Connection: keep-alive\r\nAccept-Encoding: gzip, deflate")
	equal(t, "start of the body", strings.HasPrefix(body, fmt.Sprintf("{\"update_id\":%d,\n\"message\":{\"message_id\":", id)), true)
	const escaped = `"text":"\u041f\u0440\u0438\u0432\u0435\u0442 \ud83d\udc4b <b>"}}`
	equal(t, "end of the body: "+body, strings.HasSuffix(body, escaped), true)
}

func TestBotIsIdempotentAndRevocable(t *testing.T) {
	t.Parallel()
	w := start(t, fast())
	b := sandbox.Bot{Token: botToken, Username: "@acme_bot", Name: "Acme"}
	for range 2 {
		if err := w.box.AddBot(b); err != nil {
			t.Fatal(err)
		}
	}
	w.call("setWebhook", "url=http://127.0.0.1:1/hook")
	w.inject(`{"text":"hi"}`)
	b.Token = "123456789:BBexampleexampleexampleexample"
	if err := w.box.AddBot(b); err != nil {
		t.Fatal(err)
	}
	equal(t, "the old token", w.do("GET", "/bot"+botToken+"/getMe", "").status, 401)
	info := string(w.do("GET", "/bot"+b.Token+"/getWebhookInfo", "").body)
	equal(t, info, strings.Contains(info, `"url":"","has_custom_certificate":false,"pending_update_count":1`), true)
	equal(t, "a bad token", w.box.AddBot(sandbox.Bot{Token: "x"}) != nil, true)
}

func TestBrowsersFromElsewhereAreRefused(t *testing.T) {
	t.Parallel()
	w := start(t, fast())
	r := w.do("POST", "/act/message", "", "Sec-Fetch-Site", "cross-site")
	equal(t, "status", r.status, http.StatusForbidden)
}
