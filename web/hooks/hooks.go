// Package hooks is the door where messages come in: POST /hooks/telegram/{hook}.
//
// It answers 2xx only after the event is committed, never with a body (a body with "method" would be
// executed by Telegram as a call), and in these codes only: 200 stored · 401 wrong or missing secret ·
// 404 unknown hook · 405 · 410 deleted bot · 413 over 1 MiB · 415 compressed · 503 not stored, come again.
package hooks

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"sverka/internal/inbox"
	"sverka/internal/telegram"
)

const (
	secretHeader = "X-Telegram-Bot-Api-Secret-Token"
	maxBody      = 1 << 20
	// answerWithin keeps the promise of 503 within 2 s when the database is away.
	answerWithin = 1800 * time.Millisecond
	retryAfter   = "5" // seconds; Telegram drops an update whose life is shorter than the wait
)

// Telegram takes updates from Telegram.
type Telegram struct {
	hooks  finder
	inbox  acceptor
	log    *slog.Logger
	now    func() time.Time
	answer func(code int, verdict inbox.Verdict) // for metrics
}

type finder interface {
	Find(ctx context.Context, path string) (inbox.Hook, error)
}

type acceptor interface {
	Accept(context.Context, inbox.Delivery) (inbox.Verdict, error)
}

// NewTelegram builds the door.
func NewTelegram(hooks finder, in acceptor, log *slog.Logger, answer func(int, inbox.Verdict)) *Telegram {
	return &Telegram{hooks: hooks, inbox: in, log: log, now: time.Now, answer: answer}
}

// ServeHTTP takes one update.
func (t *Telegram) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	code, verdict := t.take(w, r)
	w.Header().Set("Content-Length", "0")
	switch code {
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", retryAfter)
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodPost)
	}
	w.WriteHeader(code)
	t.answer(code, verdict)
}

func (t *Telegram) take(w http.ResponseWriter, r *http.Request) (int, inbox.Verdict) {
	if r.Method != http.MethodPost {
		return http.StatusMethodNotAllowed, ""
	}
	ctx, cancel := context.WithTimeout(r.Context(), answerWithin)
	defer cancel()
	hook, err := t.hooks.Find(ctx, r.PathValue("hook"))
	if code := t.refuse(hook, err, r); code != 0 {
		return code, ""
	}
	body, code := readBody(w, r)
	if code != 0 {
		return code, ""
	}
	// The sender may take its time with the body; the store gets the whole of ours.
	ctx, cancelStore := context.WithTimeout(r.Context(), answerWithin)
	defer cancelStore()
	verdict, err := t.inbox.Accept(ctx, delivery(hook, body))
	if err != nil {
		t.log.Error("update not stored", "tenant", hook.Tenant, "bot", hook.Owner, "error", err)
		return http.StatusServiceUnavailable, ""
	}
	if verdict != inbox.Fresh {
		t.log.Info("update stored", "tenant", hook.Tenant, "bot", hook.Owner, "verdict", verdict)
	}
	return http.StatusOK, verdict
}

// refuse gives the answer to a request that may not come in; 0 lets it.
func (t *Telegram) refuse(hook inbox.Hook, err error, r *http.Request) int {
	switch {
	case errors.Is(err, inbox.ErrNoHook):
		return http.StatusNotFound
	case err != nil: // the database is away: we do not know the hook, which is no 404
		t.log.Error("hook not found out", "error", err)
		return http.StatusServiceUnavailable
	case hook.Kind != inbox.Telegram:
		return http.StatusNotFound
	case !hook.Admits(r.Header.Get(secretHeader), t.now()):
		return http.StatusUnauthorized
	case hook.Deleted:
		return http.StatusGone
	case r.Header.Get("Content-Encoding") != "" && r.Header.Get("Content-Encoding") != "identity":
		return http.StatusUnsupportedMediaType
	case r.ContentLength > maxBody:
		return http.StatusRequestEntityTooLarge
	}
	return 0
}

// readBody gives the whole body, or the answer to one that is too long or did not come.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, int) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		return nil, http.StatusRequestEntityTooLarge
	case err != nil:
		return nil, http.StatusServiceUnavailable // cut off: nothing was stored
	}
	return body, 0
}

func delivery(h inbox.Hook, body []byte) inbox.Delivery {
	d := inbox.Delivery{Tenant: h.Tenant, Source: inbox.Telegram, Origin: h.Origin, Owner: h.Owner, Body: body}
	if id, usable := telegram.UpdateID(body); usable {
		d.ExternalID, d.Position = strconv.FormatInt(id, 10), id
	}
	return d
}
