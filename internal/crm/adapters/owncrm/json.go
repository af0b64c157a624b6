package owncrm

import (
	"encoding/json"
	"regexp"
	"strings"

	"sverka/internal/crm"
)

// paths maps our names to dotted paths in the CRM's JSON. Beside the names of fields: stamp, parent (both
// in what we send), id and items (in what comes back).
type paths map[string]string

var pathForm = regexp.MustCompile(`^[^.\x00-\x1f"\\]{1,64}(\.[^.\x00-\x1f"\\]{1,64}){0,7}$`)

// fit holds when every path is one, and no two of what we send are the same or lie in each other.
func (p paths) fit() bool {
	var sent []string
	for name, path := range p {
		if !pathForm.MatchString(path) {
			return false
		}
		if name != "id" && name != "items" {
			sent = append(sent, path+".")
		}
	}
	for i, a := range sent {
		for j, b := range sent {
			if i != j && strings.HasPrefix(a, b) {
				return false
			}
		}
	}
	return true
}

func (p paths) of(name, otherwise string) string {
	if path := p[name]; path != "" {
		return path
	}
	return otherwise
}

// body writes a record as the CRM wants it.
func (p paths) body(r crm.Record) ([]byte, error) {
	root := map[string]any{}
	set(root, p.of("stamp", "stamp"), string(r.Stamp))
	set(root, "fields", map[string]any{})
	for name, value := range r.Fields {
		set(root, p.of(name, "fields."+name), value)
	}
	if r.Parent != "" {
		set(root, p.of("parent", "fields.parent"), string(r.Parent))
	}
	if empty, ok := root["fields"].(map[string]any); ok && len(empty) == 0 && len(p) > 0 {
		delete(root, "fields") // everything is mapped elsewhere
	}
	return json.Marshal(root)
}

// set writes a value at a path. Where something else stands in the way it is left as it is: fit has
// refused such mappings.
func set(root map[string]any, path string, value any) {
	names := strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		next, ok := root[name].(map[string]any)
		if !ok {
			if root[name] != nil {
				return
			}
			next = map[string]any{}
			root[name] = next
		}
		root = next
	}
	root[names[len(names)-1]] = value
}

// at gives what stands at a path, nil where nothing does.
func at(root any, path string) any {
	for _, name := range strings.Split(path, ".") {
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

func decode(body []byte) any {
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.UseNumber() // an id of 64 bits must not become a float
	var root any
	if decoder.Decode(&root) != nil || decoder.More() {
		return nil
	}
	return root
}

// object reads a record of the CRM; its ref is "" where there is none.
func (p paths) object(kind crm.Kind, root any) crm.Object {
	o := crm.Object{Ref: crm.Ref(text(at(root, p.of("id", "id")))), Kind: kind,
		Stamp: crm.Stamp(text(at(root, p.of("stamp", "stamp")))), Fields: map[string]string{}}
	if fields, ok := at(root, "fields").(map[string]any); ok {
		for name, value := range fields {
			if s := text(value); s != "" {
				o.Fields[name] = s
			}
		}
	}
	return o
}
