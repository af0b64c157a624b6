package telegram

import (
	"strconv"
	"strings"
)

// Telegram's server takes tokens of this shape (ClientManager.cpp and Client.cpp of
// github.com/tdlib/telegram-bot-api); whether a token is anybody's, only getMe tells.
const (
	maxToken       = 80      // bytes
	minTokenSecret = 24      // bytes after the colon
	maxBotID       = 1 << 54 // exclusive
)

// ValidToken tells whether a text has the shape of a bot token: the bot's id, a colon, and at least 24
// characters of base64url. Such a text is also safe in the path of a URL.
func ValidToken(token string) bool {
	_, ok := BotID(token)
	return ok
}

// BotID gives the bot's user id, which is in its token and stays when the token is changed.
func BotID(token string) (int64, bool) {
	number, secret, _ := strings.Cut(token, ":")
	if len(token) > maxToken || len(secret) < minTokenSecret || strings.Trim(secret, wordAlphabet) != "" {
		return 0, false
	}
	if strings.Trim(number, "0123456789") != "" || strings.HasPrefix(number, "0") {
		return 0, false
	}
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil || id >= maxBotID {
		return 0, false
	}
	return id, true
}

const (
	mask     = "•••"
	withheld = "(not shown: it holds a part of the bot's token)"
)

// withoutToken takes the token out of a text that somebody else wrote: a server knows it from the path
// of the URL, and many people put it into their webhook's address. The number before the colon is no
// secret. What shows even eight characters in a row of the rest is not shown at all.
func withoutToken(text, token string) string {
	const telling = 8
	_, secret, _ := strings.Cut(token, ":")
	if secret == "" {
		return text
	}
	text = strings.ReplaceAll(text, secret, mask)
	for i := 0; i+telling <= len(secret); i++ {
		if strings.Contains(text, secret[i:i+telling]) {
			return withheld
		}
	}
	return text
}
