package panel

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net/http"

	"sverka/internal/inbox"
	"sverka/internal/operation"
	"sverka/internal/pg"
	"sverka/internal/tenant"
	"sverka/web/ui"
)

// ErrNotFound: the address leads nowhere, such as an id that is none.
var ErrNotFound = errors.New("panel: no such page")

// answer is the one table that turns what a page returned into what its reader is told. The cause goes
// to the log, never to the reader.
func answer(err error) (code int, f ui.Fault) {
	switch {
	case errors.Is(err, ErrNotFound), errors.Is(err, tenant.ErrNotFound), errors.Is(err, inbox.ErrNotFound),
		errors.Is(err, operation.ErrNotFound):
		return http.StatusNotFound, ui.Fault{Key: "error.not_found"}
	case pg.IsAway(err):
		return http.StatusServiceUnavailable, ui.Fault{Key: "error.away", MayRetry: true}
	}
	return http.StatusInternalServerError, ui.Fault{Key: "error.fault", MayRetry: true}
}

// refuse answers with an error page. What is our fault is logged under a reference that the page shows.
func (p *Panel) refuse(ctx context.Context, w http.ResponseWriter, v Visit, err error) {
	code, fault := answer(err)
	if code >= http.StatusInternalServerError && v.Context().Err() == nil { // else the reader has gone
		fault.Reference = reference()
		p.log.Error("page not shown", "pattern", v.Pattern, "reference", fault.Reference, "code", code, "error", err)
	}
	if code == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "5")
	}
	p.write(ctx, w, code, ui.ErrorPage(v.Shell, fault))
}

func reference() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
