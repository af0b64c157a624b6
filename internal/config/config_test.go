package config

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func env(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

func TestEveryFaultIsReportedAtOnce(t *testing.T) {
	t.Parallel()
	_, err := Load(env(map[string]string{
		"SVERKA_LISTEN": "8080", "SVERKA_DATABASE_URL": "mysql://root:hush@x/y", "SVERKA_PUBLIC_URL": "http://example.com",
		"SVERKA_KEYSET": "not a keyset", "SVERKA_TELEGRAM_API_URL": "ftp://x", "SVERKA_SANDBOX_LISTEN": "nowhere",
	}))
	var faulty *Error
	if !errors.As(err, &faulty) || len(faulty.Faults) != 6 {
		t.Fatalf("%v", err)
	}
	if strings.Contains(err.Error(), "hush") || strings.Contains(err.Error(), "not a keyset") {
		t.Errorf("a fault shows a value: %v", err)
	}
	for _, v := range Variables {
		if v.Name != "SVERKA_DEV_DIR" && v.Name != "SVERKA_LOGIN_PASSWORD" && !strings.Contains(err.Error(), v.Name) {
			t.Errorf("%s is not named", v.Name)
		}
	}
}

func TestWhatACommandNeedsIsRequired(t *testing.T) {
	t.Parallel()
	_, err := Load(env(nil), "SVERKA_DATABASE_URL", "SVERKA_KEYSET")
	var faulty *Error
	if !errors.As(err, &faulty) || len(faulty.Faults) != 2 {
		t.Fatalf("%v", err)
	}
}

func TestAnEmptyEnvironmentGivesTheDefaults(t *testing.T) {
	t.Parallel()
	c, err := Load(env(nil))
	if err != nil || c.Listen != "127.0.0.1:8080" || c.SandboxListen != "127.0.0.1:8090" || c.DevDir != ".sverka" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestPlainHTTPIsForThisMachineOnly(t *testing.T) {
	t.Parallel()
	for url, good := range map[string]bool{
		"https://sverka.example.com": true, "https://sverka.example.com/": true, "http://127.0.0.1:8080": true, "http://[::1]:1": true,
		"http://localhost:1": true, "http://10.0.0.1": false, "https://user:pass@example.com": false, "https://": false, "//x": false,
		"https://example.com/?a=b": false,
	} {
		c, err := Load(env(map[string]string{"SVERKA_PUBLIC_URL": url}))
		if (err == nil) != good {
			t.Errorf("%s: %v", url, err)
		}
		if err == nil && strings.HasSuffix(c.PublicURL, "/") {
			t.Errorf("%s keeps its slash", url)
		}
	}
}

func TestTheREADMEListsExactlyTheseVariables(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range Variables {
		byDefault := "—"
		if v.Default != "" {
			byDefault = "`" + v.Default + "`"
		}
		if row := "| `" + v.Name + "` | " + byDefault + " | " + v.Help + " |"; !strings.Contains(string(readme), row) {
			t.Errorf("README has no row\n%s", row)
		}
	}
	if rows := strings.Count(string(readme), "\n| `SVERKA_"); rows != len(Variables) {
		t.Errorf("README lists %d variables, the code %d", rows, len(Variables))
	}
}
