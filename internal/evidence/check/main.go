// Command check fails when a case of the promise has not been shown by the tests of this run:
//
//	check clear   before the tests
//	check         after them
package main

import (
	"fmt"
	"os"
	"strings"

	"sverka/internal/evidence"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "evidence:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 1 && args[0] == "clear" {
		return evidence.Clear()
	}
	missing, err := evidence.Missing()
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return fmt.Errorf("not shown by this run: %s", strings.Join(missing, ", "))
	}
	fmt.Printf("evidence: %d cases shown, see build/evidence\n", len(evidence.Cases))
	return nil
}
