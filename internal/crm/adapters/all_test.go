package adapters_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"sverka/internal/crm"
	"sverka/internal/crm/adapters"
)

func TestEveryAdapterIsListedOnce(t *testing.T) {
	t.Parallel()
	var listed []string
	for _, a := range adapters.All() {
		if slices.Contains(listed, a.Name) {
			t.Errorf("%s is listed twice", a.Name)
		}
		listed = append(listed, a.Name)
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !slices.Contains(listed, e.Name()) {
			t.Errorf("folder %s is not listed, or its adapter has another name", e.Name())
		}
	}
}

// The form is drawn from the description alone.
func TestAdaptersDescribeThemselves(t *testing.T) {
	t.Parallel()
	for _, a := range adapters.All() {
		if a.Name == "" || !bilingual(a.Title) || !bilingual(a.Help) || a.Open == nil {
			t.Errorf("%q: name, title, help or Open is missing", a.Name)
		}
		seen := map[string]bool{}
		for _, f := range a.Fields {
			describes(t, a.Name+"."+f.Name, f)
			if seen[f.Name] {
				t.Errorf("%s.%s is there twice", a.Name, f.Name)
			}
			seen[f.Name] = true
		}
		if !seen[crm.BaseURLField] {
			t.Errorf("%s has no %s: its wire is bound to nothing", a.Name, crm.BaseURLField)
		}
	}
}

// A form that was sent empty, or with nonsense, is told field by field what is missing; nothing panics and
// nothing goes out: there is no wire.
func TestEmptySettingsAreToldFieldByField(t *testing.T) {
	t.Parallel()
	for _, a := range adapters.All() {
		nonsense, defaults := crm.Settings{}, crm.Settings{}
		for _, f := range a.Fields {
			nonsense[f.Name] = "canary \x00 {[\"й"
			defaults[f.Name] = f.Default
		}
		for name, s := range map[string]crm.Settings{"nil": nil, "empty": {}, "defaults only": defaults, "nonsense": nonsense} {
			_, err := a.Open(s, nil)
			var faults crm.FieldErrors
			if !errors.As(err, &faults) || len(faults) == 0 {
				t.Errorf("%s, %s: %v, want FieldErrors", a.Name, name, err)
				continue
			}
			for field, text := range faults {
				known := slices.ContainsFunc(a.Fields, func(f crm.Field) bool { return f.Name == field })
				if !known || !bilingual(text) || strings.Contains(text.EN+text.RU+err.Error(), "canary") {
					t.Errorf("%s, %s: %q: %+v", a.Name, name, field, text)
				}
			}
			for _, f := range a.Fields {
				if _, told := faults[f.Name]; f.Required && s[f.Name] == "" && !told {
					t.Errorf("%s, %s: nothing is said about %s, which is required", a.Name, name, f.Name)
				}
			}
		}
	}
}

func bilingual(t crm.Text) bool { return t.EN != "" && t.RU != "" }

func describes(t *testing.T, name string, f crm.Field) {
	t.Helper()
	if f.Name == "" || !bilingual(f.Label) || (f.Help != crm.Text{} && !bilingual(f.Help)) {
		t.Errorf("%s: name, or a text in one of the languages, is missing", name)
	}
	switch f.Type {
	case crm.Line, crm.URL, crm.JSON:
		if len(f.Choices) != 0 {
			t.Errorf("%s has choices and is no select", name)
		}
	case crm.Select:
		chosen := slices.ContainsFunc(f.Choices, func(c crm.Choice) bool { return c.Value == f.Default })
		if !chosen || slices.ContainsFunc(f.Choices, func(c crm.Choice) bool { return c.Value == "" || !bilingual(c.Label) }) {
			t.Errorf("%s: the default is no choice, or a choice has no value or text", name)
		}
	default:
		t.Errorf("%s: no form control %q", name, f.Type)
	}
	if f.Secret && f.Default != "" {
		t.Errorf("%s: a secret has a default", name)
	}
}
