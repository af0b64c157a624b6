// Package evidence is what a test leaves behind when it has shown one case of the promise: a JSON file
// per case, written by the one check that all cases end in. The list of cases is code; a case without
// its file fails `make test`.
package evidence

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
)

// Cases is every case that must be shown.
var Cases = []string{
	// What may go wrong at the doors.
	"same_update_twice_in_sequence",
	"same_update_50_at_once",
	"same_update_id_other_body",
	"changed_body_of_known_message",
	"bad_input_is_set_aside",
	"database_away",
	"poison_row_in_a_group",
	"poison_event_never_blocks_its_bot",
	"second_message_becomes_a_note",
	"route_change_is_live",
	// What may go wrong behind them.
	"answer_lost_idempotent",
	"answer_lost_upsert",
	"answer_lost_neither",
	"worker_killed_after_pending",
	"worker_killed_in_flight",
	"no_secret_or_personal_data_leaks",
	// The eight tests of the trade.
	"equal_requests_in_sequence",
	"equal_requests_at_once",
	"timeout_after_successful_create",
	"new_order_of_existing_contact",
	"one_phone_in_different_formats",
	"changed_data_under_the_same_id",
	"object_made_by_hand_before_redelivery",
	"queue_restored_after_restart",
}

// Record is what was shown.
type Record struct {
	Case       string         `json:"case"`
	EventKeys  []string       `json:"event_keys"`
	Events     []Event        `json:"events"`
	Operations []Operation    `json:"operations"`
	Objects    []Object       `json:"objects"` // in the CRM's own ledger
	Counts     map[string]int `json:"counts"`
	Log        []string       `json:"log"` // lines by operation id
}

// Event is one stored event.
type Event struct {
	Key        string `json:"event_key"`
	State      string `json:"state"`
	Reason     string `json:"reason,omitempty"`
	Generation int    `json:"generation"`
	Deliveries int    `json:"deliveries"`
}

// Operation is one intended write and what became of it.
type Operation struct {
	ID       string `json:"operation_id"`
	EventKey string `json:"event_key"`
	Kind     string `json:"kind"`
	State    string `json:"state"`
	Reason   string `json:"reason,omitempty"`
	CRMID    string `json:"crm_id,omitempty"`
	Attempts int    `json:"attempts"`
}

// Object is one record in a CRM.
type Object struct {
	Account string `json:"account"`
	ID      string `json:"crm_id"`
	Kind    string `json:"kind"`
	Stamp   string `json:"stamp"`
	Link    string `json:"link"`
}

// folder is build/evidence at the root of the module, wherever a test runs.
func folder() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "build", "evidence"), nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", os.ErrNotExist
		}
		dir = up
	}
}

// Write leaves the record of a case.
func Write(r Record) error {
	dir, err := folder()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, r.Case+".json"), append(raw, '\n'), 0o644)
}

// Clear takes away what earlier runs left, so that a file means: shown in this run.
func Clear() error {
	dir, err := folder()
	if err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// Missing lists the cases that have no file.
func Missing() ([]string, error) {
	dir, err := folder()
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, c := range Cases {
		if _, err := os.Stat(filepath.Join(dir, c+".json")); err != nil {
			missing = append(missing, c)
		}
	}
	return missing, nil
}

// Known reports whether a case is in the list.
func Known(c string) bool { return slices.Contains(Cases, c) }
