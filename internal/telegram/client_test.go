package telegram_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"sverka/internal/telegram"
)

const (
	tokenSecret = "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw_"
	token       = "123456789:" + tokenSecret
)

// asked is what the server was sent.
type asked struct {
	path   string
	params map[string]any
}

// serve runs a server that answers everything alike and tells what it was asked.
func serve(t *testing.T, answer http.HandlerFunc) (*telegram.Client, <-chan asked) {
	t.Helper()
	requests := make(chan asked, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := asked{path: r.Method + " " + r.URL.Path}
		if body, err := io.ReadAll(r.Body); err == nil {
			_ = json.Unmarshal(body, &a.params)
		}
		requests <- a
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	return client(t, server.URL), requests
}

func client(t *testing.T, api string) *telegram.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c, err := telegram.NewClient(api, transport)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestGetMe(t *testing.T) {
	t.Parallel()
	c, requests := serve(t, says(200, `{"ok":true,"result":{"id":123456789,"is_bot":true,"first_name":"Shop",`+
		`"username":"our_shop_bot","can_join_groups":true,"can_connect_to_business":true,"supports_more":1}}`))
	me, err := c.GetMe(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "me", me, telegram.Me{ID: 123456789, Username: "our_shop_bot", FirstName: "Shop", JoinsGroups: true, Business: true})
	equal(t, "path", (<-requests).path, "POST /bot"+token+"/getMe")
}

func TestGetMeOfAnother(t *testing.T) {
	t.Parallel()
	for _, result := range []string{`{"id":5,"is_bot":true}`, `{"id":123456789,"is_bot":false}`, `{}`, `[]`, `true`, `"a"`} {
		c, _ := serve(t, says(200, `{"ok":true,"result":`+result+`}`))
		if me, err := c.GetMe(t.Context(), token); !errors.Is(err, telegram.ErrAnswer) {
			t.Errorf("%s: %+v, %v", result, me, err)
		}
	}
}

func TestSetWebhook(t *testing.T) {
	t.Parallel()
	c, requests := serve(t, says(200, `{"ok":true,"result":true,"description":"Webhook was set"}`))
	hook := telegram.Webhook{URL: "https://hub.example/hooks/telegram/a1", Secret: "s_-9"}
	if err := c.SetWebhook(t.Context(), token, hook); err != nil {
		t.Fatal(err)
	}
	hook.AllowedUpdates, hook.MaxConnections, hook.DropPending = []string{"message"}, 80, true
	if err := c.SetWebhook(t.Context(), token, hook); err != nil {
		t.Fatal(err)
	}
	equal(t, "defaults", (<-requests).params, map[string]any{
		"url": hook.URL, "secret_token": "s_-9", "drop_pending_updates": false,
		"allowed_updates": []any{
			"message", "edited_message", "callback_query", "my_chat_member", "business_connection",
			"business_message", "edited_business_message", "deleted_business_messages",
		},
	})
	equal(t, "chosen", (<-requests).params, map[string]any{
		"url": hook.URL, "secret_token": "s_-9", "drop_pending_updates": true,
		"allowed_updates": []any{"message"}, "max_connections": 80.0,
	})
}

// What Telegram would refuse is not sent, for it would close the old webhook first.
func TestSetWebhookChecksBeforeItSends(t *testing.T) {
	t.Parallel()
	c, requests := serve(t, says(200, `{"ok":true,"result":true}`))
	const address = "https://hub.example/h"
	for name, hook := range map[string]telegram.Webhook{
		"NoAddress":    {Secret: "s"},
		"NoScheme":     {URL: "hub.example/h", Secret: "s"},
		"NoHost":       {URL: "https:///h", Secret: "s"},
		"OtherScheme":  {URL: "ftp://hub.example", Secret: "s"},
		"Unparsable":   {URL: "https://hub.example/%zz", Secret: "s"},
		"LongAddress":  {URL: address + string(make([]byte, 2048)), Secret: "s"},
		"NoSecret":     {URL: address},
		"SecretSign":   {URL: address, Secret: "a b"},
		"LongSecret":   {URL: address, Secret: tokenSecret + tokenSecret + tokenSecret + tokenSecret + tokenSecret + tokenSecret + tokenSecret + tokenSecret},
		"Connections":  {URL: address, Secret: "s", MaxConnections: 101},
		"Connections-": {URL: address, Secret: "s", MaxConnections: -1},
	} {
		if err := c.SetWebhook(t.Context(), token, hook); !errors.Is(err, telegram.ErrWebhook) {
			t.Errorf("%s: %v", name, err)
		}
	}
	equal(t, "requests", len(requests), 0)
}

func TestDeleteWebhook(t *testing.T) {
	t.Parallel()
	c, requests := serve(t, says(200, `{"ok":true,"result":true,"description":"Webhook is already deleted"}`))
	if err := c.DeleteWebhook(t.Context(), token, false); err != nil {
		t.Fatal(err)
	}
	equal(t, "asked", <-requests, asked{"POST /bot" + token + "/deleteWebhook", map[string]any{"drop_pending_updates": false}})
}

func TestWebhookInfo(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, says(200, `{"ok":true,"result":{"url":"https://hub.example/h","has_custom_certificate":false,`+
		`"pending_update_count":3,"last_error_date":1754042400,"last_error_message":"Connection refused",`+
		`"max_connections":40,"ip_address":"<unknown>","allowed_updates":["message","poll",5]}}`))
	info, err := c.WebhookInfo(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "info", info, telegram.WebhookInfo{
		URL: "https://hub.example/h", Pending: 3, LastErrorAt: time.Unix(1754042400, 0).UTC(),
		LastErrorMessage: "Connection refused", MaxConnections: 40, IPAddress: "<unknown>",
		AllowedUpdates: []string{"message", "poll"},
	})
	c, _ = serve(t, says(200, `{"ok":true,"result":{"url":"","has_custom_certificate":false,"pending_update_count":0}}`))
	info, err = c.WebhookInfo(t.Context(), token)
	equal(t, "none", info, telegram.WebhookInfo{})
	equal(t, "error", err, nil)
}

