package app

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"sverka/internal/inbox"
	"sverka/internal/pg"
	"sverka/internal/sandbox"
)

func TestAnswerLostWithAnIdempotentCRM(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.work()
	s.fault(keyed, "lose_response", 1)
	s.deliver(keyed, message(100, 1, 501, "ключ"))
	s.untilQuiet()
	s.prove("answer_lost_idempotent", want{events: map[string]int{"processed": 1}, operations: map[string]int{"lead done": 1},
		objects: map[string]int{"lead": 1}, writes: -1})
}

func TestAnswerLostWithAnUpsertCRM(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.work()
	s.fault(upsert, "lose_response", 1)
	s.deliver(upsert, message(100, 1, 501, "апсерт"))
	s.untilQuiet()
	s.prove("answer_lost_upsert", want{events: map[string]int{"processed": 1}, operations: map[string]int{"lead done": 1},
		objects: map[string]int{"lead": 1}, writes: 1})
}

func TestAnswerLostWithACRMThatPromisesNothing(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.work()
	s.fault(neither, "lose_response", 1)
	s.deliver(neither, message(100, 1, 501, "ничего"))
	s.deliver(neither, message(101, 2, 501, "второе ждёт за первым"))
	s.until("a person is asked", func() bool {
		return s.count(`SELECT count(*) FROM operations WHERE state = 'needs_reconciliation'`) == 1
	})
	s.prove("answer_lost_neither", want{events: map[string]int{"processed": 2},
		operations: map[string]int{"lead needs_reconciliation answer_unknown": 1, "note pending": 1},
		objects:    map[string]int{"lead": 1}, writes: 1})
}

func TestEveryFaultLeavesAtMostOneRecord(t *testing.T) {
	t.Parallel()
	faults := map[string]struct{ keyed, upsert, neither string }{
		"lose_response":          {"done", "done", "needs_reconciliation"},
		"lose_request":           {"done", "done", "needs_reconciliation"},
		"refuse":                 {"failed", "failed", "failed"},
		"throttle":               {"done", "done", "done"},
		"error_500_executed":     {"done", "done", "needs_reconciliation"},
		"error_500_not_executed": {"done", "done", "needs_reconciliation"},
		"reset_mid_body":         {"done", "done", "needs_reconciliation"},
		"garbage_2xx":            {"done", "done", "needs_reconciliation"},
	}
	for fault, ends := range faults {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			s := newStand(t, sandbox.CRMOptions{})
			s.work()
			for bot, end := range []string{ends.keyed, ends.upsert, ends.neither} {
				s.fault(bot, fault, 1)
				s.deliver(bot, message(100, 1, 501, fault))
				s.until(end, func() bool {
					return s.count(`SELECT count(*) FROM operations o JOIN connections c ON c.id = o.connection_id
						WHERE o.state = $1 AND c.settings->>'base_url' LIKE '%/' || $2`, end, s.demo.Bots[bot].Account) == 1
				})
				if n := len(s.ledger(bot).Objects); n > 1 {
					t.Errorf("%s: %d objects", s.demo.Bots[bot].Account, n)
				}
			}
		})
	}
}

func TestTimeoutAfterASuccessfulCreate(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{Slow: time.Hour}) // executes, and answers long after our deadline of 25 s
	s.work()
	for bot := range 3 {
		s.fault(bot, "slow", 1)
		s.deliver(bot, message(100, 1, 501, "медленная CRM"))
	}
	s.untilQuiet()
	s.prove("timeout_after_successful_create", want{events: map[string]int{"processed": 3},
		operations: map[string]int{"lead done": 2, "lead needs_reconciliation answer_unknown": 1},
		objects:    map[string]int{"lead": 3}, writes: -1})
}

func TestNewOrderOfAnExistingContact(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.work()
	s.deliver(neither, message(100, 1, 501, "первый заказ"))
	s.untilQuiet()
	s.exec(`UPDATE inquiries SET state = 'closed', closed_at = now()`) // the first matter is over
	s.deliver(neither, message(101, 2, 501, "второй заказ"))
	s.untilQuiet()
	s.prove("new_order_of_existing_contact", want{events: map[string]int{"processed": 2}, operations: map[string]int{"lead done": 2},
		objects: map[string]int{"lead": 2}, writes: 2})
	if n := s.count(`SELECT count(*) FROM contacts`); n != 1 {
		t.Errorf("%d contacts, want 1", n)
	}
}

