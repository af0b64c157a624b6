// Package page is the sandbox's own page: be a customer of a bot, break the CRMs, and watch what comes
// of it. It works without JavaScript; the script only renews what stands on the page. It owns no state:
// who one is and what one looks at travels in the address.
package page

import (
	"bytes"
	"embed"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"

	"sverka/internal/sandbox/botapi"
	"sverka/internal/sandbox/owncrm"
)

//go:embed *.html
var templates embed.FS

//go:embed assets
var assets embed.FS

// policy lets the page load and talk to nothing but itself.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Page is the page and its buttons.
type Page struct {
	bots     *botapi.Server
	accounts *owncrm.Server
	panelURL string
	log      *slog.Logger
	view     *template.Template
}

// New makes the page. panelURL "" = no link to Sverka.
func New(bots *botapi.Server, accounts *owncrm.Server, panelURL string, log *slog.Logger) *Page {
	view := template.Must(template.New("").Funcs(functions).ParseFS(templates, "*.html"))
	return &Page{bots: bots, accounts: accounts, panelURL: panelURL, log: log, view: view}
}

// Routes adds the page to the sandbox's doors.
func (p *Page) Routes(mux *http.ServeMux) {
	files, err := fs.Sub(assets, "assets")
	if err != nil {
		panic(err) // embedded: cannot be missing
	}
	mux.HandleFunc("GET /{$}", p.show)
	mux.HandleFunc("POST /act/{what}", p.act)
	mux.Handle("GET /assets/{file}", http.StripPrefix("/assets/", http.FileServerFS(files)))
}

func (p *Page) show(w http.ResponseWriter, r *http.Request) {
	var html bytes.Buffer
	if err := p.view.ExecuteTemplate(&html, "page.html", p.model(r)); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(html.Bytes())
}
