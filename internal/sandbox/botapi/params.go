package botapi

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
)

// maxBody is of any request to us, in bytes.
const maxBody = 1 << 20

// params are a method's parameters, whichever way they came: query, form, multipart or JSON. A JSON
// value that is no string stands here as its JSON text.
type params map[string]string

// flag reads a boolean as td's to_bool does.
func (p params) flag(name string) bool {
	switch strings.ToLower(strings.TrimSpace(p[name])) {
	case "true", "yes", "1":
		return true
	}
	return false
}

func readParams(w http.ResponseWriter, r *http.Request) (params, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	p := params{}
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if media == "application/json" {
		if err := p.readJSON(r.Body); err != nil {
			return nil, err
		}
	}
	err := r.ParseForm()
	if media == "multipart/form-data" {
		err = errors.Join(err, r.ParseMultipartForm(maxBody))
	}
	if err != nil {
		return nil, err
	}
	for name, values := range r.Form {
		if _, given := p[name]; !given {
			p[name] = values[0]
		}
	}
	return p, nil
}

func (p params) readJSON(body io.Reader) error {
	raw, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	for name, value := range fields {
		var text string
		switch {
		case string(value) == "null":
		case json.Unmarshal(value, &text) == nil:
			p[name] = text
		default:
			p[name] = string(value)
		}
	}
	return nil
}
