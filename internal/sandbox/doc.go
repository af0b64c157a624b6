// Package sandbox is our fake outside world over real HTTP: a Telegram Bot API that delivers updates as
// Telegram does, and CRMs of our own that can be told to fail and that remember every effect.
//
//	a customer (page, inject) ─▶ botapi ─webhook─▶ Sverka ─record API─▶ owncrm ─▶ ledger
//
// It binds nothing itself: the composition root serves Handler on one listener and calls Run. All
// state is in files under one folder, written before anything is answered; see journal.
//
//	/bot{token}/{method}                  as api.telegram.org
//	PUT  /telegram/{token}                make a bot       {"username","name"}
//	POST /telegram/{token}/inject         a whole update, or {"from":{…},"text":"…"}; ?exact=1
//	POST /telegram/{token}/redeliver      {"update_id":n,"times":k,"parallel":true}
//	PUT  /crm/{account}                   make an account  {"capability","searchable"}
//	GET  /crm/{account}/ledger            every request and every object
//	GET, POST, DELETE /crm/{account}/faults
//	/crm/{account}/ping, /leads, /notes   the record API (Authorization: Bearer …)
//	/                                     the page: be a customer, break things, watch
package sandbox
