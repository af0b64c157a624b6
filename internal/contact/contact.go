// Package contact is people, and the identities by which they are recognised.
//
// A user id at a source belongs to one person; a phone may be shared, so it never merges anybody here.
// Names and identity values are sealed; identities are found by HMAC. It alone writes tables contacts
// and contact_identities.
package contact

import (
	"strings"

	"github.com/nyaruka/phonenumbers"

	"sverka/internal/id"
	"sverka/internal/secret"
)

// Kind of an identity.
type Kind string

// The kinds.
const (
	Telegram Kind = "telegram" // user id at Telegram
	Phone    Kind = "phone"    // E.164
)

// Identity is one mark of a person.
type Identity struct {
	Kind     Kind
	Value    string
	Verified bool // proven by the source: Telegram vouches for the sender's own number
}

// Person is who a message is from, as the source tells it.
type Person struct {
	Source Identity // the contact key: user id at a source
	Name   string
}

// Normalised is a phone number in E.164, or the text as it came with ok = false: nothing is made up.
// region is the ISO 3166 country in which a national number is read.
func Normalised(raw, region string) (e164 string, ok bool) {
	raw = strings.TrimSpace(raw)
	if number, ok := parse(raw, region); ok {
		return number, true
	}
	if !strings.HasPrefix(raw, "+") { // Telegram sends international numbers with and without the plus
		if number, ok := parse("+"+raw, region); ok {
			return number, true
		}
	}
	return raw, false
}

func parse(raw, region string) (string, bool) {
	number, err := phonenumbers.Parse(raw, region)
	if err != nil || !phonenumbers.IsValidNumber(number) || number.GetExtension() != "" {
		return "", false
	}
	return phonenumbers.Format(number, phonenumbers.E164), true
}

func namePlace(c id.Contact) secret.Place {
	return secret.Place{Table: "contacts", Column: "name_sealed", Row: c.String()}
}

func identityPlace(kind Kind, c id.Contact) secret.Place {
	return secret.Place{Table: "contact_identities", Column: "sealed", Row: string(kind) + "|" + c.String()}
}
