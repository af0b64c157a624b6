// Package uitest holds pages to what they looked like, and to what must hold of every page.
//
// A golden file is the whole page of one meaningful state, drawn from a literal model in one language:
// testdata/<name>.html. `go test ./web/... -update` writes them anew.
package uitest

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// hashed is the part of a static file's name that changes with its content, which no golden is about.
var hashed = regexp.MustCompile(`(/static/[a-z]+\.)[0-9a-f]{12}\.`)

// Golden draws a page, checks it, and compares it with testdata/<name>.html.
func Golden(ctx context.Context, t *testing.T, name string, page templ.Component) {
	t.Helper()
	var out strings.Builder
	if err := page.Render(ctx, &out); err != nil {
		t.Fatal(err)
	}
	got := hashed.ReplaceAllString(lines(out.String()), "${1}HASH.")
	Check(t, got)
	path := filepath.Join("testdata", name+".html")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got), -update accepts it:\n%s", path, diff)
	}
}

// block begins every element that deserves a line of its own, so that a diff of goldens can be read.
var block = regexp.MustCompile(`<(/?(?:html|head|body|header|footer|main|nav|section|article|div|ul|ol|li|dl|dt|dd|table|thead|tbody|tr|td|th|form|details)|h1|h2|h3|h4|p|a|meta|link|title|script)\b`)

func lines(page string) string {
	return strings.TrimSpace(block.ReplaceAllString(page, "\n<$1")) + "\n"
}
