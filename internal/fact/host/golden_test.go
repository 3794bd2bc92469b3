package host

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

var update = flag.Bool("update", false, "rewrite the goldens of testdata")

// topics are the readers that a golden names: testdata/TOPIC.CASE.txtar.
var topics = map[string]func(fs.FS) any{
	"kernel": func(f fs.FS) any {
		return map[string]any{"name": ReadName(f), "kernel": ReadKernel(f), "os": ReadOS(f), "cmdline": ReadCmdLine(f),
			"init": ReadInit(f), "tuned": ReadTuned(f), "pageSize": ReadPageSize(f)}
	},
	"swaps":      func(f fs.FS) any { return ReadSwaps(f) },
	"cpu":        func(f fs.FS) any { return ReadCPU(f) },
	"cputime":    func(f fs.FS) any { return ReadCPUTime(f) },
	"nodes":      func(f fs.FS) any { return ReadNodes(f) },
	"sysctlconf": func(f fs.FS) any { return ReadSysctlConf(f) },
	"thp":        func(f fs.FS) any { return ReadTHP(f) },
	"hugepages":  func(f fs.FS) any { return ReadHugePages(f) },
	"mounts":     func(f fs.FS) any { return ReadMounts(f) },
	"spaces":     func(f fs.FS) any { return ReadSpaces(f) },
	"virt":       func(f fs.FS) any { return ReadVirt(f) },
	"pressure":   func(f fs.FS) any { return ReadPressure(f) },
	"clock":      func(f fs.FS) any { return map[string]any{"clock": ReadClock(f), "vmstat": ReadVMStat(f)} },
	"limits":     func(f fs.FS) any { return ReadLimits(f, 100) },
	"unit":       func(f fs.FS) any { return ReadUnit(f, "postgresql.service") },
	"process":    func(f fs.FS) any { return ReadProcess(f, 100) },
	"cgroup": func(f fs.FS) any {
		mounts, _ := fs.ReadFile(f, "proc/self/mountinfo")
		group, _ := fs.ReadFile(f, "proc/100/cgroup")
		return map[string]any{"cgroup": ReadCGroup(f, 100), "wanted": withoutOtherSizes(CGroupFiles(mounts, group))}
	},
	"blocks": func(f fs.FS) any {
		blocks := ReadBlocks(f)
		b, _ := blocks.Get()
		chain := []string{}
		for _, d := range Chain(b, "253:1") {
			chain = append(chain, d.Name)
		}
		return map[string]any{"blocks": blocks, "chain": chain}
	},
}

// withoutOtherSizes drops the huge page sizes that no x86 has, to keep the
// goldens short.
func withoutOtherSizes(names []string) []string {
	out := []string{}
	for _, n := range names {
		if !strings.Contains(n, "hugetlb.") || strings.Contains(n, "hugetlb.2MB") {
			out = append(out, n)
		}
	}
	return out
}

// fromTxtar makes evidence of a golden's files. «missing» lists what could not
// be read, as STATE NAME REASON; \0 in a command line is a NUL byte.
func fromTxtar(t *testing.T, ar *txtar.Archive) *evidence.Archive {
	t.Helper()
	a := evidence.New()
	for _, f := range ar.Files {
		switch {
		case f.Name == "want.json":
		case f.Name == "missing":
			for line := range strings.Lines(string(f.Data)) {
				p := strings.SplitN(strings.TrimSpace(line), " ", 3)
				state := map[string]known.State{"forbidden": known.Forbidden, "absent": known.Absent, "unread": known.Unread}[p[0]]
				a.AddMissing(evidence.Missing{Name: p[1], State: state, Reason: p[2]})
			}
		default:
			data := f.Data
			if strings.HasSuffix(f.Name, "/cmdline") && f.Name != "proc/cmdline" {
				data = bytes.ReplaceAll(bytes.TrimSuffix(data, []byte("\n")), []byte(`\0`), []byte{0})
			}
			if err := a.Add(f.Name, data); err != nil {
				t.Fatal(err)
			}
		}
	}
	return a
}

func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no goldens", err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			topic, _, _ := strings.Cut(filepath.Base(file), ".")
			read, ok := topics[topic]
			if !ok {
				t.Fatalf("no reader is called %q", topic)
			}
			seen[topic] = true
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.TrimSpace(string(ar.Comment)) == "" {
				t.Error("the first line does not say the case")
			}
			got, err := json.MarshalIndent(read(fromTxtar(t, ar)), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			at := len(ar.Files)
			for i, f := range ar.Files {
				if f.Name == "want.json" {
					at = i
				}
			}
			if at == len(ar.Files) {
				ar.Files = append(ar.Files, txtar.File{Name: "want.json"})
			}
			if *update {
				ar.Files[at].Data = got
				if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(string(ar.Files[at].Data), string(got)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
	for topic := range topics {
		if !seen[topic] {
			t.Errorf("%s: no golden", topic)
		}
	}
}
