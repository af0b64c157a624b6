package inbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sverka/internal/id"
	"sverka/internal/pg"
	"sverka/internal/pgtest"
	"sverka/internal/secret"
)

// desk is an inbox on a database of its own, with a tenant and bells that only count.
type desk struct {
	t     *testing.T
	inbox *Inbox
	test  *pgtest.DB
	db    *pg.DB
	bells *countedBells
	one   id.Tenant
}

type countedBells struct {
	mu    sync.Mutex
	rings int
	err   error
}

func (b *countedBells) Ring(_ context.Context, _ pgx.Tx, owners ...id.Owner) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rings += len(owners)
	return b.err
}

type oneKey struct{ key *secret.DataKey }

func (k oneKey) Of(context.Context, id.Tenant) (*secret.DataKey, error) { return k.key, nil }

func newDesk(t *testing.T) *desk {
	t.Helper()
	test := pgtest.New(t)
	db, err := pg.Open(t.Context(), test.LoginURL, pg.Options{Name: "test", MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	root, err := secret.NewKeyset()
	if err != nil {
		t.Fatal(err)
	}
	tenant := id.NewTenant()
	sealed, err := root.SealDataKey(tenant.String(), 1, secret.NewRawDataKey())
	if err != nil {
		t.Fatal(err)
	}
	key, err := root.OpenDataKey(tenant.String(), 1, sealed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := test.Super(t).Exec(t.Context(), `INSERT INTO tenants (id, slug, name) VALUES ($1, 't', 'T')`, tenant); err != nil {
		t.Fatal(err)
	}
	bells := &countedBells{}
	return &desk{t: t, inbox: New(db, oneKey{key}, bells), test: test, db: db, bells: bells, one: tenant}
}

// run writes groups until the test ends.
func (d *desk) run() {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { d.inbox.Run(ctx); close(ended) }()
	d.t.Cleanup(func() { stop(); <-ended })
}

func (d *desk) delivery(n int64, body string) Delivery {
	return Delivery{Tenant: d.one, Source: Telegram, Origin: "7", Owner: d.one.UUID, ExternalID: fmt.Sprint(n), Position: n, Body: []byte(body)}
}

func (d *desk) count(sql string) (n int) {
	d.t.Helper()
	if err := d.test.Super(d.t).QueryRow(context.Background(), sql).Scan(&n); err != nil {
		d.t.Fatal(err)
	}
	return n
}

func TestRequestsThatWaitTogetherAreStoredTogether(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	verdicts := make(chan Verdict, 300)
	var all sync.WaitGroup
	for n := range int64(300) { // they queue up before anybody writes
		all.Go(func() {
			v, err := d.inbox.Accept(t.Context(), d.delivery(n%200, "x")) // a hundred of them twice
			if err != nil {
				t.Error(err)
			}
			verdicts <- v
		})
	}
	for len(d.inbox.queue) < 300 {
		time.Sleep(time.Millisecond)
	}
	d.run()
	all.Wait()
	fresh := 0
	for range 300 {
		if <-verdicts == Fresh {
			fresh++
		}
	}
	if fresh != 200 || d.count(`SELECT count(*) FROM inbox_events`) != 200 || d.count(`SELECT sum(deliveries) FROM inbox_events`) != 300 {
		t.Errorf("%d fresh, %d rows", fresh, d.count(`SELECT count(*) FROM inbox_events`))
	}
	if n := d.count(`SELECT count(DISTINCT xmin::text) FROM inbox_events`); n > 6 {
		t.Errorf("%d transactions for 300 waiting requests", n)
	}
	if d.bells.rings != 200 {
		t.Errorf("%d rings, want one for each fresh event", d.bells.rings)
	}
}

func TestAWaiterThatGoesAwayNeverCancelsItsGroup(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() { _, err := d.inbox.Accept(ctx, d.delivery(1, "x")); left <- err }()
	stayed := make(chan error, 1)
	go func() { _, err := d.inbox.Accept(t.Context(), d.delivery(2, "x")); stayed <- err }()
	for len(d.inbox.queue) < 2 {
		time.Sleep(time.Millisecond)
	}
	leave()
	if err := <-left; !errors.Is(err, ErrNotStored) {
		t.Errorf("who left got %v", err)
	}
	d.run()
	if err := <-stayed; err != nil {
		t.Errorf("who stayed got %v", err)
	}
	if n := d.count(`SELECT count(*) FROM inbox_events`); n != 2 {
		t.Errorf("%d rows, want both", n)
	}
}

func TestNothingIsStoredWithoutItsBell(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.run()
	d.bells.err = errors.New("the bell is stuck")
	if _, err := d.inbox.Accept(t.Context(), d.delivery(1, "x")); !errors.Is(err, ErrNotStored) {
		t.Errorf("got %v", err)
	}
	if n := d.count(`SELECT count(*) FROM inbox_events`); n != 0 {
		t.Errorf("%d rows were acknowledged to nobody", n)
	}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.run()
	none := d.delivery(0, "no id")
	none.ExternalID = ""
	for k, step := range []struct {
		delivery Delivery
		want     Verdict
	}{
		{d.delivery(1, "a"), Fresh}, {d.delivery(1, "a"), Duplicate}, {d.delivery(1, "b"), Other}, {d.delivery(1, "b"), Duplicate},
		{d.delivery(1, "c"), Other}, {d.delivery(2, "a"), Fresh}, {none, SetAside}, {none, Duplicate},
	} {
		if got, err := d.inbox.Accept(t.Context(), step.delivery); err != nil || got != step.want {
			t.Errorf("step %d: %s, %v, want %s", k, got, err, step.want)
		}
	}
	if n := d.count(`SELECT count(*) FROM inbox_payloads`); n != 5 {
		t.Errorf("%d bodies, want one per event and variant", n)
	}
}

func TestABodyOpensForItsOwnEventOnly(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.run()
	for n := range int64(2) {
		if _, err := d.inbox.Accept(t.Context(), d.delivery(n+1, fmt.Sprint("body ", n+1))); err != nil {
			t.Fatal(err)
		}
	}
	err := d.db.InTenant(t.Context(), d.one, func(tx pgx.Tx) error {
		first, err := Next(t.Context(), tx, d.one, d.one.UUID)
		if err != nil {
			return err
		}
		if body, err := d.inbox.Body(t.Context(), d.one, first); err != nil || string(body) != "body 1" {
			t.Errorf("%q, %v", body, err)
		}
		first.ID = id.NewEvent()
		if _, err := d.inbox.Body(t.Context(), d.one, first); !errors.Is(err, secret.ErrSealed) {
			t.Errorf("a body opened for another event: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
