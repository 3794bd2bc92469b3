package host

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// seed adds the files of all goldens whose name ends so.
func seed(f *testing.F, suffix string) {
	f.Helper()
	n := 0
	for _, file := range goldenFiles(f) {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, e := range ar.Files {
			if strings.HasSuffix(e.Name, suffix) {
				f.Add(e.Data)
				n++
			}
		}
	}
	if n == 0 {
		f.Fatalf("no golden has a file …%s", suffix)
	}
	f.Add([]byte{})
}

func notNegative[T int | int64 | float64 | unit.Bytes](t *testing.T, what string, values ...T) {
	t.Helper()
	for _, v := range values {
		if v < 0 || math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			t.Errorf("%s: %v", what, v)
		}
	}
}

func FuzzMemory(f *testing.F) {
	f.Add([]byte("MemTotal:       24684092 kB\nHugePages_Total:    8400\nHugepagesize:       2048 kB\nHugetlb:      " +
		"  17203200 kB\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := ParseMemory(b)
		if err != nil {
			return
		}
		for name, v := range m.Lines {
			notNegative(t, name, v)
		}
		notNegative(t, "pages", m.HugeTotal, m.HugeFree, m.HugeRsvd, m.HugeSurp)
	})
}

func FuzzSegment(f *testing.F) {
	seed(f, "proc/sysvipc/shm")
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ParseSegment(b, 7766016, 17561)
		notNegative(t, "created", s.CreatedAt)
		if err == nil && s.CreatedAt > 0 && !bytes.Contains(b, []byte("ctime")) {
			t.Errorf("a time out of nothing: %d", s.CreatedAt)
		}
	})
}

func FuzzSwaps(f *testing.F) {
	seed(f, "proc/swaps")
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ParseSwaps(b)
		if len(s) > maxSwaps || err != nil && s != nil {
			t.Errorf("%d areas, %v", len(s), err)
		}
		for _, a := range s {
			notNegative(t, a.Path, a.Size, a.Used)
		}
	})
}

func FuzzCPUInfo(f *testing.F) {
	seed(f, "proc/cpuinfo")
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := ParseCPUInfo(b)
		if err == nil && (c.Logical < 1 || c.Logical > maxCPUs || c.Cores < 1 || c.Cores > c.Logical || c.Sockets < 1 ||
			c.Sockets > c.Cores) {
			t.Errorf("%d processors, %d cores, %d sockets", c.Logical, c.Cores, c.Sockets)
		}
	})
}

func FuzzCPUTime(f *testing.F) {
	seed(f, "proc/stat")
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, err := ParseCPUTime(b); err == nil {
			notNegative(t, "ticks", c.User, c.Nice, c.System, c.Idle, c.IOWait, c.IRQ, c.SoftIRQ, c.Steal, c.BootTime)
			if p := c.StealPercent(); !(p >= 0 && p <= 100) {
				t.Errorf("%v %% stolen", p)
			}
		}
	})
}

func FuzzCPUList(f *testing.F) {
	seed(f, "cpulist")
	f.Fuzz(func(t *testing.T, b []byte) {
		if n, err := ParseCPUList(b); n < 0 || n > maxCPUs || err != nil && n != 0 {
			t.Errorf("%d, %v", n, err)
		}
	})
}

func FuzzNodeMemory(f *testing.F) {
	seed(f, "node0/meminfo")
	f.Fuzz(func(t *testing.T, b []byte) {
		if n, err := ParseNodeMemory(b); err == nil {
			notNegative(t, "node", n.Total, n.Free)
		}
	})
}

func FuzzSysctlConf(f *testing.F) {
	seed(f, ".conf")
	f.Fuzz(func(t *testing.T, b []byte) {
		sets, err := ParseSysctlConf(b)
		if len(sets) > maxSysctlSets || err != nil && sets != nil {
			t.Errorf("%d assignments, %v", len(sets), err)
		}
		for _, s := range sets {
			if s.Name == "" || strings.ContainsAny(s.Name+s.Value, "\n\x00") || s.Line < 1 {
				t.Errorf("%+v", s)
			}
		}
	})
}

