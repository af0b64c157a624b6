package telegram_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"sverka/internal/telegram"
)

// tellsNothing fails if any way to print an error shows eight characters of the token's secret.
func tellsNothing(t *testing.T, what any) {
	t.Helper()
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Error("x", "err", what)
	all := fmt.Sprintf("%v %+v %#v %s", what, what, what, log.String())
	for chain := []any{what}; len(chain) > 0; chain = chain[1:] {
		all += fmt.Sprintf(" %+v %#v", chain[0], chain[0])
		switch e := chain[0].(type) {
		case interface{ Unwrap() error }:
			if cause := e.Unwrap(); cause != nil {
				chain = append(chain, cause)
			}
		case interface{ Unwrap() []error }:
			for _, cause := range e.Unwrap() {
				chain = append(chain, cause)
			}
		}
	}
	for i := 0; i+8 <= len(tokenSecret); i++ {
		if strings.Contains(all, tokenSecret[i:i+8]) {
			t.Fatalf("shows %q: %s", tokenSecret[i:i+8], all)
		}
	}
}

// every makes every call there is and gives their errors.
func every(ctx context.Context, c *telegram.Client) map[string]error {
	_, me := c.GetMe(ctx, token)
	_, info := c.WebhookInfo(ctx, token)
	_, sent := c.SendMessage(ctx, token, 5, "a")
	hook := telegram.Webhook{URL: "https://hub.example/h", Secret: "s"}
	return map[string]error{
		"getMe":          me,
		"getWebhookInfo": info,
		"sendMessage":    sent,
		"setWebhook":     c.SetWebhook(ctx, token, hook),
		"deleteWebhook":  c.DeleteWebhook(ctx, token, true),
	}
}

// raw runs a server that takes one connection after the other and writes this for whatever comes.
func raw(t *testing.T, answer func(path string) string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			buffer := make([]byte, 64<<10)
			n, _ := conn.Read(buffer)
			_, path, _ := strings.Cut(string(buffer[:n]), " ")
			path, _, _ = strings.Cut(path, " ")
			_, _ = io.WriteString(conn, answer(path))
			_ = conn.Close()
		}
	}()
	return "http://" + listener.Addr().String()
}

// echo answers with the path of the URL, token and all, in the body.
func echo(status int, format string) func(path string) string {
	return func(path string) string {
		body := strings.ReplaceAll(format, "%s", path)
		return fmt.Sprintf("HTTP/1.1 %d Said\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", status, len(body), body)
	}
}

