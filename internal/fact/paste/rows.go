package paste

import (
	"math"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// vmstat in intervals.
var (
	reVmstatTop = regex.New(
		`^(?:-+time-+ )?procs? -+(?:r|p|m)?\S*-+|^procs\s+memory\s+swap\s+io\s+system\s+cpu|^-*procs-* -+memory`)
	reVmstatHead = regex.New(
		`^(?:time )?r\s+b\s+swpd\s+free\s+(?:buff|inact)\s+(?:cache|active)\s+si\s+so\s+bi\s+bo\s+in\s+cs\s+us\s` +
			`+sy\s+id\s+wa`)
	reVmstatRow  = regex.New(`^(?:(\d\d:\d\d:\d\d|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) +)?\d+(?:\s+\d+){14,18}$`)
	reVmstatEnd  = regex.New(`(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d$`)
	reVmstatRule = regex.New(`^-+[a-z]+-+(?:\s+-+[a-z]+-+)*$`)
	reVmstatRest = regex.New(`^\d+(?:\s+\d+){0,8}$`)
)

// vmstatLine is a line of vmstat, put together of two or three where a mail program broke
// it, and their number; 0: it is none.
func vmstatLine(w *window, i int, re *regex.Regex) (string, int) {
	t := w.t(i)
	for n := 1; n <= 3; n++ {
		if s := strings.TrimSpace(reVmstatEnd.ReplaceAllString(t, "")); re.MatchString(s) {
			return s, n
		}
		if i+n >= len(w.lines) || w.lines[i+n].is == blank {
			break
		}
		t += " " + w.t(i+n)
	}
	return "", 0
}

func readVmstat(w *window) (f found) {
	i := 0
	if reVmstatTop.MatchString(w.t(0)) {
		for i = 1; i < 4 && reVmstatRule.MatchString(w.t(i)); i++ {
		}
	}
	text, n := vmstatLine(w, i, reVmstatHead)
	if n == 0 {
		return
	}
	head := strings.Fields(text)
	f.n = i + n
	var rows [][]float64
	for f.n < len(w.lines) {
		if w.lines[f.n].is == elided || reVmstatRule.MatchString(w.t(f.n)) || reVmstatTop.MatchString(w.t(f.n)) {
			f.n++
			continue
		}
		if w.lines[f.n].is != content {
			break
		}
		if _, n := vmstatLine(w, f.n, reVmstatHead); n > 0 {
			f.n += n
			continue
		}
		t, n := vmstatLine(w, f.n, reVmstatRow)
		for n > 0 && n < 3 && f.n+n < len(w.lines) && len(strings.Fields(t)) < vmstatColumns(head) &&
			reVmstatRest.MatchString(w.t(f.n+n)) { // a row that looked whole
			t += " " + w.t(f.n+n)
			n++
		}
		if n == 0 {
			break
		}
		c := strings.Fields(t)
		for len(c) > 0 && strings.ContainsAny(c[0], ":-") {
			c = c[1:]
		}
		row := make([]float64, 0, len(c))
		for _, s := range c {
			v, _ := decimal(s)
			row = append(row, v)
		}
		rows = append(rows, row)
		f.n += n
	}
	if len(rows) == 0 {
		return found{}
	}
	if head[0] == "time" {
		head = head[1:]
	}
	f.add(count("samples", "", int64(len(rows))))
	unit := int64(kb)
	if m := reVmstatUnit.FindStringSubmatch(w.command); m != nil {
		unit = map[string]int64{"k": 1000, "K": kb, "m": 1e6, "M": mb, "B": 1}[m[1]]
	}
	last := rows[len(rows)-1]
	for _, x := range [][2]string{{"free", "memory.free"}, {"swpd", "swap.used"}, {"buff", "memory.buffers"},
		{"cache", "memory.cached"}, {"inact", "memory.inactive"}, {"active", "memory.active"}} {
		name := x[1]
		if at := index(head, x[0]); at >= 0 && at < len(last) {
			a := amount{bytes: int64(last[at]) * unit}
			if unit > kb {
				a.step = float64(unit)
			}
			f.add(a.fact(name, ""))
		}
	}
	measured := rows
	if len(rows) > 1 { // the first row is the mean since boot
		measured = rows[1:]
	} else {
		f.notes = append(f.notes, "the only row shows the averages since boot")
	}
	for _, x := range []struct {
		col, name, unit string
		least           bool
	}{{"r", "procs.running.max", "", false}, {"b", "procs.blocked.max", "", false},
		{"si", "swap.in.max", "bytes/s", false},
		{"so", "swap.out.max", "bytes/s", false}, {"wa", "cpu.iowait.max", "percent", false},
		{"id", "cpu.idle.min", "percent", true}, {"st", "cpu.steal.max", "percent", false}} {
		at := index(head, x.col)
		if at < 0 || at >= len(measured[0]) {
			continue
		}
		best := measured[0][at]
		for _, r := range measured[1:] {
			if at < len(r) && (r[at] > best) != x.least && r[at] != best {
				best = r[at]
			}
		}
		if x.unit == "bytes/s" {
			best *= float64(unit)
		}
		v := Fact{Name: x.name, Value: best, Unit: x.unit}
		if x.unit == "" || x.unit == "bytes/s" {
			v.Value = int64(best)
		}
		if x.unit == "bytes/s" && best > 0 && unit > kb {
			v.Rounded, v.Step = true, float64(unit)
		}
		f.add(v)
	}
	return f
}

var reVmstatUnit = regex.New(`\bvmstat\b.*\s(?:-[a-zA-Z]*S ?|--unit[ =])([kKmMB])`)

// vmstatColumns is how many of the columns of a head hold numbers.
func vmstatColumns(head []string) int {
	n := len(head)
	if head[0] == "time" {
		n--
	}
	if at := max(index(head, "gu"), index(head, "st"), index(head, "wa")); at >= 0 { // and a time zone
		n = at + 1
	}
	return n
}

func index(list []string, s string) int {
	for i, v := range list {
		if v == s {
			return i
		}
	}
	return -1
}

// iostat, with and without -x, in kB or MB.
var (
	reSysstat = regex.New(`^Linux (\d\S+) \(([^)]{1,255})\)\s+\S.{0,40}?\s+_(\w+)_\s+\((\d+) CPUs?\)$`)
	reAvgCPU  = regex.New(`^avg-cpu:\s+%user\s+%nice\s+%system\s+%iowait\s+%steal\s+%idle`)
	reDevices = regex.New(`^Device:?\s+\S`)
	reNumbers = regex.New(`^[\d.,]+(?:\s+[\d.,]+){5}$`)
	reDevice  = regex.New(`^[a-zA-Z][\w/.!:-]{0,63}(?:\s+\d[\d.,]*){2,24}$`)
	reClock   = regex.New(`^\d\d[/.]\d\d[/.]\d{2,4} \d\d:\d\d:\d\d(?: [AP]M)?$`)
)

// deviceFacts are columns of iostat with the factor to the unit of their fact.
var deviceFacts = map[string]struct {
	name, unit string
	by         float64
}{
	"%util": {"device.util", "percent", 1}, "await": {"device.await", "", 1}, "r_await": {"device.read_await", "", 1},
	"w_await": {"device.write_await", "", 1}, "tps": {"device.transfers", "", 1}, "r/s": {"device.reads", "", 1},
	"w/s": {"device.writes", "", 1}, "rkB/s": {"device.read", "bytes/s", kb},
	"wkB/s": {"device.written", "bytes/s", kb},
	"rMB/s": {"device.read", "bytes/s", mb}, "wMB/s": {"device.written", "bytes/s", mb},
	"kB_read/s": {"device.read", "bytes/s", kb}, "kB_wrtn/s": {"device.written", "bytes/s", kb},
	"MB_read/s": {"device.read", "bytes/s", mb}, "MB_wrtn/s": {"device.written", "bytes/s", mb},
	"aqu-sz": {"device.queue", "", 1}, "avgqu-sz": {"device.queue", "", 1},
}

func readIostat(w *window) (f found) {
	if m := reSysstat.FindStringSubmatch(w.t(0)); m != nil {
		k := 1
		for k < len(w.lines) && w.lines[k].is == blank {
			k++
		}
		if !reAvgCPU.MatchString(w.t(k)) && !reDevices.MatchString(w.t(k)) && !reClock.MatchString(w.t(k)) {
			return
		}
		f.n, f.host = 1, m[2]
		n, _ := whole(m[4])
		f.add(word("kernel.release", "", m[1]), count("cpu.logical", "", n), word("cpu.architecture", "", m[3]))
	} else if !reAvgCPU.MatchString(w.t(0)) {
		if !reDevices.MatchString(w.t(0)) {
			return
		}
		if _, n := deviceHead(w, 0); !reDevice.MatchString(w.t(n)) {
			return
		}
	}
	var head []string
	var full []Fact // of the report before, whose rows are not cut
	cpu, cut := false, false
	reports := int64(0)
	defer func() {
		if cut && len(full) > 0 {
			f.drop("device.")
			f.add(full...)
		}
	}()
	for i := f.n; i < len(w.lines); i++ {
		t := w.t(i)
		switch {
		case w.lines[i].is == blank, w.lines[i].is == elided:
			continue
		case reClock.MatchString(t):
		case reAvgCPU.MatchString(t):
			cpu = true
			reports++
			f.drop("cpu.user", "cpu.system", "cpu.iowait", "cpu.steal", "cpu.idle")
		case cpu && reNumbers.MatchString(t):
			cpu = false
			for k, s := range strings.Fields(t) {
				name := []string{"cpu.user", "", "cpu.system", "cpu.iowait", "cpu.steal", "cpu.idle"}[k]
				if v, ok := decimal(s); ok && name != "" {
					f.add(share(name, "", v))
				}
			}
		case reDevices.MatchString(t):
			t, n := deviceHead(w, i)
			head = strings.Fields(t)
			i += n - 1
			if !cut {
				full = f.named("device.")
			}
			cut = false
			f.drop("device.")
		case head != nil && reDevice.MatchString(t):
			t, n := deviceRow(w, i, len(head))
			i += n - 1
			c := strings.Fields(t)
			cut = cut || len(c) < len(head)
			for k := 1; k < len(c) && k < len(head); k++ {
				d, ok := deviceFacts[head[k]]
				v, isNum := decimal(c[k])
				if !ok || !isNum {
					continue
				}
				x := Fact{Name: d.name, Of: c[0], Value: v * d.by, Unit: d.unit}
				if d.unit == "bytes/s" {
					x.Value = int64(math.Round(v * d.by))
				}
				if strings.HasSuffix(d.name, "await") {
					x.Unit = "ms"
				}
				f.add(x)
			}
		default:
			return f.reports(reports)
		}
		f.n = i + 1
	}
	return f.reports(reports)
}

// deviceColumns are the names of all columns of iostat.
var deviceColumns = map[string]bool{}

func init() {
	for _, c := range strings.Fields(`Device: Device tps kB_read/s kB_wrtn/s kB_dscd/s kB_read kB_wrtn kB_dscd M` +
		`B_read/s ` +
		`MB_wrtn/s MB_dscd/s MB_read MB_wrtn MB_dscd Blk_read/s Blk_wrtn/s Blk_read Blk_wrtn rrqm/s wrqm/s r/s w/s ` +
		`rkB/s wkB/s rMB/s wMB/s rsec/s wsec/s avgrq-sz avgqu-sz await r_await w_await svctm %util %rrqm %wrqm %drqm ` +
		`rareq-sz wareq-sz dareq-sz d/s dkB/s dMB/s drqm/s d_await f/s f_await aqu-sz areq-sz`) {
		deviceColumns[c] = true
	}
}

// deviceHead is the head of a table, put together where a terminal or a mail program broke it,
// and its number of lines.
func deviceHead(w *window, i int) (string, int) {
	t := w.t(i)
	for n := 1; n < 4 && i+n < len(w.lines) && w.lines[i+n].is == content && !reDevice.MatchString(w.t(i+n)); n++ {
		for _, sep := range []string{"", " "} {
			whole := true
			for _, c := range strings.Fields(t + sep + w.t(i+n)) {
				whole = whole && deviceColumns[c]
			}
			if whole {
				return t + sep + w.t(i+n), n + 1
			}
		}
		t += w.lines[i+n].text
	}
	return w.t(i), 1
}

var reNumbersOnly = regex.New(`^\d[\d.,]*(?:\s+\d[\d.,]*){0,24}$`)

// deviceRow is a row, put together in the same way.
func deviceRow(w *window, i, columns int) (string, int) {
	t, n := w.lines[i].text, 1
	for n < 4 && i+n < len(w.lines) && len(strings.Fields(t)) < columns && reNumbersOnly.MatchString(w.t(i+n)) {
		next := w.lines[i+n].text
		// a number that was broken has its point in one of the two
		if last := t[strings.LastIndexAny(t, " \t")+1:]; next != w.t(i+n) || strings.Contains(last, ".") &&
			strings.Contains(strings.Fields(next)[0], ".") {
			next = " " + next
		}
		t += next
		n++
	}
	return t, n
}

// reports says that of several reports the last is told.
func (f *found) reports(n int64) found {
	if n > 1 {
		f.add(count("samples", "", n))
		f.notes = append(f.notes, "the last of several reports is used; the first shows the averages since boot")
	}
	return *f
}

// drop removes the facts of names, or of all that begin with one that ends in a point.
// named are the facts whose names begin so.
func (f *found) named(prefix string) (out []Fact) {
	for _, x := range f.facts {
		if strings.HasPrefix(x.Name, prefix) {
			out = append(out, x)
		}
	}
	return out
}

func (f *found) drop(names ...string) {
	kept := f.facts[:0]
	for _, x := range f.facts {
		gone := false
		for _, n := range names {
			gone = gone || x.Name == n || strings.HasSuffix(n, ".") && strings.HasPrefix(x.Name, n)
		}
		if !gone {
			kept = append(kept, x)
		}
	}
	f.facts = kept
}
