package attention

import (
	"time"

	"sverka/web/ui"
)

// Model is the list as it is shown.
type Model struct {
	Shell ui.Shell
	Since *time.Time // when the longest waiting one came to stand here; nil = unknown on a later page
	Rows  []Row
	First string // "" = this is the first page
	Next  string // "" = this is the last page
}

// Row is one operation that needs a person.
type Row struct {
	Href       string // of its event
	Since      time.Time
	Kind       string
	State      string
	Why        string // a stable code
	Means      string // key of what it means for the customer
	Connection string
	Customer   string // "" = nobody is known
}

// summary is how many wait, and how long the first of them.
func (m Model) summary() ui.Phrase {
	longest := m.Shell.Now.Sub(*m.Since)
	if m.Shell.Waiting == 1 {
		return ui.Phrase{Key: "attention.waiting_single", Args: ui.Args{"Span": longest}}
	}
	return ui.Phrase{Key: "attention.waiting", Args: ui.Args{"Count": m.Shell.Waiting, "Span": longest}}
}
