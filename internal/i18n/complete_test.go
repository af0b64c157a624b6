package i18n_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"sverka/internal/crm"
	"sverka/internal/i18n"
	"sverka/internal/inbox"
	"sverka/internal/intake"
	"sverka/internal/operation"
	"sverka/internal/telegram"
)

// message is one message of a file: its forms by plural category; one without plurals has other alone.
type message map[string]string

func messages(t *testing.T, lang i18n.Lang) map[string]message {
	t.Helper()
	var file map[string]any
	if _, err := toml.DecodeFile("active."+string(lang)+".toml", &file); err != nil {
		t.Fatal(err)
	}
	all := map[string]message{}
	var walk func(prefix string, table map[string]any)
	walk = func(prefix string, table map[string]any) {
		if _, plural := table["other"]; plural {
			m := message{}
			for form, text := range table {
				m[form] = text.(string)
			}
			all[prefix] = m
			return
		}
		for name, value := range table {
			switch value := value.(type) {
			case string:
				all[strings.TrimPrefix(prefix+"."+name, ".")] = message{"other": value}
			case map[string]any:
				walk(strings.TrimPrefix(prefix+"."+name, "."), value)
			}
		}
	}
	walk("", file)
	return all
}

var (
	placeholder = regexp.MustCompile(`{{\.[A-Za-z]+}}`)
	forms       = map[i18n.Lang][]string{i18n.Russian: {"few", "many", "one", "other"}, i18n.English: {"one", "other"}}
)

func TestBothLanguagesSayTheSame(t *testing.T) {
	t.Parallel()
	ru, en := messages(t, i18n.Russian), messages(t, i18n.English)
	for _, pair := range []struct {
		lang        i18n.Lang
		mine, other map[string]message
	}{{i18n.Russian, ru, en}, {i18n.English, en, ru}} {
		for key, m := range pair.mine {
			opposite, ok := pair.other[key]
			if !ok {
				t.Errorf("%s is in %s alone", key, pair.lang)
				continue
			}
			if (len(m) > 1) != (len(opposite) > 1) {
				t.Errorf("%s has plural forms in one language alone", key)
			}
			for form, text := range m {
				if got, want := holders(text), holders(opposite["other"]); !slices.Equal(got, want) {
					t.Errorf("%s in %s (%s) has %v, the other language has %v", key, pair.lang, form, got, want)
				}
				if strings.ContainsAny(text, "<>") || strings.TrimSpace(text) == "" {
					t.Errorf("%s in %s: %q", key, pair.lang, text)
				}
			}
			if got := keys(m); len(m) > 1 && !slices.Equal(got, forms[pair.lang]) {
				t.Errorf("%s in %s has the forms %v, want %v", key, pair.lang, got, forms[pair.lang])
			}
		}
	}
}

func TestEveryMessageIsUsedAndEveryUsedOneIsThere(t *testing.T) {
	t.Parallel()
	all, used := messages(t, i18n.Russian), map[string]bool{}
	for family, codes := range families(t) {
		for _, code := range codes {
			used[family+"."+code] = true
			if all[family+"."+code] == nil {
				t.Errorf("%s.%s has no words", family, code)
			}
		}
	}
	sections := map[string]bool{}
	for key := range all {
		section, _, _ := strings.Cut(key, ".")
		sections[section] = true
	}
	for key, path := range named(t) {
		section, _, _ := strings.Cut(key, ".")
		if !sections[section] {
			continue // such as a file's name
		}
		found := all[key] != nil
		for _, whole := range []string{key + ".heading", key + ".text"} { // ui.Fault
			used[whole] = true
			found = found || all[whole] != nil
		}
		used[key] = true
		if !found && !slices.ContainsFunc(keys(all), func(k string) bool { return strings.HasPrefix(k, key) }) {
			t.Errorf("%s names %s, which is no message", path, key)
		}
	}
	for key := range all {
		if !used[key] {
			t.Errorf("%s is used nowhere", key)
		}
	}
}

