package app

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"sverka/internal/config"
	"sverka/internal/pg"
	"sverka/internal/pg/local"
	"sverka/internal/sandbox"
	"sverka/internal/secret"
)

type devCommand struct{}

// Run brings up everything in one process, in the order in which one part needs the other, tells where
// to go, and takes it down in the reverse order.
func (devCommand) Run(ctx context.Context, p Process) error {
	cfg, err := config.Load(p.Getenv)
	if err != nil {
		return err
	}
	d := &dev{cfg: cfg, process: p}
	defer d.close()
	if err := d.prepare(ctx); err != nil {
		return err
	}
	return d.run(ctx)
}

type dev struct {
	cfg      config.Config
	process  Process
	log      *slog.Logger
	postgres *local.Server // nil: the database is somebody else's
	adminURL string
	graph    *graph
	web      net.Listener
	sandbox  net.Listener
	box      *sandbox.Sandbox
	undo     []func()
}

// later runs when dev ends, last first.
func (d *dev) later(f func()) { d.undo = append(d.undo, f) }

func (d *dev) close() {
	for k := len(d.undo) - 1; k >= 0; k-- {
		d.undo[k]()
	}
}

func (d *dev) prepare(ctx context.Context) error {
	steps := []func(context.Context) error{d.openFolder, d.listen, d.openDatabase, d.openSandbox, d.openGraph}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (d *dev) openFolder(context.Context) error {
	if err := os.MkdirAll(d.cfg.DevDir, 0o700); err != nil {
		return err
	}
	if err := os.Remove(devFilePath(d.cfg.DevDir)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(filepath.Join(d.cfg.DevDir, "sverka.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	d.later(func() { _ = file.Close() })
	d.log = newDevLog(file, d.process.Err)
	return nil
}

// listen comes early: an address in use is the most common fault, and should not cost a database start.
func (d *dev) listen(context.Context) (err error) {
	if d.web, err = net.Listen("tcp", d.cfg.Listen); err != nil {
		return fmt.Errorf("%w (is another Sverka running? SVERKA_LISTEN chooses another address)", err)
	}
	d.later(func() { _ = d.web.Close() })
	if d.sandbox, err = net.Listen("tcp", d.cfg.SandboxListen); err != nil {
		return fmt.Errorf("%w (SVERKA_SANDBOX_LISTEN chooses another address)", err)
	}
	d.later(func() { _ = d.sandbox.Close() })
	return nil
}

const devDatabase = "sverka"

func (d *dev) openDatabase(ctx context.Context) error {
	d.adminURL = d.cfg.DatabaseURL.Reveal()
	if d.adminURL == "" {
		d.say("starting PostgreSQL …")
		server, err := local.Start(ctx, local.Options{Dir: d.cfg.DevDir, Durable: true, Log: d.log})
		if err != nil {
			return err
		}
		d.postgres = server
		d.later(func() {
			stop, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			if err := server.Stop(stop); err != nil {
				d.log.Error("postgres not stopped", "error", err)
			}
		})
		if err := pg.CreateDatabase(ctx, server.URL("postgres"), devDatabase); err != nil {
			return err
		}
		d.adminURL = server.URL(devDatabase)
	}
	d.say("migrating …")
	password, err := d.kept("login_password", randomText)
	if err != nil {
		return err
	}
	if err := pg.Bootstrap(ctx, d.adminURL, password); err != nil {
		return err
	}
	return pg.Migrate(ctx, d.adminURL)
}

func (d *dev) openSandbox(context.Context) (err error) {
	d.box, err = sandbox.NewWith(filepath.Join(d.cfg.DevDir, "sandbox"), d.log, sandbox.Options{PanelURL: d.baseURL()})
	if err == nil {
		d.later(func() { _ = d.box.Close() })
	}
	return err
}

func (d *dev) openGraph(ctx context.Context) error {
	if d.cfg.Keyset.IsZero() {
		text, err := d.kept("keyset", func() (string, error) {
			k, err := secret.NewKeyset()
			if err != nil {
				return "", err
			}
			text, err := k.Export()
			return text.Reveal(), err
		})
		if err != nil {
			return err
		}
		d.cfg.Keyset = secret.NewText(text)
	}
	password, err := d.kept("login_password", randomText)
	if err != nil {
		return err
	}
	url, err := pg.LoginURL(d.adminURL, password)
	if err != nil {
		return err
	}
	if d.graph, err = open(ctx, d.cfg, url, limits{}, d.log); err != nil {
		return err
	}
	d.graph.allowLoopback = true
	d.later(d.graph.close)
	return nil
}

// run serves until the context ends: the outside world (sandbox) goes last, so that answers under way
// still find it.
func (d *dev) run(ctx context.Context) error {
	workers, err := d.graph.workers()
	if err != nil {
		return err
	}
	outside, stopOutside := context.WithCancel(context.WithoutCancel(ctx))
	defer stopOutside()
	var world errgroup.Group
	world.Go(func() error { return d.box.Run(outside) })
	world.Go(func() error { return serveHTTP(outside, d.sandbox, newServer(d.box.Handler(), d.log)) })

	group, inside := errgroup.WithContext(ctx)
	group.Go(func() error { return d.graph.runWeb(inside, d.web, d.graph.doors(true)) })
	group.Go(func() error { return workers.Run(inside) })
	group.Go(func() error { return d.announce(inside) })
	err = group.Wait()
	if ctx.Err() != nil {
		d.say("stopping …")
	}
	_ = os.Remove(devFilePath(d.cfg.DevDir))
	stopOutside()
	return errors.Join(err, world.Wait())
}

func (d *dev) baseURL() string    { return "http://" + d.web.Addr().String() }
func (d *dev) sandboxURL() string { return "http://" + d.sandbox.Addr().String() }

// publicURL is where Telegram finds us: the sandbox finds us here.
func (d *dev) publicURL() string {
	if d.cfg.PublicURL != "" {
		return d.cfg.PublicURL
	}
	return d.baseURL()
}

func (d *dev) say(text string) { fmt.Fprintln(d.process.Out, text) }

// kept is a secret that is made once and stays over restarts, in a file that only its owner reads.
func (d *dev) kept(name string, fresh func() (string, error)) (string, error) {
	path := filepath.Join(d.cfg.DevDir, name)
	raw, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(raw)), nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	text, err := fresh()
	if err != nil {
		return "", err
	}
	return text, os.WriteFile(path, []byte(text+"\n"), 0o600)
}

func randomText() (string, error) {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b), nil
}
