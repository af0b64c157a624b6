package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"sverka/internal/config"
	"sverka/internal/id"
	"sverka/internal/lineage"
	"sverka/internal/operation"
	"sverka/internal/pg"
)

type traceCommand struct {
	Key  string `arg:"" help:"An event key, an operation id, or the CRM's id of a record."`
	JSON bool   `help:"Print JSON, for tools."`
}

// Run prints the lineage; exit code 3 when nothing is known under the key.
func (c traceCommand) Run(ctx context.Context, p Process) error {
	url, err := databaseFor(p)
	if err != nil {
		return err
	}
	db, err := pg.Open(ctx, url, pg.Options{Name: "trace", MaxConns: 2})
	if err != nil {
		return err
	}
	defer db.Close()
	lines, err := lineage.Trace(ctx, db, c.Key)
	if errors.Is(err, lineage.ErrNothing) {
		return codedError{code: exitNothingFound, err: errors.New("nothing is known under this key")}
	}
	if err != nil {
		return err
	}
	if c.JSON {
		encoder := json.NewEncoder(p.Out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(traced(lines))
	}
	tell(p.Out, lines)
	return nil
}

// databaseFor is the configured database, else the one of a running `sverka dev`.
func databaseFor(p Process) (string, error) {
	cfg, err := config.Load(p.Getenv)
	if err != nil {
		return "", err
	}
	if !cfg.DatabaseURL.IsZero() {
		return cfg.DatabaseURL.Reveal(), nil
	}
	file, err := readDevFile(cfg.DevDir)
	if err != nil {
		return "", errors.New("SVERKA_DATABASE_URL is not set and no `sverka dev` is running here")
	}
	return file.DatabaseURL, nil
}

// The wire form: tools rely on it (docs/wire.md). Absent values are null.
type (
	tracedEvents struct {
		Events []tracedEvent `json:"events"`
	}
	tracedEvent struct {
		Key        string            `json:"event_key"`
		ID         id.Event          `json:"event_id"`
		State      string            `json:"state"`
		Reason     *string           `json:"reason"`
		Generation int               `json:"generation"`
		Deliveries int               `json:"deliveries"`
		ReceivedAt time.Time         `json:"received_at"`
		Contact    *string           `json:"contact_id"`
		Inquiry    *string           `json:"inquiry_id"`
		Operations []tracedOperation `json:"operations"`
	}
	tracedOperation struct {
		ID            id.Operation    `json:"operation_id"`
		Kind          string          `json:"kind"`
		Connection    id.Connection   `json:"connection_id"`
		Inquiry       *string         `json:"inquiry_id"`
		Capability    string          `json:"capability"`
		State         string          `json:"state"`
		Reason        *string         `json:"reason"`
		CRMID         *string         `json:"crm_id"`
		NextAttemptAt *time.Time      `json:"next_attempt_at"`
		Attempts      []tracedAttempt `json:"attempts"`
	}
	tracedAttempt struct {
		No         int       `json:"no"`
		StartedAt  time.Time `json:"started_at"`
		Outcome    *string   `json:"outcome"`
		HTTPStatus *int      `json:"http_status"`
		Cause      *string   `json:"cause"`
	}
)

func traced(lines []lineage.Line) tracedEvents {
	all := tracedEvents{Events: []tracedEvent{}}
	for _, l := range lines {
		e := tracedEvent{Key: l.Key(), ID: l.Event.ID, State: string(l.Event.State), Reason: some(l.Event.Reason),
			Generation: l.Event.Generation, Deliveries: l.Event.Deliveries, ReceivedAt: l.Event.ReceivedAt.UTC(),
			Contact: someID(l.Event.Contact), Inquiry: someID(l.Event.Inquiry), Operations: []tracedOperation{}}
		for _, o := range l.Operations {
			e.Operations = append(e.Operations, tracedOperation{ID: o.ID, Kind: string(o.Kind), Connection: o.Connection,
				Inquiry: someID(o.Inquiry), Capability: string(o.Capability), State: string(o.State), Reason: some(o.Reason),
				CRMID: some(string(o.Ref)), NextAttemptAt: o.NextAttemptAt, Attempts: tracedAttempts(l.Attempts[o.ID])})
		}
		all.Events = append(all.Events, e)
	}
	return all
}

func tracedAttempts(attempts []operation.Attempt) []tracedAttempt {
	all := []tracedAttempt{}
	for _, a := range attempts {
		all = append(all, tracedAttempt{No: a.No, StartedAt: a.StartedAt.UTC(), Outcome: a.Outcome,
			HTTPStatus: a.HTTPStatus, Cause: a.Cause})
	}
	return all
}

func some(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func someID(i interface {
	IsZero() bool
	String() string
}) *string {
	if i.IsZero() {
		return nil
	}
	return some(i.String())
}

// tell is the same for a person.
func tell(to io.Writer, lines []lineage.Line) {
	for _, e := range traced(lines).Events {
		fmt.Fprintf(to, "%s  %s%s  received %s, delivered %d×\n", e.Key, e.State, because(e.Reason),
			e.ReceivedAt.Format(time.DateTime), e.Deliveries)
		for _, o := range e.Operations {
			fmt.Fprintf(to, "  └ %s  %s (%s)  %s%s", o.ID, o.Kind, o.Capability, o.State, because(o.Reason))
			if o.CRMID != nil {
				fmt.Fprintf(to, "  → %s", *o.CRMID)
			}
			fmt.Fprintln(to)
			for _, a := range o.Attempts {
				outcome := "running"
				if a.Outcome != nil {
					outcome = *a.Outcome
				}
				fmt.Fprintf(to, "      %d. %s  %s%s\n", a.No, a.StartedAt.Format(time.DateTime), outcome, because(a.Cause))
			}
		}
	}
}

func because(reason *string) string {
	if reason == nil {
		return ""
	}
	return " (" + *reason + ")"
}
