// Package owncrm is a CRM of our own making, over HTTP: the three capabilities, an effect ledger, and
// faults that really happen on the socket.
//
//	request ─▶ account? ─▶ token? ─▶ fault? ─▶ execute ─▶ journal ─▶ answer, or what the fault makes of it
//	             404         401
//
// An account is one tenant's CRM. It has leads and notes, remembers idempotency keys if that is its
// capability, and files records by external id (the stamp) if that is. Its ledger lists every request
// to the record API, oldest first, and every object; "executed" says that the request itself made or
// changed an object.
//
// It owns crm-<account>.jsonl. An effect, its ledger line, its key and the faults that are left are
// one line of it, written before the answer: a sandbox that was killed has forgotten nothing it did.
package owncrm
