package safehttp

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// Request is one HTTP request.
type Request struct {
	Method string      // upper case
	Path   string      // below the base URL, query included, with a leading slash
	Header http.Header // nil = none
	Body   []byte      // nil = none
	Write  bool        // may change something: goes over a fresh connection
}

// Result is what came back, or why nothing did.
type Result struct {
	Status   int
	Header   http.Header
	Body     []byte // at most 1 MiB
	Whole    bool   // the body ended well and within the limit
	Fault    Fault
	Evidence Evidence
}

// Fault names what went wrong below HTTP, as a stable code without remote text.
type Fault string

// The faults that prove that nothing was sent are only reported while no connection had been handed to
// the request; after that, whatever happens is AnswerLost, AnswerCut or AnswerTooLong.
const (
	NoFault          Fault = ""
	BadRequest       Fault = "bad_request"       // could not be built
	AddressForbidden Fault = "address_forbidden" // the guard refused the address
	CertificateBad   Fault = "certificate_bad"   // expired, wrong host, unknown authority
	NoConnection     Fault = "no_connection"     // DNS, refused, connect or TLS time-out
	NotCalled        Fault = "not_called"        // the context was over before we began
	AnswerLost       Fault = "answer_lost"       // sent, perhaps in part, and then anything
	AnswerCut        Fault = "answer_cut"        // headers came, the body did not end well
	AnswerTooLong    Fault = "answer_too_long"   // more than 1 MiB
)

// Send sends a request, a write at most once, and reports what is known about it.
func (c *Client) Send(ctx context.Context, r Request) (out Result) {
	began, seen := time.Now(), &tally{}
	defer func() {
		out.Evidence = seen.evidence(r, out, time.Since(began))
	}()
	if ctx.Err() != nil {
		return Result{Fault: NotCalled}
	}
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, defaultDeadline)
		defer cancel()
	}
	request, err := c.build(seen.watch(ctx), r)
	if err != nil {
		return Result{Fault: BadRequest}
	}
	through := c.reads
	if r.Write {
		through = c.writes
	}
	answer, err := through.RoundTrip(request) // RoundTrip follows no redirect
	if err != nil {
		return Result{Fault: seen.fault(err)}
	}
	defer answer.Body.Close()
	return read(answer)
}

func (c *Client) build(ctx context.Context, r Request) (*http.Request, error) {
	if len(r.Path) == 0 || r.Path[0] != '/' || !sendable(r.Header) {
		return nil, errUnsendable
	}
	var body io.Reader
	if r.Body != nil {
		body = bytes.NewReader(r.Body)
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, c.base+r.Path, body)
	if err != nil {
		return nil, err
	}
	for name, values := range r.Header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	if request.Header.Get("User-Agent") == "" {
		request.Header.Set("User-Agent", "Sverka")
	}
	request.GetBody = nil // with it net/http would send a request again by itself
	return request, nil
}

var errUnsendable = errors.New("safehttp: path without a slash, or a header that HTTP cannot carry")

// sendable holds when net/http would send the headers. It refuses the others only in RoundTrip, with an
// error that cannot be told from a failed connection: an unusable token would be tried for ever.
func sendable(h http.Header) bool {
	for name, values := range h {
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !isTokenChar(r) }) {
			return false
		}
		for _, value := range values {
			if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
				return false
			}
		}
	}
	return true
}

func isTokenChar(r rune) bool { // RFC 9110 §5.6.2
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

func read(answer *http.Response) Result {
	out := Result{Status: answer.StatusCode, Header: answer.Header}
	if answer.StatusCode == http.StatusSwitchingProtocols {
		out.Fault = AnswerCut // its body is the bare connection, which no deadline closes
		return out
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxBody+1))
	switch {
	case len(body) > maxBody:
		out.Body, out.Fault = body[:maxBody], AnswerTooLong
	case err != nil:
		out.Body, out.Fault = body, AnswerCut
	default:
		out.Body, out.Whole = body, true
	}
	return out
}

// fault names an error. Its type proves nothing once a connection was handed over: the transport may
// fail later than it sent.
func (t *tally) fault(err error) Fault {
	var (
		unknown     x509.UnknownAuthorityError
		hostname    x509.HostnameError
		invalid     x509.CertificateInvalidError
		unverified  *tls.CertificateVerificationError
		recordError tls.RecordHeaderError
	)
	switch {
	case t.connected.Load():
		return AnswerLost
	case errors.Is(err, errForbidden):
		return AddressForbidden
	case errors.As(err, &unknown), errors.As(err, &hostname), errors.As(err, &invalid), errors.As(err, &unverified),
		errors.As(err, &recordError):
		return CertificateBad
	}
	return NoConnection
}
