package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
)

// newLog is JSON lines: ids, never personal data.
func newLog(to io.Writer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(to, &slog.HandlerOptions{Level: slog.LevelInfo}))
}

// both sends every record to a file and what a person must see to the terminal.
type both struct{ file, terminal slog.Handler }

func newDevLog(file, terminal io.Writer) *slog.Logger {
	return slog.New(both{
		file:     slog.NewJSONHandler(file, &slog.HandlerOptions{Level: slog.LevelInfo}),
		terminal: slog.NewTextHandler(terminal, &slog.HandlerOptions{Level: slog.LevelError}),
	})
}

// Enabled reports whether either wants the record.
func (b both) Enabled(ctx context.Context, l slog.Level) bool {
	return b.file.Enabled(ctx, l) || b.terminal.Enabled(ctx, l)
}

// Handle gives it to those who want it.
func (b both) Handle(ctx context.Context, r slog.Record) error {
	var faults error
	for _, h := range []slog.Handler{b.file, b.terminal} {
		if h.Enabled(ctx, r.Level) {
			faults = errors.Join(faults, h.Handle(ctx, r.Clone()))
		}
	}
	return faults
}

// WithAttrs keeps both.
func (b both) WithAttrs(attrs []slog.Attr) slog.Handler {
	return both{b.file.WithAttrs(attrs), b.terminal.WithAttrs(attrs)}
}

// WithGroup keeps both.
func (b both) WithGroup(name string) slog.Handler {
	return both{b.file.WithGroup(name), b.terminal.WithGroup(name)}
}
