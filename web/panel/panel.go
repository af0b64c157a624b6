// Package panel is what every page of the panel stands on: it finds the tenant and the reader's
// language, draws the shell, and turns errors into answers.
//
//	request ──▶ Visit (tenant, shell) ──▶ page: Show ──▶ view, whole, or an error ──▶ answer
//
// A page is drawn into memory first: an error half way never leaves half a page. It owns no table.
package panel

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/a-h/templ"

	"sverka/internal/i18n"
	"sverka/internal/pg"
	"sverka/internal/tenant"
	"sverka/web/ui"
)

// Panel makes the doors of pages.
type Panel struct {
	db      *pg.DB
	tenants tenants
	log     *slog.Logger
	version string
	now     func() time.Time
}

type tenants interface {
	BySlug(ctx context.Context, slug string) (tenant.Tenant, error)
}

// New builds what pages stand on.
func New(db *pg.DB, tenants *tenant.Tenants, log *slog.Logger) *Panel {
	return &Panel{db: db, tenants: tenants, log: log, version: version(), now: time.Now}
}

// version is the revision that this program was built from, short.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "?"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return s.Value[:12]
		}
	}
	return info.Main.Version
}

// Visit is one request of a page in a tenant.
type Visit struct {
	*http.Request
	Tenant tenant.Tenant
	Shell  ui.Shell
}

// Show makes the view of a page, or says why there is none.
type Show func(context.Context, Visit) (templ.Component, error)

// Page is the door of a page: /t/{slug}/….
func (p *Panel) Page(show Show) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := i18n.With(r.Context(), i18n.Choose(w, r))
		visit, err := p.visit(ctx, r)
		if err != nil {
			p.refuse(ctx, w, visit, err)
			return
		}
		view, err := show(ctx, visit)
		if err != nil {
			p.refuse(ctx, w, visit, err)
			return
		}
		p.write(ctx, w, http.StatusOK, view)
	})
}

// visit fills what it can even where it fails, so that an error page has as much of a shell as there is.
func (p *Panel) visit(ctx context.Context, r *http.Request) (Visit, error) {
	v := Visit{Request: r, Shell: ui.Shell{Address: r.URL, Version: p.version, Now: p.now()}}
	found, err := p.tenants.BySlug(ctx, r.PathValue("slug"))
	if err != nil {
		return v, err
	}
	waiting, now, err := p.standing(ctx, found.ID)
	if err != nil {
		return v, err
	}
	v.Tenant = found
	v.Shell.TenantName, v.Shell.Slug, v.Shell.Waiting, v.Shell.Now = found.Name, found.Slug, waiting, now
	return v, nil
}

func (p *Panel) write(ctx context.Context, w http.ResponseWriter, code int, view templ.Component) {
	var page bytes.Buffer
	err := view.Render(ctx, &page)
	if ctx.Err() != nil {
		return // the reader has gone
	}
	if err != nil {
		p.log.Error("page not drawn", "error", err)
		code = http.StatusInternalServerError
		page.Reset()
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(page.Bytes()) // the reader may have gone
}
