package botapi

import "time"

// State of an update on its way.
type State string

// Every update is Waiting until one of the others.
const (
	Waiting   State = "waiting"
	Delivered State = "delivered"
	Expired   State = "expired" // its life was over
	Dropped   State = "dropped" // by drop_pending_updates
)

// update is one stored update. Body is what is sent, byte for byte, at every attempt.
type update struct {
	No      int       `json:"no"`
	ID      int64     `json:"update_id"` // 0 = the body has none that is usable
	Type    string    `json:"type"`      // "" = none that we could read
	Queue   string    `json:"queue"`
	Chat    int64     `json:"chat,omitempty"`
	Message int64     `json:"message_id,omitempty"`
	At      time.Time `json:"at"`
	Expires time.Time `json:"expires"`
	Body    []byte    `json:"body"`
	Ours    bool      `json:"ours,omitempty"` // the id is of our sequence, not given by whoever injected

	state       State
	attempts    int
	redelivered int
	lastStatus  int
	lastError   string
	backoff     backoff
}

// attempt is one POST and what came of it, or (Status 0, no Error) an end without one.
type attempt struct {
	No     int       `json:"no"`
	At     time.Time `json:"at"`
	Status int       `json:"status,omitempty"`
	Error  string    `json:"error,omitempty"`
	End    State     `json:"end,omitempty"`   // "" = it will be tried again
	Again  bool      `json:"again,omitempty"` // a redelivery that was asked for
}

func (b *bot) applyUpdate(u *update) {
	u.state = Waiting
	b.updates = append(b.updates, u)
	if u.ID != 0 {
		b.byID[u.ID] = u
	}
	if u.Ours {
		b.lastID = u.ID
	}
	if u.Chat != 0 {
		b.chats[u.Chat] = true
	}
	b.lastMessage = max(b.lastMessage, u.Message)
	b.line.add(u)
}

func (b *bot) applyAttempt(a attempt) {
	u := b.updates[a.No]
	if a.Again {
		u.redelivered++
		return
	}
	u.lastStatus, u.lastError = a.Status, a.Error
	if a.Status != 0 || a.Error != "" {
		u.attempts++
	}
	if a.Error != "" {
		b.lastError, b.lastErrorAt = a.Error, a.At
	}
	if a.End != "" {
		u.state = a.End
		b.line.remove(u)
	}
}

func (b *bot) applyDropAll() {
	for _, u := range b.line.all() {
		u.state = Dropped
	}
	b.line = newLine()
}

// The range of a random first update_id and the end of the sequence (tdlib TQueue.cpp).
const (
	firstIDLow  = 2_000_001
	firstIDHigh = 1_000_000_000
	lastID      = 2_000_000_000
)

// freshID gives the next update_id of the sequence, past those that were injected with a given one.
func (b *bot) freshID() int64 {
	if b.lastID == 0 || b.lastID >= lastID {
		b.lastID = b.dice.between(firstIDLow, firstIDHigh) - 1
	}
	next := b.lastID + 1
	for b.byID[next] != nil {
		next++
	}
	return next
}

// freshMessage gives the next message_id. It starts at random, so that a sandbox whose folder was
// deleted does not repeat the ids that Sverka has already seen.
func (b *bot) freshMessage() int64 {
	if b.lastMessage == 0 {
		b.lastMessage = b.dice.between(1_000, 1_000_000)
	}
	return b.lastMessage + 1
}
