// Command bench measures the corridor, on a PostgreSQL of its own with durable settings, and compares
// within one run: machines differ and are noisy, ratios are what to read.
//
//	make bench                    prints the tables, writes bench/results/*.json
//
// The contenders of the intake take turns, several rounds each; medians are shown. The baseline is the
// same rows, bell and job by single commits over 64 connections, written here (baseline.go).
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	w, err := newWorld(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	fmt.Println(w.facts)
	intake, err := measureIntake(ctx, w)
	if err != nil {
		return err
	}
	corridor, err := measureCorridor(ctx, w)
	if err != nil {
		return err
	}
	for name, result := range map[string]any{"intake": intake, "corridor": corridor} {
		if err := w.facts.write(name, result); err != nil {
			return err
		}
	}
	return nil
}