// families are the messages that code finds by a word of the machine's, with all the words there are.
func families(t *testing.T) map[string][]string {
	t.Helper()
	var events, states, kinds, said []string
	for _, s := range inbox.States() {
		events = append(events, string(s))
	}
	for s := range operation.Edges {
		states = append(states, string(s))
	}
	ours := []string{telegram.ReasonUnknownType, telegram.ReasonMalformed, telegram.ReasonNotPrivate, telegram.ReasonNoSender,
		telegram.ReasonFromBot, telegram.ReasonServiceMessage, telegram.ReasonNoContent}
	for _, r := range telegram.Reasons {
		if !slices.Contains(ours, r) {
			kinds = append(kinds, r)
		}
	}
	for _, key := range []string{"done", "again", "failed"} {
		said = append(said, key+"_lead", key+"_note", key+"_record")
	}
	said = append(said, "needs_reconciliation", "held", "in_flight", "pending", "retry", "superseded", "cancelled")
	return map[string][]string{
		"event.state": events, "event.kind": append(kinds, "message", telegram.Unknown),
		"event.reason":    slices.Concat(telegram.Reasons, intake.Reasons, []string{inbox.NoUsableID, inbox.InterpretationFailed}),
		"operation.state": append(states, "retry", string(operation.StateSuperseded)), "operation.said": said,
		"outcome":    {"executed", "refused", "not_executed", "stale", "unknown", "running"},
		"record":     {string(crm.Lead), string(crm.Note)},
		"capability": {string(crm.IdempotentCreate), string(crm.UpsertByExternalID), string(crm.Neither)},
		"actor":      {operation.ActorSystem, operation.ActorLateAnswer, "probe", "person"},
		"cause": append(causes(t), "paused", "match_review", "http_400", "http_401", "http_402", "http_403", "http_404",
			"http_409", "http_413", "http_422"),
		"attention.means": {"needs_reconciliation", "failed", "held", "held_connection", "held_paused", "held_predecessor", "held_match_review"},
		"language":        {"ru", "en", "ru_short", "en_short"},
	}
}

var nameLike = regexp.MustCompile(`"([a-z]+(?:\.[a-z0-9_]+)+)\.?"`)

// named finds what looks like the name of a message in the code of pages, and where it stands.
func named(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	visit(t, []string{"../../web", "."}, func(path string, source []byte) {
		for _, m := range nameLike.FindAllSubmatch(source, -1) {
			found[string(m[1])] = path
		}
	})
	return found
}

// causes are the codes of reasons and outcomes: named constants, and what is written out in a literal.
func causes(t *testing.T) []string {
	t.Helper()
	found := map[string]bool{}
	constant := regexp.MustCompile(`(?m)^\s+(?:Reason[A-Z]\w*|[A-Z]\w+\s+Fault)\s+=\s+"(\w+)"`)
	visit(t, []string{"../operation", "../perform", "../crm", "../safehttp"}, func(path string, source []byte) {
		for _, m := range constant.FindAllSubmatch(source, -1) {
			found[string(m[1])] = true
		}
		if !strings.HasSuffix(path, ".go") {
			return
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), path, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(syntax, func(n ast.Node) bool {
			pair, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			name, isName := pair.Key.(*ast.Ident)
			text, isText := pair.Value.(*ast.BasicLit)
			if isName && isText && (name.Name == "Cause" || name.Name == "Reason") {
				code, err := strconv.Unquote(text.Value)
				found[code] = err == nil
			}
			return true
		})
	})
	if len(found) < 25 {
		t.Fatalf("found %d causes: the test looks at the wrong place", len(found))
	}
	return keys(found)
}

// visit reads the Go and templ sources below the folders, without tests and what is generated.
func visit(t *testing.T, folders []string, see func(path string, source []byte)) {
	t.Helper()
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_templ.go") ||
				strings.Contains(path, "crmtest") {
				return err
			}
			if ext := filepath.Ext(path); ext != ".go" && ext != ".templ" {
				return nil
			}
			source, err := os.ReadFile(path)
			if err == nil {
				see(path, source)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// holders are the places for values of a text; a plural form may leave its count out.
func holders(text string) []string {
	all := placeholder.FindAllString(text, -1)
	slices.Sort(all)
	return slices.Compact(all)
}

func keys[V any](m map[string]V) []string {
	all := make([]string, 0, len(m))
	for key := range m {
		all = append(all, key)
	}
	slices.Sort(all)
	return all
}
