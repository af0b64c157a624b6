package owncrm

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// maxBody is of any request to us, in bytes.
const maxBody = 1 << 20

// ServeRecords answers everything under /crm/{account}/{rest...} that is not one of the open doors:
// the record API, with its token, its faults and its ledger.
func (s *Server) ServeRecords(w http.ResponseWriter, r *http.Request) {
	a := s.account(r.PathValue("account"))
	if a == nil {
		writeJSON(w, http.StatusNotFound, problem{"no_such_account"})
		return
	}
	c := readCall(w, r)
	o, err := a.handle(c, r.Header.Get("Authorization"), r.URL.EscapedPath())
	if err != nil {
		s.log.Error("sandbox journal", "account", r.PathValue("account"), "error", err)
		writeJSON(w, http.StatusInternalServerError, problem{"the sandbox could not write its journal; nothing was executed"})
		return
	}
	defer a.release(o)
	if o.fault == slow {
		if !s.wait(r.Context()) {
			return
		}
		a.nowAnswered(o)
	}
	o.write(w)
}

func readCall(w http.ResponseWriter, r *http.Request) call {
	c := call{method: r.Method, key: r.Header.Get("Idempotency-Key")}
	parts := strings.Split(strings.Trim(r.PathValue("rest"), "/"), "/")
	switch kind := kindOf[parts[0]]; {
	case len(parts) == 1 && parts[0] == "ping":
		c.ping = true
	case kind != "" && len(parts) == 1:
		c.kind = kind
	case kind != "" && len(parts) == 2:
		c.kind, c.id = kind, parts[1]
	case kind != "" && len(parts) == 3 && parts[1] == "external" && parts[2] != "":
		c.kind, c.external = kind, parts[2]
	}
	query := r.URL.Query()
	c.search, c.searches = query.Get("stamp"), query.Has("stamp")
	c.body, c.fault = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	return c
}

// outcome is what is to be written to the socket.
type outcome struct {
	result
	fault   string
	request int    // its line in the ledger
	place   string // the key that it holds until it is answered
}

// handle executes one request, with the fault that hits it, and records both as one line.
func (a *account) handle(c call, authorization, path string) (outcome, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	o := outcome{request: len(a.requests)}
	var left *[]Fault
	if !a.authorized(authorization) {
		o.result = failed(http.StatusUnauthorized, "unauthorized")
	} else if o.fault, left = a.takeFault(c.write()); spares(o.fault) {
		o.result = spared(o.fault)
	} else {
		o.result = a.execute(c)
	}
	e := o.entry
	e.Faults = left
	e.Request = &Request{
		At: a.options.Now().UTC(), Method: c.method, Path: path, Key: c.key, Stamp: c.stamp(o.result),
		Write: c.write(), Executed: o.executed(), ObjectID: o.id, Answered: o.answered(), Fault: o.fault,
	}
	if err := a.record(e); err != nil {
		return o, err
	}
	if o.entry.Key != nil {
		o.place = c.kind + " " + c.key
		a.busy[o.place] = true
	}
	return o, nil
}

// stamp is the one that the request named, wherever it did.
func (c call) stamp(r result) string {
	var in struct {
		Stamp string `json:"stamp"`
	}
	switch {
	case c.external != "":
		return c.external
	case c.searches:
		return c.search
	case json.Unmarshal(c.body, &in) == nil && in.Stamp != "":
		return in.Stamp
	case c.id != "":
		return r.stamp
	}
	return ""
}

func (a *account) authorized(header string) bool {
	token, bearer := strings.CutPrefix(header, "Bearer ")
	return bearer && subtle.ConstantTimeCompare([]byte(token), []byte(a.settings.Token)) == 1
}

// release ends the time in which the key of a request counts as in progress.
func (a *account) release(o outcome) {
	if o.place == "" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.busy, o.place)
}

// wait is the delay of the fault slow. It is false if nothing is to be answered any more: the caller
// hung up, or the sandbox stops.
func (s *Server) wait(ctx context.Context) bool {
	timer := time.NewTimer(s.options.Slow)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-s.stopped:
	}
	return false
}

func (a *account) nowAnswered(o outcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = a.record(entry{Answered: &answered{Request: o.request, Status: o.status}})
}
