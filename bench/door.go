package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"

	"sverka/internal/inbox"
	"sverka/web/hooks"
)

// door is the webhook over real HTTP with kept connections, as Telegram comes.
func (w *world) door(in *inbox.Inbox) (do call, stop func()) {
	url, stop := w.doorAt(in)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256, MaxConnsPerHost: 256}}
	return func(ctx context.Context) error { return w.post(ctx, client, url) }, stop
}

func (w *world) doorAt(in *inbox.Inbox) (url string, stop func()) {
	quiet := slog.New(slog.DiscardHandler)
	mux := http.NewServeMux()
	mux.Handle("/hooks/telegram/{hook}", hooks.NewTelegram(inbox.NewHooks(w.admin, quiet), in, quiet, func(int, inbox.Verdict) {}))
	server := httptest.NewServer(mux)
	return server.URL, server.Close
}

func (w *world) post(ctx context.Context, client *http.Client, base string) error {
	s, _, body := w.message()
	return s.post(ctx, client, base, body)
}

func (s source) post(ctx context.Context, client *http.Client, base string, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/hooks/telegram/"+s.bot.Hook, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Telegram-Bot-Api-Secret-Token", s.secret)
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the hook answered %d", answer.StatusCode)
	}
	return nil
}
