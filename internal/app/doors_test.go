package app

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"sverka/internal/inbox"
	"sverka/internal/sandbox"
)

func TestSameUpdateTwiceInSequence(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"same_update_twice_in_sequence", "equal_requests_in_sequence"} {
		s := newStand(t, sandbox.CRMOptions{})
		s.work()
		body := message(100, 1, 501, "Здравствуйте, сколько стоит доставка?")
		s.deliver(neither, body)
		s.untilQuiet()
		s.deliver(neither, body)
		s.untilQuiet()
		s.prove(name, want{events: map[string]int{"processed": 1}, operations: map[string]int{"lead done": 1},
			objects: map[string]int{"lead": 1}, writes: 1, deliveries: 2})
	}
}

func TestSameUpdate50AtOnce(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"same_update_50_at_once", "equal_requests_at_once"} {
		s := newStand(t, sandbox.CRMOptions{})
		s.work()
		body := message(100, 1, 501, "Хочу заказать")
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if code := s.post(neither, body); code != http.StatusOK {
					t.Errorf("answered %d", code)
				}
			})
		}
		all.Wait()
		s.untilQuiet()
		s.prove(name, want{events: map[string]int{"processed": 1}, operations: map[string]int{"lead done": 1},
			objects: map[string]int{"lead": 1}, writes: 1, deliveries: 50})
	}
}

func TestSameUpdateIDWithAnotherBodyIsAVariant(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"same_update_id_other_body", "changed_data_under_the_same_id"} {
		s := newStand(t, sandbox.CRMOptions{})
		s.work()
		s.deliver(neither, message(100, 1, 501, "первый текст"))
		s.untilQuiet()
		s.deliver(neither, message(100, 1, 501, "другой текст"))
		s.deliver(neither, message(100, 1, 501, "другой текст"))
		s.untilQuiet()
		s.prove(name, want{events: map[string]int{"processed": 1, "variant": 1}, operations: map[string]int{"lead done": 1},
			objects: map[string]int{"lead": 1}, writes: 1, deliveries: 3})
	}
}

func TestAKeyOlderThanSevenDaysBeginsTheNextGeneration(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.work()
	s.deliver(keyed, message(100, 1, 501, "год назад"))
	s.untilQuiet()
	s.exec(`UPDATE inbox_events SET received_at = received_at - interval '8 days'`)
	s.deliver(keyed, message(100, 1, 501, "год назад")) // the same body is still the same event
	s.deliver(keyed, message(100, 7, 502, "новая жизнь старого номера"))
	s.untilQuiet()
	if n := s.count(`SELECT max(generation) FROM inbox_events`); n != 2 {
		t.Errorf("generation %d, want 2", n)
	}
	if n := s.count(`SELECT count(*) FROM operations WHERE kind = 'lead' AND state = 'done'`); n != 2 {
		t.Errorf("%d leads, want 2: a real message was dropped", n)
	}
}

func TestChangedBodyOfAKnownMessageMakesNoSecondCreate(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.work()
	s.deliver(neither, message(100, 1, 501, "как есть"))
	s.untilQuiet()
	s.deliver(neither, message(101, 1, 501, "как есть, но под другим update_id"))
	s.untilQuiet()
	s.prove("changed_body_of_known_message", want{events: map[string]int{"processed": 1, "ignored known_message": 1},
		operations: map[string]int{"lead done": 1}, objects: map[string]int{"lead": 1}, writes: 1})
}

func TestSecondMessageOfAPersonBecomesANote(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.work()
	for k := range int64(3) {
		s.deliver(int(k), message(100, 1, 501, "первое"))
		s.deliver(int(k), message(101, 2, 501, "второе"))
		s.deliver(int(k), message(102, 3, 501, "третье"))
	}
	s.untilQuiet()
	s.prove("second_message_becomes_a_note", want{events: map[string]int{"processed": 9},
		operations: map[string]int{"lead done": 3, "note done": 6}, objects: map[string]int{"lead": 3, "note": 6}, writes: 9})
	if n := s.count(`SELECT count(*) FROM contacts`); n != 1 {
		t.Errorf("%d contacts, want 1: one person wrote to three bots", n)
	}
}

