// Command sverka is the whole product in one binary.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"sverka/internal/app"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	code := app.Run(ctx, os.Args[1:], app.Process{Getenv: os.Getenv, Out: os.Stdout, Err: os.Stderr})
	stop()
	os.Exit(code)
}
