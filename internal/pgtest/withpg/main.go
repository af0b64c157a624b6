// Command withpg runs a command with a PostgreSQL for tests beside it:
//
//	go run ./internal/pgtest/withpg go test -race ./...
//	go run ./internal/pgtest/withpg sh -c 'psql "$SVERKA_TEST_DATABASE_URL"'
//
// It exits as the command does and passes signals on. Where SVERKA_TEST_DATABASE_URL is set already, it
// starts no server.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"sverka/internal/pgtest"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "withpg:", err)
	}
	os.Exit(code)
}

func run(args []string) (code int, err error) {
	if len(args) == 0 {
		return 2, errors.New("which command?")
	}
	// From here on a signal ends the command, and the command's end ends us and the server.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if os.Getenv(pgtest.Variable) == "" {
		server, err := pgtest.StartServer(context.Background())
		if err != nil {
			return 1, err
		}
		defer func() {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			if stopErr := server.Stop(ctx); stopErr != nil && err == nil {
				err = stopErr
			}
		}()
		cmd.Env = append(os.Environ(), pgtest.Variable+"="+server.URL("postgres"))
	}
	if err := cmd.Start(); err != nil {
		return 127, err
	}
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s) // after its end: nothing to pass on to
		}
	}()
	return exitCode(cmd.Wait())
}

// exitCode is the command's own, or a shell's 128 + n for one that signal n ended.
func exitCode(err error) (int, error) {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		if err != nil {
			return 1, err
		}
		return 0, nil
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return exit.ExitCode(), nil
}
