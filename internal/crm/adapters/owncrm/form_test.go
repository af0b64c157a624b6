package owncrm

import (
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"sverka/internal/crm"
)

// filled is a form that has nothing wrong with it, changed.
func filled(change map[string]string) crm.Settings {
	s := crm.Settings{crm.BaseURLField: "https://crm.example.com/api", auth: "bearer", token: "t0ken-canary", capability: "neither"}
	maps.Copy(s, change)
	return s
}

func TestFormIsTakenAsItIsMeant(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change       map[string]string
		header, sent string
		shape        crm.Create
		searches     bool
	}{
		"Least":  {nil, "Authorization", "Bearer t0ken-canary", crm.Once{}, false},
		"Basic":  {map[string]string{auth: "basic", token: "user:pass:word"}, "Authorization", "Basic dXNlcjpwYXNzOndvcmQ=", crm.Once{}, false},
		"Header": {map[string]string{auth: "header", authHeader: "x-api-key"}, "X-Api-Key", "t0ken-canary", crm.Once{}, false},
		"Keyed":  {map[string]string{capability: "idempotent_create"}, "", "", crm.Keyed{Window: 24 * time.Hour}, false},
		"Window": {map[string]string{capability: "idempotent_create", keyWindow: "30m"}, "", "", crm.Keyed{Window: 30 * time.Minute}, false},
		"Upsert": {map[string]string{capability: "upsert_by_external_id", searchable: "yes"}, "", "", crm.Upsert{}, true},
		"Local":  {map[string]string{crm.BaseURLField: "http://127.0.0.1:8090/crm/acme"}, "", "", crm.Once{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, err := read(filled(c.change))
			if err != nil {
				t.Fatal(err)
			}
			if c.header != "" && o.header.Get(c.header) != c.sent {
				t.Errorf("header %v", o.header)
			}
			opened, err := open(filled(c.change), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, kind := range Adapter().Kinds {
				if got := opened.Creates[kind]; got.Capability() != c.shape.Capability() {
					t.Errorf("%s: %T", kind, got)
				}
			}
			want, keyed := c.shape.(crm.Keyed)
			if got, ok := opened.Creates[crm.Lead].(crm.Keyed); keyed && (!ok || got.Window != want.Window) {
				t.Errorf("window %v", got.Window)
			}
			if (opened.FindByStamp != nil) != c.searches {
				t.Errorf("searches: %v", opened.FindByStamp != nil)
			}
		})
	}
}

// Every fault is told beside its field, in both languages, without what was typed.
func TestFormSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		field  string
		change map[string]string
	}{
		"NoAddress":      {crm.BaseURLField, map[string]string{crm.BaseURLField: ""}},
		"NotAnAddress":   {crm.BaseURLField, map[string]string{crm.BaseURLField: "t0ken-canary"}},
		"FTP":            {crm.BaseURLField, map[string]string{crm.BaseURLField: "ftp://crm.example.com"}},
		"PlainHTTP":      {crm.BaseURLField, map[string]string{crm.BaseURLField: "http://crm.example.com"}},
		"Port":           {crm.BaseURLField, map[string]string{crm.BaseURLField: "https://crm.example.com:8080"}},
		"User":           {crm.BaseURLField, map[string]string{crm.BaseURLField: "https://u:t0ken-canary@crm.example.com"}},
		"Query":          {crm.BaseURLField, map[string]string{crm.BaseURLField: "https://crm.example.com/api?token=t0ken-canary"}},
		"EmptyQuery":     {crm.BaseURLField, map[string]string{crm.BaseURLField: "https://crm.example.com/api?"}},
		"Fragment":       {crm.BaseURLField, map[string]string{crm.BaseURLField: "https://crm.example.com/#a"}},
		"NoAuth":         {auth, map[string]string{auth: ""}},
		"OtherAuth":      {auth, map[string]string{auth: "hmac"}},
		"NoToken":        {token, map[string]string{token: ""}},
		"BlankToken":     {token, map[string]string{token: "  "}},
		"TokenOfLines":   {token, map[string]string{token: "t0ken-canary\r\nHost: evil"}},
		"TokenOfControl": {token, map[string]string{token: "t0ken-canary\x7f"}},
		"NoPassword":     {token, map[string]string{auth: "basic"}},
		"NoHeader":       {authHeader, map[string]string{auth: "header"}},
		"HeaderShape":    {authHeader, map[string]string{auth: "header", authHeader: "X Api"}},
		"HeaderHost":     {authHeader, map[string]string{auth: "header", authHeader: "host"}},
		"HeaderKey":      {authHeader, map[string]string{auth: "header", authHeader: "idempotency-key"}},
		"HeaderXKey":     {authHeader, map[string]string{auth: "header", authHeader: "x-idempotency-KEY"}},
		"HeaderExpect":   {authHeader, map[string]string{auth: "header", authHeader: "Expect"}},
		"NoCapability":   {capability, map[string]string{capability: ""}},
		"Capability":     {capability, map[string]string{capability: "exactly_once"}},
		"Window":         {keyWindow, map[string]string{keyWindow: "day"}},
		"ShortWindow":    {keyWindow, map[string]string{keyWindow: "9m"}},
		"LongWindow":     {keyWindow, map[string]string{keyWindow: "721h"}},
		"Searchable":     {searchable, map[string]string{searchable: "perhaps"}},
		"Mapping":        {mapping, map[string]string{mapping: "{"}},
		"Unknown":        {"colour", map[string]string{"colour": "t0ken-canary"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := open(filled(c.change), nil)
			var faults crm.FieldErrors
			if !errors.As(err, &faults) || len(faults) != 1 {
				t.Fatalf("got %v, want one fault of %s", err, c.field)
			}
			said := faults[c.field]
			if said.EN == "" || said.RU == "" {
				t.Errorf("%s: %v", c.field, faults)
			}
			if all := err.Error() + said.EN + said.RU; strings.Contains(all, "canary") {
				t.Errorf("shows what was typed: %s", all)
			}
		})
	}
	_, err := open(crm.Settings{searchable: "?", keyWindow: "?", mapping: "?"}, nil)
	var faults crm.FieldErrors
	if !errors.As(err, &faults) || len(faults) != 7 {
		t.Errorf("all at once: %v", err)
	}
}
