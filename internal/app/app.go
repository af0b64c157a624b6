// Package app is the composition root: it reads the command line and the environment, builds the graph,
// and starts and stops it. Nothing else knows all parts.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/alecthomas/kong"

	"sverka/internal/config"
)

// Exit codes, beside 0.
const (
	exitFault        = 1
	exitUsage        = 2 // the command line or the configuration
	exitNothingFound = 3 // trace
)

type commands struct {
	Dev     devCommand     `cmd:"" help:"Everything in one process, with a demo tenant and a sandbox: for a first look."`
	Serve   serveCommand   `cmd:"" help:"The web doors. Any number of replicas."`
	Work    workCommand    `cmd:"" help:"The workers. Any number of replicas."`
	Migrate migrateCommand `cmd:"" help:"Make the roles and bring the database to the newest version."`
	Sandbox sandboxCommand `cmd:"" help:"The fake Telegram and CRMs alone."`
	Trace   traceCommand   `cmd:"" help:"Show how a message became a record, from either end."`
	Keys    keysCommand    `cmd:"" help:"Make, rotate and check root keysets."`
	Version versionCommand `cmd:"" help:"Print the version."`
}

// Process is what a command has of the outside.
type Process struct {
	Getenv func(string) string
	Out    io.Writer
	Err    io.Writer
}

// codedError carries the exit code of an expected failure.
type codedError struct {
	code int
	err  error
}

func (e codedError) Error() string { return e.err.Error() }
func (e codedError) Unwrap() error { return e.err }

// Run carries out one command and gives the exit code.
func Run(ctx context.Context, args []string, p Process) int {
	var cli commands
	exited := -1
	parser, err := kong.New(&cli, kong.Name("sverka"), kong.Writers(p.Out, p.Err),
		kong.Description("Сверка: messages become at most one record in the CRM, or a question to a person."),
		kong.Exit(func(code int) { exited = code }), kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(p))
	if err != nil {
		fmt.Fprintln(p.Err, "sverka:", err)
		return exitFault
	}
	parsed, err := parser.Parse(args)
	if exited >= 0 { // --help
		return exited
	}
	if err != nil {
		fmt.Fprintln(p.Err, "sverka:", err)
		return exitUsage
	}
	return report(parsed.Run(), p.Err)
}

func report(err error, to io.Writer) int {
	var (
		coded  codedError
		faulty *config.Error
	)
	switch {
	case err == nil:
		return 0
	case errors.As(err, &faulty):
		fmt.Fprintln(to, "sverka: the configuration has faults:")
		for _, fault := range faulty.Faults {
			fmt.Fprintln(to, "  "+fault.Error())
		}
		return exitUsage
	case errors.As(err, &coded):
		fmt.Fprintln(to, "sverka:", err)
		return coded.code
	}
	fmt.Fprintln(to, "sverka:", err)
	return exitFault
}

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(p Process) error {
	fmt.Fprintln(p.Out, "sverka", Version())
	return nil
}

// Version is the revision that this program was built from.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return s.Value[:12]
		}
	}
	return info.Main.Version
}
