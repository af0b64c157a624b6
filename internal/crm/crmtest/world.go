package crmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/uuid"

	"sverka/internal/crm"
	"sverka/internal/safehttp"
)

// world is one open connection to one CRM, with everything seen in between.
type world struct {
	*testing.T
	Config
	kind     crm.Kind
	settings crm.Settings
	fake     CRM
	line     *line
	wire     *crm.Recorder
	client   crm.Client
	parent   crm.Ref // of notes
}

func (c Config) open(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, Config: c, fake: c.Start(t), settings: maps.Clone(c.Settings)}
	w.line = newLine(t, w.fake)
	w.settings[crm.BaseURLField] = w.line.server.URL + w.fake.Path
	w.reopen(w.settings)
	return w
}

func (s suite) open(t *testing.T) *world {
	t.Helper()
	w := s.Config.open(t)
	if w.kind = s.kind; s.kind == crm.Note {
		w.parent = w.made(w.do(t.Context(), w.operation(crm.Lead)))
		w.line.forget()
		w.reopen(w.settings)
	}
	return w
}

// reopen opens the connection with other settings.
func (w *world) reopen(s crm.Settings) {
	w.Helper()
	guarded, err := safehttp.New(s[crm.BaseURLField], safehttp.Options{AllowLoopback: true})
	if err != nil {
		w.Fatal(err)
	}
	w.wire = crm.NewRecorder(marking{crm.NewWire(guarded)})
	if w.client, err = w.Adapter.Open(s, w.wire); err != nil {
		w.Fatal(err)
	}
}

// marking puts the marker on writes.
type marking struct{ to crm.Wire }

func (m marking) Send(ctx context.Context, c crm.Call) crm.Answer {
	if c.Write {
		if c.Header = c.Header.Clone(); c.Header == nil {
			c.Header = map[string][]string{}
		}
		c.Header.Set(marker, "1")
	}
	return m.to.Send(ctx, c)
}

// operation is one create with its key and its external id, the same however often it is sent.
type operation struct {
	crm.Record
	key      crm.Key
	external crm.ExternalID
}

func (w *world) operation(kind crm.Kind) operation {
	number := uuid.NewString()
	o := operation{
		Record: crm.Record{Kind: kind, Stamp: crm.StampOf(number), Parent: w.parent, Fields: map[string]string{
			"name": "Ann <Canary> " + number[:8], "phone": "+7999" + number[:7], "email": number[:8] + "@canary.example.com",
			"text": "canary «" + number[:8] + "» 👋 \"quoted\" \\ \n two",
		}},
		key: crm.Key(uuid.NewString()), external: crm.ExternalID(crm.StampOf(number)),
	}
	maps.Copy(o.Fields, w.Fields[kind].Fields)
	return o
}

// own is an operation of the kind that is tested.
func (w *world) own() operation { return w.operation(w.kind) }

// do sends an operation as its shape wants, and holds the outcome to its silence.
func (w *world) do(ctx context.Context, o operation) (out crm.Outcome) {
	w.Helper()
	switch create := w.client.Creates[o.Kind].(type) {
	case crm.Keyed:
		out = create.Do(ctx, o.Record, o.key)
	case crm.Upsert:
		out = create.Do(ctx, o.Record, o.external)
	case crm.Once:
		out = create.Do(ctx, o.Record)
	default:
		w.Fatalf("no create of %s", o.Kind)
	}
	w.quiet(fmt.Sprintf("%#v", out), o)
	return out
}

// quiet holds a text, and all evidence, to holding nothing of what was said, to whom, and in return.
func (w *world) quiet(text string, o operation) {
	w.Helper()
	evidence, err := json.Marshal(w.wire.Evidence())
	if err != nil {
		w.Fatal(err)
	}
	told := text + " " + string(evidence) + fmt.Sprintf(" %#v", w.wire.Evidence())
	hidden := []string{remote, strings.TrimPrefix(w.line.server.URL, "http://"), "127.0.0.1"}
	for _, f := range w.Adapter.Fields {
		if f.Secret && w.settings[f.Name] != "" {
			hidden = append(hidden, w.settings[f.Name])
		}
	}
	for _, value := range o.Fields {
		hidden = append(hidden, value)
	}
	for _, r := range w.line.all() {
		hidden = append(hidden, r.uri)
	}
	for _, h := range hidden {
		if strings.Contains(told, h) {
			w.Errorf("%q comes out: %s", h, told)
		}
	}
}

// made is the ref of an executed create.
func (w *world) made(out crm.Outcome) crm.Ref {
	w.Helper()
	done, ok := out.(crm.Executed)
	if !ok || !done.Ref.Valid() {
		w.Fatalf("outcome %#v, want Executed", out)
	}
	return done.Ref
}

// executed is how often an operation had its effect.
func (w *world) executed(o operation, want int) {
	w.Helper()
	if n := w.fake.Count(o.Kind, o.Stamp); n != want {
		w.Errorf("%d records, want %d", n, want)
	}
}

// sent is how many writes arrived.
func (w *world) sent(want int) {
	w.Helper()
	if n := len(w.line.writes()); n != want {
		w.Errorf("%d writes arrived, want %d", n, want)
	}
}

// shape is the create that is tested.
func (w *world) shape() crm.Create { return w.client.Creates[w.kind] }

// looks reports whether a create searches before it writes.
func (w *world) looks() bool {
	_, upsert := w.shape().(crm.Upsert)
	return upsert && w.client.FindByStamp != nil
}

// unknown requires that nothing is claimed.
func (w *world) unknown(out crm.Outcome) {
	w.Helper()
	if u, ok := out.(crm.Unknown); !ok || u.Cause == "" {
		w.Errorf("outcome %#v, want Unknown", out)
	}
}

// notExecuted requires that a create provably did nothing, and gives how.
func (w *world) notExecuted(out crm.Outcome) crm.NotExecuted {
	w.Helper()
	n, ok := out.(crm.NotExecuted)
	if !ok || n.Cause == "" {
		w.Errorf("outcome %#v, want NotExecuted", out)
	}
	return n
}
