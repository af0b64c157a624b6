package operation

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"sverka/internal/crm"
	"sverka/internal/id"
	"sverka/internal/pg"
)

// Entry is an operation as a list or a page shows it. It holds nothing of its record.
type Entry struct {
	ID            id.Operation
	Event         id.Event
	Connection    id.Connection
	Contact       id.Contact
	Inquiry       id.Inquiry
	Kind          crm.Kind
	Capability    crm.Capability
	State         State
	Reason        string
	Ref           crm.Ref
	AttemptNo     int
	NextAttemptAt *time.Time
	DeadlineAt    time.Time
	DependsOn     id.Operation
	Version       int
	CreatedAt     time.Time
	ChangedAt     time.Time // since when it is in this state
}

const selectEntries = `
	SELECT id, event_id, connection_id, contact_id, inquiry_id, kind, capability, state, coalesce(reason, ''),
		coalesce(external_ref, ''), attempt_no, next_attempt_at, deadline_at, depends_on, version, created_at, changed_at
	FROM operations WHERE tenant_id = @tenant `

func collectEntries(ctx context.Context, tx pgx.Tx, where string, args pgx.StrictNamedArgs) ([]Entry, error) {
	rows, _ := tx.Query(ctx, selectEntries+where, args)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Entry])
}

// OfEvents gives the operations of events, in the order in which they were planned.
func OfEvents(ctx context.Context, tx pgx.Tx, tenant id.Tenant, events []id.Event) ([]Entry, error) {
	return collectEntries(ctx, tx, `AND event_id = ANY (@events::uuid[]) ORDER BY id`,
		pgx.StrictNamedArgs{"tenant": tenant, "events": events})
}

// Load gives one operation; ErrNotFound when the tenant has none of that id.
func Load(ctx context.Context, tx pgx.Tx, tenant id.Tenant, o id.Operation) (Entry, error) {
	all, err := collectEntries(ctx, tx, `AND id = @id`, pgx.StrictNamedArgs{"tenant": tenant, "id": o})
	if err == nil && len(all) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Entry{}, err
	}
	return all[0], nil
}

// Cursor is a place in the list of what needs a person: oldest first.
type Cursor struct {
	At time.Time
	ID id.Operation
}

// ForAPerson gives what stands on a person's list, longest waiting first, after a cursor.
func ForAPerson(ctx context.Context, tx pgx.Tx, tenant id.Tenant, after Cursor, limit int) ([]Entry, error) {
	return collectEntries(ctx, tx, `AND state IN ('needs_reconciliation', 'held', 'failed')
		AND (changed_at, id) > (@at, @after) ORDER BY changed_at, id LIMIT @limit`,
		pgx.StrictNamedArgs{"tenant": tenant, "at": after.At, "after": after.ID.UUID, "limit": limit})
}

// CountForAPerson is how many stand there, by state.
func CountForAPerson(ctx context.Context, tx pgx.Tx, tenant id.Tenant) (map[State]int, error) {
	rows, _ := tx.Query(ctx, `SELECT state, count(*) FROM operations
		WHERE tenant_id = $1 AND state IN ('needs_reconciliation', 'held', 'failed') GROUP BY state`, tenant)
	counts := map[State]int{}
	var (
		state State
		n     int
	)
	_, err := pgx.ForEachRow(rows, []any{&state, &n}, func() error { counts[state] = n; return nil })
	return counts, err
}

// Attempt is one try as a page shows it, with what our side saw.
type Attempt struct {
	Operation       id.Operation
	No              int
	StartedAt       time.Time
	FinishedAt      *time.Time
	Outcome         *string // nil while it runs
	Cause           *string
	HTTPStatus      *int
	CertaintyBefore Certainty
	Late            bool
	Evidence        []crm.Evidence
}

const selectAttempts = `
	SELECT operation_id, no, started_at, finished_at, outcome, cause, http_status, certainty_before, late, evidence
	FROM operation_attempts WHERE tenant_id = @tenant AND operation_id = ANY (@operations::uuid[]) ORDER BY operation_id, no`

// Attempts gives every try of the operations, by operation, first to last.
func Attempts(ctx context.Context, tx pgx.Tx, tenant id.Tenant, operations []id.Operation) (map[id.Operation][]Attempt, error) {
	rows, _ := tx.Query(ctx, selectAttempts, pgx.StrictNamedArgs{"tenant": tenant, "operations": operations})
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Attempt])
	of := make(map[id.Operation][]Attempt, len(operations))
	for _, a := range all {
		of[a.Operation] = append(of[a.Operation], a)
	}
	return of, err
}

// Move is one row of an operation's history.
type Move struct {
	Version   int
	From, To  State
	Reason    string
	Actor     string
	Certainty Certainty
	Epoch     int64
	AttemptNo int
	Ref       crm.Ref
	At        time.Time
}

const selectHistory = `
	SELECT version, from_state, to_state, coalesce(reason, ''), actor, certainty, epoch, attempt_no,
		coalesce(external_ref, ''), at
	FROM operation_history WHERE tenant_id = @tenant AND operation_id = @id ORDER BY version`

// History gives every move of an operation, first to last; replaying it gives the current state.
func History(ctx context.Context, tx pgx.Tx, tenant id.Tenant, o id.Operation) ([]Move, error) {
	rows, _ := tx.Query(ctx, selectHistory, pgx.StrictNamedArgs{"tenant": tenant, "id": o})
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Move])
}

// Owner is the tenant and event that an operation belongs to, for a look-up without a tenant.
type Owner struct {
	Tenant    id.Tenant
	Operation id.Operation
	Event     id.Event
}

// Owners finds, over all tenants, the operations with an id or with a CRM's id. It reads ids only.
func Owners(ctx context.Context, scan pgx.Tx, operation id.Operation, ref crm.Ref) ([]Owner, error) {
	const find = `SELECT tenant_id, id, event_id FROM operations WHERE id = @id OR (external_ref = @ref AND @ref <> '') ORDER BY id`
	rows, _ := scan.Query(ctx, find, pgx.StrictNamedArgs{"id": operation, "ref": ref})
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Owner])
	return all, pg.Translate(err, ErrNotFound)
}
