package app

import (
	"context"
	"fmt"
	"net"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"sverka/internal/config"
	"sverka/internal/sandbox"
)

type sandboxCommand struct{}

// Run serves the fake Telegram and CRMs alone.
func (sandboxCommand) Run(ctx context.Context, p Process) error {
	cfg, err := config.Load(p.Getenv)
	if err != nil {
		return err
	}
	log := newLog(p.Err)
	box, err := sandbox.New(filepath.Join(cfg.DevDir, "sandbox"), log)
	if err != nil {
		return err
	}
	defer box.Close()
	listener, err := net.Listen("tcp", cfg.SandboxListen)
	if err != nil {
		return err
	}
	fmt.Fprintln(p.Out, "the sandbox is at http://"+listener.Addr().String())
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return box.Run(ctx) })
	group.Go(func() error { return serveHTTP(ctx, listener, newServer(box.Handler(), log)) })
	return group.Wait()
}
