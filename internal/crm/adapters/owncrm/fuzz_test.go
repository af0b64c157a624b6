package owncrm

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"unicode/utf8"

	"sverka/internal/crm"
)

// FuzzObject reads whatever a CRM may send, with whatever mapping a person may have entered. Nothing
// panics, and what is taken for an id is one that the database can hold.
func FuzzObject(f *testing.F) {
	for _, body := range []string{
		`{"id":"L-1","stamp":"svo-1","fields":{"name":"Ann"}}`, `{"id":9007199254740993}`, `{"data":{"id":1e400}}`, `[{"id":1}]`, `null`, `"x"`, ``,
		`{"id":"\ud800"}`, `{"id":"a\u0000b"}`, `{"items":[{"id":1},null,7,[]]}`, `{"id":1}{"id":2}`, `{"fields":[]}`, strings.Repeat("[", 20_000), "{\"id\":\"\xff\"}",
	} {
		for _, mapping := range []string{``, `{"id":"data.id","items":"data.rows","name":"fields.a.b"}`, `{"id":"id.id.id"}`, `{"items":"id","parent":"fields"}`} {
			f.Add(mapping, []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, mapping string, body []byte) {
		faults := crm.FieldErrors{}
		p := readPaths(mapping, faults)
		if len(faults) > 0 && len(p) > 0 && p.fit() {
			t.Fatalf("a mapping that fits is refused: %q", mapping)
		}
		root := decode(body)
		if root != nil && !json.Valid(body) {
			t.Fatalf("%q is taken for JSON", body)
		}
		o := p.object(crm.Lead, root)
		if o.Ref != "" && !o.Ref.Valid() {
			t.Fatalf("ref %q", o.Ref)
		}
		if root == nil && (o.Ref != "" || o.Stamp != "" || len(o.Fields) != 0) {
			t.Fatalf("%q is nothing, and gave %+v", body, o)
		}
		if items, ok := at(root, p.special("items")...).([]any); ok {
			for _, item := range items {
				p.object(crm.Note, item)
			}
		}
	})
}

// FuzzBody writes whatever a route may put into a record, with whatever mapping fits. It is refused, or
// every value is in it, whole, and reads back.
func FuzzBody(f *testing.F) {
	f.Add(``, "name", "Ann", "text", "hi", "")
	f.Add(`{"name":"contact.full_name","stamp":"code"}`, "name", "Ann", "phone", "+7", "L-1")
	f.Add(`{"name":"fields.text"}`, "name", "Ann", "text", "hi", "")
	f.Add(`{"parent":"lead.id","text":"lead.text"}`, "stamp", "x", "parent", "y", "L-1")
	f.Add(`{"utm":"utm.all"}`, "utm.source", "\x00", "utm", "\u2028<>&\"", "")
	f.Add(`{"name":"a.b.c","text":"a.b.d"}`, "id", "", "items", "[]", "7")
	f.Fuzz(func(t *testing.T, mapping, name1, value1, name2, value2, parent string) {
		p := readPaths(mapping, crm.FieldErrors{})
		fields := map[string]string{name1: value1, name2: value2}
		given := maps.Clone(fields)
		body, err := p.body(crm.Record{Kind: crm.Note, Stamp: "svo-1", Parent: crm.Ref(parent), Fields: fields})
		if !maps.Equal(fields, given) {
			t.Fatal("the record was changed")
		}
		if err != nil {
			return
		}
		again, err := p.body(crm.Record{Kind: crm.Note, Stamp: "svo-1", Parent: crm.Ref(parent), Fields: fields})
		if err != nil || string(again) != string(body) {
			t.Fatalf("a repeat has another body: %s, %s", body, again)
		}
		root := decode(body)
		if got := at(root, p.special("stamp")...); got != "svo-1" {
			t.Fatalf("stamp %v in %s", got, body)
		}
		if got := at(root, p.special("parent")...); parent != "" && got != asJSON(parent) {
			t.Fatalf("parent %v in %s", got, body)
		}
		for name, value := range fields {
			if got := at(root, p.field(name)...); got != asJSON(value) && utf8.ValidString(name) {
				t.Fatalf("%q is %v, want %q, in %s", name, got, value, body)
			}
		}
	})
}

// asJSON is a text as it comes back from JSON, which holds no broken UTF-8.
func asJSON(s string) string { return string([]rune(s)) }

// FuzzSettings fills the form with anything: it is taken, or told what is wrong, and what is taken can
// be sent.
func FuzzSettings(f *testing.F) {
	f.Add("https://crm.example.com/api", "bearer", "token", "", "neither", "24h", "yes", ``)
	f.Add("http://127.0.0.1:1", "header", "t\t", "X-Key", "idempotent_create", "10m", "no", `{"name":"a.b"}`)
	f.Add("https://[::1]:443/%2e%2e/", "basic", "u:p", "Host", "upsert_by_external_id", "-1h", "", `{"":""}`)
	f.Fuzz(func(t *testing.T, base, how, secret, header, promise, window, search, paths string) {
		client, err := open(crm.Settings{crm.BaseURLField: base, auth: how, token: secret, authHeader: header,
			capability: promise, keyWindow: window, searchable: search, mapping: paths}, nil)
		if err != nil {
			return
		}
		if len(client.Creates) != 2 || client.Check == nil || client.Read == nil {
			t.Fatalf("opened half: %+v", client)
		}
		if keyed, ok := client.Creates[crm.Lead].(crm.Keyed); ok && keyed.Window <= 0 {
			t.Fatalf("window %v", keyed.Window)
		}
	})
}
