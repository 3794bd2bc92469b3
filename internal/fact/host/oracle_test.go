package host

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/procfs"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// The oracle is prometheus/procfs: both read the files of proc of every golden, and of this machine if it has them.
// What procfs does not parse at all proves nothing and is skipped.
func TestOracle(t *testing.T) {
	agreed := map[string]int{}
	for _, g := range goldenFiles(t) {
		ar, err := txtar.ParseFile(g)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			if strings.HasPrefix(f.Name, "proc/") {
				compare(t, filepath.Base(g), f.Name, f.Data, agreed)
			}
		}
	}
	for _, name := range []string{"proc/meminfo", "proc/self/mountinfo", "proc/pressure/memory",
		"proc/self/status", "proc/self/limits", "proc/swaps", "proc/stat"} {
		if b, err := os.ReadFile("/" + name); err == nil {
			compare(t, "live", strings.Replace(name, "self", "100", 1), b, agreed)
		}
	}
	for kind, least := range map[string]int{"mountinfo": 15, "pressure": 4, "status": 4, "limits": 1,
		"swaps": 2, "stat": 1} {
		if agreed[kind] < least {
			t.Errorf("%s: %d were compared, less than %d", kind, agreed[kind], least)
		}
	}
}

func compare(t *testing.T, golden, name string, data []byte, agreed map[string]int) {
	t.Helper()
	root := t.TempDir()
	file := filepath.Join(root, strings.TrimPrefix(strings.Replace(name, "self", "100", 1), "proc/"))
	if err := os.MkdirAll(filepath.Join(root, "100"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	fs, err := procfs.NewFS(root)
	if err != nil {
		t.Fatal(err)
	}
	proc, err := fs.Proc(100)
	if err != nil {
		t.Fatal(err)
	}
	base := filepath.Base(name)
	check, ok := oracles[base]
	if strings.HasPrefix(name, "proc/pressure/") {
		base, check, ok = "pressure", pressureOracle, true
	}
	if !ok {
		return
	}
	theirs, ours, err, ourErr := check(fs, proc, name, data)
	if err != nil || ourErr != nil {
		return // one of the two is stricter; the goldens say what we refuse
	}
	if d := cmp.Diff(theirs, ours); d != "" {
		t.Errorf("%s: %s: -procfs +ours\n%s", golden, name, d)
	}
	agreed[base]++
}

type oracle func(fs procfs.FS, proc procfs.Proc, name string, data []byte) (theirs, ours any, err, ourErr error)

var oracles = map[string]oracle{
	"meminfo": func(fs procfs.FS, _ procfs.Proc, _ string, b []byte) (any, any, error, error) {
		m, err := fs.Meminfo()
		o, ourErr := ParseMemory(b)
		if err != nil || ourErr != nil {
			return nil, nil, err, ourErr
		}
		return []uint64{*m.MemTotalBytes, *m.MemAvailableBytes, *m.CachedBytes, *m.CommitLimitBytes,
				*m.CommittedASBytes, *m.PageTablesBytes, *m.HugePagesTotal},
			[]uint64{uint64(o.Total), uint64(o.Available), uint64(o.Cached), uint64(o.CommitLimit),
				uint64(o.CommittedAS), uint64(o.PageTables), uint64(o.HugeTotal)}, nil, nil
	},
	"mountinfo": func(fs procfs.FS, _ procfs.Proc, _ string, b []byte) (any, any, error, error) {
		m, err := fs.GetProcMounts(100)
		o, ourErr := ParseMounts(b)
		// procfs keeps escapes, and an option that is given twice once
		var theirs, ours [][]string
		for _, x := range m {
			theirs = append(theirs, append([]string{unescape(x.MountPoint), x.MajorMinorVer, unescape(x.Root), x.FSType,
				unescape(x.Source)}, optionSet(x.Options, x.SuperOptions)...))
		}
		for _, x := range o {
			ours = append(ours, append([]string{x.Point, x.Device, x.Root, x.FSType, x.Source},
				slices.Compact(slices.Sorted(slices.Values(x.Options)))...))
		}
		return theirs, ours, err, ourErr
	},
	"status": func(_ procfs.FS, proc procfs.Proc, _ string, b []byte) (any, any, error, error) {
		s, err := proc.NewStatus()
		o, ourErr := ParseStatus(b)
		return []uint64{s.VmSize, s.VmPTE, s.VmRSS, s.RssAnon, s.RssFile, s.RssShmem, s.VmSwap, s.HugetlbPages,
				s.UIDs[1]},
			[]uint64{uint64(o.Size), uint64(o.PageTables), uint64(o.RSS), uint64(o.Anon), uint64(o.File),
				uint64(o.Shmem), uint64(o.Swap), uint64(o.Huge), uint64(o.UID)}, err, ourErr
	},
	"limits": func(_ procfs.FS, proc procfs.Proc, _ string, b []byte) (any, any, error, error) {
		l, err := proc.Limits()
		o, ourErr := ParseLimits(b)
		// -1 is the largest number of procfs
		return []uint64{l.OpenFiles, l.Processes, l.LockedMemory, l.StackSize, l.AddressSpace, l.CoreFileSize},
			[]uint64{uint64(o.NoFile), uint64(o.NProc), uint64(o.MemLock), uint64(o.Stack), uint64(o.AS),
				uint64(o.Core)}, err, ourErr
	},
	"swaps": func(fs procfs.FS, _ procfs.Proc, _ string, b []byte) (any, any, error, error) {
		s, err := fs.Swaps()
		o, ourErr := ParseSwaps(b)
		theirs, ours := []Swap{}, []Swap{}
		for _, x := range s {
			theirs = append(theirs, Swap{Path: unescape(x.Filename), Size: unit.Bytes(x.Size) * unit.KB,
				Used: unit.Bytes(x.Used) * unit.KB, Priority: x.Priority})
		}
		for _, x := range o {
			x.Kind = ""
			ours = append(ours, x)
		}
		return theirs, ours, err, ourErr
	},
	"stat": func(fs procfs.FS, _ procfs.Proc, _ string, b []byte) (any, any, error, error) {
		s, err := fs.Stat()
		o, ourErr := ParseCPUTime(b)
		const perSecond = 100 // procfs divides by USER_HZ
		return []int64{int64(s.CPUTotal.User*perSecond + 0.5), int64(s.CPUTotal.Idle*perSecond + 0.5),
				int64(s.CPUTotal.Steal*perSecond + 0.5), int64(s.BootTime)},
			[]int64{o.User, o.Idle, o.Steal, o.BootTime}, err, ourErr
	},
}

func pressureOracle(fs procfs.FS, _ procfs.Proc, name string, b []byte) (any, any, error, error) {
	s, err := fs.PSIStatsForResource(filepath.Base(name))
	o, ourErr := ParsePSI(b)
	if err != nil || ourErr != nil {
		return nil, nil, err, ourErr
	}
	theirs := PSI{Some10: s.Some.Avg10, Some60: s.Some.Avg60, Some300: s.Some.Avg300}
	if s.Full != nil {
		theirs.Full10, theirs.Full60, theirs.Full300 = s.Full.Avg10, s.Full.Avg60, s.Full.Avg300
	}
	return theirs, o, nil, nil
}

func optionSet(lists ...map[string]string) []string {
	all := map[string]bool{}
	for _, l := range lists {
		for k, v := range l {
			if v != "" {
				k += "=" + v
			}
			all[unescape(k)] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
