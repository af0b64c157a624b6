package crm_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"sverka/internal/crm"
	"sverka/internal/safehttp"
)

func wireTo(t *testing.T, handler http.HandlerFunc) crm.Wire {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	client, err := safehttp.New(server.URL, safehttp.Options{AllowLoopback: true})
	if err != nil {
		t.Fatal(err)
	}
	return crm.NewWire(client)
}

func TestWireCarriesCallAndAnswer(t *testing.T) {
	t.Parallel()
	wire := wireTo(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Echo", r.Header.Get("X-Api-Key"))
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, r.Method+" "+r.URL.RequestURI()+" "+string(body))
	})
	a := wire.Send(t.Context(), crm.Call{Method: "PUT", Path: "/leads?x=1", Header: http.Header{"X-Api-Key": {"k"}}, Body: []byte("b"), Write: true})
	if a.Status != 201 || !a.Whole || a.Fault != crm.NoFault || string(a.Body) != "PUT /leads?x=1 b" || a.Header.Get("X-Echo") != "k" {
		t.Errorf("got %+v, %s", a, a.Body)
	}
	if e := a.Evidence; !e.Connected || !e.Write || e.Method != "PUT" || e.Status != 201 || e.Written == 0 {
		t.Errorf("evidence: %+v", e)
	}
}

// A late answer may be recorded while the engine reads what there was.
func TestRecorderKeepsEveryCallInOrder(t *testing.T) {
	t.Parallel()
	recorder := crm.NewRecorder(wireTo(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	if got := recorder.Evidence(); len(got) != 0 {
		t.Errorf("before any call: %v", got)
	}
	recorder.Send(t.Context(), crm.Call{Method: "GET", Path: "/"})
	early := recorder.Evidence()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { recorder.Send(t.Context(), crm.Call{Method: "POST", Path: "/", Write: true}) })
		all.Go(func() { recorder.Evidence() })
	}
	all.Wait()
	if got := recorder.Evidence(); len(got) != 9 || got[0].Method != "GET" || got[8].Status != http.StatusTeapot {
		t.Errorf("got %+v", got)
	}
	if len(early) != 1 {
		t.Errorf("what was read early changed: %v", early)
	}
}
