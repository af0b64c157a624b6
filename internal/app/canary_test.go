package app

import (
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"testing"

	"sverka/internal/sandbox"
)

// The canary test: what is secret or personal goes through every success and failure path and must come
// out nowhere but in the CRM.
func TestNoSecretOrPersonalDataLeaks(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.work()
	const (
		text  = "CANARY-text-привет-7f3a"
		name  = "CanaryFirstName"
		phone = "79995550123"
	)
	faults := []string{"", "lose_response", "lose_request", "refuse", "throttle", "error_500_executed", "error_500_not_executed",
		"reset_mid_body", "garbage_2xx"}
	update := int64(1000)
	for _, fault := range faults {
		for bot := range 3 {
			if fault != "" {
				s.fault(bot, fault, 1)
			}
			update++
			user := 5_550_000 + update
			s.deliver(bot, strings.ReplaceAll(message(update, update, user, text), "Anna", name))
			update++
			s.deliver(bot, strings.ReplaceAll(sharedContact(update, update, user, phone), "Anna", name))
		}
	}
	b := s.demo.Bots[keyed]
	_, _ = s.postAs(b.HookPath, "CANARY-wrong-secret", message(1, 1, 1, text))
	_ = s.post(keyed, `{"update_id":1,"broken":"`+text)
	_ = s.post(keyed, `{"update_id":"`+text+`"}`)
	s.exec(`UPDATE inbox_payloads p SET sealed = '\x01ff' FROM inbox_events e WHERE e.id = p.event_id AND e.state = 'pending'`)
	s.proxy.set("cut")
	_, _ = s.postAs(b.HookPath, b.Secret, message(2, 2, 2, text))
	s.proxy.set("")
	s.until("the first attempts are over", func() bool {
		return s.count(`SELECT count(*) FROM operations WHERE state = 'in_flight' OR (state = 'pending' AND attempt_no = 0 AND depends_on IS NULL)`) == 0 &&
			s.count(`SELECT count(*) FROM inbox_events WHERE state = 'pending'`) == 0
	})
	s.nowhere(text, name, phone, "9995550123", "CANARY", b.Token, b.Token[strings.Index(b.Token, ":")+1:], b.Secret, "sandbox-key", "sandbox-neither")
	check(t, s.writeOnly("no_secret_or_personal_data_leaks"))
}

// nowhere looks for canaries in the log, the metrics, River's table, and every text that our tables keep
// in the open.
func (s *stand) nowhere(canaries ...string) {
	s.t.Helper()
	places := map[string]string{"log": s.logs.String(), "metrics": s.body("/metrics")}
	for _, table := range []string{"river_job", "inbox_events", "inbox_payloads", "operations", "operation_payloads",
		"operation_attempts", "operation_history", "contacts", "contact_identities", "bots", "connections", "hooks", "bells", "seen_messages"} {
		var dump string
		check(s.t, s.super.QueryRow(s.t.Context(), `SELECT coalesce(string_agg(x::text, E'\n'), '') FROM `+table+` x`).Scan(&dump))
		if dump == "" {
			s.t.Errorf("table %s is empty: the canaries did not go through it", table)
		}
		places["table "+table] = dump
	}
	for place, content := range places {
		for _, canary := range canaries {
			for _, form := range []string{canary, hex.EncodeToString([]byte(canary))} { // bytea is dumped as hex
				if at := strings.Index(content, form); at >= 0 {
					s.t.Errorf("%s holds a canary: …%s…", place, content[max(0, at-80):min(len(content), at+80)])
				}
			}
		}
	}
}

func (s *stand) body(path string) string {
	s.t.Helper()
	answer, err := http.Get(s.web + path)
	check(s.t, err)
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	check(s.t, err)
	return string(raw)
}
