package usage

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
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
	"kbmemfree": {"memory.free", "bytes", amount.KB, 'l'}, "kbavail": {"memory.available", "bytes", amount.KB, 'l'},
	"kbmemused": {"memory.used", "bytes", amount.KB, 'l'}, "kbbuffers": {"memory.buffers", "bytes", amount.KB, 'l'},
	"kbcached": {"memory.cached", "bytes", amount.KB, 'l'}, "kbcommit": {"memory.committed", "bytes", amount.KB, 'l'},
	"kbdirty":   {"memory.dirty", "bytes", amount.KB, 'l'},
	"%memused":  {"memory.used_share", "percent", 1, 'l'},
	"kbswpfree": {"swap.free", "bytes", amount.KB, 'l'}, "kbswpused": {"swap.used", "bytes", amount.KB, 'l'},
	"kbhugfree": {"huge_pages.free_bytes", "bytes", amount.KB, 'l'},
	"kbhugused": {"huge_pages.used_bytes", "bytes", amount.KB, 'l'},
	"runq-sz":   {"procs.running.max", "", 1, 'M'}, "blocked": {"procs.blocked.max", "", 1, 'M'},
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
	"rkB/s": {"device.read", "bytes/s", amount.KB}, "wkB/s": {"device.written", "bytes/s", amount.KB},
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

// ReadSar reads one table, with the line of the system before it.
func ReadSar(w *part.Window) (f part.Found) {
	i := 0
	if m := reSysstat.FindStringSubmatch(w.Text(0)); m != nil {
		i = 1
		for i < len(w.Lines) && (w.Lines[i].Is == part.Blank || reSarBoot.MatchString(w.Text(i))) {
			i++
		}
		n, _ := amount.Whole(m[4])
		f.Host = m[2]
		f.Add(part.Word("kernel.release", "", m[1]), part.Count("cpu.logical", "", n),
			part.Word("cpu.architecture", "", m[3]))
	}
	head := sarHead(w.Text(i))
	if head == nil {
		return part.Found{}
	}
	f.N = i + 1
	first, rows, samples := len(f.Facts), int64(0), map[string]int64{}
	at := map[string]int{}
	for k := f.N; k < len(w.Lines); k++ {
		t := w.Text(k)
		if rows == 0 && k > part.MostHeads {
			break
		}
		if w.Lines[k].Is == part.Elided || w.Lines[k].Is == part.Blank || reSarBoot.MatchString(t) {
			continue
		}
		if h := sarHead(t); h != nil {
			if strings.Join(h, " ") != strings.Join(head, " ") {
				break // the next table
			}
			f.N = k + 1
			continue
		}
		m := reSarRow.FindStringSubmatch(t)
		if m == nil {
			break
		}
		f.N = k + 1
		c := strings.Fields(m[2])
		mean := strings.HasSuffix(strings.TrimSpace(m[1]), ":") || strings.HasSuffix(m[1], "：")
		if len(c) != len(head) || mean {
			continue
		}
		rows++
		switch head[0] { // of each time, there is a row for each of them
		case "CPU", "DEV", "IFACE":
			samples[c[0]]++
		default:
			samples[""]++
		}
		sarRow(&f, head, c, at)
	}
	if (rows == 0 || len(f.Facts) == first) && i > 0 { // its rows were cut off
		return part.Found{N: i + 1, Host: f.Host, Facts: f.Facts[:first], Sure: part.Likely}
	}
	if rows == 0 || len(f.Facts) == first {
		return part.Found{}
	}
	f.Add(part.Count("samples", "", slices.Max(slices.Collect(maps.Values(samples)))))
	if head[0] == "CPU" && slices.Index(head, "%idle") < 0 {
		return part.Found{}
	}
	return f
}

// sarRow adds a row to what the rows before said.
func sarRow(f *part.Found, head, c []string, at map[string]int) {
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
		v, ok := amount.Decimal(c[i])
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
		x := part.Fact{Name: d.name, Of: of, Value: v * d.by, Unit: d.unit}
		if d.unit == "bytes" || d.unit == "bytes/s" || d.unit == "" && v == math.Trunc(v) {
			x.Value = int64(math.Round(v * d.by))
		}
		key := d.name + "\x00" + of
		k, seen := at[key]
		if !seen {
			if len(f.Facts) >= part.MaxFacts {
				return
			}
			at[key] = len(f.Facts)
			f.Add(x)
			continue
		}
		was, _ := f.Facts[k].Number()
		now, _ := x.Number()
		if d.of == 'l' || d.of == 'M' && now > was || d.of == 'm' && now < was {
			f.Facts[k] = x
		}
	}
}
