// Package static is the files that pages load: style, script, icon, font. They are embedded.
//
// Each is served under a name that holds a hash of its content, /static/app.<hash>.css, so that it may
// be kept for ever: another content has another name. The style is rewritten once to name the font so.
package static

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed files
var files embed.FS

const prefix = "/static/"

type file struct {
	name string // as it is served
	body []byte
	kind string // media type
}

// byName and byPath hold what is embedded, read once.
var byName, byPath = load()

func load() (named, served map[string]file) {
	named, served = map[string]file{}, map[string]file{}
	entries, err := fs.ReadDir(files, "files")
	if err != nil {
		panic(err) // embedded: cannot be missing
	}
	var styles []string
	add := func(name string, body []byte) {
		sum := sha256.Sum256(body)
		kind := path.Ext(name)
		f := file{name: prefix + strings.TrimSuffix(name, kind) + "." + hex.EncodeToString(sum[:6]) + kind, body: body, kind: mediaType(kind)}
		named[name], served[f.name] = f, f
	}
	for _, e := range entries {
		body, err := fs.ReadFile(files, "files/"+e.Name())
		switch {
		case err != nil:
			panic(err)
		case path.Ext(e.Name()) == ".css":
			styles = append(styles, e.Name())
		default:
			add(e.Name(), body)
		}
	}
	for _, name := range styles { // last: they name the others
		body, _ := fs.ReadFile(files, "files/"+name)
		for other, f := range named {
			body = bytes.ReplaceAll(body, []byte(`url("`+other+`")`), []byte(`url("`+f.name+`")`))
		}
		add(name, body)
	}
	return named, served
}

func mediaType(extension string) string {
	switch extension { // not every system's own table knows these
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".woff2":
		return "font/woff2"
	}
	return mime.TypeByExtension(extension)
}

// Path is where a file is served; a name that is not embedded is a mistake of ours and panics.
func Path(name string) string {
	f, ok := byName[name]
	if !ok {
		panic("static: no file " + name)
	}
	return f.name
}

// Handler serves the files, and 404 for every other name: an old one may not answer with new content.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := byPath[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", f.kind)
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		h.Set("X-Content-Type-Options", "nosniff")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.body))
	})
}
