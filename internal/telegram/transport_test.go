package telegram_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"

	"sverka/internal/telegram"
)

// wire answers every request by itself.
type wire func(*http.Request) (*http.Response, error)

func (w wire) RoundTrip(r *http.Request) (*http.Response, error) { return w(r) }

// A transport may be a whole http.Client in disguise, whose errors hold the URL.
func TestTransportWhoseErrorsHoldTheURL(t *testing.T) {
	t.Parallel()
	calls := 0
	c, err := telegram.NewClient("https://api.telegram.org", wire(func(r *http.Request) (*http.Response, error) {
		calls++
		cause := fmt.Errorf("dial %s: %w", r.URL, &tls.RecordHeaderError{Msg: r.URL.Path})
		return nil, fmt.Errorf("guard: %w", &url.Error{Op: "Post", URL: r.URL.String(), Err: cause})
	}))
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range every(t.Context(), c) {
		if !errors.Is(err, telegram.ErrUnreachable) {
			t.Error(err)
		}
		tellsNothing(t, err)
	}
	equal(t, "calls, none of them repeated", calls, 5)
	tellsNothing(t, c)
}

func TestEveryCallEnds(t *testing.T) {
	t.Parallel()
	start := time.Now()
	c, err := telegram.NewClient("https://api.telegram.org", wire(func(r *http.Request) (*http.Response, error) {
		if deadline, ok := r.Context().Deadline(); !ok || deadline.After(time.Now().Add(10*time.Second)) || deadline.Before(start) {
			t.Errorf("deadline %v, %v", deadline, ok)
		}
		if r.GetBody != nil {
			t.Error("the transport could send it again")
		}
		return nil, context.DeadlineExceeded
	}))
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range every(t.Context(), c) {
		if !errors.Is(err, telegram.ErrUnreachable) || !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(200, []byte(`{"ok":true,"result":{"id":123456789,"is_bot":true,"allowed_updates":["a",1]}}`))
	f.Add(429, []byte(`{"ok":false,"error_code":429,"parameters":{"retry_after":5}}`))
	f.Add(302, []byte(token))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		c, err := telegram.NewClient("https://api.telegram.org", wire(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body))}, nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range every(t.Context(), c) {
			var refused *telegram.Error
			if err != nil && !errors.Is(err, telegram.ErrAnswer) && !errors.As(err, &refused) {
				t.Fatal(err)
			}
			if refused != nil && (refused.RetryAfter < 0 || refused.RetryAfter > 30*24*time.Hour) {
				t.Fatal(refused)
			}
			tellsNothing(t, err)
		}
	})
}
