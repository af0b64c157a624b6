package inbox

import (
	"time"

	"sverka/internal/i18n"
	"sverka/web/ui"
)

// Model is the list as it is shown.
type Model struct {
	Shell    ui.Shell
	Oldest   *time.Time // when the longest waiting event arrived; nil = none waits
	States   []Choice
	Bots     []Choice
	State    string // chosen; "" = all
	Filtered bool
	Rows     []Row
	All      string // address without filters
	Newest   string // "" = this is the first page
	Older    string // "" = this is the last page
}

// Choice is one value of a filter.
type Choice struct {
	Value  string
	Name   string // a bot's own name
	Href   string
	Chosen bool
	Count  int
	More   bool // than Count
}

// Row is one event.
type Row struct {
	Href       string
	Update     string
	State      string
	Reason     string
	ReceivedAt time.Time
	Bot        string
	Kind       string // "" = not read yet
	From       string // "" = nobody is known
	Deliveries int
	Operations []Operation
}

// Operation is one thing that came of an event.
type Operation struct {
	Kind     string
	State    string
	Attempts int
	Ref      string
}

func (m Model) nothingYet() bool { return len(m.Rows) == 0 && !m.Filtered && m.Newest == "" }

// tone: an event is read within a second, so one that waits for minutes is a sign.
func (m Model) tone() string {
	return ui.ToneOfAge(m.Shell.Now.Sub(*m.Oldest), time.Minute, 10*time.Minute)
}

func (c Choice) count() any {
	if c.More {
		return i18n.AtLeast(c.Count)
	}
	return c.Count
}
