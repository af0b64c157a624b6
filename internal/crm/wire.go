package crm

import (
	"context"
	"net/http"

	"sverka/internal/safehttp"
)

// Wire sends HTTP requests to one CRM host. It never follows a redirect, never re-sends a write, cuts an
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
type Fault = safehttp.Fault

// The faults, see safehttp: the first five prove that nothing was sent.
const (
	NoFault          = safehttp.NoFault
	BadRequest       = safehttp.BadRequest
	AddressForbidden = safehttp.AddressForbidden
	CertificateBad   = safehttp.CertificateBad
	NoConnection     = safehttp.NoConnection
	NotCalled        = safehttp.NotCalled
	AnswerLost       = safehttp.AnswerLost
	AnswerCut        = safehttp.AnswerCut
	AnswerTooLong    = safehttp.AnswerTooLong
)

// Evidence is what our side saw of one request; it is kept with the attempt. It holds no address, no
// header and no body.
type Evidence = safehttp.Evidence
