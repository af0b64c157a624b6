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

// inMemory is a memory file system with room for the databases of a test run, or "". Containers often
// have one of 64 MB.
func inMemory() string {
	const (
		shm   = "/dev/shm"
		tmpfs = 0x01021994 // statfs(2)
		room  = 2 << 30
	)
	var fs syscall.Statfs_t
	if err := syscall.Statfs(shm, &fs); err != nil || fs.Type != tmpfs || fs.Bavail*uint64(fs.Bsize) < room {
		return ""
	}
	return shm
}
