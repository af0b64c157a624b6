package owncrm

import (
	"errors"
	"io"
	"net/http"
)

// The sandbox's own doors of an account. They need no token: whoever reaches a sandbox may play.

// ServeAccount answers PUT /crm/{account}.
func (s *Server) ServeAccount(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Capability Capability `json:"capability"`
		Searchable *bool      `json:"searchable"` // absent = true
		Token      string     `json:"token"`
	}
	if !readJSON(w, r, &in) {
		return
	}
	next := Account{Name: r.PathValue("account"), Token: in.Token, Capability: in.Capability, Searchable: true}
	if in.Searchable != nil {
		next.Searchable = *in.Searchable
	}
	made, err := s.Add(next)
	writeOr(w, made, err)
}

// Ledger is what an account saw and has; its JSON is design/wire.md's.
type Ledger struct {
	Requests []Request `json:"requests"`
	Objects  []Object  `json:"objects"`
}

func (a *account) ledger() Ledger {
	a.mu.Lock()
	defer a.mu.Unlock()
	l := Ledger{Requests: append([]Request{}, a.requests...), Objects: []Object{}}
	for _, o := range a.objects {
		l.Objects = append(l.Objects, *o)
	}
	return l
}

// ServeLedger answers GET /crm/{account}/ledger.
func (s *Server) ServeLedger(w http.ResponseWriter, r *http.Request) {
	if a := s.known(w, r); a != nil {
		writeJSON(w, http.StatusOK, a.ledger())
	}
}

type faultList struct {
	Faults []Fault `json:"faults"`
}

// ServeFaults answers GET, POST and DELETE /crm/{account}/faults, each with the queue as it is then.
func (s *Server) ServeFaults(w http.ResponseWriter, r *http.Request) {
	a := s.known(w, r)
	if a == nil {
		return
	}
	var change func() error
	switch r.Method {
	case http.MethodPost:
		var in faultOrder
		if !readJSON(w, r, &in) {
			return
		}
		f, err := in.fault()
		if err != nil {
			writeOr(w, nil, err)
			return
		}
		change = func() error { return a.addFault(f) }
	case http.MethodDelete:
		change = a.clearFaults
	default:
		change = func() error { return nil }
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	err := change()
	writeOr(w, faultList{append([]Fault{}, a.faults...)}, err)
}

func (s *Server) known(w http.ResponseWriter, r *http.Request) *account {
	a := s.account(r.PathValue("account"))
	if a == nil {
		writeJSON(w, http.StatusNotFound, problem{"no_such_account"})
	}
	return a
}

func readJSON(w http.ResponseWriter, r *http.Request, into any) bool {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		err = strictJSON(raw, into)
	}
	if err != nil {
		writeJSON(w, http.StatusBadRequest, problem{err.Error()})
	}
	return err == nil
}

// writeOr writes v, or the refusal.
func writeOr(w http.ResponseWriter, v any, err error) {
	switch {
	case errors.Is(err, ErrAccount), errors.Is(err, ErrFault):
		writeJSON(w, http.StatusBadRequest, problem{err.Error()})
	case err != nil:
		writeJSON(w, http.StatusInternalServerError, problem{err.Error()})
	default:
		writeJSON(w, http.StatusOK, v)
	}
}