func FuzzCron(f *testing.F) {
	seed(f, "etc/crontab")
	f.Fuzz(func(t *testing.T, b []byte) {
		found, err := ParseCron(b)
		if len(found) > maxCronLines || err != nil && found != nil {
			t.Errorf("%d lines, %v", len(found), err)
		}
		for _, l := range found {
			if l.User == "" || strings.ContainsAny(l.User+l.Rest, "\n\x00\x1b") || l.Line < 1 {
				t.Errorf("%+v", l)
			}
		}
		// what a collector keeps says the same, on the same lines
		if kept, err2 := ParseCron(KernelCron(b)); err == nil && (err2 != nil || !slices.Equal(kept, found)) {
			t.Errorf("%+v of the whole, %+v (%v) of what is kept", found, kept, err2)
		}
	})
}

func FuzzFstab(f *testing.F) {
	seed(f, "etc/fstab")
	f.Fuzz(func(t *testing.T, b []byte) {
		found, err := ParseFstab(b)
		if len(found) > maxFstab || err != nil && found != nil {
			t.Errorf("%d lines, %v", len(found), err)
		}
		lines := strings.SplitAfter(string(b), "\n")
		for _, l := range found {
			if !strings.HasPrefix(l.Point, "/") || l.Line < 1 || strings.ContainsAny(l.Options+l.Type, " \t\n") ||
				lines[l.Line-1][l.Span[0]:l.Span[1]] != l.Options {
				t.Errorf("%+v", l)
			}
			if l.Options == "" {
				continue
			}
			for _, atime := range []string{"noatime", "relatime", "strictatime"} {
				if o := WithAtime(l.Options, atime); WantedFlags(strings.Split(o, ",")).Atime != atime ||
					WithAtime(o, atime) != o {
					t.Errorf("%q with %s is %q", l.Options, atime, o)
				}
			}
		}
		// what a collector keeps says the same of local filesystems, on the same lines
		kept := FstabLines(string(LocalFstab(b)))
		local := slices.DeleteFunc(slices.Clone(found), func(l FstabLine) bool {
			return !slices.Contains(AtimeFS, l.Type)
		})
		kept = slices.DeleteFunc(kept, func(l FstabLine) bool { return !slices.Contains(AtimeFS, l.Type) })
		if err == nil && !slices.Equal(kept, local) {
			t.Errorf("%+v of the whole, %+v of what is kept", local, kept)
		}
	})
}

func FuzzLogind(f *testing.F) {
	seed(f, ".conf")
	seed(f, "login.defs")
	f.Fuzz(func(t *testing.T, b []byte) {
		if said, err := ParseLogind(b); err != nil || !slices.Contains([]string{"", "default", "yes", "no"}, said) {
			t.Errorf("%q, %v", said, err)
		}
		if n, err := ParseSystemUIDMax(b); n < -1 || err != nil && n != 0 {
			t.Errorf("%d, %v", n, err)
		}
	})
}

func FuzzMounts(f *testing.F) {
	seed(f, "proc/self/mountinfo")
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := ParseMounts(b)
		if len(m) > maxMounts || err != nil && m != nil {
			t.Errorf("%d mounts, %v", len(m), err)
		}
		for _, x := range m {
			if !strings.HasPrefix(x.Point, "/") || x.Device == "" {
				t.Errorf("%+v", x)
			}
		}
	})
}

func FuzzStatus(f *testing.F) {
	seed(f, "proc/100/status")
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, err := ParseStatus(b); err == nil {
			notNegative(t, "process", p.Size, p.PageTables, p.RSS, p.Anon, p.File, p.Shmem, p.Swap, p.Huge)
			notNegative(t, "id", p.PID, p.Parent, p.UID)
		}
	})
}

func FuzzTitle(f *testing.F) {
	seed(f, "proc/100/cmdline")
	f.Add([]byte("postgres: 15/main: app shop 10.0.0.1(5432) idle\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		title, err := ParseTitle(b)
		if err != nil || strings.ContainsAny(title.Text, "\x00\n\x1b") {
			t.Errorf("%+v, %v", title, err)
		}
	})
}

