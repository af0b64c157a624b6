package secret

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestATextHidesItselfEverywhere(t *testing.T) {
	t.Parallel()
	s := NewText("hush")
	encoded, err := json.Marshal(map[string]any{"s": s})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "secret", s, "in", struct{ S Text }{s})
	for _, shown := range []string{fmt.Sprint(s), fmt.Sprintf("%v %+v %#v %s %q", s, s, s, s, s), string(encoded), log.String(),
		fmt.Sprintf("%v %+v %#v", struct{ S Text }{s}, &struct{ S Text }{s}, []Text{s})} {
		if strings.Contains(shown, "hush") {
			t.Errorf("shown: %s", shown)
		}
	}
}

func dataKey(t *testing.T, root *Keyset, tenant string) *DataKey {
	t.Helper()
	sealed, err := root.SealDataKey(tenant, 1, NewRawDataKey())
	if err != nil {
		t.Fatal(err)
	}
	key, err := root.OpenDataKey(tenant, 1, sealed)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestASealedValueOpensOnlyWhereItWasSealed(t *testing.T) {
	t.Parallel()
	root, err := NewKeyset()
	if err != nil {
		t.Fatal(err)
	}
	key, other := dataKey(t, root, "A"), dataKey(t, root, "A")
	at := Place{Table: "bots", Column: "token", Row: "1"}
	sealed := key.Seal(at, []byte("value"))
	if plain, err := key.Open(at, sealed); err != nil || string(plain) != "value" {
		t.Fatalf("%q, %v", plain, err)
	}
	for what, open := range map[string]func() ([]byte, error){
		"another row":    func() ([]byte, error) { return key.Open(Place{"bots", "token", "2"}, sealed) },
		"another column": func() ([]byte, error) { return key.Open(Place{"bots", "secret", "1"}, sealed) },
		"another table":  func() ([]byte, error) { return key.Open(Place{"users", "token", "1"}, sealed) },
		"another key":    func() ([]byte, error) { return other.Open(at, sealed) },
		"damaged":        func() ([]byte, error) { return key.Open(at, append(bytes.Clone(sealed), 0)) },
		"cut":            func() ([]byte, error) { return key.Open(at, sealed[:3]) },
		"empty":          func() ([]byte, error) { return key.Open(at, nil) },
	} {
		if _, err := open(); !errors.Is(err, ErrSealed) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestADataKeyBelongsToItsTenantAndRoot(t *testing.T) {
	t.Parallel()
	root, err := NewKeyset()
	if err != nil {
		t.Fatal(err)
	}
	wrong, err := NewKeyset()
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := root.SealDataKey("A", 1, NewRawDataKey())
	if err != nil {
		t.Fatal(err)
	}
	for what, open := range map[string]func() (*DataKey, error){
		"another tenant": func() (*DataKey, error) { return root.OpenDataKey("B", 1, sealed) },
		"another number": func() (*DataKey, error) { return root.OpenDataKey("A", 2, sealed) },
		"another root":   func() (*DataKey, error) { return wrong.OpenDataKey("A", 1, sealed) },
	} {
		if _, err := open(); !errors.Is(err, ErrWrongKeyset) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestARotatedKeysetOpensWhatTheOldOneSealed(t *testing.T) {
	t.Parallel()
	root, err := NewKeyset()
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := root.SealDataKey("A", 1, NewRawDataKey())
	if err != nil {
		t.Fatal(err)
	}
	rotated, err := root.Rotate()
	if err != nil {
		t.Fatal(err)
	}
	text, err := rotated.Export()
	if err != nil {
		t.Fatal(err)
	}
	read, err := ParseKeyset(text)
	if err != nil || read.Keys() != 2 {
		t.Fatalf("%v", err)
	}
	if _, err := read.OpenDataKey("A", 1, sealed); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", "!", "aGVsbG8="} {
		if _, err := ParseKeyset(NewText(bad)); err == nil {
			t.Errorf("%q was taken for a keyset", bad)
		}
	}
}

func TestLookupsOfDifferentThingsDiffer(t *testing.T) {
	t.Parallel()
	root, err := NewKeyset()
	if err != nil {
		t.Fatal(err)
	}
	a, b := dataKey(t, root, "A"), dataKey(t, root, "B")
	if !bytes.Equal(a.Lookup("phone", "+7"), a.Lookup("phone", "+7")) || len(a.Lookup("phone", "+7")) != 32 {
		t.Error("a lookup is not stable")
	}
	if bytes.Equal(a.Lookup("phone", "+7"), b.Lookup("phone", "+7")) || bytes.Equal(a.Lookup("phone", "x"), a.Lookup("phonex", "")) {
		t.Error("two tenants or kinds share a lookup")
	}
}
