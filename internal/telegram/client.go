package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	callTimeout   = 10 * time.Second
	maxAnswer     = 1 << 20 // bytes; the answers to our calls are of some kilobytes
	maxRetryAfter = 30 * 24 * time.Hour
)

// Client calls methods of the Bot API, for any bot: the token is an argument and is kept nowhere. It
// never repeats a call by itself. Of all it returns nothing shows the token, which the URL holds.
type Client struct {
	api  string            // without the slash at its end
	send http.RoundTripper // follows no redirect and keeps no cookie, as its contract says
}

// NewClient makes a client of the Bot API at a base URL: https://api.telegram.org, a server of one's
// own, or the sandbox. It is refused if it is no absolute http or https URL, or has a query or user.
func NewClient(api string, transport http.RoundTripper) (*Client, error) {
	u, err := url.Parse(api)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http"):
		return nil, errors.New("the Bot API's address must be an http or https URL")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the Bot API's address must have no user, query or fragment")
	}
	return &Client{api: strings.TrimRight(u.String(), "/"), send: transport}, nil
}

// answer is the result of a call; its texts are without the token.
type answer struct {
	object
	token string
}

func (a answer) text(name string) string { return withoutToken(a.object.text(name), a.token) }

func (a answer) texts(name string) []string {
	var all []string
	for value := range elements(a.object[name]) {
		if first(value) == '"' {
			all = append(all, withoutToken(cleaned(value), a.token))
		}
	}
	return all
}

// call makes one call, whose result must be an object, or true.
func (c *Client) call(ctx context.Context, token, method string, params any) (answer, error) {
	result, err := c.post(ctx, token, method, params)
	if err != nil {
		return answer{}, fmt.Errorf("telegram %s: %w", method, err)
	}
	return answer{object: open(result), token: token}, nil
}

// post gives the raw result of a call.
func (c *Client) post(ctx context.Context, token, method string, params any) ([]byte, error) {
	if !ValidToken(token) {
		return nil, ErrToken
	}
	body, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	target := c.api + "/bot" + token + "/" + method
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return nil, unreachable(err, token)
	}
	request.GetBody = nil // so that no transport sends it a second time
	request.Header.Set("Content-Type", "application/json")
	response, err := c.send.RoundTrip(request)
	if err != nil {
		return nil, unreachable(err, token)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return nil, unreachable(err, token)
	}
	return read(response, text, token)
}

// read opens the envelope {"ok":…,"result":…} or {"ok":false,"error_code":…,"description":…,"parameters":…}.
func read(response *http.Response, text []byte, token string) ([]byte, error) {
	garbled := fmt.Errorf("%w: HTTP %d", ErrAnswer, response.StatusCode)
	if len(text) > maxAnswer || !json.Valid(text) {
		return nil, garbled
	}
	envelope := open(text)
	success := response.StatusCode >= 200 && response.StatusCode <= 299
	switch {
	case string(envelope["ok"]) == "true" && success && envelope.has("result"):
		return envelope["result"], nil
	case string(envelope["ok"]) == "false":
		return nil, refusal(response, envelope, token)
	}
	return nil, garbled
}

func refusal(response *http.Response, envelope object, token string) *Error {
	e := &Error{
		Code:        int(envelope.integer("error_code")),
		Description: withoutToken(envelope.text("description"), token),
		MigrateTo:   envelope.at("parameters").integer("migrate_to_chat_id"),
	}
	if e.Code < 400 || e.Code > 599 {
		e.Code = response.StatusCode
	}
	seconds := envelope.at("parameters").integer("retry_after")
	if seconds == 0 {
		seconds, _ = strconv.ParseInt(response.Header.Get("Retry-After"), 10, 64)
	}
	seconds = min(max(seconds, 0), int64(maxRetryAfter/time.Second))
	e.RetryAfter = time.Duration(seconds) * time.Second
	return e
}
