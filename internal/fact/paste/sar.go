package paste

import (
	"math"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// sar and mpstat, whose tables have a time before each row and their columns named above.
var (
	sarClock  = `(?:\d\d:\d\d:\d\d|\d\d\.\d\d\.\d\d|\d\dh\d\dm\d\ds)(?: ?(?:[AP]M|am|pm))?`
	reSarHead = regex.New(`^(?:` + sarClock + `|Average:|Time)\s+(?:CPU|DEV|IFACE|(?:\S+\s+)*?(?:kbmemfree|kbswpfree|` +
		`runq-sz|pswpin/s|pgpgin/s|tps|proc/s|dentunusd|MBmemfree|kbhugfree)\b)(.*)$`)
	reSarRow = regex.New(`^(` + sarClock +
		`|\p{L}[\p{L}.]{2,14} ?[:：])\s+((?:\S+\s+)*?-?\d[\d.,]*(?:\s+-?\d[\d.,]*)*)$`)
	reSarTime = regex.New(`^(?:` + sarClock + `|\p{L}[\p{L}.]{2,14} ?[:：])\s+`)
	reSarBoot = regex.New(`^` + sarClock + `\s+LINUX RESTART`)
)

// sarColumns are columns with their fact: of the rows the largest, the least, or the last is told.
var sarColumns = map[string]struct {
	name, unit string
	by         float64
	of         byte // M: the largest, m: the least, l: the last
}{
	"%user": {"cpu.user.max", "percent", 1, 'M'}, "%usr": {"cpu.user.max", "percent", 1, 'M'},
	"%system": {"cpu.system.max", "percent", 1, 'M'}, "%sys": {"cpu.system.max", "percent", 1, 'M'},
	"%iowait": {"cpu.iowait.max", "percent", 1, 'M'}, "%steal": {"cpu.steal.max", "percent", 1, 'M'},
	"%idle":     {"cpu.idle.min", "percent", 1, 'm'},
	"kbmemfree": {"memory.free", "bytes", kb, 'l'}, "kbavail": {"memory.available", "bytes", kb, 'l'},
	"kbmemused": {"memory.used", "bytes", kb, 'l'}, "kbbuffers": {"memory.buffers", "bytes", kb, 'l'},
	"kbcached": {"memory.cached", "bytes", kb, 'l'}, "kbcommit": {"memory.committed", "bytes", kb, 'l'},
	"kbdirty":   {"memory.dirty", "bytes", kb, 'l'},
	"%memused":  {"memory.used_share", "percent", 1, 'l'},
	"kbswpfree": {"swap.free", "bytes", kb, 'l'}, "kbswpused": {"swap.used", "bytes", kb, 'l'},
	"kbhugfree": {"huge_pages.free_bytes", "bytes", kb, 'l'}, "kbhugused": {"huge_pages.used_bytes", "bytes", kb, 'l'},
	"runq-sz": {"procs.running.max", "", 1, 'M'}, "blocked": {"procs.blocked.max", "", 1, 'M'},
	"plist-sz": {"tasks.total", "", 1, 'l'}, "ldavg-1": {"load.1.max", "", 1, 'M'},
	"ldavg-5": {"load.5.max", "", 1, 'M'}, "ldavg-15": {"load.15.max", "", 1, 'M'},
	"pswpin/s": {"swap.in.pages.max", "per second", 1, 'M'}, "pswpout/s": {"swap.out.pages.max", "per second", 1, 'M'},
	"majflt/s": {"page_faults.major.max", "per second", 1, 'M'},
	"%vmeff":   {"memory.reclaim_efficiency", "percent", 1, 'l'},
	"tps":      {"transfers.max", "per second", 1, 'M'},
}

// sarDevice are the columns of sar -d, by device.
var sarDevice = map[string]struct {
	name, unit string
	by         float64
}{
	"tps": {"device.transfers", "", 1}, "await": {"device.await", "ms", 1}, "%util": {"device.util", "percent", 1},
	"rkB/s": {"device.read", "bytes/s", kb}, "wkB/s": {"device.written", "bytes/s", kb},
	"rd_sec/s": {"device.read", "bytes/s", 512}, "wr_sec/s": {"device.written", "bytes/s", 512},
	"avgqu-sz": {"device.queue", "", 1}, "aqu-sz": {"device.queue", "", 1},
}

// sarHead returns the columns of a head behind the time.
func sarHead(t string) []string {
	if !reSarHead.MatchString(t) || reSarRow.MatchString(t) {
		return nil
	}
	if at := reSarTime.FindStringIndex(t); at != nil {
		t = t[at[1]:]
	} else {
		t = strings.TrimPrefix(t, "Time")
	}
	return strings.Fields(t)
}

// readSar reads one table, with the line of the system before it.
func readSar(w *window) (f found) {
	i := 0
	if m := reSysstat.FindStringSubmatch(w.t(0)); m != nil {
		i = 1
		for i < len(w.lines) && (w.lines[i].is == blank || reSarBoot.MatchString(w.t(i))) {
			i++
		}
		n, _ := whole(m[4])
		f.host = m[2]
		f.add(word("kernel.release", "", m[1]), count("cpu.logical", "", n), word("cpu.architecture", "", m[3]))
	}
	head := sarHead(w.t(i))
	if head == nil {
		return found{}
	}
	f.n = i + 1
	first, rows := len(f.facts), int64(0)
	at := map[string]int{}
	for k := f.n; k < len(w.lines); k++ {
		t := w.t(k)
		if rows == 0 && k > mostHeads {
			break
		}
		if w.lines[k].is == elided || w.lines[k].is == blank || reSarBoot.MatchString(t) {
			continue
		}
		if h := sarHead(t); h != nil {
			if strings.Join(h, " ") != strings.Join(head, " ") {
				break // the next table
			}
			f.n = k + 1
			continue
		}
		m := reSarRow.FindStringSubmatch(t)
		if m == nil {
			break
		}
		f.n = k + 1
		c := strings.Fields(m[2])
		mean := strings.HasSuffix(strings.TrimSpace(m[1]), ":") || strings.HasSuffix(m[1], "：")
		if len(c) != len(head) || mean {
			continue
		}
		rows++
		f.sarRow(head, c, at)
	}
	if rows == 0 || len(f.facts) == first {
		return found{}
	}
	f.add(count("samples", "", rows))
	if head[0] == "CPU" && index(head, "%idle") < 0 {
		return found{}
	}
	return f
}

// sarRow adds a row to what the rows before said.
func (f *found) sarRow(head, c []string, at map[string]int) {
	of := ""
	switch head[0] {
	case "CPU":
		if c[0] != "all" && c[0] != "-1" {
			of = c[0]
		}
	case "DEV":
		of = c[0]
	case "IFACE":
		return
	}
	for i := range head {
		v, ok := decimal(c[i])
		if !ok || (head[0] == "CPU" || head[0] == "DEV") && i == 0 {
			continue
		}
		d, known := sarColumns[head[i]]
		if head[0] == "DEV" {
			x := sarDevice[head[i]]
			d, known = struct {
				name, unit string
				by         float64
				of         byte
			}{x.name + ".max", x.unit, x.by, 'M'}, x.name != ""
		}
		if !known {
			continue
		}
		x := Fact{Name: d.name, Of: of, Value: v * d.by, Unit: d.unit}
		if d.unit == "bytes" || d.unit == "bytes/s" || d.unit == "" && v == math.Trunc(v) {
			x.Value = int64(math.Round(v * d.by))
		}
		key := d.name + "\x00" + of
		k, seen := at[key]
		if !seen {
			if len(f.facts) >= maxFacts {
				return
			}
			at[key] = len(f.facts)
			f.add(x)
			continue
		}
		was, _ := f.facts[k].Number()
		now, _ := x.Number()
		if d.of == 'l' || d.of == 'M' && now > was || d.of == 'm' && now < was {
			f.facts[k] = x
		}
	}
}
