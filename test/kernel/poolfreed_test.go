package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPoolIsBackBeforeTheStart: an undo of a pool of huge pages has given its memory
// back to the kernel when the server starts with its former settings, and not only
// after that: there may be no room for both.
func TestPoolIsBackBeforeTheStart(t *testing.T) {
	h := newHost(t, 17)
	h.Want(0, "apply", "--yes", "--max-effect", "restart", "--pin", "pg:shared_buffers=1GB",
		"--only", "sysctl:vm.nr_hugepages,pg:shared_buffers,pg:huge_pages", h.server.DataDir)
	h.onHugePages(t)

	seen := filepath.Join(h.Dir, "seen")
	asOwner := fmt.Sprintf("setpriv --reuid=%d --regid=%d --clear-groups %s -D %s -s -w", h.server.Account.UID,
		h.server.Account.GID,
		filepath.Join(h.server.Binaries.Dir, "pg_ctl"), h.server.DataDir)
	restart := fmt.Sprintf("%s -m fast stop && grep HugePages_Total /proc/meminfo >%s; %s -l %s/log start", asOwner,
		seen, asOwner, h.server.Folder)
	h.Want(0, "undo", "--max-effect", "restart", "--restart-command", restart)
	got, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	if f := strings.Fields(string(got)); len(f) != 2 || f[1] != "0" {
		t.Errorf("the server was started beside the pool: %s", got)
	}
	if got := h.ask(t, "show shared_buffers"); got != "128MB" {
		t.Errorf("shared_buffers after the undo: %s", got)
	}
}
