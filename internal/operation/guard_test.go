package operation_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sverka/internal/id"
	"sverka/internal/operation"
	"sverka/internal/pg"
	"sverka/internal/pgtest"
)

// world is one tenant with a connection, written by hand: the guard must hold whoever writes.
type world struct {
	t      *testing.T
	db     *pg.DB
	super  func(sql string, args ...any)
	tenant id.Tenant
	conn   id.Connection
	seq    int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	test := pgtest.New(t)
	db, err := pg.Open(t.Context(), test.LoginURL, pg.Options{Name: "test", MaxConns: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	pool := test.Super(t)
	w := &world{t: t, db: db, tenant: id.NewTenant(), conn: id.NewConnection()}
	w.super = func(sql string, args ...any) {
		t.Helper()
		if _, err := pool.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	w.super(`INSERT INTO tenants (id, slug, name) VALUES ($1, 'w', 'W')`, w.tenant)
	w.super(`INSERT INTO connections (tenant_id, id, adapter, name, secrets_sealed) VALUES ($1, $2, 'x', 'x', '')`, w.tenant, w.conn)
	w.super(`INSERT INTO routes (tenant_id, id, source, source_id, connection_id) VALUES ($1, $2, 'telegram', $2, $2)`, w.tenant, w.conn)
	w.super(`INSERT INTO inbox_events (tenant_id, id, source, origin, external_id, owner_id, position, body_sha256, day, state)
		VALUES ($1, $2, 'telegram', '1', '1', $2, 1, sha256('x'), now(), 'processed')`, w.tenant, w.conn)
	return w
}

// add makes a pending operation of a capability.
func (w *world) add(capability string) id.Operation {
	w.t.Helper()
	o := id.NewOperation()
	w.seq++
	err := w.exec(`INSERT INTO operations (tenant_id, id, event_id, route_id, route_version, connection_id, kind, dedupe_key,
			capability, key_window, external_key, state, lane_key, lane_seq, next_attempt_at, deadline_at)
		VALUES ($1, $2, $3, $3, 1, $3, 'lead', sha256($4::bytea), $5::text, CASE WHEN $5::text = 'idempotent_create' THEN interval '1 day' END,
			CASE WHEN $5::text = 'idempotent_create' THEN 'k' END, 'pending', $2, $6, now(), now() + interval '1 day')`,
		w.tenant, o, w.conn, []byte(o.String()), capability, w.seq)
	if err != nil {
		w.t.Fatal(err)
	}
	return o
}

// exec runs a statement as the program would: in the tenant, as sverka_app.
func (w *world) exec(sql string, args ...any) error {
	return w.db.InTenant(context.Background(), w.tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(context.Background(), sql, args...)
		return err
	})
}

// move sets columns of an operation by hand.
func (w *world) move(o id.Operation, set string) error {
	return w.exec(`UPDATE operations SET `+set+` WHERE tenant_id = $1 AND id = $2`, w.tenant, o)
}

const claim = `state = 'in_flight', epoch = epoch + 1, attempt_no = attempt_no + 1, certainty = 'possible',
	lease_owner = 'x', lease_until = now() + interval '1 minute'`

func (w *world) claimed(capability string) id.Operation {
	w.t.Helper()
	o := w.add(capability)
	if err := w.move(o, claim); err != nil {
		w.t.Fatal(err)
	}
	w.attempt(o, "NULL")
	return o
}

func (w *world) attempt(o id.Operation, outcome string) {
	w.t.Helper()
	if err := w.attemptErr(o, outcome); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) attemptErr(o id.Operation, outcome string) error {
	return w.exec(`INSERT INTO operation_attempts (tenant_id, operation_id, no, epoch, arming, capability, certainty_before, outcome, finished_at)
		SELECT tenant_id, id, attempt_no, epoch, arming, capability, 'none', `+outcome+`, CASE WHEN `+outcome+`::text IS NOT NULL THEN now() END
		FROM operations WHERE tenant_id = $1 AND id = $2`, w.tenant, o)
}

func (w *world) outcome(o id.Operation, outcome string) {
	w.t.Helper()
	err := w.exec(`UPDATE operation_attempts SET outcome = $3, finished_at = now() WHERE tenant_id = $1 AND operation_id = $2`, w.tenant, o, outcome)
	if err != nil {
		w.t.Fatal(err)
	}
}

// refused wants a statement to be refused by a rule whose name reads as a sentence.
func refused(t *testing.T, err error, rule string) {
	t.Helper()
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.ConstraintName != rule {
		t.Errorf("got %v, want it refused by %q", err, rule)
	}
}

func TestTheGuardRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	doubtful := func() id.Operation { // neither, answer lost
		o := w.claimed("neither")
		w.outcome(o, "unknown")
		if err := w.move(o, `state = 'needs_reconciliation', reason = 'x'`); err != nil {
			t.Fatal(err)
		}
		return o
	}
	done := func() id.Operation {
		o := w.claimed("neither")
		if err := w.move(o, `state = 'done', external_ref = '7'`); err != nil {
			t.Fatal(err)
		}
		return o
	}
	refused(t, w.move(w.claimed("neither"), `state = 'pending', next_attempt_at = now()`), "no_blind_second_create")
	refused(t, w.move(w.claimed("neither"), `state = 'pending', next_attempt_at = now(), certainty = 'none'`), "doubt_ends_by_proof_or_permit")
	refused(t, w.move(w.claimed("neither"), `state = 'failed', reason = 'x'`), "failed_is_without_doubt")
	refused(t, w.move(doubtful(), `state = 'pending', next_attempt_at = now(), certainty = 'none'`), "a_person_a_probe_or_a_late_answer_reconciles")
	refused(t, w.move(doubtful(), `state = 'pending', next_attempt_at = now(), certainty = 'none', actor = 'probe'`), "a_person_a_probe_or_a_late_answer_reconciles")
	refused(t, w.move(doubtful(), `state = 'pending', next_attempt_at = now(), certainty = 'none', actor = 'person:1'`), "doubt_ends_by_proof_or_permit")
	refused(t, w.move(doubtful(), `state = 'cancelled'`), "a_person_a_probe_or_a_late_answer_reconciles")
	refused(t, w.move(doubtful(), `arming = arming + 1`), "only_a_person_permits_one_more_create")
	refused(t, w.move(done(), `state = 'pending', external_ref = NULL, next_attempt_at = now()`), "a_finished_operation_is_immutable")
	refused(t, w.move(done(), `external_ref = '8'`), "a_finished_operation_is_immutable")
	refused(t, w.move(done(), `state = 'needs_reconciliation', external_ref = NULL, reason = 'x', actor = 'person:1'`), "a_finished_operation_is_immutable")
	refused(t, w.move(w.add("neither"), `capability = 'upsert_by_external_id'`), "a_capability_only_falls")
	refused(t, w.move(w.add("neither"), `epoch = epoch - 1`), "counters_only_rise")
	refused(t, w.move(w.add("neither"), `dedupe_key = sha256('other')`), "what_an_operation_is_never_changes")
	refused(t, w.move(w.add("neither"), `lane_seq = 999`), "what_an_operation_is_never_changes")
	refused(t, w.move(w.add("neither"), `state = 'done'`), "done_has_a_ref")
	refused(t, w.move(w.add("neither"), `state = 'held'`), "waiting_for_a_person_has_a_reason")
	refused(t, w.move(w.add("neither"), `next_attempt_at = NULL`), "pending_has_a_due_time")
	refused(t, w.move(w.add("neither"), `state = 'in_flight', certainty = 'possible', lease_owner = 'x', lease_until = now()`), "a_claim_is_a_new_epoch_and_attempt")
	refused(t, w.move(w.add("neither"), strings.Replace(claim, "'possible'", "'none'", 1)), "in_flight_may_have_happened")
	refused(t, w.move(w.add("neither"), strings.Replace(claim, "lease_owner = 'x',", "", 1)), "in_flight_has_a_lease")
	o := w.add("idempotent_create")
	refused(t, w.exec(`INSERT INTO operations SELECT (o).* FROM (SELECT o FROM operations o WHERE tenant_id = $1 AND id = $2) x`, w.tenant, o), "operations_pkey")
}

func TestOnePossibleSendPerArming(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := w.claimed("neither")
	w.outcome(o, "not_executed") // proof: may be sent again
	if err := w.move(o, `state = 'pending', next_attempt_at = now(), certainty = 'none'`); err != nil {
		t.Fatal(err)
	}
	if err := w.move(o, claim); err != nil {
		t.Fatal(err)
	}
	w.attempt(o, "NULL")
	err := w.exec(`INSERT INTO operation_attempts (tenant_id, operation_id, no, epoch, arming, capability, certainty_before)
		VALUES ($1, $2, 99, 99, 1, 'neither', 'none')`, w.tenant, o)
	refused(t, err, "one_possible_send_per_arming")
}

func TestAPersonsPermitAllowsExactlyOneMoreCreate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := w.claimed("neither")
	w.outcome(o, "unknown")
	for _, step := range []string{
		`state = 'needs_reconciliation', reason = 'x'`,
		`state = 'pending', next_attempt_at = now(), certainty = 'none', arming = arming + 1, actor = 'person:1', resolution = 'permit'`,
		claim,
	} {
		if err := w.move(o, step); err != nil {
			t.Fatal(err)
		}
	}
	w.attempt(o, "NULL")
	refused(t, w.move(o, `state = 'pending', next_attempt_at = now()`), "no_blind_second_create")
}

