package local

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// asParent makes the test binary the program that somebody kills: it starts a server in the named
// directory, says so, and waits.
const asParent = "LOCAL_TEST_PARENT_OF"

func TestMain(m *testing.M) {
	if dir := os.Getenv(asParent); dir != "" {
		s, err := Start(context.Background(), Options{Dir: dir, Durable: true})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(s.process.os.Pid)
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// killParent starts a server under another process, kills that process, and waits for the server to end.
func killParent(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asParent+"="+dir)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	pid, convErr := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || convErr != nil {
		t.Fatalf("the parent says %q (%v)", line, err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	eventually(t, "the server ends with its parent", func() bool { return len(commandLine(pid)) == 0 })
}

// otherProcess runs as the server's user, so that PostgreSQL would take its number for a server.
func otherProcess(t *testing.T, p place) int {
	t.Helper()
	cmd := p.command(t.Context(), "/bin/sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd.Process.Pid
}
