package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const root = "../.."

// file is one Go file of ours.
type file struct {
	path    string // from the root
	pkg     string // its folder
	imports []string
	source  string
	syntax  *ast.File
	fset    *token.FileSet
}

func withoutTests(path string) bool {
	return !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, "_templ.go")
}

func everything(path string) bool { return !strings.HasSuffix(path, "_templ.go") }

// goFiles reads the Go files of the repository that keep says to.
func goFiles(t *testing.T, keep func(path string) bool) []file {
	t.Helper()
	var all []file
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && (strings.HasPrefix(name, ".") && name != ".." || name == "build" || name == "testdata" || name == "node_modules") {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || !keep(path) {
			return nil
		}
		all = append(all, read(t, path))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("found %d Go files: the test looks at the wrong place", len(all))
	}
	return all
}

func read(t *testing.T, path string) file {
	t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, path, source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(root, path)
	if err != nil {
		t.Fatal(err)
	}
	f := file{path: filepath.ToSlash(relative), pkg: filepath.ToSlash(filepath.Dir(relative)), source: string(source), syntax: syntax, fset: fset}
	for _, spec := range syntax.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		f.imports = append(f.imports, imported)
	}
	return f
}