func TestOnePhoneInDifferentFormats(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.work()
	for k, phone := range []string{"+7 (999) 123-45-67", "79991234567", "8 999 123 45 67", "+79991234567"} {
		s.deliver(upsert, sharedContact(int64(100+k), int64(1+k), 501, phone))
	}
	s.untilQuiet()
	s.prove("one_phone_in_different_formats", want{events: map[string]int{"processed": 4},
		operations: map[string]int{"lead done": 1, "note done": 3}, objects: map[string]int{"lead": 1, "note": 3}, writes: 4})
	if n := s.count(`SELECT count(*) FROM contact_identities WHERE kind = 'phone' AND verified`); n != 1 {
		t.Errorf("%d phone identities, want 1", n)
	}
	if phone := s.ledger(upsert).Objects[0].Fields["phone"]; phone != "+79991234567" {
		t.Errorf("the CRM got phone %v", phone)
	}
}

func TestObjectMadeByHandBeforeRedelivery(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.work()
	s.fault(keyed, "lose_request", 1) // never executed; the repeat comes after 2 s
	s.deliver(keyed, message(100, 1, 501, "потерялось"))
	s.until("the first attempt is over", func() bool {
		return s.count(`SELECT count(*) FROM operation_attempts WHERE outcome = 'unknown'`) == 1
	})
	var stamp string
	check(t, s.super.QueryRow(t.Context(), `SELECT 'svo-' || id FROM operations`).Scan(&stamp))
	s.byHand(keyed, stamp)
	s.untilQuiet()
	s.prove("object_made_by_hand_before_redelivery", want{events: map[string]int{"processed": 1},
		operations: map[string]int{"lead done": 1}, objects: map[string]int{"lead": 1}, writes: -1})
}

func TestRouteChangeIsLiveAtOnce(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.work()
	s.deliver(upsert, message(100, 1, 501, "до"))
	s.untilQuiet()
	s.exec(`UPDATE routes SET mapping = '{"fields":{"source":"=telegram","comment":"text"}}', version = version + 1`)
	s.deliver(upsert, message(101, 2, 502, "после"))
	s.untilQuiet()
	s.prove("route_change_is_live", want{events: map[string]int{"processed": 2}, operations: map[string]int{"lead done": 2},
		objects: map[string]int{"lead": 2}, writes: 2})
	after := s.ledger(upsert).Objects[1].Fields
	if after["source"] != "telegram" || after["comment"] != "после" {
		t.Errorf("the CRM got %v", after)
	}
}

// byHand makes a record in the CRM with the source's number, as a person would who saw the gap.
func (s *stand) byHand(bot int, stamp string) {
	s.t.Helper()
	account := s.demo.Bots[bot].Account
	request, err := http.NewRequest(http.MethodPost, s.box.URL+"/crm/"+account+"/leads",
		strings.NewReader(`{"stamp":"`+stamp+`","fields":{"name":"внесено руками"}}`))
	check(s.t, err)
	request.Header.Set("Authorization", "Bearer sandbox-"+account)
	if code := s.send(request); code != http.StatusCreated {
		s.t.Fatalf("the CRM answered %d", code)
	}
}

func (s *stand) changeSecret(hook, secret string) {
	s.t.Helper()
	check(s.t, s.graph.panel.InTenant(s.t.Context(), s.demo.Tenant.ID, func(tx pg.Tx) error {
		return inbox.ChangeSecret(s.t.Context(), tx, inbox.Hook{Hook: hook, Tenant: s.demo.Tenant.ID}, secret)
	}))
}

func TestWhatFollowsAFailedLeadWaitsForAPerson(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.work()
	s.fault(upsert, "refuse", 1)
	s.deliver(upsert, message(100, 1, 501, "CRM откажет"))
	s.deliver(upsert, message(101, 2, 501, "до отказа или после"))
	s.untilQuiet()
	s.deliver(upsert, message(102, 3, 501, "точно после"))
	s.untilQuiet()
	states := map[string]int{}
	for _, line := range s.lineages() {
		for _, o := range line.Operations {
			states[words(string(o.Kind), string(o.State), o.Reason)]++
		}
	}
	if states["lead failed http_422"] != 1 || states["note held predecessor"] != 2 {
		t.Errorf("%v", states)
	}
}
