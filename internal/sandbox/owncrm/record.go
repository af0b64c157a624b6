package owncrm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
)

// The kinds of record.
const (
	lead = "lead"
	note = "note"
)

// kindOf reads the plural of a path.
var kindOf = map[string]string{"leads": lead, "notes": note}

// call is one request to the record API, read whole.
type call struct {
	method   string
	kind     string // "" = not about records
	external string // stamp in the path of an upsert
	id       string // of the one object that is read
	ping     bool
	key      string
	search   string // ?stamp=
	searches bool   // ?stamp= was given
	body     []byte
	fault    error // the body did not arrive whole
}

func (c call) write() bool { return c.method != http.MethodGet && c.method != http.MethodHead }

// result is what a request came to, before a fault touches it.
type result struct {
	status int
	body   any
	entry  entry  // object and key, if it was executed
	id     string // of the object that it was about
	stamp  string
}

func (r result) executed() bool { return r.entry.Object != nil }

type problem struct {
	Error string `json:"error"`
}

func failed(status int, text string) result { return result{status: status, body: problem{text}} }

// execute decides what the request does. It changes nothing: the caller records the entry.
func (a *account) execute(c call) result {
	var long *http.MaxBytesError
	switch {
	case errors.As(c.fault, &long):
		return failed(http.StatusRequestEntityTooLarge, "too_large")
	case c.fault != nil:
		return failed(http.StatusBadRequest, "the body did not arrive: "+c.fault.Error())
	case c.ping && !c.write():
		return result{status: http.StatusOK, body: map[string]string{"account": a.settings.Name}}
	case c.ping:
		return failed(http.StatusMethodNotAllowed, "method_not_allowed")
	case c.kind == "":
		return failed(http.StatusNotFound, "not_found")
	case c.external != "" && c.method == http.MethodPut:
		return a.upsert(c)
	case c.external == "" && c.id == "" && c.method == http.MethodPost:
		return a.create(c)
	case c.external == "" && c.id != "" && !c.write():
		return a.read(c)
	case c.external == "" && c.id == "" && !c.write():
		return a.search(c)
	}
	return failed(http.StatusMethodNotAllowed, "method_not_allowed")
}

func (a *account) create(c call) result {
	if c.key != "" && a.settings.Capability == IdempotentCreate {
		return a.createOnce(c)
	}
	fields, stamp, refused := a.content(c)
	if refused != nil {
		return *refused
	}
	return a.make(c.kind, stamp, fields)
}

// createOnce executes a key's first request; later ones get the same object.
func (a *account) createOnce(c call) result {
	place := c.kind + " " + c.key
	if a.busy[place] {
		return failed(http.StatusConflict, "key_in_progress")
	}
	used, known := a.keys[place]
	if known && a.options.Now().Sub(used.At) < a.options.KeyWindow {
		return found(http.StatusOK, a.byID[used.Object])
	}
	fields, stamp, refused := a.content(c)
	if refused != nil {
		return *refused
	}
	made := a.make(c.kind, stamp, fields)
	made.entry.Key = &usedKey{Kind: c.kind, Key: c.key, Object: made.id, At: a.options.Now()}
	return made
}

func (a *account) upsert(c call) result {
	if a.settings.Capability != UpsertByExternalID {
		return failed(http.StatusMethodNotAllowed, "not_supported")
	}
	fields, stamp, refused := a.content(c)
	switch {
	case refused != nil:
		return *refused
	case stamp != "" && stamp != c.external:
		return failed(http.StatusUnprocessableEntity, "stamp differs from the path")
	}
	have := a.byStamp[c.kind+" "+c.external]
	if have == nil {
		return a.make(c.kind, c.external, fields)
	}
	r := found(http.StatusOK, have)
	if !reflect.DeepEqual(have.Fields, fields) {
		changed := *have
		changed.Fields = fields
		r.body, r.entry.Object = changed, &changed
	}
	return r
}

func (a *account) make(kind, stamp string, fields map[string]any) result {
	o := Object{ID: a.freshID(kind), Kind: kind, Stamp: stamp, Fields: fields}
	r := found(http.StatusCreated, &o)
	r.entry.Object = &o
	return r
}

func found(status int, o *Object) result {
	return result{status: status, body: *o, id: o.ID, stamp: o.Stamp}
}

func (a *account) read(c call) result {
	o := a.byID[c.id]
	if o == nil || o.Kind != c.kind {
		return failed(http.StatusNotFound, "not_found")
	}
	return found(http.StatusOK, o)
}

const listLength = 50

// search gives the objects of one stamp, or the last 50, newest first. An account that cannot be
// searched cannot be listed either, or listing would be a search.
func (a *account) search(c call) result {
	if !a.settings.Searchable {
		return failed(http.StatusForbidden, "not_searchable")
	}
	items := []Object{}
	for i := len(a.objects) - 1; i >= 0 && len(items) < listLength; i-- {
		if o := a.objects[i]; o.Kind == c.kind && (!c.searches || o.Stamp == c.search) {
			items = append(items, *o)
		}
	}
	return result{status: http.StatusOK, body: map[string]any{"items": items}}
}

// content reads the body of a write strictly: 400 = no such JSON, 422 = JSON that says too little.
func (a *account) content(c call) (fields map[string]any, stamp string, refused *result) {
	var in struct {
		Stamp  string          `json:"stamp"`
		Fields json.RawMessage `json:"fields"`
	}
	if err := strictJSON(c.body, &in); err != nil {
		r := failed(http.StatusBadRequest, "bad JSON: "+err.Error())
		return nil, "", &r
	}
	unprocessable := func(text string) (map[string]any, string, *result) {
		r := failed(http.StatusUnprocessableEntity, text)
		return nil, "", &r
	}
	if json.Unmarshal(in.Fields, &fields) != nil || fields == nil {
		return unprocessable("fields must be an object")
	}
	if c.kind == note {
		parent, _ := fields["parent"].(string)
		if p := a.byID[parent]; p == nil || p.Kind != lead {
			return unprocessable("fields.parent is no lead of this account")
		}
	}
	return maps.Clone(fields), in.Stamp, nil
}

// strictJSON refuses unknown names and anything after the value.
func strictJSON(raw []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("reading the body: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the value")
	}
	return nil
}
