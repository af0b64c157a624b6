package crm

import "strings"

// Kind is the kind of record we write.
type Kind string

// The record kinds that the corridor knows today.
const (
	Lead Kind = "lead"
	Note Kind = "note"
)

// Ref is the CRM's own id of a record; crm_id on the wire.
type Ref string

// Stamp is our operation id inside the CRM record: svo-<uuid>.
type Stamp string

// StampOf makes the stamp of an operation id.
func StampOf(operation string) Stamp { return Stamp("svo-" + operation) }

// Operation gives the operation id inside the stamp, or "" where it is not one of ours.
func (s Stamp) Operation() string {
	id, ours := strings.CutPrefix(string(s), "svo-")
	if !ours {
		return ""
	}
	return id
}

// Record is one record as it should stand in the CRM. Field names are ours (name, phone, email,
// text, username, telegram_id, start_payload, …); the adapter maps them to the CRM's.
type Record struct {
	Kind   Kind
	Stamp  Stamp
	Parent Ref // the record that a note belongs to
	Fields map[string]string
}

// Object is a record as it was found in the CRM.
type Object struct {
	Ref    Ref
	Kind   Kind
	Stamp  Stamp
	Fields map[string]string
}
