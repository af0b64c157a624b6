package app

import (
	"encoding/json"
	"os"
	"path/filepath"

	"sverka/internal/crm"
	"sverka/internal/id"
)

// devFile is what a running `sverka dev` tells tools (docs/wire.md). Written whole, by rename, when
// everything is up; gone while it is not.
type devFile struct {
	PID         int       `json:"pid"`
	BaseURL     string    `json:"base_url"`
	SandboxURL  string    `json:"sandbox_url"`
	DatabaseURL string    `json:"database_url"`
	Admin       devAdmin  `json:"admin"`
	Tenant      devTenant `json:"tenant"`
	Bots        []devBot  `json:"bots"`
}

type devAdmin struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

type devTenant struct {
	ID   id.Tenant `json:"id"`
	Slug string    `json:"slug"`
}

type devBot struct {
	ID         id.Bot         `json:"id"`
	Name       string         `json:"name"`
	Capability crm.Capability `json:"capability"`
	Searchable bool           `json:"searchable"`
	Token      string         `json:"token"`
	HookPath   string         `json:"hook_path"`
	Secret     string         `json:"secret"`
	Account    string         `json:"account"`
}

func devFilePath(dir string) string { return filepath.Join(dir, "dev.json") }

func (f devFile) write(dir string) error {
	raw, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	fresh := devFilePath(dir) + ".new"
	if err := os.WriteFile(fresh, append(raw, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, devFilePath(dir))
}

func readDevFile(dir string) (f devFile, err error) {
	raw, err := os.ReadFile(devFilePath(dir))
	if err != nil {
		return f, err
	}
	return f, json.Unmarshal(raw, &f)
}
