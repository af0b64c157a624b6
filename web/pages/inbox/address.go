package inbox

import (
	"net/url"

	"github.com/google/uuid"

	"sverka/internal/bot"
	"sverka/internal/id"
	"sverka/internal/inbox"
)

// address makes the addresses of the list: the filter is in them, so each can be sent to somebody.
type address struct {
	path   string
	filter inbox.Filter
}

func (a address) with(f inbox.Filter) string {
	query := url.Values{}
	if f.State != "" {
		query.Set("state", string(f.State))
	}
	if f.Owner != uuid.Nil {
		query.Set("bot", f.Owner.String())
	}
	if !f.Before.IsZero() {
		query.Set("before", f.Before.String())
	}
	if len(query) == 0 {
		return a.path
	}
	return a.path + "?" + query.Encode()
}

// before is the page of the same filter that begins below an event; none = the first page.
func (a address) before(event id.Event) string {
	f := a.filter
	f.Before = event
	return a.with(f)
}

// states is the filter by state: all, then each that has events or is chosen.
func (a address) states(counts map[inbox.State]int) []Choice {
	var all Choice
	var each []Choice
	for _, state := range inbox.States() {
		n := counts[state]
		c := Choice{Value: string(state), Chosen: state == a.filter.State, Count: min(n, inbox.CountedUpTo), More: n > inbox.CountedUpTo,
			Href: a.with(inbox.Filter{State: state, Owner: a.filter.Owner})}
		all.Count, all.More = all.Count+c.Count, all.More || c.More
		if n > 0 || c.Chosen {
			each = append(each, c)
		}
	}
	all.Href, all.Chosen = a.with(inbox.Filter{Owner: a.filter.Owner}), a.filter.State == ""
	return append([]Choice{all}, each...)
}

func (a address) bots(bots []bot.Bot) []Choice {
	choices := make([]Choice, len(bots))
	for k, b := range bots {
		choices[k] = Choice{Value: b.ID.String(), Name: b.Name, Chosen: b.ID.UUID == a.filter.Owner}
	}
	return choices
}