func TestAnOutcomeIsWrittenOnceUnlessItWasUnknownAndTheAnswerIsLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := w.claimed("neither")
	w.outcome(o, "unknown")
	set := func(values string) error {
		return w.exec(`UPDATE operation_attempts SET `+values+` WHERE tenant_id = $1 AND operation_id = $2`, w.tenant, o)
	}
	refused(t, set(`outcome = 'not_executed'`), "an_outcome_is_written_once")
	if err := set(`outcome = 'executed', external_ref = '7', late = true`); err != nil {
		t.Fatal(err)
	}
	refused(t, set(`outcome = 'unknown', external_ref = NULL, late = true`), "an_outcome_is_written_once")
}

func TestEdgesInCodeAndDatabaseAreTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	inDatabase := map[string][]string{}
	err := w.db.InTenant(t.Context(), w.tenant, func(tx pgx.Tx) error {
		rows, err := tx.Query(t.Context(), `SELECT from_state, to_state FROM operation_edges`)
		if err != nil {
			return err
		}
		var from, to string
		_, err = pgx.ForEachRow(rows, []any{&from, &to}, func() error {
			inDatabase[from] = append(inDatabase[from], to)
			return nil
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	inCode := map[string][]string{}
	for from, all := range operation.Edges {
		for _, to := range all {
			inCode[string(from)] = append(inCode[string(from)], string(to))
		}
	}
	flat := func(m map[string][]string) string {
		s := ""
		for _, from := range slices.Sorted(maps.Keys(m)) {
			slices.Sort(m[from])
			s += fmt.Sprint(from, m[from], "\n")
		}
		return s
	}
	if flat(inCode) != flat(inDatabase) {
		t.Errorf("code:\n%s\ndatabase:\n%s", flat(inCode), flat(inDatabase))
	}
}

func TestHistoryReplaysToTheCurrentState(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := w.claimed("idempotent_create")
	w.outcome(o, "unknown")
	for _, step := range []string{`state = 'pending', next_attempt_at = now(), reason = 'answer_unknown'`, claim, `state = 'done', external_ref = '7', reason = NULL`} {
		if err := w.move(o, step); err != nil {
			t.Fatal(err)
		}
	}
	err := w.db.InTenant(t.Context(), w.tenant, func(tx pgx.Tx) error {
		history, err := operation.History(t.Context(), tx, w.tenant, o)
		if err != nil {
			return err
		}
		at := operation.State("new")
		for _, m := range history {
			if m.From != at {
				t.Errorf("version %d leaves %s, but the operation was %s", m.Version, m.From, at)
			}
			at = m.To
		}
		now, err := operation.Load(t.Context(), tx, w.tenant, o)
		if at != now.State || len(history) != now.Version {
			t.Errorf("replay ends in %s at version %d, the operation is %s at %d", at, len(history), now.State, now.Version)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
