package app

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sverka/internal/pgtest"
	"sverka/internal/sandbox"
)

// run is one command, with its own environment.
func run(t *testing.T, env map[string]string, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = Run(t.Context(), args, Process{Getenv: func(name string) string { return env[name] }, Out: &stdout, Err: &stderr})
	return code, stdout.String(), stderr.String()
}

func TestAFaultyConfigurationListsEveryFaultAndExitsWith2(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"serve", "work", "migrate", "dev", "sandbox"} {
		code, _, errs := run(t, map[string]string{"SVERKA_LISTEN": "x", "SVERKA_SANDBOX_LISTEN": "y"}, command)
		if code != 2 || !strings.Contains(errs, "SVERKA_LISTEN") || !strings.Contains(errs, "SVERKA_SANDBOX_LISTEN") {
			t.Errorf("%s: exit %d, %s", command, code, errs)
		}
	}
	if code, _, _ := run(t, nil, "nonsense"); code != 2 {
		t.Errorf("an unknown command exits with %d", code)
	}
}

func TestServeRefusesAStrongLoginAWrongKeysetAndAForgetfulServer(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	_, keyset, _ := run(t, nil, "keys", "make")
	env := map[string]string{"SVERKA_DATABASE_URL": db.URL, "SVERKA_KEYSET": strings.TrimSpace(keyset), "SVERKA_PUBLIC_URL": "https://sverka.example.com"}
	for _, command := range []string{"serve", "work"} {
		code, _, errs := run(t, env, command)
		if code != 1 || !strings.Contains(errs, "stronger than it must be") || !strings.Contains(errs, "fsync is off") {
			t.Errorf("%s: exit %d, %s", command, code, errs)
		}
		if strings.Contains(errs, db.URL) {
			t.Errorf("%s shows the address of the database: %s", command, errs)
		}
	}
}

func TestKeysAreMadeRotatedAndChecked(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	code, made, _ := run(t, nil, "keys", "make")
	if code != 0 || made == "" {
		t.Fatalf("make: exit %d", code)
	}
	env := map[string]string{"SVERKA_KEYSET": s.keyset, "SVERKA_DATABASE_URL": s.db.LoginURL}
	code, rotated, _ := run(t, env, "keys", "rotate")
	if code != 0 || strings.TrimSpace(rotated) == s.keyset {
		t.Fatalf("rotate: exit %d", code)
	}
	for keyset, want := range map[string]int{s.keyset: 0, strings.TrimSpace(rotated): 0, strings.TrimSpace(made): 1} {
		env["SVERKA_KEYSET"] = keyset
		if code, out, errs := run(t, env, "keys", "check"); code != want {
			t.Errorf("check: exit %d, want %d: %s%s", code, want, out, errs)
		}
	}
}

func TestTraceFindsTheLineageFromEitherEnd(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.work()
	s.deliver(neither, message(100, 1, 501, "след"))
	s.untilQuiet()
	line := s.lineages()[0]
	env := map[string]string{"SVERKA_DATABASE_URL": s.db.LoginURL}
	var first string
	for _, key := range []string{line.Key(), line.Operations[0].ID.String(), "svo-" + line.Operations[0].ID.String(), string(line.Operations[0].Ref)} {
		code, out, errs := run(t, env, "trace", key, "--json")
		if code != 0 || (first != "" && out != first) {
			t.Errorf("trace %s: exit %d, %s%s", key, code, out, errs)
		}
		first = out
	}
	var traced tracedEvents
	check(t, json.Unmarshal([]byte(first), &traced))
	o := traced.Events[0].Operations[0]
	if o.State != "done" || *o.CRMID != string(line.Operations[0].Ref) || o.Attempts[0].No != 1 || *o.Attempts[0].Outcome != "executed" || *o.Attempts[0].HTTPStatus != 201 {
		t.Errorf("traced %+v", o)
	}
	if code, out, _ := run(t, env, "trace", line.Key()); code != 0 || !strings.Contains(out, o.ID.String()) {
		t.Errorf("for a person: exit %d, %s", code, out)
	}
	for _, key := range []string{"nothing", "telegram:x:1:2", line.Key() + "9", "00000000-0000-7000-8000-000000000000", "'; DROP TABLE operations; --"} {
		if code, _, _ := run(t, env, "trace", key, "--json"); code != 3 {
			t.Errorf("trace %s: exit %d, want 3", key, code)
		}
	}
}

func TestServeAnswersNoPages(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	serve := s.graph.doors(false)
	for path, want := range map[string]int{
		"/": 404, "/t/demo/inbox": 404, "/t/demo/attention": 404, "/healthz": 200, "/readyz": 200, "/metrics": 200,
	} {
		answer := httptest.NewRecorder()
		request := httptest.NewRequestWithContext(context.Background(), http.MethodGet, path, nil)
		request.RemoteAddr = "127.0.0.1:1"
		serve.ServeHTTP(answer, request)
		if answer.Code != want {
			t.Errorf("serve: %s answers %d, want %d", path, answer.Code, want)
		}
	}
	dev := s.graph.doors(true)
	answer := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/t/demo/inbox", nil)
	request.RemoteAddr = "192.0.2.7:1"
	dev.ServeHTTP(answer, request)
	if answer.Code != http.StatusNotFound {
		t.Errorf("dev answers %d to another machine, want 404", answer.Code)
	}
}
