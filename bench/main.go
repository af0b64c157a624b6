// Command bench measures the corridor, on a PostgreSQL of its own with durable settings.
//
//	make bench                    prints the tables, writes bench/results/*.json with the machine's facts
//
// How to read it. Machines differ and are noisy, so ratios within one run are what counts. Contenders take
// turns, each round beginning with another one; a ratio is the median of the rounds' own ratios to the
// baseline of the same round. The baseline is the same rows, bell and job by single commits over 64
// connections, written here (baseline.go). Callers, server and database share the machine's cores.
//
// A job is inserted only where a bell was silent. So there are two conditions, and they differ:
//
//	waiting   nobody takes the bells: all stay rung, and no job is inserted. A backlog.
//	taken     bells are taken again and again, as workers do: jobs are inserted all the time.
//
// The main table is of bells waiting; the spread shows both, and one bot, whose transactions all come
// through one bell row. A goal that holds in one condition only is not met.
//
// The p99 is over all requests of all windows, each counted from when it was due. One stalled write of the
// disk can decide it, so each window's own is shown beside it.
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
	if err := w.facts.write("intake", intake); err != nil {
		return err
	}
	corridor, err := measureCorridor(ctx, w)
	if err != nil {
		return err
	}
	return w.facts.write("corridor", corridor)
}
