package system

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// /proc/pressure, /proc/vmstat, /sys/kernel/mm/hugepages, lsmem.
var (
	rePressure  = regex.New(`^(some|full) avg10=([\d.]+) avg60=([\d.]+) avg300=([\d.]+) total=(\d{1,19})$`)
	rePressured = regex.New(`(?:/proc/pressure/|\b)(cpu|memory|io|irq)(?:\.pressure)?$`)
	reCounter   = regex.New(`^([a-z][a-z0-9_]{3,48}) (\d{1,19})$`)
	rePool      = regex.New(
		`^(?:/sys/kernel/mm/hugepages/)?hugepages-(\d{1,9})kB/(nr|free|resv|surplus)_(?:overcommit_)?hugepage` +
			`s[:=]\s?(\d{1,12})$`)
	rePoolFile = regex.New(`^/sys/kernel/mm/hugepages/hugepages-(\d{1,9})kB/(nr|free|resv|surplus)_hugepages$`)
	poolNames  = map[string]string{"nr": "huge_pages.pool", "free": "huge_pages.pool_free",
		"resv":    "huge_pages.pool_reserved",
		"surplus": "huge_pages.pool_surplus"}
	reLsmem    = regex.New(`^RANGE\s+SIZE\s+STATE\s`)
	reLsmemRow = regex.New(`^0x[0-9a-f]{8,16}-0x[0-9a-f]{8,16}\s`)
	reLsmemSum = regex.New(`^(Memory block size|Total (?:online|offline) memory):\s+(\S+)$`)
)

// ReadCounters reads /proc/pressure, /proc/vmstat, the pools of huge pages and lsmem.
func ReadCounters(w *part.Window) (f part.Found) {
	if m := rePressure.FindStringSubmatch(w.Text(0)); m != nil {
		of := ""
		for _, c := range strings.Fields(w.Command) {
			if p := rePressured.FindStringSubmatch(c); p != nil {
				of = p[1] + " "
			}
		}
		for f.N < len(w.Lines) {
			m := rePressure.FindStringSubmatch(w.Text(f.N))
			if m == nil {
				break
			}
			for k, name := range []string{"pressure.avg10", "pressure.avg60", "pressure.avg300"} {
				if v, ok := amount.Decimal(m[2+k]); ok {
					f.Add(part.Percent(name, of+m[1], v))
				}
			}
			f.N++
		}
		f.Kind = part.Pressure
		return f
	}
	if rePool.MatchString(w.Text(0)) {
		for f.N < len(w.Lines) {
			m := rePool.FindStringSubmatch(w.Text(f.N))
			if m == nil {
				break
			}
			if n, ok := amount.Whole(m[3]); ok {
				f.Add(part.Count(poolNames[m[2]], m[1]+" kB", n))
			}
			f.N++
		}
		f.Kind = part.HugePool
		return f
	}
	if reLsmem.MatchString(w.Text(0)) {
		for i := 1; i < len(w.Lines); i++ {
			t := w.Text(i)
			if m := reLsmemSum.FindStringSubmatch(t); m != nil {
				if a, ok := amount.Of(m[2], 1); ok && strings.HasPrefix(m[1], "Total online") {
					f.Add(a.Fact("memory.installed", ""))
				}
			} else if w.Lines[i].Is == part.Blank {
				continue
			} else if !reLsmemRow.MatchString(t) {
				break
			}
			f.N = i + 1
		}
		f.Kind = part.Lsmem
		return f
	}
	if !strings.Contains(w.Command, "/proc/vmstat") {
		return
	}
	for f.N < len(w.Lines) {
		m := reCounter.FindStringSubmatch(w.Text(f.N))
		if m == nil {
			break
		}
		if n, ok := amount.Whole(m[2]); ok && m[1] == "oom_kill" {
			f.Add(part.Count("oom.kills", "", n))
		} else if ok {
			f.Add(part.Count("vmstat.counter", m[1], n))
		}
		f.N++
	}
	f.Kind = part.ProcVmstat
	return f
}

// poolAnswer reads one file of a pool of huge pages.
func poolAnswer(path, t string) (f part.Found) {
	m := rePoolFile.FindStringSubmatch(path)
	n, ok := amount.Whole(t)
	if m == nil || !ok {
		return
	}
	return part.Found{N: 1, Kind: part.HugePool, Facts: []part.Fact{part.Count(poolNames[m[2]], m[1]+" kB", n)}}
}
