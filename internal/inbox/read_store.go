package inbox

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"sverka/internal/id"
	"sverka/internal/pg"
	"sverka/internal/secret"
)

// ErrNotFound: the tenant has no such event.
var ErrNotFound = errors.New("inbox: no such event")

// Entry is an event as a list or a page shows it. It holds nothing of its body.
type Entry struct {
	ID             id.Event
	Source         Source
	Origin         string
	ExternalID     string
	Generation     int
	Owner          uuid.UUID
	State          State
	Reason         string
	Kind           string
	Deliveries     int
	ReceivedAt     time.Time
	LastDeliveryAt time.Time
	ProcessedAt    *time.Time
	Contact        id.Contact
	Inquiry        id.Inquiry
	Day            time.Time
}

const selectEntries = `
	SELECT id, source, origin, external_id, generation, owner_id, state, coalesce(reason, ''), coalesce(kind, ''),
		deliveries, received_at, last_delivery_at, processed_at, contact_id, inquiry_id, day
	FROM inbox_events WHERE tenant_id = @tenant `

func collectEntries(ctx context.Context, tx pgx.Tx, where string, args pgx.StrictNamedArgs) ([]Entry, error) {
	rows, _ := tx.Query(ctx, selectEntries+where, args)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Entry])
}

// Filter narrows a list; zero values do not.
type Filter struct {
	State  State
	Owner  uuid.UUID
	Before id.Event // keyset: older than this one
}

// List gives events, newest first. Ids are time-ordered, so the primary key is the order.
func List(ctx context.Context, tx pgx.Tx, tenant id.Tenant, f Filter, limit int) ([]Entry, error) {
	where, args := "", pgx.StrictNamedArgs{"tenant": tenant, "limit": limit}
	if f.State != "" {
		where, args["state"] = where+` AND state = @state`, f.State
	}
	if f.Owner != uuid.Nil {
		where, args["owner"] = where+` AND owner_id = @owner`, f.Owner
	}
	if !f.Before.IsZero() {
		where, args["before"] = where+` AND id < @before`, f.Before
	}
	return collectEntries(ctx, tx, where+` ORDER BY id DESC LIMIT @limit`, args)
}

// Load gives one event; ErrNotFound when the tenant has none of that id.
func Load(ctx context.Context, tx pgx.Tx, tenant id.Tenant, event id.Event) (Entry, error) {
	all, err := collectEntries(ctx, tx, `AND id = @id`, pgx.StrictNamedArgs{"tenant": tenant, "id": event})
	return onlyOne(all, err)
}

// ByKey gives every event under a key: its generations and variants, oldest first.
func ByKey(ctx context.Context, tx pgx.Tx, tenant id.Tenant, source Source, origin, externalID string) ([]Entry, error) {
	return collectEntries(ctx, tx, `AND source = @source AND origin = @origin AND external_id = @external_id
		ORDER BY generation, received_at`,
		pgx.StrictNamedArgs{"tenant": tenant, "source": source, "origin": origin, "external_id": externalID})
}

func onlyOne(all []Entry, err error) (Entry, error) {
	if err == nil && len(all) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Entry{}, err
	}
	return all[0], nil
}

// OldestPending is when the tenant's longest waiting event arrived; nil when none waits.
func OldestPending(ctx context.Context, tx pgx.Tx, tenant id.Tenant) (at *time.Time, err error) {
	const oldest = `SELECT min(received_at) FROM inbox_events WHERE tenant_id = $1 AND state = 'pending'`
	err = tx.QueryRow(ctx, oldest, tenant).Scan(&at)
	return at, err
}

// CountedUpTo is where Counts stops: a list says "1 000+" rather than wait for the rest.
const CountedUpTo = 1000

// Counts is how many events are in each state, of one owner or (uuid.Nil) of all, for the filter of a
// list. CountedUpTo+1 stands for more.
func Counts(ctx context.Context, tx pgx.Tx, tenant id.Tenant, owner uuid.UUID) (map[State]int, error) {
	const count = `
		SELECT count(*) FROM (SELECT FROM inbox_events WHERE tenant_id = @tenant AND state = @state
			AND (@owner::uuid = '00000000-0000-0000-0000-000000000000' OR owner_id = @owner) LIMIT @limit) AS counted`
	counts := map[State]int{}
	for _, state := range States() {
		var n int
		err := tx.QueryRow(ctx, count, pgx.StrictNamedArgs{"tenant": tenant, "state": state, "owner": owner,
			"limit": CountedUpTo + 1}).Scan(&n)
		if err != nil {
			return nil, err
		}
		counts[state] = n
	}
	return counts, nil
}

// OpenBody opens a stored body for a page that may show it.
func OpenBody(ctx context.Context, tx pgx.Tx, tenant id.Tenant, key *secret.DataKey, e Entry) ([]byte, error) {
	const body = `SELECT sealed FROM inbox_payloads WHERE tenant_id = $1 AND event_id = $2 AND day = $3`
	var sealed []byte
	if err := tx.QueryRow(ctx, body, tenant, e.ID, e.Day).Scan(&sealed); err != nil {
		return nil, pg.Translate(err, ErrNotFound)
	}
	return key.Open(payloadPlace(e.ID), sealed)
}
