// Package crm is the port: what the engine asks of a CRM and what an adapter may answer.
//
//	engine ──Record, Key/ExternalID──▶ Create (Keyed | Upsert | Once) ──▶ Outcome
//	                                        │
//	                                        └─ Wire.Send: at most one request, with evidence
//
// An adapter is a value: a description that draws its form, and Open, which makes the functions of
// one connection. It promises by shape: a Keyed create cannot forget its key, a Once create cannot
// pretend to have one. It answers with an Outcome, what is known about the effect, never with an
// error that leaves the caller guessing.
//
// The package owns no table and does no I/O.
package crm
