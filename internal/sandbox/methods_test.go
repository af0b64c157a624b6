package sandbox_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestSetWebhookTexts(t *testing.T) {
	t.Parallel()
	w := start(t, fast())
	w.bot()
	for _, c := range []struct{ form, description string }{
		{"url=ftp://example.com", "Bad Request: invalid webhook URL specified"},
		{"url=https://example.com:0/", "Bad Request: invalid webhook URL specified"},
		{"url=https:///x", "Bad Request: invalid webhook URL specified"},
		{"url=https://exa mple.com/", "Bad Request: invalid webhook URL specified"},
		{"url=https://1.1.1.1&secret_token=" + strings.Repeat("a", 257), "Bad Request: secret token is too long"},
		{"url=https://1.1.1.1&secret_token=a%20b", "Bad Request: secret token contains unallowed characters"},
		{"url=http://example.com:8080/", "Bad Request: bad webhook: An HTTPS URL must be provided for webhook"},
		{"url=https://1.1.1.1:8080/", "Bad Request: bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443"},
		{"url=https://127.0.0.1/", "Bad Request: bad webhook: IP address 127.0.0.1 is reserved"},
		{"url=https://10.1.2.3:8443/", "Bad Request: bad webhook: IP address 10.1.2.3 is reserved"},
		{"url=https://[2606:4700::1111]/", "Bad Request: bad webhook: IPv6-only addresses are not allowed"},
		{"url=https://1.1.1.1/&ip_address=nowhere", "Bad Request: bad webhook: Invalid IP address specified"},
		{"url=https://1.1.1.1/&ip_address=192.168.1.1", "Bad Request: bad webhook: IP address 192.168.1.1 is reserved"},
		{"url=https://no-such-host.invalid/", "Bad Request: bad webhook: Failed to resolve host: Name or service not known"},
	} {
		w.call("setWebhook", "url=http://localhost:1/")
		r := w.call("setWebhook", c.form)
		equal(t, c.form, r.Description, c.description)
		equal(t, c.form, r.ErrorCode, 400)
		equal(t, "the old webhook is gone", strings.Contains(string(w.call("getWebhookInfo", "").Result), `{"url":"",`), true)
	}
	w.inject(`{"text":"hi"}`)
	w.call("setWebhook", "url=ftp://x&drop_pending_updates=True")
	equal(t, "dropped before the URL was looked at", w.pending(), 0)

	for _, c := range []struct{ method, form, description string }{
		{"setWebhook", "url=https://1.1.1.1/hook", "Webhook was set"},
		{"setWebhook", "url=https://1.1.1.1/hook", "Webhook is already set"},
		{"deleteWebhook", "", "Webhook was deleted"},
		{"DELETEwebhook", "", "Webhook is already deleted"},
		{"setWebhook", "url=1.1.1.1/no-scheme", "Webhook was set"},
		{"setWebhook", "", "Webhook was deleted"},
	} {
		r := w.call(c.method, c.form)
		equal(t, c.method+" "+c.form, fmt.Sprintln(r.OK, string(r.Result), r.Description), "true true "+c.description+"\n")
	}
}

func TestSetWebhookOncePerSecond(t *testing.T) {
	t.Parallel()
	o := fast()
	o.Telegram.HookEvery = time.Hour
	w := start(t, o)
	w.bot()
	equal(t, "the first", w.call("setWebhook", "url=http://127.0.0.1:1/").Description, "Webhook was set")
	got := w.do("GET", "/bot"+botToken+"/setWebhook?url=http://127.0.0.1:2/", "")
	equal(t, "status", got.status, 429)
	equal(t, "header", got.header.Get("Retry-After"), "1")
	equal(t, "body", string(got.body),
		`{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 1","parameters":{"retry_after":1}}`+"\n")
	equal(t, "deleting is exempt", w.call("setWebhook", "url=").Description, "Webhook was deleted")
}

func TestAllowedUpdates(t *testing.T) {
	t.Parallel()
	w := start(t, fast())
	w.bot()
	for _, c := range []struct{ given, want string }{
		{`["Message","nonsense","callback_query"]`, `["message","callback_query"]`},
		{`nonsense`, `["message","callback_query"]`},
		{`[1]`, `["message","callback_query"]`},
		{`{}`, `["message","callback_query"]`},
		{`["chat_member"]`, `["chat_member"]`},
		{`["nonsense"]`, ``},
		{`["poll"]`, `["poll"]`},
		{`[]`, ``},
	} {
		w.call("setWebhook", "url=http://127.0.0.1:1/&allowed_updates="+c.given)
		info := string(w.call("getWebhookInfo", "").Result)
		_, got, _ := strings.Cut(info, `"allowed_updates":`)
		equal(t, c.given, strings.TrimSuffix(got, "}"), c.want)
	}
}

func TestMethods(t *testing.T) {
	t.Parallel()
	w := start(t, fast())
	w.bot()
	for _, c := range []struct {
		path   string
		status int
		body   string
	}{
		{"/bot" + botToken + "/getMe", 200, `{"ok":true,"result":{"id":123456789,"is_bot":true,"first_name":"Acme","username":"acme_bot","can_join_groups":true,`},
		{"/bot" + botToken + "/nothing", 404, `{"ok":false,"error_code":404,"description":"Not Found: method not found"}`},
		{"/bot987654321:AAexampleexampleexampleexample/getMe", 401, `{"ok":false,"error_code":401,"description":"Unauthorized"}`},
		{"/botnonsense/getMe", 401, `{"ok":false,"error_code":401,"description":"Unauthorized"}`},
		{"/nowhere/getMe", 404, `{"ok":false,"error_code":404,"description":"Not Found"}`},
		{"/bot" + botToken + "/sendMessage?text=hi", 400, `{"ok":false,"error_code":400,"description":"Bad Request: chat_id is empty"}`},
		{"/bot" + botToken + "/sendMessage?text=hi&chat_id=5", 400, `{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}`},
	} {
		got := w.do("GET", c.path, "")
		equal(t, c.path, got.status, c.status)
		equal(t, c.path+string(got.body), strings.HasPrefix(string(got.body), c.body), true)
	}
	w.inject(`{"from":{"id":5,"first_name":"Bo"},"message_id":10,"text":"hi"}`)
	got := w.do("POST", "/bot"+botToken+"/sendMessage", `{"chat_id":5,"text":"Спасибо"}`, "Content-Type", "application/json")
	equal(t, string(got.body), strings.HasPrefix(string(got.body), `{"ok":true,"result":{"message_id":11,"from":{`), true)
	equal(t, "empty text", w.call("sendMessage", "chat_id=5&text=%20").Description, "Bad Request: message text is empty")
	equal(t, "bad JSON", w.do("POST", "/bot"+botToken+"/getMe", `{`, "Content-Type", "application/json").status, 400)
}
