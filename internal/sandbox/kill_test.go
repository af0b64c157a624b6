package sandbox_test

import (
	"fmt"
	"os"
	"testing"
)

// TestKilled opens a copy of the folder as it is at the moment of an answer: what a kill -9 leaves.
func TestKilled(t *testing.T) {
	t.Parallel()
	w := start(t, fast())
	w.bot()
	crm := w.acme("idempotent_create")
	w.do("POST", crm+"/faults", `{"fault":"throttle","count":3}`)
	w.do("POST", crm+"/faults", `{"fault":"lose_response"}`)
	for i := range 6 {
		_, _ = w.try("POST", crm+"/leads", oneLead, auth, token, "Idempotency-Key", fmt.Sprint("k", i%5))
		w.inject(`{"text":"hi"}`)

		copied := &world{t: t, dir: t.TempDir(), o: w.o}
		if err := os.CopyFS(copied.dir, os.DirFS(w.dir)); err != nil {
			t.Fatal(err)
		}
		copied.open()
		for _, path := range []string{crm + "/ledger", crm + "/faults", "/bot" + botToken + "/getWebhookInfo"} {
			equal(t, path, string(copied.do("GET", path, "").body), string(w.do("GET", path, "").body))
		}
		copied.stop()
	}
}
