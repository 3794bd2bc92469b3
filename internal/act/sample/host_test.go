package sample

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
)

// The files of a small host, as a kernel writes them.
var smallHost = map[string]string{
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

// layTree lays files out and returns the target whose root they are.
func layTree(t testing.TB, files map[string]string) (target.Target, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		writeFile(t, dir, name, text)
	}
	sub, err := (&target.Local{}).Sub(dir)
	if err != nil {
		t.Fatal(err)
	}
	return sub, dir
}

// writeFile puts a file in its place without recreating it, as the kernel's are.
func writeFile(t testing.TB, dir, name, text string) {
	t.Helper()
	at := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func valuesOf(p *Points) map[string]float64 {
	out := map[string]float64{}
	for _, one := range p.List {
		name := one.Name
		if one.Label != "" {
			name += "{" + one.Label + "}"
		}
		out[name] = one.Value
	}
	return out
}

// TestHostReading: two readings ten seconds apart give the levels of the second
// and the rates between them; what a kernel does not have has no point.
func TestHostReading(t *testing.T) {
	files := map[string]string{}
	for k, v := range smallHost {
		files[k] = v
	}
	tg, dir := layTree(t, files)
	f := NewFiles(tg)
	defer f.Close()
	at := time.Unix(1_800_000_000, 0)
	var a, b HostReading
	groups := map[string]string{"/srv/pg": "/sys/fs/cgroup/pg"}
	a.Read(f, at, groups)
	for i, err := range a.Missing {
		if err != nil {
			t.Errorf("file %d: %v", i, err)
		}
	}
	writeFile(t, dir, "proc/stat", "cpu  150 0 70 1500 60 0 0 20 5 0\nprocs_running 1\nprocs_blocked 0\n")
	writeFile(t, dir, "proc/vmstat", "pswpin 30\npswpout 20\npgmajfault 130\noom_kill 3\n")
	writeFile(t, dir, "proc/pressure/io",
		"some avg10=1.00 avg60=0.00 avg300=0.00 total=7000000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=1500000\n")
	if err := os.Remove(filepath.Join(dir, "proc/pressure/memory")); err != nil {
		t.Fatal(err)
	}
	f.forget("/proc/pressure/memory")
	b.Read(f, at.Add(10*time.Second), groups)
	p := Points{}
	p.AddHost(&a, &b, 4096, time.Minute)
	got := valuesOf(&p)
	for name, want := range map[string]float64{
		"memory_total_bytes": 16000000 * 1024, "memory_used_bytes": 7000000 * 1024, "page_tables_bytes": 70000 * 1024,
		"swap_used_bytes":  500000 * 1024,
		"huge_pages_total": 1000, "huge_pages_free": 900, "huge_pages_reserved": 50, "processes_running": 0,
		"processes_blocked":        0,
		"swap_in_bytes_per_second": 20 * 4096 / 10, "swap_out_bytes_per_second": 0, "major_faults_per_second": 10,
		"oom_kills_per_second": 0.2,
		"psi_cpu_some":         0, "psi_io_some": 0.5, "psi_io_full": 0.1,
		// 50+20+700+20+10 ticks: busy 70, waiting 20, stolen 10
		"cpu_busy_ratio": 70.0 / 800, "iowait_ratio": 20.0 / 800, "steal_ratio": 10.0 / 800,
	} {
		if v, ok := got[name]; !ok || fmt.Sprintf("%.9g", v) != fmt.Sprintf("%.9g", want) {
			t.Errorf("%s is %v (%v), not %v", name, v, ok, want)
		}
	}
	for _, name := range []string{"psi_memory_some", "psi_memory_full"} {
		if v, ok := got[name]; ok {
			t.Errorf("%s is %v, and the kernel does not tell it", name, v)
		}
	}
	if b.Missing[5] == nil {
		t.Error("the file that is gone is not missing")
	}
	if b.Groups["/srv/pg"] != 2 {
		t.Errorf("groups: %v", b.Groups)
	}
}

// TestRatesOfAnotherLife: a counter that went back, a reading of long ago and one
// of another life of the server give no rate.
func TestRatesOfAnotherLife(t *testing.T) {
	at := time.Unix(1_800_000_000, 0)
	for _, c := range []struct {
		name          string
		a, b          time.Time
		before, after float64
		start         float64
		want          int
	}{
		{"a rate", at, at.Add(10 * time.Second), 5, 25, 1, 1},
		{"back", at, at.Add(10 * time.Second), 25, 5, 1, 0},
		{"too long ago", at, at.Add(time.Hour), 5, 25, 1, 0},
		{"the clock went back", at, at.Add(-time.Second), 5, 25, 1, 0},
		{"the first", time.Time{}, at, 0, 25, 1, 0},
		{"started anew", at, at.Add(10 * time.Second), 5, 25, 2, 0},
	} {
		s := &Server{Label: "x"}
		s.Last.At, s.Now.At = c.a, c.b
		for i := range s.Now.Values {
			s.Last.Values[i], s.Now.Values[i] = float(""), float("")
		}
		s.Last.Values[ColStart], s.Now.Values[ColStart] = 1, c.start
		s.Last.Values[colTempFiles], s.Now.Values[colTempFiles] = c.before, c.after
		p := Points{}
		p.AddServer(s, 30*time.Second)
		n := 0
		for _, one := range p.List {
			if one.Name == "temp_files_per_second" {
				n++
				if one.Value != 2 {
					t.Errorf("%s: %v a second", c.name, one.Value)
				}
			}
		}
		if n != c.want {
			t.Errorf("%s: %d rates", c.name, n)
		}
	}
}

// TestFilesReread: a file that stays open is read from its beginning each time, even if it has grown beyond the buffer,
// and a recreated one is found.
func TestFilesReread(t *testing.T) {
	tg, dir := layTree(t, map[string]string{"proc/x": "one\n"})
	f := NewFiles(tg)
	defer f.Close()
	for _, text := range []string{"one\n", "two is longer\n", strings.Repeat("a", 3*firstBuffer), "x", ""} {
		writeFile(t, dir, "proc/x", text)
		b, err := f.Read("/proc/x")
		if err != nil || string(b) != text {
			t.Fatalf("%d bytes, %v; not %d", len(b), err, len(text))
		}
	}
	if _, err := f.Read("/proc/nothing"); err == nil {
		t.Error("a file that is not there was read")
	}
	writeFile(t, dir, "proc/x", strings.Repeat("a", maxFile+1))
	if _, err := f.Read("/proc/x"); err == nil {
		t.Error("a file beyond the bound was read")
	}
	writeFile(t, dir, "proc/x", "again")
	if b, err := f.Read("/proc/x"); err != nil || string(b) != "again" {
		t.Errorf("%q, %v", b, err)
	}
}

// FuzzHostFiles: whatever the files hold, reading them ends, and no number is
// below nothing but that of what was not there.
func FuzzHostFiles(f *testing.F) {
	for _, name := range []string{"proc/meminfo", "proc/stat", "proc/vmstat", "proc/pressure/io"} {
		f.Add([]byte(smallHost[name]))
	}
	f.Add([]byte("cpu 1 2 3\n"))
	f.Add([]byte("MemTotal: 99999999999999999999 kB\nsome total=\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var r HostReading
		r.clear(time.Time{})
		_ = r.meminfo(b)
		_ = r.stat(b)
		_ = r.vmstat(b)
		_ = r.pressure(psiIO, b)
		for _, list := range [][]int64{r.Memory[:], r.VM[:], r.CPU[:], r.Some[:], r.Full[:], {r.Running, r.Blocked}} {
			for _, n := range list {
				if n < Unseen {
					t.Fatalf("%d out of %q", n, b)
				}
			}
		}
	})
}

// BenchmarkSample is one cheap sample of this host, without a server: what
// reading the files costs.
func BenchmarkSample(b *testing.B) {
	f := NewFiles(&target.Local{})
	defer f.Close()
	var one, two HostReading
	p := Points{}
	at := time.Unix(1_800_000_000, 0)
	b.ReportAllocs()
	for b.Loop() {
		one, two = two, one
		at = at.Add(10 * time.Second)
		two.Read(f, at, nil)
		p.List = p.List[:0]
		p.AddHost(&one, &two, 4096, time.Minute)
	}
	if len(p.List) < 10 {
		b.Fatalf("%d points", len(p.List))
	}
}
