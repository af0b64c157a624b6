package safehttp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"sverka/internal/safehttp"
)

// What can become of a request once it was sent. None of it proves anything but what arrived.
func TestAnswers(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for name, c := range map[string]struct {
		answer func(*net.TCPConn, int64) bool
		status int
		fault  safehttp.Fault
		body   int // length
	}{
		"Whole":        {says("HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok", false), 201, "", 2},
		"Chunked":      {says("HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", false), 201, "", 2},
		"NoBody":       {says("HTTP/1.1 204 No Content\r\n\r\n", false), 204, "", 0},
		"UntilClosed":  {says("HTTP/1.1 200 OK\r\n\r\nok", false), 200, "", 2},
		"AfterHints":   {says("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", false), 200, "", 2},
		"Full":         {says("HTTP/1.1 200 OK\r\n\r\n"+strings.Repeat("x", mib), false), 200, "", mib},
		"OneTooLong":   {says("HTTP/1.1 200 OK\r\n\r\n"+strings.Repeat("x", mib+1), false), 200, safehttp.AnswerTooLong, mib},
		"Endless":      {endless, 200, safehttp.AnswerTooLong, mib},
		"Cut":          {says("HTTP/1.1 201 Created\r\nContent-Length: 4\r\n\r\nok", false), 201, safehttp.AnswerCut, 2},
		"CutChunk":     {says("HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nok", false), 201, safehttp.AnswerCut, 2},
		"Silence":      {says("", false), 0, safehttp.AnswerLost, 0},
		"HalfAHeader":  {says("HTTP/1.1 201 Cre", false), 0, safehttp.AnswerLost, 0},
		"NotHTTP":      {says("SSH-2.0-OpenSSH_9.9\r\n", false), 0, safehttp.AnswerLost, 0},
		"HugeHeader":   {says("HTTP/1.1 201 Created\r\nX: "+strings.Repeat("x", 100<<10)+"\r\n\r\n", false), 0, safehttp.AnswerLost, 0},
		"EndlessHints": {endlessHints, 0, safehttp.AnswerLost, 0},
		"Switched":     {says("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", true), 101, safehttp.AnswerCut, 0},
		"ServerError":  {says("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n", false), 500, "", 0},
		"StatusBeyond": {says("HTTP/1.1 999 Denied\r\nContent-Length: 0\r\n\r\n", false), 999, "", 0},
		"Compressed":   {says("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok", false), 200, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := listen(t, c.answer)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // for a hang only
			defer cancel()
			r := bind(t, p.URL).Send(ctx, post())
			equal(t, "status", r.Status, c.status)
			equal(t, "fault", r.Fault, c.fault)
			equal(t, "whole", r.Whole, c.fault == "")
			equal(t, "length of the body", len(r.Body), c.body)
			equal(t, "connected", r.Evidence.Connected, true)
			equal(t, "TLS", r.Evidence.TLS, false)
			equal(t, "anything written", r.Evidence.Written > 0, true)
			equal(t, "evidence", [3]any{r.Evidence.Status, r.Evidence.Fault, r.Evidence.Write}, [3]any{c.status, c.fault, true})
			equal(t, "first byte seen", r.Evidence.FirstByte > 0, name != "Silence")
			equal(t, "took", r.Evidence.Took > 0, true)
			equal(t, "requests", p.seen.Load(), 1)
			equal(t, "connections", p.conns.Load(), 1)
			equal(t, "deadline met", ctx.Err() == nil, true)
			noCanary(t, p.URL, r)
		})
	}
}

func endless(conn *net.TCPConn, _ int64) bool {
	_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
	chunk := make([]byte, 64<<10)
	for {
		if _, err := conn.Write(chunk); err != nil {
			return false
		}
	}
}

func endlessHints(conn *net.TCPConn, _ int64) bool {
	for {
		if _, err := io.WriteString(conn, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"); err != nil {
			return false
		}
	}
}

// noCanary holds when what the package made of a request names neither where it went nor what it held.
// Header and body of an answer are the caller's to read, and are not kept.
func noCanary(t *testing.T, url string, r safehttp.Result) {
	t.Helper()
	r.Header, r.Body = nil, nil
	kept, err := json.Marshal(r.Evidence)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprintf("%+v", r), string(kept)} {
		for _, canary := range []string{"canary", "127.0.0.1", strings.TrimPrefix(url, "http://"), "leads"} {
			if strings.Contains(text, canary) {
				t.Errorf("%q shows %q", text, canary)
			}
		}
	}
}

func TestResetInTheMiddleOfTheBody(t *testing.T) {
	t.Parallel()
	headersRead := make(chan struct{})
	p := listen(t, func(conn *net.TCPConn, _ int64) bool {
		_, _ = io.WriteString(conn, "HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\nok")
		<-headersRead
		_ = conn.SetLinger(0) // closing resets
		return false
	})
	client := bind(t, p.URL)
	client.Through(onAnswer{client.Transport(), func() { close(headersRead) }})
	r := client.Send(t.Context(), post())
	equal(t, "status", r.Status, 201)
	equal(t, "fault", r.Fault, safehttp.AnswerCut)
	equal(t, "whole", r.Whole, false)
	equal(t, "requests", p.seen.Load(), 1)
	noCanary(t, p.URL, r)
}