func TestSendMessage(t *testing.T) {
	t.Parallel()
	c, requests := serve(t, says(200, `{"ok":true,"result":{"message_id":12,"chat":{"id":4101,"type":"private"},"date":1754042400,"text":"ok"}}`))
	sent, err := c.SendMessage(t.Context(), token, 4101, "Спасибо <b>")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "sent", sent, telegram.Sent{MessageID: 12, ChatID: 4101, At: time.Unix(1754042400, 0).UTC()})
	equal(t, "asked", (<-requests).params, map[string]any{"chat_id": 4101.0, "text": "Спасибо <b>"})
	c, _ = serve(t, says(200, `{"ok":true,"result":true}`))
	if _, err = c.SendMessage(t.Context(), token, 4101, "a"); !errors.Is(err, telegram.ErrAnswer) {
		t.Errorf("without a message: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status     int
		retryAfter string // the header
		body       string
		want       telegram.Error
	}{
		"Unauthorized": {401, "", `{"ok":false,"error_code":401,"description":"Unauthorized"}`, telegram.Error{Code: 401, Description: "Unauthorized"}},
		"NotFound":     {404, "", `{"ok":false,"error_code":404,"description":"Not Found"}`, telegram.Error{Code: 404, Description: "Not Found"}},
		"Blocked":      {403, "", `{"ok":false,"error_code":403,"description":"Forbidden: bot was blocked by the user"}`, telegram.Error{Code: 403, Description: "Forbidden: bot was blocked by the user"}},
		"Migrated":     {400, "", `{"ok":false,"error_code":400,"description":"Bad Request","parameters":{"migrate_to_chat_id":-1001}}`, telegram.Error{Code: 400, Description: "Bad Request", MigrateTo: -1001}},
		"TooMany":      {429, "7", `{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 5","parameters":{"retry_after":5}}`, telegram.Error{Code: 429, Description: "Too Many Requests: retry after 5", RetryAfter: 5 * time.Second}},
		"HeaderOnly":   {429, "7", `{"ok":false,"error_code":429}`, telegram.Error{Code: 429, RetryAfter: 7 * time.Second}},
		"HeaderDate":   {429, "Fri, 01 Aug 2025 10:00:00 GMT", `{"ok":false,"error_code":429}`, telegram.Error{Code: 429}},
		"Never":        {429, "", `{"ok":false,"error_code":429,"parameters":{"retry_after":9007199254740992}}`, telegram.Error{Code: 429, RetryAfter: 30 * 24 * time.Hour}},
		"Negative":     {429, "", `{"ok":false,"error_code":429,"parameters":{"retry_after":-5}}`, telegram.Error{Code: 429}},
		"NoCode":       {500, "", `{"ok":false,"parameters":null,"description":null}`, telegram.Error{Code: 500}},
		"OddCode":      {502, "", `{"ok":false,"error_code":7}`, telegram.Error{Code: 502}},
		"CodeIn200":    {200, "", `{"ok":false,"error_code":400,"description":"a\u0000b"}`, telegram.Error{Code: 400, Description: "ab"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if c.retryAfter != "" {
					w.Header().Set("Retry-After", c.retryAfter)
				}
				says(c.status, c.body)(w, r)
			})
			_, err := client.SendMessage(t.Context(), token, 5, "a")
			var refused *telegram.Error
			if !errors.As(err, &refused) {
				t.Fatal(err)
			}
			equal(t, "refusal", *refused, c.want)
		})
	}
}

func TestNewClientAddress(t *testing.T) {
	t.Parallel()
	for _, api := range []string{"", "api.telegram.org", "//api.telegram.org", "ftp://a", "https://u:p@a", "https://a?x=1", "https://a#f", "https://%zz"} {
		if _, err := telegram.NewClient(api, http.DefaultTransport); err == nil {
			t.Errorf("%q was taken", api)
		}
	}
	c, requests := serve(t, says(200, `{"ok":true,"result":true}`))
	if err := c.DeleteWebhook(t.Context(), "12/../getMe:"+tokenSecret, true); !errors.Is(err, telegram.ErrToken) {
		t.Error(err)
	}
	equal(t, "requests with an impossible token", len(requests), 0)
}
