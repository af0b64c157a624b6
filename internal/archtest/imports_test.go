package archtest

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// nouns each own their tables and never import each other.
var nouns = []string{
	"internal/account", "internal/bot", "internal/connection", "internal/contact", "internal/inbox", "internal/inquiry",
	"internal/operation", "internal/route", "internal/tenant",
}

// useCases are where nouns meet.
var useCases = []string{"internal/intake", "internal/lineage", "internal/perform"}

var (
	ports    = []string{"internal/crm", "internal/telegram", "internal/id"}
	plumbing = []string{"internal/pg", "internal/secret", "internal/config", "internal/safehttp"}
)

// mayImport lists, per package, what of ours it may import. A package that is not listed may import nothing.
var mayImport = map[string][]string{
	"cmd/sverka":              {"internal/app"},
	"internal/app":            {"*"},
	"web":                     join(nouns, useCases, ports, plumbing, []string{"internal/i18n", "static", "web/hooks", "web/ui", "web/pages/*"}),
	"web/hooks":               {"internal/inbox", "internal/telegram"},
	"web/ui":                  {"internal/i18n", "internal/id", "static"},
	"web/panel":               join(nouns, ports, plumbing, []string{"internal/i18n", "web/ui"}),
	"web/pages/*":             join(nouns, useCases, ports, plumbing, []string{"internal/i18n", "web/panel", "web/ui"}),
	"internal/jobs":           {"internal/id", "internal/pg"},
	"internal/crm":            {"internal/safehttp"},
	"internal/crm/adapters":   {"internal/crm", "internal/crm/adapters/*"},
	"internal/crm/adapters/*": {"internal/crm"},
	"internal/crm/crmtest":    {"internal/crm", "internal/safehttp"},
	"internal/telegram":       {"internal/safehttp"},
	"internal/pg":             {"migrations"},
	"internal/pgtest":         {"internal/pg", "internal/pg/local", "migrations"},
	"internal/pgtest/withpg":  {"internal/pgtest", "internal/pg/local"},
	"internal/config":         {"internal/secret"},
	"internal/evidence/check": {"internal/evidence"},
	"internal/sandbox":        {"internal/sandbox/*"},
	"internal/sandbox/*":      {"internal/sandbox/*"},
	"bench":                   {"*"},
}

func join(lists ...[]string) []string { return slices.Concat(lists...) }

func allowedFor(pkg string) []string {
	if slices.Contains(nouns, pkg) {
		return join(ports, plumbing)
	}
	if slices.Contains(useCases, pkg) {
		return join(nouns, ports, plumbing)
	}
	if allowed, ok := mayImport[pkg]; ok {
		return allowed
	}
	for pattern, allowed := range mayImport {
		if ok, _ := path.Match(pattern, pkg); ok {
			return allowed
		}
	}
	return nil
}

func TestEachPackageImportsOnlyWhatTheDesignAllows(t *testing.T) {
	t.Parallel()
	for _, f := range goFiles(t, withoutTests) {
		allowed := allowedFor(f.pkg)
		for _, imported := range f.imports {
			ours, isOurs := strings.CutPrefix(imported, "sverka/")
			if isOurs && !slices.ContainsFunc(allowed, func(pattern string) bool { return pattern == "*" || matches(pattern, ours) }) {
				t.Errorf("%s imports %s: %s may import %v", f.path, ours, f.pkg, allowed)
			}
		}
	}
}

func matches(pattern, pkg string) bool {
	ok, err := path.Match(pattern, pkg)
	return err == nil && ok
}

func TestNothingUnderInternalImportsWeb(t *testing.T) {
	t.Parallel()
	for _, f := range goFiles(t, withoutTests) {
		for _, imported := range f.imports {
			if strings.HasPrefix(imported, "sverka/web") && strings.HasPrefix(f.pkg, "internal/") && f.pkg != "internal/app" {
				t.Errorf("%s imports %s", f.path, imported)
			}
		}
	}
}

func TestOnlyAppImportsAdapters(t *testing.T) {
	t.Parallel()
	for _, f := range goFiles(t, withoutTests) {
		for _, imported := range f.imports {
			isAdapter := strings.HasPrefix(imported, "sverka/internal/crm/adapters")
			if isAdapter && !slices.Contains([]string{"internal/app", "internal/crm/adapters", "bench"}, f.pkg) {
				t.Errorf("%s imports %s", f.path, imported)
			}
		}
	}
}

func TestAdaptersImportThePortAndTheStandardLibraryOnly(t *testing.T) {
	t.Parallel()
	for _, f := range goFiles(t, withoutTests) {
		if !matches("internal/crm/adapters/*", f.pkg) {
			continue
		}
		for _, imported := range f.imports {
			if imported != "sverka/internal/crm" && strings.Contains(strings.Split(imported, "/")[0], ".") {
				t.Errorf("%s imports %s", f.path, imported)
			}
		}
	}
}

func TestRiverIsKnownToJobsAndAppOnly(t *testing.T) {
	t.Parallel()
	for _, f := range goFiles(t, withoutTests) {
		for _, imported := range f.imports {
			if strings.HasPrefix(imported, "github.com/riverqueue/") && !slices.Contains([]string{"internal/jobs", "internal/app", "bench"}, f.pkg) {
				t.Errorf("%s imports %s", f.path, imported)
			}
		}
	}
}

// pgxHomes may use pgx in any file: they are about the database.
var pgxHomes = []string{"internal/pg", "internal/pg/local", "internal/pgtest", "internal/pgtest/withpg", "internal/jobs", "internal/app", "bench"}

func TestPgxIsUsedInStoresOnly(t *testing.T) {
	t.Parallel()
	for _, f := range goFiles(t, withoutTests) {
		name := path.Base(f.path)
		isStore := name == "store.go" || name == "tx.go" || strings.HasSuffix(name, "_store.go")
		for _, imported := range f.imports {
			if strings.HasPrefix(imported, "github.com/jackc/pgx") && !isStore && !slices.Contains(pgxHomes, f.pkg) {
				t.Errorf("%s imports %s", f.path, imported)
			}
		}
	}
}
