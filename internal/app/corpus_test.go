package app

import (
	"os"
	"path/filepath"
	"testing"

	"sverka/internal/sandbox"
)

// Every update of the corpus is answered 200, stored and interpreted; none blocks the next. The shared
// corpus lies beside the repository; our own fixtures stand in where it does not.
func TestEveryUpdateOfTheCorpusIsStoredAndInterpreted(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../shared/corpus/telegram/*.json")
	check(t, err)
	ours, err := filepath.Glob("../telegram/testdata/updates/*.json")
	check(t, err)
	if len(ours) == 0 {
		t.Fatal("no fixtures")
	}
	t.Logf("%d updates of the shared corpus, %d of our own", len(files), len(ours))
	s := newStand(t, sandbox.CRMOptions{})
	s.work()
	for _, file := range append(files, ours...) {
		body, err := os.ReadFile(file)
		check(t, err)
		s.deliver(upsert, string(body))
	}
	s.untilQuiet()
	if n := s.count(`SELECT count(*) FROM inbox_events WHERE state = 'quarantined' AND reason = 'interpretation_failed'`); n != 0 {
		t.Errorf("%d updates could not be interpreted", n)
	}
	if n := s.count(`SELECT count(*) FROM operations WHERE state <> 'done'`); n != 0 {
		t.Errorf("%d operations are not done", n)
	}
}
