package paste

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
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

func readCounters(w *window) (f found) {
	if m := rePressure.FindStringSubmatch(w.t(0)); m != nil {
		of := ""
		for _, c := range strings.Fields(w.command) {
			if p := rePressured.FindStringSubmatch(c); p != nil {
				of = p[1] + " "
			}
		}
		for f.n < len(w.lines) {
			m := rePressure.FindStringSubmatch(w.t(f.n))
			if m == nil {
				break
			}
			for k, name := range []string{"pressure.avg10", "pressure.avg60", "pressure.avg300"} {
				if v, ok := decimal(m[2+k]); ok {
					f.add(share(name, of+m[1], v))
				}
			}
			f.n++
		}
		f.kind = Pressure
		return f
	}
	if rePool.MatchString(w.t(0)) {
		for f.n < len(w.lines) {
			m := rePool.FindStringSubmatch(w.t(f.n))
			if m == nil {
				break
			}
			if n, ok := whole(m[3]); ok {
				f.add(count(poolNames[m[2]], m[1]+" kB", n))
			}
			f.n++
		}
		f.kind = HugePool
		return f
	}
	if reLsmem.MatchString(w.t(0)) {
		for i := 1; i < len(w.lines); i++ {
			t := w.t(i)
			if m := reLsmemSum.FindStringSubmatch(t); m != nil {
				if a, ok := amountOf(m[2], 1); ok && strings.HasPrefix(m[1], "Total online") {
					f.add(a.fact("memory.installed", ""))
				}
			} else if w.lines[i].is == blank {
				continue
			} else if !reLsmemRow.MatchString(t) {
				break
			}
			f.n = i + 1
		}
		f.kind = Lsmem
		return f
	}
	if !strings.Contains(w.command, "/proc/vmstat") {
		return
	}
	for f.n < len(w.lines) {
		m := reCounter.FindStringSubmatch(w.t(f.n))
		if m == nil {
			break
		}
		if n, ok := whole(m[2]); ok && m[1] == "oom_kill" {
			f.add(count("oom.kills", "", n))
		} else if ok {
			f.add(count("vmstat.counter", m[1], n))
		}
		f.n++
	}
	f.kind = ProcVmstat
	return f
}

// poolAnswer reads one file of a pool of huge pages.
func poolAnswer(path, t string) (f found) {
	m := rePoolFile.FindStringSubmatch(path)
	n, ok := whole(t)
	if m == nil || !ok {
		return
	}
	return found{n: 1, kind: HugePool, facts: []Fact{count(poolNames[m[2]], m[1]+" kB", n)}}
}
