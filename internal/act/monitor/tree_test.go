package monitor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/target"
)

// The files of a small host, as a kernel writes them.
var hostFiles = map[string]string{
	"proc/meminfo": "MemTotal:       16000000 kB\nMemFree:         1000000 kB\nMemAvailable:    9000000 kB\nCached: " +
		"         6000000 kB\nSwapTotal:       2000000 kB\n" +
		"SwapFree:        1500000 kB\nDirty:               400 kB\nAnonPages:       3000000 kB\nShmem:            " +
		"500000 kB\nPageTables:        70000 kB\n" +
		"CommitLimit:    10000000 kB\nCommitted_AS:    5000000 kB\nHugePages_Total:    1000\nHugePages_Free:      " +
		"900\nHugePages_Rsvd:       50\nHugepagesize:       2048 kB\n",
	"proc/stat": "cpu  100 0 50 800 40 0 0 10 5 0\ncpu0 100 0 50 800 40 0 0 10 5 0\nintr 1 2 " +
		"3\nctxt 99\nprocs_running 4\nprocs_blocked 2\n",
	"proc/vmstat": "pswpin 10\npswpout 20\npgmajfault 30\noom_kill 1\n",
	"proc/pressure/cpu": "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000000\nfull avg10=0.00 " +
		"avg60=0.00 avg300=0.00 total=0\n",
	"proc/pressure/io": "some avg10=1.00 avg60=0.00 avg300=0.00 total=2000000\nfull avg10=0.00 " +
		"avg60=0.00 avg300=0.00 total=500000\n",
	"proc/pressure/memory": "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=0.00 avg60=0.00 " +
		"avg300=0.00 total=0\n",
	"sys/fs/cgroup/pg/memory.events": "low 0\nhigh 0\nmax 0\noom 0\noom_kill 2\n",
	"proc/sys/kernel/random/boot_id": "11111111-2222-3333-4444-555555555555\n",
}

// tree lays files out and returns the target whose root they are.
func tree(t testing.TB, files map[string]string) (target.Target, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, dir, name, text)
	}
	sub, err := (&target.Local{}).Sub(dir)
	if err != nil {
		t.Fatal(err)
	}
	return sub, dir
}

// write puts a file in its place without recreating it, as the kernel's are.
func write(t testing.TB, dir, name, text string) {
	t.Helper()
	at := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
