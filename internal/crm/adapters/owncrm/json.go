package owncrm

import (
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"sverka/internal/crm"
)

// paths maps our names to dotted paths in the CRM's JSON. Beside the names of fields: stamp and parent
// in what we send and get, id and items in what we get.
type paths map[string]string

var pathForm = regexp.MustCompile(`^[^.\x00-\x1f"\\]{1,64}(\.[^.\x00-\x1f"\\]{1,64}){0,7}$`)

// fit holds when every path is one, and no two of what we send are the same or lie in each other, the
// places of what is not mapped among them.
func (p paths) fit() bool {
	var sent []string
	for _, name := range []string{"stamp", "parent"} {
		if p[name] == "" {
			sent = append(sent, strings.Join(p.special(name), "."))
		}
	}
	for name, path := range p {
		if name == "" || path == "fields" || !pathForm.MatchString(path) {
			return false
		}
		if name != "id" && name != "items" {
			sent = append(sent, path)
		}
	}
	for i, a := range sent {
		for j, b := range sent {
			if i != j && (a == b || strings.HasPrefix(a, b+".")) {
				return false
			}
		}
	}
	return true
}

// special is the path of what is no field of the record.
func (p paths) special(name string) []string {
	if path := p[name]; path != "" {
		return strings.Split(path, ".")
	}
	if name == "parent" {
		return []string{"fields", name}
	}
	return []string{name}
}

// field is the path of a field. One that happens to be called stamp is still a field.
func (p paths) field(name string) []string {
	if path := p[name]; path != "" && !isSpecial(name) {
		return strings.Split(path, ".")
	}
	return []string{"fields", name}
}

func isSpecial(name string) bool {
	return slices.Contains([]string{"stamp", "parent", "id", "items"}, name)
}

// errCollision: two values of the record would stand in one place, and one of them be lost.
var errCollision = errors.New("owncrm: two fields have one place in the mapping")

// body writes a record as the CRM wants it.
func (p paths) body(r crm.Record) ([]byte, error) {
	fields := map[string]any{}
	root := map[string]any{"fields": fields}
	fits := set(root, p.special("stamp"), string(r.Stamp))
	if r.Parent != "" {
		fits = set(root, p.special("parent"), string(r.Parent)) && fits
	}
	for name, value := range r.Fields {
		fits = set(root, p.field(name), value) && fits
	}
	if !fits {
		return nil, errCollision
	}
	if len(fields) == 0 && len(p) > 0 {
		delete(root, "fields") // everything is mapped elsewhere
	}
	return json.Marshal(root)
}

// set writes a value at a path; false when something is there, or in the way.
func set(root map[string]any, path []string, value any) bool {
	last := len(path) - 1
	for _, name := range path[:last] {
		if _, there := root[name]; !there {
			root[name] = map[string]any{}
		}
		next, ok := root[name].(map[string]any)
		if !ok {
			return false
		}
		root = next
	}
	if _, there := root[path[last]]; there {
		return false
	}
	root[path[last]] = value
	return true
}

// at gives what stands at a path, nil where nothing does.
func at(root any, path ...string) any {
	for _, name := range path {
		object, ok := root.(map[string]any)
		if !ok {
			return nil
		}
		root = object[name]
	}
	return root
}

// text is an id as text: CRMs give numbers and strings.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// decode reads one JSON value and nothing after it; nil when it is something else.
func decode(body []byte) any {
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.UseNumber() // an id of 64 bits must not become a float
	var root any
	if decoder.Decode(&root) != nil {
		return nil
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil
	}
	return root
}

// object reads a record of the CRM, its fields by our names; its ref is "" where there is none.
func (p paths) object(kind crm.Kind, root any) crm.Object {
	o := crm.Object{Ref: crm.Ref(text(at(root, p.special("id")...))), Kind: kind,
		Stamp: crm.Stamp(text(at(root, p.special("stamp")...))), Fields: map[string]string{}}
	if !o.Ref.Valid() {
		o.Ref = ""
	}
	keep := func(name string, value any) {
		if s := text(value); s != "" {
			o.Fields[name] = s
		}
	}
	taken := map[string]bool{} // places among the fields that are not what they are called
	for name, path := range p {
		taken[path] = name != "id" && name != "items" || taken[path]
		if !isSpecial(name) || name == "parent" {
			taken["fields."+name] = true
		}
	}
	fields, _ := at(root, "fields").(map[string]any)
	for name, value := range fields {
		if !taken["fields."+name] {
			keep(name, value)
		}
	}
	for name := range p {
		if !isSpecial(name) {
			keep(name, at(root, p.field(name)...))
		}
	}
	keep("parent", at(root, p.special("parent")...))
	return o
}
