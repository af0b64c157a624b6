package panel_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"sverka/internal/bot"
	"sverka/internal/contact"
	"sverka/internal/id"
	"sverka/internal/pg"
	"sverka/internal/pgtest"
	"sverka/internal/secret"
	"sverka/internal/tenant"
	"sverka/web/pages/attention"
	"sverka/web/pages/event"
	"sverka/web/pages/inbox"
	"sverka/web/ui/uitest"
)

// office is a tenant with a bot, a connection and a customer, and the pages that show them.
type office struct {
	t      *testing.T
	db     *pg.DB
	super  func(sql string, args ...any)
	tenant id.Tenant
	bot    id.Bot
	conn   id.Connection
	anna   id.Contact
	pages  http.Handler
	log    *strings.Builder
	seq    int
}

func newOffice(t *testing.T) *office {
	t.Helper()
	test := pgtest.New(t)
	db, err := pg.Open(t.Context(), test.LoginURL, pg.Options{Name: "test", MaxConns: 4})
	must(t, err)
	t.Cleanup(db.Close)
	root, err := secret.NewKeyset()
	must(t, err)
	o := &office{t: t, db: db, tenant: id.NewTenant(), bot: id.NewBot(), conn: id.NewConnection(), log: &strings.Builder{}}
	pool := test.Super(t)
	o.super = func(sql string, args ...any) {
		t.Helper()
		_, err := pool.Exec(t.Context(), sql, args...)
		must(t, err)
	}
	tenants, keys := tenant.New(db, root), tenant.NewKeys(db, root)
	must(t, tenants.Create(t.Context(), tenant.Tenant{ID: o.tenant, Slug: "demo", Name: "Демо", PhoneRegion: "RU"}))
	key, err := keys.Of(t.Context(), o.tenant)
	must(t, err)
	must(t, db.InTenant(t.Context(), o.tenant, func(tx pg.Tx) error {
		b := bot.Bot{ID: o.bot, UserID: 7, Username: "coffee_bot", Name: "Кофейня «Ключ»", Hook: "h"}
		if err := bot.Create(t.Context(), tx, o.tenant, key, b, bot.Secrets{}); err != nil {
			return err
		}
		o.anna, err = contact.Recognise(t.Context(), tx, o.tenant, key,
			contact.Person{Source: contact.Identity{Kind: contact.Telegram, Value: "42"}, Name: "Анна <b>К."})
		return err
	}))
	o.super(`INSERT INTO connections (tenant_id, id, adapter, name, secrets_sealed) VALUES ($1, $2, 'owncrm', 'CRM «Апсерт»', '')`, o.tenant, o.conn)
	o.super(`INSERT INTO routes (tenant_id, id, source, source_id, connection_id) VALUES ($1, $2, 'telegram', $2, $2)`, o.tenant, o.conn)
	log := slog.New(slog.NewTextHandler(o.log, nil))
	mux := http.NewServeMux()
	mux.Handle("GET /t/{slug}/inbox", inbox.New(db, tenants, keys, log))
	mux.Handle("GET /t/{slug}/inbox/{event}", event.New(db, tenants, keys, log))
	mux.Handle("GET /t/{slug}/attention", attention.New(db, tenants, keys, log))
	o.pages = mux
	return o
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// event stores an event in a state, from Anna.
func (o *office) event(state string) id.Event {
	o.t.Helper()
	e := id.NewEvent()
	o.seq++
	o.super(`INSERT INTO inbox_events (tenant_id, id, source, origin, external_id, owner_id, position, body_sha256, day, state, reason, kind, contact_id)
		VALUES ($1, $2, 'telegram', '7', $3, $4, $5, sha256('x'), now(), $6, CASE WHEN $6 <> 'processed' THEN 'not_private' END, 'message', $7)`,
		o.tenant, e, fmt.Sprint(1000+o.seq), o.bot, o.seq, state, o.anna)
	return e
}

// operation plans a lead for an event and leaves it needing a person after a lost answer.
func (o *office) operation(e id.Event) id.Operation {
	o.t.Helper()
	op := id.NewOperation()
	o.super(`INSERT INTO operations (tenant_id, id, event_id, route_id, route_version, connection_id, contact_id, kind, dedupe_key,
			capability, state, lane_key, lane_seq, next_attempt_at, deadline_at)
		VALUES ($1, $2, $3, $4, 1, $4, $5, 'lead', sha256($6::bytea), 'neither', 'pending', $2, 1, now(), now() + interval '1 day')`,
		o.tenant, op, e, o.conn, o.anna, []byte(op.String()))
	o.super(`UPDATE operations SET state = 'in_flight', epoch = 1, attempt_no = 1, certainty = 'possible', lease_owner = 'x',
		lease_until = now() + interval '1 minute', next_attempt_at = NULL WHERE id = $1`, op)
	o.super(`INSERT INTO operation_attempts (tenant_id, operation_id, no, epoch, arming, capability, certainty_before, outcome, cause, finished_at, evidence)
		VALUES ($1, $2, 1, 1, 1, 'neither', 'none', 'unknown', 'answer_lost', now(),
		'[{"method": "POST", "write": true, "connected": true, "tls": true, "written": 1482, "took_ns": 25000000000, "fault": "answer_lost"}]')`, o.tenant, op)
	o.super(`UPDATE operations SET state = 'needs_reconciliation', reason = 'answer_unknown' WHERE id = $1`, op)
	return op
}

// get asks for a page in English and checks what must hold of every page.
func (o *office) get(path string, code int) string {
	o.t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Accept-Language", "en")
	o.pages.ServeHTTP(w, r)
	if w.Code != code {
		o.t.Fatalf("GET %s: %d, want %d\n%s", path, w.Code, code, o.log)
	}
	uitest.Check(o.t, w.Body.String())
	return w.Body.String()
}

func (o *office) holds(page string, all ...string) {
	o.t.Helper()
	for _, text := range all {
		if !strings.Contains(page, text) {
			o.t.Errorf("the page does not hold %q", text)
		}
	}
}

func TestPagesShowWhatIsStored(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.holds(o.get("/t/demo/inbox", 200), "Nothing has arrived yet", "Кофейня «Ключ»", "Nothing waits")
	o.holds(o.get("/t/demo/attention", 200), "Nothing needs you")
	e := o.event("processed")
	op := o.operation(e)
	o.event("ignored")
	o.holds(o.get("/t/demo/inbox", 200), "1001", "1002", "Анна &lt;b&gt;К.", "Needs a decision", "Said in a group or channel", "1 waiting")
	o.holds(o.get("/t/demo/inbox/"+e.String(), 200), "Needs a person: the CRM&#39;s answer was lost after the request had been sent",
		"telegram:"+o.tenant.String()+":7:1001", op.String(), "POST, may change the CRM", "1,482", "History: 3 moves")
	o.holds(o.get("/t/demo/attention", 200), "One operation has been waiting for a person", "/t/demo/inbox/"+e.String(), "CRM «Апсерт»", "Анна &lt;b&gt;К.")
	o.holds(o.get("/t/demo/inbox?state=quarantined", 200), "No event matches")
	o.holds(o.get("/t/demo/inbox?state=nonsense&bot=nonsense&before=nonsense&lang=ru", 200), `lang="ru"`, "1001", "1002")
}

var next = regexp.MustCompile(`href="([^"]+)" rel="next"`)

func TestListsGoOnWhereThePageBeforeEnded(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for range 120 {
		o.operation(o.event("processed"))
	}
	row := regexp.MustCompile(`href="/t/demo/inbox/([0-9a-f-]{36})"`)
	for _, list := range []string{"/t/demo/inbox", "/t/demo/inbox?state=processed&bot=" + o.bot.String(), "/t/demo/attention"} {
		seen, pages := map[string]bool{}, 0
		for path := list; path != ""; pages++ {
			page := o.get(path, 200)
			for _, m := range row.FindAllStringSubmatch(page, -1) {
				if seen[m[1]] {
					t.Errorf("%s shows event %s twice", list, m[1])
				}
				seen[m[1]] = true
			}
			path = ""
			if m := next.FindStringSubmatch(page); m != nil {
				path = strings.ReplaceAll(m[1], "&amp;", "&")
			}
		}
		if len(seen) != 120 || pages != 3 {
			t.Errorf("%s shows %d events on %d pages, want 120 on 3", list, len(seen), pages)
		}
	}
}

func TestErrorsAreAnsweredInTheReadersWords(t *testing.T) {
	t.Parallel()
	o, other := newOffice(t), id.NewTenant()
	o.super(`INSERT INTO tenants (id, slug, name) VALUES ($1, 'other', 'Other')`, other)
	theirs := id.NewEvent()
	o.super(`INSERT INTO inbox_events (tenant_id, id, source, origin, external_id, owner_id, position, body_sha256, day, state)
		VALUES ($1, $2, 'telegram', '7', '1', $2, 1, sha256('x'), now(), 'pending')`, other, theirs)
	for _, path := range []string{"/t/nobody/inbox", "/t/demo/inbox/x", "/t/demo/inbox/" + id.NewEvent().String(), "/t/demo/inbox/" + theirs.String()} {
		o.holds(o.get(path, 404), "There is no such page")
	}
	if o.log.Len() > 0 {
		t.Errorf("logged what is nobody's fault: %s", o.log)
	}
	o.db.Close()
	page := o.get("/t/demo/inbox", 500)
	reference := regexp.MustCompile(`data-copy="([0-9a-f]{8})"`).FindStringSubmatch(page)
	if reference == nil || !strings.Contains(o.log.String(), "reference="+reference[1]) {
		t.Errorf("the page and the log name no common reference: %s", o.log)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	o.pages.ServeHTTP(w, httptest.NewRequestWithContext(gone, http.MethodGet, "/t/demo/inbox", nil))
	if strings.Count(o.log.String(), "\n") != 1 {
		t.Errorf("a reader who has gone was logged: %s", o.log)
	}
}
