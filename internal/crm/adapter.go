package crm

import "context"

// Adapter is our code for one kind of CRM: its description, and how to open a connection.
type Adapter struct {
	Name   string // permanent, in the database: owncrm
	Title  Text
	Help   Text
	Fields []Field // what a person fills in to connect; draws the form
	Kinds  []Kind  // the record kinds that it writes
	Rate   Rate
	// Open makes the functions of one connection. It does no I/O; an error is a FieldErrors.
	Open func(Settings, Wire) (Client, error)
}

// Text is one sentence in both languages.
type Text struct{ EN, RU string }

// Field is one value of a connection's settings.
type Field struct {
	Name     string // key in Settings
	Label    Text
	Help     Text
	Type     FieldType
	Secret   bool // sealed at rest, masked on screen, never sent back
	Required bool
	Default  string
	Choices  []Choice // for Select
}

// Choice is one option of a Select field.
type Choice struct {
	Value string
	Label Text
}

// FieldType chooses the form control.
type FieldType string

// The form controls.
const (
	Line   FieldType = "line"
	URL    FieldType = "url" // https; the wire is bound to its host
	Select FieldType = "select"
	JSON   FieldType = "json"
)

// Settings is what a person filled in, secrets included, by field name.
type Settings map[string]string

// BaseURLField is the field that every adapter uses for the address its wire is bound to.
const BaseURLField = "base_url"

// FieldErrors says what is wrong with a setting, by field name.
type FieldErrors map[string]Text

// Error names the fields, not their values.
func (e FieldErrors) Error() string {
	s := "settings are not usable:"
	for name, text := range e {
		s += " " + name + ": " + text.EN + ";"
	}
	return s
}

// Rate is what the CRM bears.
type Rate struct {
	PerSecond   float64
	Burst       int
	Concurrency int // requests at once per connection
}

// Client is the functions of one open connection. A nil function means: this CRM cannot.
type Client struct {
	// Check reads something harmless with the credentials. NotExecuted and Unknown say why not;
	// Executed means all is well (its Ref is what the account is called).
	Check func(context.Context) Outcome
	// Creates has one entry per record kind of the adapter.
	Creates map[Kind]Create
	// FindByStamp searches for the record of an operation. An empty list is never proof of absence; the
	// error is an Unread.
	FindByStamp func(context.Context, Kind, Stamp) ([]Object, error)
	// Read fetches one record by its ref; ErrNotFound where there is none.
	Read func(context.Context, Kind, Ref) (Object, error)
}
