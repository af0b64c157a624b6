package journal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"sverka/internal/sandbox/journal"
)

func TestJournal(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j.jsonl")
	open := func() (*journal.Journal, []string) {
		t.Helper()
		var lines []string
		j, err := journal.Open(path, func(line []byte) error {
			lines = append(lines, string(line))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return j, lines
	}
	j, _ := open()
	for i := range 2 {
		if err := j.Append(map[string]int{"n": i}); err != nil {
			t.Fatal(err)
		}
	}
	_ = j.Close()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = file.WriteString(`{"n":2`)
	_ = file.Close()
	j, lines := open()
	if got, want := fmt.Sprint(lines), "[{\"n\":0}\n {\"n\":1}\n]"; got != want {
		t.Errorf("lines %q, want %q", got, want)
	}
	if err := j.Append(map[string]int{"n": 3}); err != nil {
		t.Fatal(err)
	}
	_ = j.Close()
	if _, lines = open(); len(lines) != 3 || lines[2] != "{\"n\":3}\n" {
		t.Errorf("after the torn line: %q", lines)
	}
}

func TestJournalRefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j.jsonl")
	if err := os.WriteFile(path, []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Open(path, func([]byte) error { return os.ErrInvalid }); err == nil {
		t.Error("a spoilt line was accepted")
	}
}
