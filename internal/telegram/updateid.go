package telegram

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// UpdateID gives the update_id of a webhook's raw body, if it has a usable one: the body is one whole
// valid JSON value, an object (RFC 8259, so without byte order mark; at most 10 000 levels deep, the
// limit of encoding/json), in which update_id stands once, at the top, as an integer in 1 … 2^53
// written without fraction, exponent or quotes.
//
// A body that breaks after its update_id is not usable: a torn copy must not take the key of the whole
// update, which Telegram will send again. Raw bytes that are no UTF-8 do not matter: Telegram sends
// callback data and invoice payloads as they are (telegram-bot-api, JsonRawString).
//
// It runs on every webhook before storage: one pass to check, one to look, no tree.
func UpdateID(body []byte) (id int64, ok bool) {
	if !json.Valid(body) {
		return 0, false
	}
	return usableID(body)
}

// usableID is UpdateID for a body known to be valid JSON.
func usableID(valid []byte) (id int64, ok bool) {
	for name, value := range members(valid) {
		if !isUpdateID(name) {
			continue
		}
		if id != 0 {
			return 0, false
		}
		// What is no plain integer is refused at once: were it followed by a good one, there would be two.
		n, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil || n < 1 || n > maxInteger {
			return 0, false
		}
		id = n
	}
	return id, id != 0
}

// isUpdateID also sees through escapes, so that a second update_id cannot hide behind one.
func isUpdateID(quoted []byte) bool {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted) == `"update_id"`
	}
	return unquoted(quoted) == "update_id"
}
