package owncrm

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
)

// spared is the answer of a fault that keeps the request from being executed.
func spared(fault string) result {
	switch fault {
	case refuse:
		return failed(http.StatusUnprocessableEntity, "refused")
	case throttle:
		return failed(http.StatusTooManyRequests, "throttled")
	case error500Not:
		return failed(http.StatusInternalServerError, "internal_error")
	}
	return result{}
}

// answered is the status that the caller gets to see; nil = none, or (slow) not yet.
func (o outcome) answered() *int {
	status := o.status
	switch o.fault {
	case loseResponse, loseRequest, slow:
		return nil
	case error500Executed:
		status = http.StatusInternalServerError
	case garbage2xx:
		status = http.StatusCreated
	}
	return &status
}

// write puts the outcome on the socket as its fault wants it.
func (o outcome) write(w http.ResponseWriter) {
	switch o.fault {
	case loseResponse, loseRequest:
		hangUp(w)
	case resetMidBody:
		o.reset(w)
	case error500Executed:
		writeJSON(w, http.StatusInternalServerError, problem{"internal_error"})
	case garbage2xx:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte("<html>\x00\xff{\"id\":"))
	case throttle:
		w.Header().Set("Retry-After", "1")
		writeJSON(w, o.status, o.body)
	default:
		writeJSON(w, o.status, o.body)
	}
}

// hijack takes the connection away from net/http. Where that is impossible the handler is aborted,
// which closes the connection too.
func hijack(w http.ResponseWriter) net.Conn {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return conn
}

// hangUp closes the connection without a byte.
func hangUp(w http.ResponseWriter) { _ = hijack(w).Close() }

// reset sends the headers and half of the body, then resets the connection (RST, by SO_LINGER 0).
func (o outcome) reset(w http.ResponseWriter) {
	body := encode(o.body)
	conn := hijack(w)
	defer func() { _ = conn.Close() }()
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		o.status, http.StatusText(o.status), len(body), body[:len(body)/2])
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encode(v))
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // our own types: always encodable
	}
	return append(text, '\n')
}