func TestBadInputIsStoredAndSetAside(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.work()
	bad := map[string]string{
		"broken JSON":            `{"update_id":5,"message":`,
		"no update_id":           `{"message":{"message_id":1}}`,
		"absurd update_id":       `{"update_id":1e400}`,
		"negative update_id":     `{"update_id":-5}`,
		"text update_id":         `{"update_id":"5"}`,
		"too large update_id":    `{"update_id":9007199254740993}`,
		"two update_ids":         `{"update_id":5,"update_id":6}`,
		"NUL":                    "{\"update_id\":7\x00}",
		"not an object":          `[1,2,3]`,
		"nothing":                ``,
		"nested":                 `{"update_id":8,"x":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + `}`,
		"unterminated nesting":   strings.Repeat(`{"a":`, 100_000),
		"invalid UTF-8 anywhere": "\xff\xfe\x00",
	}
	for what, body := range bad {
		if code := s.post(keyed, body); code != http.StatusOK {
			t.Errorf("%s: answered %d, want 200", what, code)
		}
	}
	odd := []string{ // usable, if odd
		"{\"update_id\":9,\"message\":{\"message_id\":1,\"from\":{\"id\":1,\"first_name\":\"\xff\"},\"chat\":{\"id\":1,\"type\":\"private\"},\"text\":\"a\\u0000b \xff\"}}",
		`{"update_id":10,"brand_new_type":{}}`,
	}
	for _, body := range odd {
		s.deliver(keyed, body)
	}
	s.untilQuiet()
	s.prove("bad_input_is_set_aside", want{
		events:     map[string]int{"quarantined " + inbox.NoUsableID: len(bad), "processed": 1, "ignored unknown_type": 1},
		operations: map[string]int{"lead done": 1}, objects: map[string]int{"lead": 1}, writes: 1})
}

func TestAnswersAtTheHook(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	hook, secret, body := s.demo.Bots[keyed].HookPath, s.demo.Bots[keyed].Secret, message(1, 1, 1, "x")
	post := func(path, shown string) int { code, _ := s.postAs(path, shown, body); return code }
	for what, got := range map[string][2]int{
		"wrong secret":             {post(hook, "wrong"), http.StatusUnauthorized},
		"missing secret":           {post(hook, ""), http.StatusUnauthorized},
		"another bot's secret":     {post(hook, s.demo.Bots[upsert].Secret), http.StatusUnauthorized},
		"unknown hook":             {post("/hooks/telegram/"+strings.Repeat("0", 32), secret), http.StatusNotFound},
		"no hook at all":           {post("/hooks/telegram/x", secret), http.StatusNotFound},
		"exactly 1 MiB":            {s.post(keyed, body+strings.Repeat(" ", 1<<20-len(body))), http.StatusOK},
		"one byte over 1 MiB":      {s.post(keyed, body+strings.Repeat(" ", 1<<20-len(body)+1)), http.StatusRequestEntityTooLarge},
		"compressed":               {s.withHeader(keyed, "Content-Encoding", "gzip"), http.StatusUnsupportedMediaType},
		"another method":           {s.method(http.MethodGet, hook), http.StatusMethodNotAllowed},
		"a page that serve denies": {s.method(http.MethodGet, "/t/demo/nothing"), http.StatusNotFound},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: answered %d, want %d", what, got[0], got[1])
		}
	}
	if n := s.count(`SELECT count(*) FROM inbox_events`); n != 1 {
		t.Errorf("%d rows, want 1: a refused request left one", n)
	}
	s.exec(`UPDATE hooks SET state = 'deleted' WHERE hook = $1`, strings.TrimPrefix(hook, "/hooks/telegram/"))
	s.until("the deleted bot answers 410", func() bool { return post(hook, secret) == http.StatusGone })
}

func (s *stand) withHeader(bot int, name, value string) int {
	s.t.Helper()
	request, err := http.NewRequest(http.MethodPost, s.web+s.demo.Bots[bot].HookPath, strings.NewReader(message(9, 9, 9, "x")))
	check(s.t, err)
	request.Header.Set("X-Telegram-Bot-Api-Secret-Token", s.demo.Bots[bot].Secret)
	request.Header.Set(name, value)
	return s.send(request)
}

func (s *stand) method(method, path string) int {
	s.t.Helper()
	request, err := http.NewRequest(method, s.web+path, nil)
	check(s.t, err)
	return s.send(request)
}

func (s *stand) send(request *http.Request) int {
	s.t.Helper()
	answer, err := http.DefaultClient.Do(request)
	check(s.t, err)
	defer answer.Body.Close()
	return answer.StatusCode
}

func TestThePreviousSecretIsAcceptedForTenMinutes(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	hook := strings.TrimPrefix(s.demo.Bots[keyed].HookPath, "/hooks/telegram/")
	before := s.demo.Bots[keyed].Secret
	s.deliver(keyed, message(1, 1, 1, "вчера"))
	s.changeSecret(hook, "fresh-secret")
	s.until("the new secret is accepted", func() bool {
		code, _ := s.postAs(s.demo.Bots[keyed].HookPath, "fresh-secret", message(2, 2, 1, "сегодня"))
		return code == http.StatusOK
	})
	if code, _ := s.postAs(s.demo.Bots[keyed].HookPath, before, message(3, 3, 1, "в пути")); code != http.StatusOK {
		t.Errorf("the previous secret answered %d, want 200", code)
	}
	s.exec(`UPDATE hooks SET previous_until = now() - interval '1 s' WHERE hook = $1`, hook)
	s.until("the previous secret is refused", func() bool {
		code, _ := s.postAs(s.demo.Bots[keyed].HookPath, before, message(4, 4, 1, "поздно"))
		return code == http.StatusUnauthorized
	})
}

func TestDatabaseAwayLosesNothing(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.work()
	s.deliver(neither, message(100, 1, 501, "до"))
	for k, weather := range []string{"cut", "silent"} {
		s.proxy.set(weather)
		began := time.Now()
		code, header := s.postAs(s.demo.Bots[neither].HookPath, s.demo.Bots[neither].Secret, message(int64(200+k), int64(20+k), 501, weather))
		if took := time.Since(began); code != http.StatusServiceUnavailable || header.Get("Retry-After") != "5" || took > 2*time.Second {
			t.Errorf("%s: answered %d with Retry-After %q after %v, want 503, 5, within 2 s", weather, code, header.Get("Retry-After"), took)
		}
		code, _ = s.postAs("/hooks/telegram/"+strings.Repeat("ab", 16), "x", "{}")
		if code != http.StatusServiceUnavailable {
			t.Errorf("%s: an unknown hook answered %d, want 503: nobody could look it up", weather, code)
		}
		s.proxy.set("")
		s.until("the sender's repeat is stored", func() bool {
			return s.post(neither, message(int64(200+k), int64(20+k), 501, weather)) == http.StatusOK
		})
	}
	s.untilQuiet()
	s.prove("database_away", want{events: map[string]int{"processed": 3}, operations: map[string]int{"lead done": 1, "note done": 2},
		objects: map[string]int{"lead": 1, "note": 2}, writes: 3})
}

func TestPoisonRowInAGroupHurtsItsSenderOnly(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.exec(`ALTER TABLE inbox_events ADD CONSTRAINT poison CHECK (external_id <> '666')`)
	codes := make([]int, 65)
	var all sync.WaitGroup
	for k := range 64 {
		all.Go(func() {
			codes[k] = s.post(k%3, message(int64(1000+k), int64(k+1), int64(600+k), fmt.Sprint("сообщение ", k)))
		})
	}
	all.Go(func() { codes[64] = s.post(keyed, message(666, 99, 699, "яд")) })
	all.Wait()
	for k, code := range codes[:64] {
		if code != http.StatusOK {
			t.Errorf("innocent %d answered %d", k, code)
		}
	}
	if codes[64] != http.StatusServiceUnavailable {
		t.Errorf("the poison answered %d, want 503", codes[64])
	}
	s.work()
	s.untilQuiet()
	s.prove("poison_row_in_a_group", want{events: map[string]int{"processed": 64}, operations: map[string]int{"lead done": 64},
		objects: map[string]int{"lead": 64}, writes: 64})
}

func TestPoisonEventNeverBlocksItsBot(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.deliver(keyed, message(100, 1, 501, "первое"))
	s.deliver(keyed, message(101, 2, 502, "испорченное в хранилище"))
	s.deliver(keyed, message(102, 3, 503, "третье"))
	s.exec(`UPDATE inbox_payloads p SET sealed = '\x01ff' FROM inbox_events e WHERE e.id = p.event_id AND e.external_id = '101'`)
	s.work()
	s.untilQuiet()
	s.prove("poison_event_never_blocks_its_bot", want{
		events:     map[string]int{"processed": 2, "quarantined " + inbox.InterpretationFailed: 1},
		operations: map[string]int{"lead done": 2}, objects: map[string]int{"lead": 2}, writes: 2})
}

func TestEventsAreInterpretedInTheOrderOfTheirUpdateIDs(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	for _, n := range []int64{105, 103, 101, 104, 102} {
		s.deliver(neither, message(n, n, 501, fmt.Sprint("сообщение ", n)))
	}
	s.work()
	s.untilQuiet()
	var texts []string
	for _, o := range s.ledger(neither).Objects {
		texts = append(texts, fmt.Sprint(o.Fields["text"]))
	}
	if got := strings.Join(texts, ", "); got != "сообщение 101, сообщение 102, сообщение 103, сообщение 104, сообщение 105" {
		t.Errorf("the CRM got %s", got)
	}
}

func TestAPausedBotAndASuspendedTenantStoreAndWait(t *testing.T) {
	t.Parallel()
	for what, sql := range map[string][2]string{
		"bot":    {`UPDATE bots SET state = 'paused'`, `UPDATE bots SET state = 'active'`},
		"tenant": {`UPDATE tenants SET state = 'suspended'`, `UPDATE tenants SET state = 'active'`},
	} {
		s := newStand(t, sandbox.CRMOptions{})
		s.work()
		s.exec(sql[0])
		s.deliver(keyed, message(100, 1, 501, "подождёт"))
		s.until("the bell was answered", func() bool { return s.count(`SELECT count(*) FROM bells WHERE rung OR drain_until IS NOT NULL`) == 0 })
		if n := s.count(`SELECT count(*) FROM inbox_events WHERE state = 'pending'`); n != 1 {
			t.Errorf("paused %s: %d events wait, want 1", what, n)
		}
		s.exec(sql[1])
		s.untilQuiet()
		if n := len(s.ledger(keyed).Objects); n != 1 {
			t.Errorf("resumed %s: %d objects, want 1", what, n)
		}
	}
}

func TestWorkersStartAsSoonAsTheDatabaseIsBack(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.deliver(keyed, message(100, 1, 501, "ждёт воркеров"))
	s.proxy.set("cut")
	s.work()
	s.until("a start has failed", func() bool { return len(s.logs.with("workers not started")) > 0 })
	s.proxy.set("")
	s.untilQuiet()
	if n := len(s.ledger(keyed).Objects); n != 1 {
		t.Errorf("%d objects, want 1", n)
	}
}
