// Package inquiry is a business conversation (обращение) of a contact on a route: it becomes one lead
// or deal, and what the contact says meanwhile is added to it.
//
//	open ──▶ closed
//
// It alone writes table inquiries.
package inquiry
