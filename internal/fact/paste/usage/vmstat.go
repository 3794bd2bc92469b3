package usage

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
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
func vmstatLine(w *part.Window, i int, re *regex.Regex) (string, int) {
	t := w.Text(i)
	for n := 1; n <= 3; n++ {
		if s := strings.TrimSpace(reVmstatEnd.ReplaceAllString(t, "")); re.MatchString(s) {
			return s, n
		}
		if i+n >= len(w.Lines) || w.Lines[i+n].Is == part.Blank {
			break
		}
		t += " " + w.Text(i+n)
	}
	return "", 0
}

// ReadVmstat reads vmstat in intervals.
func ReadVmstat(w *part.Window) (f part.Found) {
	i := 0
	if reVmstatTop.MatchString(w.Text(0)) {
		for i = 1; i < 4 && reVmstatRule.MatchString(w.Text(i)); i++ {
		}
	}
	text, n := vmstatLine(w, i, reVmstatHead)
	if n == 0 {
		return
	}
	head := strings.Fields(text)
	f.N = i + n
	var rows [][]float64
	for f.N < len(w.Lines) {
		if w.Lines[f.N].Is == part.Elided || reVmstatRule.MatchString(w.Text(f.N)) ||
			reVmstatTop.MatchString(w.Text(f.N)) {
			f.N++
			continue
		}
		if w.Lines[f.N].Is != part.Content {
			break
		}
		if _, n := vmstatLine(w, f.N, reVmstatHead); n > 0 {
			f.N += n
			continue
		}
		t, n := vmstatLine(w, f.N, reVmstatRow)
		for n > 0 && n < 3 && f.N+n < len(w.Lines) && len(strings.Fields(t)) < vmstatColumns(head) &&
			reVmstatRest.MatchString(w.Text(f.N+n)) { // a row that looked whole
			t += " " + w.Text(f.N+n)
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
			v, _ := amount.Decimal(s)
			row = append(row, v)
		}
		rows = append(rows, row)
		f.N += n
	}
	if len(rows) == 0 {
		return part.Found{}
	}
	if head[0] == "time" {
		head = head[1:]
	}
	f.Add(part.Count("samples", "", int64(len(rows))))
	unit := int64(amount.KB)
	if m := reVmstatUnit.FindStringSubmatch(w.Command); m != nil {
		unit = map[string]int64{"k": 1000, "K": amount.KB, "m": 1e6, "M": amount.MB, "B": 1}[m[1]]
	}
	last := rows[len(rows)-1]
	for _, x := range [][2]string{{"free", "memory.free"}, {"swpd", "swap.used"}, {"buff", "memory.buffers"},
		{"cache", "memory.cached"}, {"inact", "memory.inactive"}, {"active", "memory.active"}} {
		name := x[1]
		if at := slices.Index(head, x[0]); at >= 0 && at < len(last) {
			a := amount.Amount{Bytes: int64(last[at]) * unit}
			if unit > amount.KB {
				a.Step = float64(unit)
			}
			f.Add(a.Fact(name, ""))
		}
	}
	measured := rows
	if len(rows) > 1 { // the first row is the mean since boot
		measured = rows[1:]
	} else {
		f.Notes = append(f.Notes, "the only row shows the averages since boot")
	}
	for _, x := range []struct {
		col, name, unit string
		least           bool
	}{{"r", "procs.running.max", "", false}, {"b", "procs.blocked.max", "", false},
		{"si", "swap.in.max", "bytes/s", false},
		{"so", "swap.out.max", "bytes/s", false}, {"us", "cpu.user.max", "percent", false},
		{"sy", "cpu.system.max", "percent", false}, {"wa", "cpu.iowait.max", "percent", false},
		{"id", "cpu.idle.min", "percent", true}, {"st", "cpu.steal.max", "percent", false}} {
		at := slices.Index(head, x.col)
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
		v := part.Fact{Name: x.name, Value: best, Unit: x.unit}
		if x.unit == "" || x.unit == "bytes/s" {
			v.Value = int64(best)
		}
		if x.unit == "bytes/s" && best > 0 && unit > amount.KB {
			v.Rounded, v.Step = true, float64(unit)
		}
		f.Add(v)
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
	if at := max(slices.Index(head, "gu"), slices.Index(head, "st"),
		slices.Index(head, "wa")); at >= 0 { // and a time zone
		n = at + 1
	}
	return n
}
