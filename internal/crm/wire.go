package crm

import (
	"context"
	"net/http"
	"time"
)

// Wire sends HTTP requests to one CRM host. It never follows a redirect, never re-sends, cuts an
// answer at 1 MiB, and reports evidence instead of an error that has to be guessed from.
// Credentials and base URL belong to the same connection: a Wire speaks to no other host.
type Wire interface {
	Send(ctx context.Context, call Call) Answer
}

// Call is one HTTP request.
type Call struct {
	Method string      // upper case
	Path   string      // below the connection's base URL, query included, leading slash
	Header http.Header // added to the wire's own
	Body   []byte      // nil = no body
	Write  bool        // may change the CRM: HTTP/1.1 on a fresh connection
}

// Answer is what came back, or why nothing did.
type Answer struct {
	Status   int         // 0 = no answer
	Header   http.Header // nil = no answer
	Body     []byte      // at most 1 MiB
	Whole    bool        // the body arrived completely and within the limit
	Fault    Fault       // why there is no whole answer; "" when there is one
	Evidence Evidence
}

// Fault names what went wrong below HTTP, as a stable code without remote text.
type Fault string

// Faults that prove that nothing was sent come first: they are only reported while no connection
// had been handed to the request.
const (
	NoFault          Fault = ""
	BadRequest       Fault = "bad_request"       // could not be built; nothing was sent
	AddressForbidden Fault = "address_forbidden" // the SSRF guard refused the address
	CertificateBad   Fault = "certificate_bad"   // expired, wrong host, unknown authority
	NoConnection     Fault = "no_connection"     // DNS, refused, connect or TLS time-out
	NotCalled        Fault = "not_called"        // the context was over before we began
	AnswerLost       Fault = "answer_lost"       // sent, perhaps in part, and then anything
	AnswerCut        Fault = "answer_cut"        // headers came, the body did not end well
	AnswerTooLong    Fault = "answer_too_long"   // more than 1 MiB
)

// Evidence is what our side saw of one request; it is kept with the attempt. It holds no address,
// no header and no body.
type Evidence struct {
	Method    string        `json:"method"`
	Write     bool          `json:"write"`
	Connected bool          `json:"connected"` // a connection was handed to the request, at any time
	TLS       bool          `json:"tls"`
	Written   int64         `json:"written"` // bytes that left our process on this connection
	FirstByte time.Duration `json:"first_byte_ns,omitempty"`
	Took      time.Duration `json:"took_ns"`
	Status    int           `json:"status,omitempty"`
	Fault     Fault         `json:"fault,omitempty"`
}
