package contact

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"sverka/internal/id"
	"sverka/internal/secret"
)

const findBySource = `
	SELECT i.contact_id FROM contact_identities i
	WHERE i.tenant_id = @tenant AND i.kind = @kind AND i.lookup = @lookup FOR NO KEY UPDATE`

const lockContact = `SELECT id FROM contacts WHERE tenant_id = $1 AND id = $2 FOR NO KEY UPDATE`

// Recognise gives the contact of a person, locked until the transaction ends; it is made where the
// source's user id is new. Two bots of a tenant that meet the same person at once get one contact.
func Recognise(ctx context.Context, tx pgx.Tx, tenant id.Tenant, key *secret.DataKey, p Person) (id.Contact, error) {
	args := pgx.StrictNamedArgs{"tenant": tenant, "kind": p.Source.Kind,
		"lookup": key.Lookup(string(p.Source.Kind), p.Source.Value)}
	for range 2 { // the second look finds what another transaction made meanwhile
		var found id.Contact
		err := tx.QueryRow(ctx, findBySource, args).Scan(&found)
		if err == nil {
			_, err = tx.Exec(ctx, lockContact, tenant, found)
			return found, err
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return id.Contact{}, err
		}
		made, err := create(ctx, tx, tenant, key, p)
		if err != nil || !made.IsZero() {
			return made, err
		}
	}
	return id.Contact{}, errors.New("contact: made and gone again")
}

const insertContact = `INSERT INTO contacts (tenant_id, id, name_sealed) VALUES (@tenant, @id, @name)`

const insertIdentity = `
	INSERT INTO contact_identities (tenant_id, kind, lookup, contact_id, sealed, verified)
	VALUES (@tenant, @kind, @lookup, @contact, @sealed, @verified) ON CONFLICT DO NOTHING`

// create makes the contact and its source identity; a zero id when another transaction was first, with
// the contact taken back.
func create(ctx context.Context, tx pgx.Tx, tenant id.Tenant, key *secret.DataKey, p Person) (made id.Contact, err error) {
	err = pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
		c := id.NewContact()
		_, err := tx.Exec(ctx, insertContact, pgx.StrictNamedArgs{"tenant": tenant, "id": c,
			"name": key.Seal(namePlace(c), []byte(p.Name))})
		if err != nil {
			return err
		}
		fresh, err := addIdentity(ctx, tx, tenant, key, c, p.Source)
		if err != nil {
			return err
		}
		if !fresh {
			return errNotFirst
		}
		made = c
		return nil
	})
	if errors.Is(err, errNotFirst) {
		return id.Contact{}, nil
	}
	return made, err
}

var errNotFirst = errors.New("contact: another transaction was first")

// AddIdentity notes a mark of the contact; one already known is not noted twice.
func AddIdentity(ctx context.Context, tx pgx.Tx, tenant id.Tenant, key *secret.DataKey, c id.Contact, i Identity) error {
	_, err := addIdentity(ctx, tx, tenant, key, c, i)
	return err
}

func addIdentity(ctx context.Context, tx pgx.Tx, tenant id.Tenant, key *secret.DataKey, c id.Contact, i Identity) (bool, error) {
	tag, err := tx.Exec(ctx, insertIdentity, pgx.StrictNamedArgs{
		"tenant": tenant, "kind": i.Kind, "lookup": key.Lookup(string(i.Kind), i.Value), "contact": c,
		"sealed": key.Seal(identityPlace(i.Kind, c), []byte(i.Value)), "verified": i.Verified,
	})
	return err == nil && tag.RowsAffected() == 1, err
}

const selectNames = `SELECT id, name_sealed FROM contacts WHERE tenant_id = $1 AND id = ANY ($2::uuid[])`

// Names opens the names of contacts, for a page. One that cannot be opened is left out: the page still
// shows everything else.
func Names(ctx context.Context, tx pgx.Tx, tenant id.Tenant, key *secret.DataKey, contacts []id.Contact) (map[id.Contact]string, error) {
	rows, _ := tx.Query(ctx, selectNames, tenant, contacts)
	names := make(map[id.Contact]string, len(contacts))
	var (
		c      id.Contact
		sealed []byte
	)
	_, err := pgx.ForEachRow(rows, []any{&c, &sealed}, func() error {
		if plain, err := key.Open(namePlace(c), sealed); err == nil {
			names[c] = string(plain)
		}
		return nil
	})
	return names, err
}
