package operation

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"strings"
	"time"

	"sverka/internal/crm"
	"sverka/internal/id"
	"sverka/internal/secret"
)

// Effect is which effect in the CRM is meant: SHA-256 over length-prefixed parts, the kind word first.
// Unique per (tenant, connection, plan), it is what makes a second operation for one effect impossible.
type Effect [32]byte

func effect(parts ...string) Effect {
	h := sha256.New()
	for _, part := range parts {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.Write([]byte(part))
	}
	return Effect(h.Sum(nil))
}

// LeadEffect: one lead (or deal) per inquiry.
func LeadEffect(kind crm.Kind, inquiry id.Inquiry) Effect {
	return effect(string(kind), inquiry.String())
}

// NoteEffect: one note per inquiry and business key of the message.
func NoteEffect(inquiry id.Inquiry, businessKey string) Effect {
	return effect(string(crm.Note), inquiry.String(), businessKey)
}

// Plan is an operation to be: what interpretation wants done in a CRM.
type Plan struct {
	Event        id.Event
	Route        id.Route
	RouteVersion int
	Connection   id.Connection
	Contact      id.Contact
	Inquiry      id.Inquiry // also its lane
	Kind         crm.Kind
	Effect       Effect
	Capability   crm.Capability
	KeyWindow    *time.Duration
	SerialOnly   bool
	DependsOn    id.Operation
	Fields       map[string]string
}

// Payload is the record as it is stored, sealed, apart from the operation.
type Payload struct {
	Fields map[string]string `json:"fields"`
}

func (p Plan) payload() ([]byte, error) { return json.Marshal(Payload{Fields: p.Fields}) }

// newKey makes the idempotency key of an operation: stored before the first send, the same on every
// repeat, not guessable, without meaning.
func newKey() string {
	b := make([]byte, 20)
	_, _ = rand.Read(b) // never fails
	return strings.ToLower(base32.StdEncoding.EncodeToString(b))
}

// OpenPayload gives the fields of the record as they were planned.
func OpenPayload(key *secret.DataKey, o id.Operation, sealed []byte) (map[string]string, error) {
	plain, err := key.Open(payloadPlace(o), sealed)
	if err != nil {
		return nil, err
	}
	var p Payload
	err = json.Unmarshal(plain, &p)
	return p.Fields, err
}
