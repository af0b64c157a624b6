package sandbox_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestInjectVariants(t *testing.T) {
	t.Parallel()
	w := start(t, fast())
	w.bot()
	hook := receive(t, nil)
	w.call("setWebhook", "url="+hook.url)
	for _, c := range []struct{ body, want string }{
		{`not JSON`, `not JSON`},
		{"\xff\xfe{", "\xff\xfe{"},
		{`[1,2]`, `[1,2]`},
		{`{"update_id":"7","message":{}}`, `{"update_id":"7","message":{}}`},
		{`{"update_id":-1}`, `{"update_id":-1}`},
		{`{"update_id":5,"brand_new":{"x":1}}`, `{"update_id":5,"brand_new":{"x":1}}`},
		{` {"message":{"text":1}}`, `{"update_id":%d,` + "\n" + `"message":{"text":1}}`},
		{`{}`, `{"update_id":%d}`},
	} {
		before := hook.count()
		id := w.inject(c.body)
		wait(t, "delivered "+c.body, func() bool { return hook.count() == before+1 })
		want := c.want
		if strings.Contains(want, "%d") {
			want = fmt.Sprintf(want, id)
		}
		equal(t, c.body, hook.deliveries()[before].body, want)
	}
	exact := w.do("POST", "/telegram/"+botToken+"/inject?exact=1", `{"message":{"chat":{"id":1}}}`)
	equal(t, "exact", string(exact.body), "{\"ok\":true,\"result\":{\"update_id\":null}}\n")
	wait(t, "delivered", func() bool { return w.pending() == 0 })
	got := hook.deliveries()
	equal(t, "exact", got[len(got)-1].body, `{"message":{"chat":{"id":1}}}`)

	w.inject(`{"from":{"id":9,"first_name":"Bo"},"contact":{"phone_number":"+7900"}}`)
	w.inject(`{"from":{"id":9,"first_name":"Bo"},"contact":{"phone_number":"911","user_id":null}}`)
	w.inject(`{"from":{"id":9,"first_name":"Bo"},"start":"ad_7"}`)
	w.inject(`{"from":{"id":9,"first_name":"Bo"},"caption":"look","photo":[{"file_id":"f"}],"media_group_id":"g"}`)
	wait(t, "delivered", func() bool { return w.pending() == 0 })
	short := hook.deliveries()[len(got):]
	for i, part := range []string{
		`"contact":{"phone_number":"+7900","first_name":"Bo","user_id":9}}}`,
		`"contact":{"phone_number":"911","first_name":"Bo"}}}`,
		`"text":"/start ad_7","entities":[{"offset":0,"length":6,"type":"bot_command"}]}}`,
		`"caption":"look","media_group_id":"g","photo":[{"file_id":"f"}]}}`,
	} {
		equal(t, part+" in "+short[i].body, strings.HasSuffix(short[i].body, part), true)
	}
	for body, status := range map[string]int{"": 400, `{"from":{"id":"x"}}`: 400, `{"contact":{}}`: 400, strings.Repeat("x", 1<<20+1): 413} {
		equal(t, "refused", w.do("POST", "/telegram/"+botToken+"/inject", body).status, status)
	}
	equal(t, "no such bot", w.do("POST", "/telegram/987654321:AAexampleexampleexampleexample/inject", "x").status, 401)
}

func TestRedeliver(t *testing.T) {
	t.Parallel()
	w := start(t, fast())
	w.bot()
	hook := receive(t, nil)
	id := w.inject(`{"text":"hi"}`)
	path, body := "/telegram/"+botToken+"/redeliver", fmt.Sprintf(`{"update_id":%d,"times":5,"parallel":true}`, id)
	equal(t, "no webhook", w.do("POST", path, body).status, 409)
	w.call("setWebhook", "url="+hook.url)
	wait(t, "delivered", func() bool { return w.pending() == 0 })
	got := w.do("POST", path, body)
	equal(t, "answers", string(got.body), "{\"ok\":true,\"result\":{\"answers\":[200,200,200,200,200]}}\n")
	equal(t, "deliveries", hook.count(), 6)
	for _, d := range hook.deliveries() {
		equal(t, "same bytes", d.body, hook.deliveries()[0].body)
	}
	equal(t, "unknown", w.do("POST", path, `{"update_id":1}`).status, 404)
	equal(t, "too often", w.do("POST", path, `{"update_id":1,"times":101}`).status, 400)
}
