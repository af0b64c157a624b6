package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"sverka/internal/sandbox/botapi"
	"sverka/internal/sandbox/owncrm"
)

// model is all that the page draws.
type model struct {
	address
	Origin   string // of this sandbox, as the browser sees it
	PanelURL string
	Bots     []botapi.Profile
	Chosen   *botapi.Profile // nil = there is no bot
	People   []botapi.Person
	Talk     []said
	Updates  []botapi.Delivery
	Accounts []account
	Faults   []faultGroup
}

// said is one bubble of the conversation.
type said struct {
	At       time.Time
	Text     string
	Phone    string
	Delivery *botapi.Delivery // nil = the bot said it
}

type account struct {
	owncrm.Account
	Leads    []card
	Hidden   int // leads that are not shown
	Requests []owncrm.Request
	Writes   int
	Queue    []queued
	Twice    []string // stamps that more than one record of a kind has
}

// LeadCount includes those that are not shown.
func (a account) LeadCount() int { return len(a.Leads) + a.Hidden }

// Short is a path without the part that the whole account shares.
func (a account) Short(path string) string { return strings.TrimPrefix(path, "/crm/"+a.Name) }

// card is a lead with its notes, or a note.
type card struct {
	ID     string
	Title  string
	Stamp  string
	Twice  bool
	Fields []field
	Notes  []card
}

// queued is a fault that waits to happen.
type queued struct {
	owncrm.Fault
	Executes bool
	Percent  float64
}

func queueOf(faults []owncrm.Fault) []queued {
	var all []queued
	for _, f := range faults {
		all = append(all, queued{f, owncrm.Executes(f.Fault), f.Rate * 100})
	}
	return all
}

type field struct{ Name, Value string }

// faultGroup is the faults that do, or do not, execute the request.
type faultGroup struct {
	Title  string
	Faults []string
}

// What fits on a page that is looked at, not searched.
const (
	talkLength    = 30
	updatesLength = 30
	leadsLength   = 12
	ledgerLength  = 40
)

func (p *Page) model(r *http.Request) model {
	m := model{
		address: readAddress(r, r.URL.Query()), Origin: "http://" + r.Host, PanelURL: p.panelURL, Bots: p.bots.Bots(),
	}
	for i := range m.Bots {
		if m.Chosen == nil || m.Bots[i].Token == m.Bot {
			m.Chosen = &m.Bots[i]
		}
	}
	if m.Chosen != nil {
		m.Bot = m.Chosen.Token
		m.People = p.bots.People(m.Bot)
		if m.As == "" && len(m.People) > 0 {
			m.As = m.People[0].Name
		}
		m.As = cmp.Or(m.As, m.T("default_name"))
		m.Talk = p.talk(m.address)
		m.Updates = p.bots.Deliveries(m.Bot, 0, updatesLength)
	}
	for _, o := range p.accounts.Accounts() {
		m.Accounts = append(m.Accounts, accountOf(o))
	}
	m.Faults = []faultGroup{{Title: "faults_executed"}, {Title: "faults_not"}}
	for _, fault := range owncrm.Faults() {
		group := &m.Faults[1]
		if owncrm.Executes(fault) {
			group = &m.Faults[0]
		}
		group.Faults = append(group.Faults, fault)
	}
	return m
}

// talk is the last of what the customer and the bot said, oldest first.
func (p *Page) talk(a address) []said {
	chat := p.chat(a)
	var all []said
	for _, d := range p.bots.Deliveries(a.Bot, chat, talkLength) {
		all = append(all, said{At: d.At, Text: d.Text, Phone: d.Phone, Delivery: &d})
	}
	for _, s := range p.bots.Sent(a.Bot, chat) {
		all = append(all, said{At: s.At, Text: s.Text})
	}
	slices.SortStableFunc(all, func(a, b said) int { return a.At.Compare(b.At) })
	return all[max(0, len(all)-talkLength):]
}

func accountOf(o owncrm.Overview) account {
	a := account{Account: o.Account, Queue: queueOf(o.Faults)}
	stamps := map[string]int{}
	notes := map[string][]owncrm.Object{}
	for _, object := range o.Objects {
		if object.Stamp != "" {
			stamps[object.Kind+" "+object.Stamp]++
		}
		parent, _ := object.Fields["parent"].(string)
		notes[parent] = append(notes[parent], object)
	}
	twice := map[string]bool{}
	draw := func(object owncrm.Object) card {
		c := cardOf(object)
		if c.Twice = stamps[object.Kind+" "+object.Stamp] > 1; c.Twice {
			twice[object.Stamp] = true
		}
		return c
	}
	for _, object := range slices.Backward(o.Objects) {
		switch {
		case object.Kind != "lead":
			continue
		case len(a.Leads) == leadsLength:
			a.Hidden++
			continue
		}
		c := draw(object)
		for _, note := range notes[object.ID] {
			c.Notes = append(c.Notes, draw(note))
		}
		a.Leads = append(a.Leads, c)
	}
	a.Twice = slices.Sorted(maps.Keys(twice))
	for _, request := range slices.Backward(o.Requests) {
		if request.Write {
			a.Writes++
		}
		if len(a.Requests) < ledgerLength {
			a.Requests = append(a.Requests, request)
		}
	}
	return a
}

// fieldOrder is how a person would read a lead; other fields follow by name.
var fieldOrder = []string{"text", "phone", "email", "username", "telegram_id", "start_payload"}

func cardOf(o owncrm.Object) card {
	c := card{ID: o.ID, Stamp: o.Stamp, Title: value(o.Fields["name"])}
	for _, name := range slices.Concat(fieldOrder, slices.Sorted(maps.Keys(o.Fields))) {
		drawn := slices.ContainsFunc(c.Fields, func(f field) bool { return f.Name == name })
		if text := value(o.Fields[name]); text != "" && !drawn && name != "name" && name != "parent" {
			c.Fields = append(c.Fields, field{name, text})
		}
	}
	return c
}

// value is a field as text; "" = nothing to show.
func value(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

var functions = template.FuncMap{
	"clock": func(t time.Time) string { return t.Local().Format("15:04:05") },
	"iso":   func(t time.Time) string { return t.Local().Format(time.RFC3339) },
	"dict": func(pairs ...any) map[string]any { // what a template with two arguments is called with
		named := map[string]any{}
		for i := 0; i+1 < len(pairs); i += 2 {
			named[fmt.Sprint(pairs[i])] = pairs[i+1]
		}
		return named
	},
	"future": func(t time.Time) bool { return t.After(time.Now()) },
}
