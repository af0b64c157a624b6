package botapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Inject stores what was given as an update and returns its update_id. It takes either:
//   - a short form, an object with "from", "text", "start" or "contact" at its top, from which a
//     message in a private chat is made as Telegram would write it;
//   - anything else: a whole update, delivered byte for byte, also when it is no JSON at all. Only an
//     object without the key update_id gets one, unless exact forbids even that.
//
// The id is 0 where the body has none that is usable.
func (s *Server) Inject(token string, body []byte, exact bool) (int64, error) {
	b := s.bot(token)
	if b == nil {
		return 0, ErrNoBot
	}
	if len(body) == 0 {
		return 0, ErrEmpty
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	u, err := b.read(body, exact)
	if err != nil {
		return 0, err
	}
	u.No = len(b.updates)
	u.At = b.options.Now()
	u.Queue = queueOf(u.Type, u.content(), u.No)
	u.Expires = u.At.Add(kinds[u.Type].life.of(b.options))
	if err := b.record(entry{Update: u}); err != nil {
		return 0, err
	}
	return u.ID, nil
}

// What Inject and Redeliver may answer.
var (
	ErrNoBot    = errors.New("no bot has this token")
	ErrEmpty    = errors.New("an update has at least one byte")
	ErrShort    = errors.New("short form")
	ErrNoUpdate = errors.New("no such update")
	ErrNoHook   = errors.New("no webhook is set")
)

func (b *bot) read(body []byte, exact bool) (*update, error) {
	var top map[string]json.RawMessage
	if json.Unmarshal(body, &top) != nil || top == nil {
		return &update{Body: bytes.Clone(body)}, nil
	}
	if !exact && isShort(top) {
		return b.readShort(body, top)
	}
	u := &update{Body: bytes.Clone(body)}
	if _, given := top["update_id"]; given || exact {
		u.ID = usableID(top["update_id"])
	} else {
		u.ID, u.Ours = b.freshID(), true
		u.Body = withID(u.ID, body, len(top) > 0)
	}
	u.Type = typeOf(top)
	u.look()
	return u, nil
}

// look notes whose message it is.
func (u *update) look() {
	p := u.content()
	if p.Chat != nil {
		u.Chat = p.Chat.ID
	}
	u.Message = p.MessageID
}

func isShort(top map[string]json.RawMessage) bool {
	for _, key := range []string{"from", "text", "start", "contact"} {
		if _, has := top[key]; has {
			return true
		}
	}
	return false
}

// withID puts our update_id in front, as Telegram does, and leaves every other byte alone.
func withID(id int64, body []byte, more bool) []byte {
	rest := bytes.TrimLeft(body, " \t\r\n")[1:]
	head := `{"update_id":` + strconv.FormatInt(id, 10)
	if more {
		head += ",\n"
	}
	return append([]byte(head), rest...)
}

// usableID is 0 for anything but a positive integer that a JSON number can carry.
func usableID(raw json.RawMessage) int64 {
	id, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || id < 1 || id > 1<<53 {
		return 0
	}
	return id
}

func typeOf(top map[string]json.RawMessage) string {
	for _, typ := range updateTypes {
		if _, has := top[typ]; has {
			return typ
		}
	}
	for _, key := range slices.Sorted(maps.Keys(top)) {
		if key != "update_id" {
			return key
		}
	}
	return ""
}

// content is the part of the update's payload that we look at; zero where it cannot be read.
func (u *update) content() payload {
	var top map[string]json.RawMessage
	var p payload
	if json.Unmarshal(u.Body, &top) == nil {
		_ = json.Unmarshal(top[u.Type], &p)
	}
	return p
}

func shortError(field string, err error) error {
	return fmt.Errorf("%w: %s: %w", ErrShort, field, err)
}
