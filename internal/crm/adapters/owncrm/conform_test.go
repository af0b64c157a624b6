package owncrm_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"sverka/internal/crm"
	"sverka/internal/crm/adapters/owncrm"
	"sverka/internal/crm/crmtest"
	"sverka/internal/sandbox"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, capability := range crm.Capabilities() {
		for _, searchable := range []string{"yes", "no"} {
			t.Run(fmt.Sprint(capability, " searchable ", searchable), func(t *testing.T) {
				t.Parallel()
				crmtest.Run(t, crmtest.Config{
					Adapter:  owncrm.Adapter(),
					Settings: crm.Settings{"auth": "bearer", "token": "sandbox-acme", "capability": string(capability), "searchable": searchable},
					Bad:      crm.Settings{"token": "not-the-token"},
					Start:    func(t *testing.T) crmtest.CRM { return acme(t, capability) },
					Own:      own(capability),
					Find: map[string]http.HandlerFunc{
						"cannot be searched": func(w http.ResponseWriter, _ *http.Request) {
							w.WriteHeader(http.StatusForbidden)
							_, _ = io.WriteString(w, `{"error":"not_searchable"}`)
						},
					},
				})
			})
		}
	}
}

// own is the statuses that the contract gives a meaning of its own: a key whose first request still runs.
func own(c crm.Capability) []int {
	if c == crm.IdempotentCreate {
		return []int{http.StatusConflict}
	}
	return nil
}

// acme is an account of the sandbox's CRM.
func acme(t *testing.T, c crm.Capability) crmtest.CRM {
	t.Helper()
	box, err := sandbox.New(t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = box.Close() })
	if err := box.AddAccount(sandbox.Account{Name: "acme", Capability: sandbox.Capability(c), Searchable: true}); err != nil {
		t.Fatal(err)
	}
	handler := box.Handler()
	return crmtest.CRM{Handler: handler, Path: "/crm/acme", Count: func(kind crm.Kind, stamp crm.Stamp) (n int) {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/crm/acme/ledger", nil))
		var ledger struct {
			Objects []struct {
				Kind  crm.Kind
				Stamp crm.Stamp
			}
		}
		if err := json.Unmarshal(answer.Body.Bytes(), &ledger); err != nil {
			t.Error(err)
		}
		for _, o := range ledger.Objects {
			if o.Kind == kind && o.Stamp == stamp {
				n++
			}
		}
		return n
	}}
}
