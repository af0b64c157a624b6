package app

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"sverka/internal/evidence"
	"sverka/internal/id"
	"sverka/internal/lineage"
)

// want is what a case must end in. All counts are over the whole stand.
type want struct {
	events     map[string]int // "processed", "ignored known_message", …
	operations map[string]int // "lead done", "note needs_reconciliation answer_unknown", …
	objects    map[string]int // in the CRMs' own ledgers: "lead", "note"
	writes     int            // write requests that reached the CRMs; -1 = any number
	deliveries int            // over all events; 0 = any number
}

// ledger is what a CRM itself says it did.
type ledger struct {
	Requests []struct {
		Write    bool   `json:"write"`
		Executed bool   `json:"executed"`
		Stamp    string `json:"stamp"`
		Key      string `json:"key"`
	} `json:"requests"`
	Objects []struct {
		ID     string         `json:"id"`
		Kind   string         `json:"kind"`
		Stamp  string         `json:"stamp"`
		Fields map[string]any `json:"fields"`
	} `json:"objects"`
}

func (s *stand) ledger(bot int) (l ledger) {
	s.t.Helper()
	answer, err := http.Get(s.box.URL + "/crm/" + s.demo.Bots[bot].Account + "/ledger")
	check(s.t, err)
	defer answer.Body.Close()
	check(s.t, json.NewDecoder(answer.Body).Decode(&l))
	return l
}

// prove is the one check that every case ends in: state in our tables and objects in the CRM's ledger,
// together. It writes the evidence.
func (s *stand) prove(name string, w want) evidence.Record {
	s.t.Helper()
	if !evidence.Known(name) {
		s.t.Fatalf("case %q is not in evidence.Cases", name)
	}
	r, events, operations := s.collect(name)
	objects, writes := s.objects(&r)
	differ := func(what string, got, want any) {
		s.t.Helper()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			s.t.Errorf("%s: got %v, want %v\nlog:\n%s", what, got, want, s.logs.tail(20))
		}
	}
	differ("events", events, nonNil(w.events))
	differ("operations", operations, nonNil(w.operations))
	differ("objects in the ledger", objects, nonNil(w.objects))
	if w.writes >= 0 {
		differ("write requests in the ledger", writes, w.writes)
	}
	if w.deliveries > 0 {
		differ("deliveries", r.Counts["deliveries"], w.deliveries)
	}
	s.noDuplicates(r)
	r.Counts["write_requests"] = writes
	if !s.t.Failed() {
		check(s.t, evidence.Write(r))
	}
	return r
}

func nonNil(m map[string]int) map[string]int {
	if m == nil {
		return map[string]int{}
	}
	return m
}

// noDuplicates holds in every case: no stamp stands on two objects.
func (s *stand) noDuplicates(r evidence.Record) {
	seen := map[string]string{}
	for _, o := range r.Objects {
		if before, twice := seen[o.Stamp]; twice && o.Stamp != "" {
			s.t.Errorf("operation %s made two records: %s and %s", o.Stamp, before, o.ID)
		}
		seen[o.Stamp] = o.ID
	}
}

func (s *stand) collect(name string) (r evidence.Record, events, operations map[string]int) {
	r = evidence.Record{Case: name, Counts: map[string]int{}}
	events, operations = map[string]int{}, map[string]int{}
	for _, line := range s.lineages() {
		e := evidence.Event{Key: line.Key(), State: string(line.Event.State), Reason: line.Event.Reason,
			Generation: line.Event.Generation, Deliveries: line.Event.Deliveries}
		r.Events, r.EventKeys = append(r.Events, e), append(r.EventKeys, e.Key)
		events[words(e.State, e.Reason)]++
		r.Counts["deliveries"] += e.Deliveries
		for _, o := range line.Operations {
			r.Operations = append(r.Operations, evidence.Operation{ID: o.ID.String(), EventKey: e.Key, Kind: string(o.Kind),
				State: string(o.State), Reason: o.Reason, CRMID: string(o.Ref), Attempts: o.AttemptNo})
			operations[words(string(o.Kind), string(o.State), o.Reason)]++
			r.Log = append(r.Log, s.logs.with(o.ID.String())...)
		}
	}
	r.Counts["events"], r.Counts["operations"] = len(r.Events), len(r.Operations)
	return r, events, operations
}

func words(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(w string) bool { return w == "" }), " ")
}

// lineages reads every event of the stand, oldest first, the way the program itself does.
func (s *stand) lineages() []lineage.Line {
	s.t.Helper()
	rows, err := s.super.Query(context.Background(), `SELECT id::text FROM inbox_events ORDER BY id`)
	check(s.t, err)
	var ids []string
	for rows.Next() {
		var one string
		check(s.t, rows.Scan(&one))
		ids = append(ids, one)
	}
	check(s.t, rows.Err())
	var all []lineage.Line
	for _, text := range ids {
		event, err := id.Parse[id.Event](text)
		check(s.t, err)
		line, err := lineage.Of(context.Background(), s.graph.panel, s.demo.Tenant.ID, event)
		check(s.t, err)
		all = append(all, line)
	}
	return all
}

func (s *stand) objects(r *evidence.Record) (objects map[string]int, writes int) {
	objects = map[string]int{}
	for bot := range s.demo.Bots {
		l := s.ledger(bot)
		account := s.demo.Bots[bot].Account
		for _, o := range l.Objects {
			objects[o.Kind]++
			r.Objects = append(r.Objects, evidence.Object{Account: account, ID: o.ID, Kind: o.Kind, Stamp: o.Stamp,
				Link: "/crm/" + account + "/" + o.Kind + "s/" + o.ID})
		}
		for _, q := range l.Requests {
			if q.Write {
				writes++
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(objects)) {
		r.Counts["objects_"+kind] = objects[kind]
	}
	return objects, writes
}

// writeOnly leaves the evidence of a case whose check is another one than states and counts; no case may
// leave two records of one operation.
func (s *stand) writeOnly(name string) error {
	s.t.Helper()
	r, _, _ := s.collect(name)
	s.objects(&r)
	s.noDuplicates(r)
	if s.t.Failed() {
		return nil
	}
	return evidence.Write(r)
}
