// Package botapi is our stand-in for api.telegram.org: the Bot API methods that Sverka calls, and the
// delivery of updates to a webhook with Telegram's order, retries, lifetimes and headers.
//
//	inject ──▶ journal ──▶ queue of its chat ──▶ POST to the webhook ──2xx──▶ delivered
//	                            ▲                      │
//	                            └── 0, 2, 4, 8, 16, 32, 60–64, then 60–120 s ── else
//	                                                   └── life is over ──▶ expired
//
// It owns bot-<user id>.jsonl: everything that a bot was told, written before the answer. The facts
// are tdlib/telegram-bot-api's (WebhookActor.cpp, Client.cpp); what differs, on purpose:
//   - a webhook may be plain http to a loopback host or to one of Options.LocalHosts, on any port;
//   - an update's life counts from its injection, not from the date that it carries;
//   - injected updates are delivered whatever allowed_updates says: whoever injects wants it so;
//   - new connections are not throttled, certificates cannot be uploaded, getUpdates is unknown.
package botapi
