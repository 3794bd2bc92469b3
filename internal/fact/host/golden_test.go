package host

import (
	"encoding/json"
	"io/fs"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/test/golden"
)

// topics are the readers that a golden names: testdata/TOPIC.CASE.txtar.
var topics = map[string]func(fs.FS) any{
	"kernel": func(f fs.FS) any {
		return map[string]any{"name": ReadName(f), "kernel": ReadKernel(f), "os": ReadOS(f), "cmdline": ReadCmdLine(f),
			"init": ReadInit(f), "tuned": ReadTuned(f), "page_size": ReadPageSize(f)}
	},
	"programs":   func(f fs.FS) any { return ReadPrograms(f) },
	"swaps":      func(f fs.FS) any { return ReadSwaps(f) },
	"cpu":        func(f fs.FS) any { return ReadCPU(f) },
	"cpufreq":    func(f fs.FS) any { return ReadCPUFreq(f) },
	"cputime":    func(f fs.FS) any { return ReadCPUTime(f) },
	"nodes":      func(f fs.FS) any { return ReadNodes(f) },
	"sysctlconf": func(f fs.FS) any { return ReadSysctlConf(f) },
	"cron":       func(f fs.FS) any { return ReadCron(f) },
	"logind": func(f fs.FS) any {
		return map[string]any{"logind": ReadLogind(f), "sys_uid_max": ReadSystemUIDMax(f)}
	},
	"thp":       func(f fs.FS) any { return ReadTHP(f) },
	"hugepages": func(f fs.FS) any { return ReadHugePages(f) },
	"mounts":    func(f fs.FS) any { return ReadMounts(f) },
	"fstab":     func(f fs.FS) any { return ReadFstab(f) },
	"spaces":    func(f fs.FS) any { return ReadSpaces(f) },
	"virt":      func(f fs.FS) any { return ReadVirt(f) },
	"pressure":  func(f fs.FS) any { return ReadPressure(f) },
	"load":      func(f fs.FS) any { return ReadLoad(f) },
	"clock": func(f fs.FS) any {
		return map[string]any{"clock": ReadClock(f), "vmstat": ReadVMStat(f), "kept": ReadClockKept(f)}
	},
	"package": func(f fs.FS) any {
		all := map[string]any{}
		for _, name := range []string{"postgresql-15", "postgresql-17", "postgresql15-server", "postgresql-server"} {
			all[name] = ReadPackage(f, name)
		}
		return all
	},
	"limits":    func(f fs.FS) any { return ReadLimits(f, 100) },
	"unit":      func(f fs.FS) any { return ReadUnit(f, "postgresql.service") },
	"tuning":    func(f fs.FS) any { return ReadTuning(f) },
	"placement": func(f fs.FS) any { return ReadPlacement(f, 100) },
	"segment":   func(f fs.FS) any { return ReadSegment(f, 7766016, 17561) },
	"killable":  func(f fs.FS) any { return ReadKillable(f) },
	"process":   func(f fs.FS) any { return ReadProcess(f, 100) },
	"volumes": func(f fs.FS) any {
		return map[string]any{"mapped": ReadMapped(f), "datasets": ReadDatasets(f), "exts": ReadExts(f),
			"file_flags": ReadFileFlags(f), "ercs": ReadERCs(f)}
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

func TestGolden(t *testing.T) {
	seen := map[string]bool{}
	golden.Each(t, func(t *testing.T, name string, a *evidence.Archive) []byte {
		topic, _, _ := strings.Cut(name, ".")
		read, ok := topics[topic]
		if !ok {
			t.Fatalf("no reader is called %q", topic)
		}
		seen[topic] = true
		got, err := json.MarshalIndent(read(a), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		return append(got, '\n')
	})
	for topic := range topics {
		if !seen[topic] {
			t.Errorf("%s: no golden", topic)
		}
	}
}
