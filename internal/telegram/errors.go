package telegram

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"
)

var (
	// ErrUnreachable says that no whole answer came. The call may have been executed all the same: the
	// Bot API has no idempotency, so a message sent again may arrive twice.
	ErrUnreachable = errors.New("telegram did not answer")

	// ErrAnswer says that what came is not an answer of the Bot API: a proxy's page, a redirect (never
	// followed: it would carry the token elsewhere), something cut or garbled. The call may have been executed.
	ErrAnswer = errors.New("the answer is not the Bot API's")

	// ErrToken says that the token is not one by its shape. Nothing was sent.
	ErrToken = errors.New("not a bot token")

	// ErrWebhook says that Telegram would refuse the webhook. Nothing was sent: it closes the old
	// webhook before it looks at the new one, and would leave the bot without any.
	ErrWebhook = errors.New("webhook")
)

// Error is a refusal by the Bot API: nothing was done.
type Error struct {
	// Code is that of HTTP: 401 = the token is revoked (or, for some minutes after a change, not yet
	// known everywhere), 403 = the person blocked the bot, 404 = also an impossible token, 409, 429 …
	Code        int
	Description string        // Telegram's words, without the token
	RetryAfter  time.Duration // with 429: not sooner; 0 = not said
	MigrateTo   int64         // the group's new chat id; 0 = none
}

// Error gives Telegram's words.
func (e *Error) Error() string { return strconv.Itoa(e.Code) + " " + e.Description }

// unreachable tells why no answer came, without the URL, in which the token is. Of the cause only
// cancellation and timeout can be asked for: any other error may carry the URL in a field.
func unreachable(cause error, token string) error {
	var carrier *url.Error
	if errors.As(cause, &carrier) {
		cause = carrier.Err
	}
	err := fmt.Errorf("%w: %s", ErrUnreachable, withoutToken(cause.Error(), token))
	for _, ours := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(cause, ours) {
			return fmt.Errorf("%w: %w", ErrUnreachable, ours)
		}
	}
	return err
}
