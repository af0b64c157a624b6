package botapi

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// wire speaks HTTP/1.1 to one webhook in Telegram's own words: its headers, in its order. net/http's
// client can do neither, and it would re-send by itself.
type wire struct {
	target  target
	secret  string
	options Options

	life   context.Context // ends with the webhook; cuts off what is on its way
	cancel context.CancelFunc

	mu   sync.Mutex
	idle []*kept
}

// answer is what one POST got. Without an HTTP answer status is 0 and err says why.
type answer struct {
	status     int
	reason     string
	retryAfter time.Duration
	err        error
}

func (a answer) ok() bool { return a.err == nil && a.status >= 200 && a.status <= 299 }

// problem is last_error_message; "" = none.
func (a answer) problem() string {
	switch {
	case a.err != nil:
		return errorText(a.err)
	case a.ok():
		return ""
	}
	return fmt.Sprintf("Wrong response from the webhook: %d %s", a.status, a.reason)
}

func newWire(t target, secret string, o Options) *wire {
	life, cancel := context.WithCancel(context.Background())
	return &wire{target: t, secret: secret, options: o, life: life, cancel: cancel}
}

// close cuts off everything that is on its way and every kept connection.
func (w *wire) close() {
	w.cancel()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, k := range w.idle {
		_ = k.conn.Close()
	}
	w.idle = nil
}

// post sends one update and reads the whole answer, within the deadline. It never follows a redirect.
func (w *wire) post(ctx context.Context, body []byte) answer {
	ctx, cancel := context.WithTimeout(ctx, w.options.AnswerDeadline)
	defer cancel()
	defer context.AfterFunc(w.life, cancel)()
	k, err := w.connection(ctx)
	if err != nil {
		return answer{err: orDeadline(ctx, err)}
	}
	stop := context.AfterFunc(ctx, func() { _ = k.conn.SetDeadline(time.Unix(1, 0)) })
	got, reusable := w.exchange(k, body)
	if !stop() || !reusable {
		_ = k.conn.Close()
	} else {
		w.keep(k)
	}
	if got.err != nil {
		got.err = orDeadline(ctx, got.err)
	}
	return got
}

func (w *wire) exchange(k *kept, body []byte) (answer, bool) {
	if _, err := k.conn.Write(append(w.head(len(body)), body...)); err != nil {
		return answer{err: err}, false
	}
	response, err := http.ReadResponse(k.reader, &http.Request{Method: http.MethodPost})
	if err != nil {
		return answer{err: err}, false
	}
	got := answer{status: response.StatusCode, reason: reason(response)}
	if !got.ok() {
		got.retryAfter = retryAfter(response.Header.Get("Retry-After"), w.options.Second)
	}
	if response.ContentLength < 0 && len(response.TransferEncoding) == 0 {
		return got, false // no length: the headers are the answer, the rest is not read
	}
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return answer{err: err}, false
	}
	return got, !response.Close
}

// head is WebhookActor::send_update's, header for header.
func (w *wire) head(length int) []byte {
	var head bytes.Buffer
	fmt.Fprintf(&head, "POST %s HTTP/1.1\r\nHost: %s\r\n", w.target.query, w.target.hostHeader())
	if w.target.userinfo != "" {
		fmt.Fprintf(&head, "Authorization: Basic %s\r\n", base64.StdEncoding.EncodeToString([]byte(w.target.userinfo)))
	}
	if w.secret != "" {
		fmt.Fprintf(&head, "X-Telegram-Bot-Api-Secret-Token: %s\r\n", w.secret)
	}
	fmt.Fprintf(&head, "Content-Type: application/json\r\nContent-Length: %d\r\n"+
		"Connection: keep-alive\r\nAccept-Encoding: gzip, deflate\r\n\r\n", length)
	return head.Bytes()
}

func (w *wire) dial(ctx context.Context) (*kept, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(w.target.ip, strconv.Itoa(w.target.port)))
	if err != nil {
		return nil, err
	}
	if w.target.tls {
		secure := tls.Client(conn, &tls.Config{ServerName: w.target.host, MinVersion: tls.VersionTLS12})
		if err := secure.HandshakeContext(ctx); err != nil {
			_ = conn.Close()
			return nil, fmt.Errorf("SSL error {%w}", err)
		}
		conn = secure
	}
	return &kept{conn: conn, reader: bufio.NewReader(conn)}, nil
}

func reason(r *http.Response) string {
	_, text, _ := strings.Cut(r.Status, " ")
	return text
}

var errReadTimeout = errors.New("read timeout expired")

func orDeadline(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return errReadTimeout
	}
	return err
}

// errorText is the operating system's text with a capital, as Telegram reports it.
func errorText(err error) string {
	text := err.Error()
	var errno syscall.Errno
	switch {
	case errors.As(err, &errno):
		text = errno.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		text = "webhook connection closed"
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
