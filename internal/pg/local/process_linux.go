package local

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// bindToUs makes the kernel interrupt the server when we end without stopping it. Go sets it after the
// change of user, which would clear it.
func bindToUs(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGINT }

// commandLine of a process; empty for one that is gone or a zombie.
func commandLine(pid int) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return nil
	}
	return strings.Split(string(text), "\x00")
}