// What a server may do with the path that it was asked for.
var hostile = map[string]struct {
	answer func(path string) string
	want   error // nil = a *telegram.Error
}{
	"Closed":       {func(string) string { return "" }, telegram.ErrUnreachable},
	"NotHTTP":      {func(path string) string { return path + "\r\n\r\n" }, telegram.ErrUnreachable},
	"StatusEcho":   {func(path string) string { return "HTTP/1.1 " + path + " OK\r\n\r\n" }, telegram.ErrUnreachable},
	"VersionEcho":  {func(path string) string { return "HTTP" + path + " 200 OK\r\n\r\n" }, telegram.ErrUnreachable},
	"HeaderEcho":   {func(path string) string { return "HTTP/1.1 200 OK\r\n" + path[14:34] + "\r\n\r\n" }, telegram.ErrUnreachable},
	"PartEcho":     {func(path string) string { return "HTTP/1.1 " + path[20:34] + " OK\r\n\r\n" }, telegram.ErrUnreachable},
	"LengthEcho":   {func(path string) string { return "HTTP/1.1 200 OK\r\nContent-Length: " + path + "\r\n\r\n" }, telegram.ErrUnreachable},
	"EncodingEcho": {func(path string) string { return "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + path + "\r\n\r\n" }, telegram.ErrUnreachable},
	"ChunkEcho": {func(path string) string {
		return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + path + "\r\n"
	}, telegram.ErrUnreachable},
	"CutBody": {func(string) string { return "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"ok\":true,\"result\":{" }, telegram.ErrUnreachable},
	"CutBehindTheWord": {func(string) string {
		return "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"ok\":true,\"result\":true}"
	}, telegram.ErrUnreachable},
	"Garbage":        {echo(200, "<html>%s</html>"), telegram.ErrAnswer},
	"Empty":          {echo(200, ""), telegram.ErrAnswer},
	"Null":           {echo(200, "null"), telegram.ErrAnswer},
	"Trailing":       {echo(200, `{"ok":true,"result":true}{}`), telegram.ErrAnswer},
	"Broken":         {echo(200, `{"ok":true,"result":{"url":"%s"}`), telegram.ErrAnswer},
	"NoResult":       {echo(200, `{"ok":true,"x":"%s"}`), telegram.ErrAnswer},
	"OkText":         {echo(200, `{"ok":"true","result":true,"x":"%s"}`), telegram.ErrAnswer},
	"OkIn500":        {echo(500, `{"ok":true,"result":true,"x":"%s"}`), telegram.ErrAnswer},
	"Gateway":        {echo(502, "<h1>Bad Gateway %s</h1>"), telegram.ErrAnswer},
	"TooLong":        {func(string) string { return echo(200, `{"ok":true,"result":"%s"}`)(strings.Repeat("a", 1<<20)) }, telegram.ErrAnswer},
	"TooDeep":        {func(string) string { return echo(200, `{"ok":true,"result":%s}`)(strings.Repeat("[", 10_001)) }, telegram.ErrAnswer},
	"Refusal":        {echo(401, `{"ok":false,"error_code":401,"description":"no %s"}`), nil},
	"RefusalEscaped": {func(path string) string { return echo(400, `{"ok":false,"description":"%s"}`)(`\u002f` + path[1:]) }, nil},
	"RefusalInPart":  {func(path string) string { return echo(400, `{"ok":false,"description":"%s"}`)(path[10:40]) }, nil},
	"RefusalQuoted":  {func(path string) string { return echo(400, `{"ok":false,"description":"%s"}`)(url.QueryEscape(path)) }, nil},
}

func TestNothingShowsTheToken(t *testing.T) {
	t.Parallel()
	for name, c := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for method, err := range every(t.Context(), client(t, raw(t, c.answer))) {
				var refused *telegram.Error
				if c.want != nil && !errors.Is(err, c.want) || c.want == nil && !errors.As(err, &refused) {
					t.Errorf("%s: %v", method, err)
				}
				tellsNothing(t, err)
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	dead := raw(t, func(string) string { return "" })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().String()
	_ = listener.Close()
	for name, api := range map[string]string{
		"DeadPort":    "http://" + closed,
		"PlainForTLS": strings.Replace(dead, "http://", "https://", 1),
		"BadPort":     "http://127.0.0.1:1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for method, err := range every(t.Context(), client(t, api)) {
				if !errors.Is(err, telegram.ErrUnreachable) {
					t.Errorf("%s: %v", method, err)
				}
				tellsNothing(t, err)
			}
		})
	}
}

func TestUntrustedCertificate(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(says(200, `{"ok":true,"result":true}`))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	t.Cleanup(server.Close)
	err := client(t, server.URL).DeleteWebhook(t.Context(), token, false)
	if !errors.Is(err, telegram.ErrUnreachable) || !strings.Contains(err.Error(), "certificate") {
		t.Fatal(err)
	}
	tellsNothing(t, err)
}

func TestRedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	reached := make(chan string, 100)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached <- r.URL.Path }))
	t.Cleanup(elsewhere.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+r.URL.Path, status)
		})
		for method, err := range every(t.Context(), c) {
			if !errors.Is(err, telegram.ErrAnswer) || !strings.Contains(err.Error(), fmt.Sprint(status)) {
				t.Errorf("%s: %v", method, err)
			}
			tellsNothing(t, err)
		}
	}
	equal(t, "requests elsewhere", len(reached), 0)
}

func TestSilenceEndsWithTheContext(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	c, requests := serve(t, func(http.ResponseWriter, *http.Request) { <-release })
	t.Cleanup(func() { close(release) }) // before the server's own clean-up, which waits for its handlers
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-requests
		cancel()
	}()
	_, err := c.SendMessage(ctx, token, 5, "a")
	if !errors.Is(err, telegram.ErrUnreachable) || !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	tellsNothing(t, err)
}

// Many people put the token into their webhook's address; ours or theirs, it must not reach a page.
func TestResultsDoNotShowTheToken(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]string{
		"Whole": "https://thief.example/bot" + token + "/x",
		"Part":  "https://thief.example/" + tokenSecret[:12],
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := serve(t, says(200, `{"ok":true,"result":{"url":"`+address+`","last_error_message":"`+address+`","allowed_updates":["`+address+`"],`+
				`"ip_address":"`+address+`","id":123456789,"is_bot":true,"first_name":"`+address+`","username":"`+address+`"}}`))
			info, err := c.WebhookInfo(t.Context(), token)
			equal(t, "error", err, nil)
			equal(t, "still there", info.URL != "", true)
			tellsNothing(t, info)
			me, err := c.GetMe(t.Context(), token)
			equal(t, "error", err, nil)
			tellsNothing(t, me)
		})
	}
	hook := telegram.Webhook{URL: "https://hub.example/h", Secret: tokenSecret}
	tellsNothing(t, hook)
	tellsNothing(t, &hook)
}
