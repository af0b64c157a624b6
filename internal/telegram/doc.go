// Package telegram speaks with Telegram's Bot API: it reads the updates that bots receive and makes
// the few calls that we need.
//
//	raw body ──UpdateID──▶ the number its event key is made of    (every webhook, before storage)
//	raw body ──Decode────▶ Update ──Customer──▶ Message, or the reason why it is no customer's
//	Client ──▶ getMe, setWebhook, deleteWebhook, getWebhookInfo, sendMessage
//
// It stores nothing and owns no table. Facts of the outside world are those of the Bot API's
// documentation (core.telegram.org/bots/api, 10.1 and the newer fields seen in libraries) and of its
// published server, github.com/tdlib/telegram-bot-api.
package telegram
