package botapi

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Profile is a bot as the page shows it.
type Profile struct {
	Bot
	ID          int64
	Hook        string // "" = none
	Pending     int
	LastError   string
	LastErrorAt time.Time
}

// Person is somebody who wrote to a bot.
type Person struct {
	Chat int64
	Name string
}

// Delivery is an update on its way, as the page shows it.
type Delivery struct {
	No          int
	ID          int64 // 0 = none
	Type        string
	At          time.Time
	Chat        int64
	Name        string
	Text        string
	Phone       string
	State       State
	Attempts    int
	Redelivered int
	Status      int
	Error       string
	NextAt      time.Time // of a waiting one that has failed
}

// Bots lists all bots by user id.
func (s *Server) Bots() []Profile {
	var all []Profile
	for _, b := range s.sorted() {
		b.mu.Lock()
		p := Profile{Bot: b.Bot, ID: b.id, Pending: b.line.length, LastError: b.lastError, LastErrorAt: b.lastErrorAt}
		if b.hook != nil {
			p.Hook = b.hook.URL
		}
		b.mu.Unlock()
		if p.Token != "" {
			all = append(all, p)
		}
	}
	return all
}

// recentLength is how far back people are looked for.
const recentLength = 200

// People lists who wrote to the bot lately, the last one first.
func (s *Server) People(token string) []Person {
	var people []Person
	for _, d := range s.Deliveries(token, 0, recentLength) {
		known := slices.ContainsFunc(people, func(p Person) bool { return p.Chat == d.Chat })
		if d.Chat > 0 && d.Name != "" && !known {
			people = append(people, Person{d.Chat, d.Name})
		}
	}
	return people
}

// Deliveries lists the last updates of a bot, newest first; of one chat if chat is not 0.
func (s *Server) Deliveries(token string, chat int64, limit int) []Delivery {
	b := s.bot(token)
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []Delivery
	for _, u := range slices.Backward(b.updates) {
		if len(all) == limit {
			break
		}
		if chat == 0 || u.Chat == chat {
			all = append(all, b.delivery(u))
		}
	}
	return all
}

func (b *bot) delivery(u *update) Delivery {
	d := Delivery{
		No: u.No, ID: u.ID, Type: u.Type, At: u.At, Chat: u.Chat, State: u.state, Attempts: u.attempts,
		Redelivered: u.redelivered, Status: u.lastStatus, Error: u.lastError,
	}
	if q := b.line.queues[u.Queue]; u.state == Waiting && q != nil && q.updates[0] == u {
		d.NextAt = q.wake
	}
	p := u.content()
	if who := p.actor(); who != nil {
		d.Name = strings.TrimSpace(who.FirstName + " " + who.LastName)
	}
	d.Text = cmp.Or(p.Text, p.Caption, p.Data)
	if p.Contact != nil {
		d.Phone = p.Contact.PhoneNumber
	}
	return d
}

// Sent lists what the bot sent to a chat, oldest first.
func (s *Server) Sent(token string, chat int64) []Sent {
	b := s.bot(token)
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []Sent
	for _, m := range b.sent {
		if m.Chat == chat {
			all = append(all, m)
		}
	}
	return all
}
