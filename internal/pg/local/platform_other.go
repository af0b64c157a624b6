//go:build !linux

package local

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// bindToUs: only Linux can. Elsewhere the next Start ends what was left.
func bindToUs(*syscall.SysProcAttr) {}

// commandLine of a process. ps prints it as one text: a path with spaces is then not recognised, and its
// server stays until somebody stops it.
func commandLine(pid int) []string {
	text, err := exec.Command("ps", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return nil
	}
	return strings.Fields(string(text))
}

// inMemory: macOS mounts none.
func inMemory() string { return "" }