// onAnswer does something between the headers and the body.
type onAnswer struct {
	http.RoundTripper
	do func()
}

func (o onAnswer) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := o.RoundTripper.RoundTrip(r)
	o.do()
	return answer, err
}

func TestNobodyListens(t *testing.T) {
	t.Parallel()
	const url = "http://127.0.0.1:1" // tcpmux: nobody is there
	r := bind(t, url).Send(t.Context(), post())
	equal(t, "fault", r.Fault, safehttp.NoConnection)
	equal(t, "evidence", r.Evidence, safehttp.Evidence{Method: "POST", Write: true, Took: r.Evidence.Took, Fault: safehttp.NoConnection})
	noCanary(t, url, r)
}

func TestContextOverBeforeWeBegan(t *testing.T) {
	t.Parallel()
	p := listen(t, says("", false))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := bind(t, p.URL).Send(ctx, post())
	equal(t, "fault", r.Fault, safehttp.NotCalled)
	equal(t, "connections", p.conns.Load(), 0)
}

func TestContextOverWhileWeWait(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p := listen(t, func(*net.TCPConn, int64) bool {
		cancel()
		return true
	})
	r := bind(t, p.URL).Send(ctx, post())
	equal(t, "fault", r.Fault, safehttp.AnswerLost)
	equal(t, "connected", r.Evidence.Connected, true)
	equal(t, "requests", p.seen.Load(), 1)
	noCanary(t, p.URL, r)
}

func TestContextOverInTheMiddleOfTheBody(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p := listen(t, says("HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\nok", true))
	client := bind(t, p.URL)
	client.Through(onAnswer{client.Transport(), cancel})
	r := client.Send(ctx, post())
	equal(t, "status", r.Status, 201)
	equal(t, "fault", r.Fault, safehttp.AnswerCut)
	equal(t, "connected", r.Evidence.Connected, true)
}

// However early a deadline falls: either there was a connection and nothing is known, or there was none.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	p := listen(t, says("", true)) // never answers
	for _, after := range []time.Duration{0, time.Microsecond, 200 * time.Microsecond, time.Millisecond, 50 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		r := bind(t, p.URL).Send(ctx, post())
		cancel()
		equal(t, "status", r.Status, 0)
		equal(t, "fault is doubt", r.Fault == safehttp.AnswerLost, r.Evidence.Connected)
		if !r.Evidence.Connected {
			equal(t, "written", r.Evidence.Written, 0)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestWhatLeaves(t *testing.T) {
	t.Parallel()
	client := bind(t, "https://crm.example.com/api/")
	var sent *http.Request
	client.Through(roundTrip(func(r *http.Request) (*http.Response, error) {
		sent = r
		return nil, errors.New("canary")
	}))
	r := post()
	r.Path = "/leads?stamp=svo-1%2F"
	r.Header["x-api-key"] = []string{"k"}
	began := time.Now()
	client.Send(t.Context(), r)
	equal(t, "URL", sent.URL.String(), "https://crm.example.com/api/leads?stamp=svo-1%2F")
	equal(t, "a way to send it again", sent.GetBody != nil, false)
	equal(t, "header", sent.Header.Get("X-Api-Key"), "k")
	equal(t, "user agent", sent.Header.Get("User-Agent"), "Sverka")
	equal(t, "length", sent.ContentLength, int64(len(r.Body)))
	deadline, bounded := sent.Context().Deadline()
	equal(t, "bounded", bounded, true)
	equal(t, "25 s", deadline.Sub(began).Round(time.Second), 25*time.Second)
}

func TestUnsendable(t *testing.T) {
	t.Parallel()
	p := listen(t, says("", false))
	for name, spoil := range map[string]func(*safehttp.Request){
		"NoSlash":     func(r *safehttp.Request) { r.Path = "@evil.example.com/" },
		"NoPath":      func(r *safehttp.Request) { r.Path = "" },
		"Control":     func(r *safehttp.Request) { r.Path = "/a\r\nHost: evil" },
		"Escape":      func(r *safehttp.Request) { r.Path = "/%zz" },
		"Method":      func(r *safehttp.Request) { r.Method = "PO ST" },
		"HeaderValue": func(r *safehttp.Request) { r.Header.Set("Authorization", "Bearer a\nb") },
		"HeaderName":  func(r *safehttp.Request) { r.Header["X Key"] = []string{"a"} },
		"EmptyName":   func(r *safehttp.Request) { r.Header[""] = []string{"a"} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := post()
			spoil(&r)
			out := bind(t, p.URL).Send(t.Context(), r)
			equal(t, "fault", out.Fault, safehttp.BadRequest)
			equal(t, "connected", out.Evidence.Connected, false)
			equal(t, "connections", p.conns.Load(), 0)
		})
	}
}
