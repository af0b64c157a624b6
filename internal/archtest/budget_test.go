package archtest

import (
	"go/ast"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	maxFileLines     = 300
	maxTestFileLines = 500
	maxFuncLines     = 50
	maxMethods       = 3
	maxTemplLines    = 150
)

func TestFilesAndFunctionsStayWithinTheirBudget(t *testing.T) {
	t.Parallel()
	for _, f := range goFiles(t, everything) {
		limit := maxFileLines
		if strings.HasSuffix(f.path, "_test.go") {
			limit = maxTestFileLines
		}
		if lines := strings.Count(f.source, "\n"); lines > limit {
			t.Errorf("%s has %d lines, the budget is %d", f.path, lines, limit)
		}
		if strings.HasSuffix(f.path, "_test.go") {
			continue
		}
		for _, d := range f.syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			lines := f.fset.Position(fn.Body.End()).Line - f.fset.Position(fn.Body.Pos()).Line
			if lines > maxFuncLines {
				t.Errorf("%s: %s has %d lines, the budget is %d", f.path, fn.Name.Name, lines, maxFuncLines)
			}
		}
	}
}

func TestInterfacesStaySmall(t *testing.T) {
	t.Parallel()
	for _, f := range goFiles(t, withoutTests) {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			i, ok := n.(*ast.InterfaceType)
			if ok && i.Methods.NumFields() > maxMethods {
				t.Errorf("%s: an interface has %d methods, the budget is %d", f.path, i.Methods.NumFields(), maxMethods)
			}
			return true
		})
	}
}

func TestTemplatesStaySmall(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir(filepath.Join(root, "web"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".templ") {
			return err
		}
		source, err := os.ReadFile(path)
		if err == nil && strings.Count(string(source), "\n") > maxTemplLines {
			t.Errorf("%s has %d lines, the budget is %d", path, strings.Count(string(source), "\n"), maxTemplLines)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	t.Parallel()
	documented, seen := map[string]bool{}, map[string]bool{}
	for _, f := range goFiles(t, withoutTests) {
		seen[f.pkg] = true
		if f.syntax.Doc != nil {
			documented[f.pkg] = true
		}
	}
	for pkg := range seen {
		if !documented[pkg] {
			t.Errorf("package %s has no doc comment", pkg)
		}
	}
}

func TestNoBucketPackages(t *testing.T) {
	t.Parallel()
	banned := map[string]bool{"util": true, "utils": true, "common": true, "helpers": true, "models": true, "manager": true, "base": true}
	for _, f := range goFiles(t, everything) {
		if banned[filepath.Base(f.pkg)] {
			t.Errorf("package %s is named after nothing", f.pkg)
		}
		for _, d := range f.syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && len(fn.Name.Name) > 3 && strings.HasPrefix(fn.Name.Name, "Get") && fn.Name.Name[3] >= 'A' && fn.Name.Name[3] <= 'Z' && fn.Name.Name != "GetMe" {
				t.Errorf("%s: %s: no Get prefix", f.path, fn.Name.Name)
			}
		}
	}
}

func TestErrorsDoNotSayFailedTo(t *testing.T) {
	t.Parallel()
	for _, f := range goFiles(t, withoutTests) {
		if strings.Contains(f.source, `"failed to`) || strings.Contains(f.source, `: failed to`) {
			t.Errorf("%s says \"failed to\": say what was being done", f.path)
		}
	}
}
