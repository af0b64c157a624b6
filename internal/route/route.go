// Package route leads from a source (bot or partner) to a connection, with what becomes of a message
// on the way. A route is read for each event, never cached: a change is live at once.
//
// It alone writes table routes.
package route

import (
	"sverka/internal/id"
)

// Route is one way from a source to a connection.
type Route struct {
	ID         id.Route
	Connection id.Connection
	Mapping    Mapping
	Version    int
}

// Mapping says what goes into the CRM record. Without an entry a field goes under its own name.
type Mapping struct {
	// Fields: name of the record's field ← name of ours, or constant text after "=".
	Fields map[string]string `json:"fields,omitempty"`
}

// Apply makes the record's fields of what is known. Empty values are left out.
func (m Mapping) Apply(known map[string]string) map[string]string {
	fields := map[string]string{}
	for name, value := range known {
		if value != "" {
			fields[name] = value
		}
	}
	for name, from := range m.Fields {
		if constant, ok := cutConstant(from); ok {
			fields[name] = constant
		} else if value := known[from]; value != "" {
			fields[name] = value
		}
	}
	return fields
}

func cutConstant(from string) (string, bool) {
	if len(from) > 0 && from[0] == '=' {
		return from[1:], true
	}
	return "", false
}
