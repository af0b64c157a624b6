package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// facts is where a result was measured: a figure without them says nothing.
type facts struct {
	At                time.Time `json:"at"`
	CPU               string    `json:"cpu"`
	Cores             int       `json:"cores"`
	MemoryGiB         int       `json:"memory_gib"`
	Kernel            string    `json:"kernel"`
	Go                string    `json:"go"`
	PostgreSQL        string    `json:"postgresql"`
	Fsync             string    `json:"fsync"`
	SynchronousCommit string    `json:"synchronous_commit"`
	FullPageWrites    string    `json:"full_page_writes"`
	LoadBefore        float64   `json:"load_before"` // of others, in the minute before: above 1, do not trust the run
}

func machine() facts {
	return facts{At: time.Now().UTC().Truncate(time.Second), CPU: after("/proc/cpuinfo", "model name"), Cores: runtime.NumCPU(),
		MemoryGiB: memory(), Kernel: strings.TrimSpace(read("/proc/sys/kernel/osrelease")), Go: runtime.Version(), LoadBefore: load()}
}

func read(path string) string {
	raw, err := os.ReadFile(path)
	if err != nil {
		return "" // not Linux: the fact is left out
	}
	return string(raw)
}

func after(path, name string) string {
	for line := range strings.Lines(read(path)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func memory() int {
	var kib int
	_, _ = fmt.Sscanf(after("/proc/meminfo", "MemTotal"), "%d kB", &kib)
	return (kib + 1<<19) >> 20
}

func load() (lastMinute float64) {
	_, _ = fmt.Sscan(read("/proc/loadavg"), &lastMinute)
	return lastMinute
}

func (f facts) String() string {
	return fmt.Sprintf("%s, %d cores, %d GiB · Linux %s · %s · PostgreSQL %s, fsync %s · load before %.2f\n",
		f.CPU, f.Cores, f.MemoryGiB, f.Kernel, f.Go, f.PostgreSQL, f.Fsync, f.LoadBefore)
}

// write leaves a result beside its facts.
func (f facts) write(name string, result any) error {
	raw, err := json.MarshalIndent(map[string]any{"machine": f, "result": result}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join("bench", "results"), 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join("bench", "results", name+".json"), append(raw, '\n'), 0o644)
}