func FuzzLimits(f *testing.F) {
	seed(f, "proc/100/limits")
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := ParseLimits(b)
		for _, n := range []int64{l.NoFile, l.NProc, l.MemLock, l.Stack, l.AS, l.Core} {
			if n < -1 || err != nil && n != 0 {
				t.Errorf("%d, %v", n, err)
			}
		}
	})
}

// FuzzJSON covers what the collector writes.
func FuzzJSON(f *testing.F) {
	seed(f, "blocks.json")
	seed(f, "statfs.json")
	seed(f, "host.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		blocks, _ := ParseBlocks(b)
		for _, d := range blocks {
			if chain := Chain(blocks, d.Device); len(chain) > len(blocks) {
				t.Errorf("a chain of %d of %d devices", len(chain), len(blocks))
			}
		}
		spaces, _ := ParseSpaces(b)
		for _, s := range spaces {
			notNegative(t, s.Path, s.Total, s.Free)
			notNegative(t, s.Path, s.Files, s.FFree)
		}
		if m, err := ParseMachine(b); err == nil {
			notNegative(t, "page size", m.PageSize)
		}
	})
}

// FuzzSmall covers the files of one value and of few lines.
func FuzzSmall(f *testing.F) {
	for _, suffix := range []string{"pressure/cpu", "os-release", "proc/cmdline", "enabled", "scheduler",
		"read_ahead_kb", "proc/vmstat", "systemctl-show-postgresql.service", "index3/size", "oom_score_adj"} {
		seed(f, suffix)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, err := ParsePSI(b); err == nil {
			notNegative(t, "pressure", p.Some10, p.Some60, p.Some300, p.Full10, p.Full60, p.Full300)
		}
		if n, err := ParseCount(b); n < 0 || err != nil && n != 0 {
			t.Errorf("%d, %v", n, err)
		}
		if n, err := ParsePages(b); n < 0 || n > maxPages || err != nil && n != 0 {
			t.Errorf("%d pages, %v", n, err)
		}
		if n, err := ParseCacheSize(b); err == nil {
			notNegative(t, "cache", n)
		}
		if n, err := ParsePoolName(string(b)); err == nil {
			notNegative(t, "pool", n-1)
		}
		if n, err := ParseOOM(b); n < -1000 || n > 2000 || err != nil && n != 0 {
			t.Errorf("score %d, %v", n, err)
		}
		for _, parse := range []func([]byte) (string, error){ParseText, ParseWord, ParseChoice, ParseScheduler} {
			if s, err := parse(b); err == nil && (len(s) > MaxWord || strings.ContainsAny(s, "\n\x00")) {
				t.Errorf("%q", s)
			}
		}
		if s, err := ParseChoice(b); err == nil && !bytes.Contains(b, []byte("["+s+"]")) {
			t.Errorf("%q is not in brackets", s)
		}
		if c, err := ParseCmdLine(b); err == nil && len(c) > MaxWord {
			t.Errorf("%d parameters", len(c))
		}
		if o, err := ParseOSRelease(b); err == nil && o.ID == "" {
			t.Error("no ID")
		}
		if v, _ := ParseVMStat(b); len(v) > maxVMStat {
			t.Errorf("%d counters", len(v))
		}
		if u, _ := ParseUnit(b); len(u.Properties) > maxProperties {
			t.Errorf("%d properties", len(u.Properties))
		}
		if _, err := ParseFlag(b); err == nil && len(bytes.TrimSpace(b)) != 1 {
			t.Errorf("%q is a flag", b)
		}
	})
}

func FuzzRollup(f *testing.F) {
	seed(f, "smaps_rollup")
	f.Add([]byte("Rss: 1 kB\nPss:   18446744073709551615 kB\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := ParseRollup(b)
		if err == nil {
			notNegative(t, "pss", v)
		}
	})
}

func FuzzLoad(f *testing.F) {
	seed(f, "loadavg")
	f.Fuzz(func(t *testing.T, b []byte) {
		if l, err := ParseLoad(b); err == nil {
			notNegative(t, "load", l.One, l.Five, l.Fifteen)
		}
	})
}
