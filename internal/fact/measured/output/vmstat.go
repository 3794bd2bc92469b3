package output

import (
	"math"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// Vmstat is the lines of a run, in the columns and units of vmstat: kB (or Unit), blocks of 1,024
// bytes a second, percent.
type Vmstat struct {
	Unit    string         `json:"unit,omitempty"` // of -S, for swpd to so, where it is another than kB
	Samples []VmstatSample `json:"samples"`
}

// VmstatSample is a line of it.
type VmstatSample struct {
	SinceBoot bool   `json:"since_boot,omitempty"` // the first line is the mean since the boot
	R         int64  `json:"r"`                    // processes that run or wait for a processor
	B         int64  `json:"b"`                    // processes that wait for I/O and cannot be interrupted
	Swpd      *int64 `json:"swpd,omitempty"`       // absent, as the next ones: the column was left out
	Free      int64  `json:"free"`
	Buff      *int64 `json:"buff,omitempty"`
	Cache     *int64 `json:"cache,omitempty"`
	Inact     *int64 `json:"inact,omitempty"`
	Active    *int64 `json:"active,omitempty"`
	SI        *int64 `json:"si,omitempty"` // swapped in
	SO        *int64 `json:"so,omitempty"` // swapped out
	BI        int64  `json:"bi"`           // read
	BO        int64  `json:"bo"`           // written
	In        int64  `json:"in"`           // interrupts a second
	CS        int64  `json:"cs"`           // switches of context a second
	US        int64  `json:"us"`
	SY        int64  `json:"sy"`
	ID        int64  `json:"id"`
	WA        int64  `json:"wa"`
	ST        *int64 `json:"st,omitempty"`
	GU        *int64 `json:"gu,omitempty"`
}

var (
	// ExaWatcher and others put a time before each line, and a head of its own over that.
	vmstatGroups = regex.New(`^\s*(?:-*[a-z]{1,12}-* )?-*procs-* .*\bmemory`)
	vmstatClock  = regex.New(`^[0-9]{2}:[0-9]{2}:[0-9]{2}$`)
	vmstatHead   = regex.New(`^\s*r\s+b\s+(?:swpd\s+)?free\s`)
	vmstatUnit   = regex.New(`\bvmstat\b.*\s(?:-[a-zA-Z]*S|--unit)[ =]?([kKmM])\b`)
)

type vmstat struct {
	r       *reader
	out     *Output
	columns []string
	unit    string // that the command above asked for
	broken  bool   // other text came between
	left    bool   // rows were left out between the head and the first row
	early   []early
}

// vmstatWords are the words over the head, of which a mailer puts some on a line of their own.
var vmstatWords = regex.New(`^[\s-]*(?:(?:procs|memory|swap|io|system|cpu)[\s-]*)+$`)

// leastColumns is how many columns the oldest vmstat has.
const leastColumns = 14

// first keeps a row that stands before any head, as a screen begins with it.
func (t *vmstat) first(s scanned) {
	fields := strings.Fields(s.text)
	for _, f := range fields {
		if _, ok := whole(f); ok {
			continue
		}
		if !vmstatWords.MatchString(s.text) && !vmstatGroups.MatchString(s.text) {
			t.early = nil
		}
		return
	}
	switch {
	case len(fields) == 0:
	case len(fields) < leastColumns || len(t.early) >= maxEarly:
		t.early = nil
	default:
		t.early = append(t.early, early{s.number, fields})
	}
}

// maxEarly rows stand on a screen.
const maxEarly = 512

// adopt makes samples of the rows that stood before the first head, which has their columns.
func (t *vmstat) adopt() {
	rows := t.early
	t.early = nil
	for i := range rows { // of the first, a part may be missing
		if len(rows[i].fields) == len(t.columns) {
			rows = rows[i:]
			break
		}
	}
	for _, row := range rows {
		if len(row.fields) != len(t.columns) {
			return
		}
	}
	for _, row := range rows {
		var v VmstatSample
		for i, column := range t.columns {
			n, _ := whole(row.fields[i])
			v.set(column, n)
		}
		t.out.Vmstat.Samples = append(t.out.Vmstat.Samples, v)
		t.out.Line, t.out.Cut = rows[0].line, true
	}
}

func (t *vmstat) line(s scanned) bool {
	if elided(s.text) {
		t.left = t.left || t.out != nil && len(t.out.Vmstat.Samples) == 0
		return false
	}
	taken := t.read(s)
	t.broken = t.broken || !taken && !between.MatchString(s.text)
	return taken
}

func (t *vmstat) read(s scanned) bool {
	if t.out == nil && !holds(s.text, "swpd", "procs ", "vmstat", " free ") {
		t.first(s)
		return false
	}
	fields := strings.Fields(s.text)
	if m := vmstatUnit.FindStringSubmatch(s.text); m != nil {
		t.end()
		t.unit = map[string]string{"k": "1000 B", "m": "1000000 B", "M": "MB"}[m[1]]
		return false
	}
	switch {
	case vmstatGroups.MatchString(s.text), t.out != nil && vmstatWords.MatchString(s.text):
		return true
	case vmstatHead.MatchString(s.text):
		if t.out == nil || t.broken {
			t.end()
			t.out = t.r.open(VmstatRun, s.number)
			t.out.Vmstat = &Vmstat{Unit: t.unit, Samples: []VmstatSample{}}
			t.unit = ""
		}
		t.columns = nil
		for _, f := range fields {
			if len(f) > 6 || strings.ToUpper(f) == f { // -t: the zone of the time that follows
				break
			}
			t.columns = append(t.columns, f)
		}
		if len(t.out.Vmstat.Samples) == 0 {
			t.adopt()
		}
		return true
	case t.columns == nil || len(fields) == 0:
		return false
	}
	if len(fields) == len(t.columns)+1 && vmstatClock.MatchString(fields[0]) {
		fields = fields[1:]
	}
	row := fields
	if len(fields) > len(t.columns) && len(fields) <= len(t.columns)+3 {
		row = fields[:len(t.columns)] // date and time behind
	}
	n := make([]int64, 0, len(row))
	for i, f := range row {
		v, ok := whole(f)
		if !ok {
			v, ok = t.scaled(f, i)
		}
		if !ok {
			t.columns = nil
			return false
		}
		n = append(n, v)
	}
	if len(n) != len(t.columns) {
		if s.last && len(n) < len(t.columns) {
			t.out.Cut = true
			return true
		}
		t.columns = nil
		return false
	}
	if x := t.out.Vmstat; len(x.Samples) < maxRows {
		v := VmstatSample{SinceBoot: len(x.Samples) == 0 && !t.left}
		for i, column := range t.columns {
			v.set(column, n[i])
		}
		x.Samples = append(x.Samples, v)
	}
	return true
}

// scaled reads a figure that a person or a program has shortened: 234M of memory, 12K switches.
func (t *vmstat) scaled(f string, i int) (int64, bool) {
	if len(f) < 2 || i >= len(t.columns) || t.out.Vmstat.Unit != "" {
		return 0, false
	}
	n, ok := figure(f[:len(f)-1])
	power := strings.IndexByte("KMG", f[len(f)-1]&^0x20)
	if !ok || n < 0 || power < 0 {
		return 0, false
	}
	step := 1000.0
	switch t.columns[i] {
	case "swpd", "free", "buff", "cache", "inact", "active", "si", "so":
		step = 1024
		power-- // in kB
	}
	n *= math.Pow(step, float64(power+1))
	return int64(math.Round(n)), n < 1<<50
}

func (v *VmstatSample) set(column string, n int64) {
	to := map[string]*int64{"r": &v.R, "b": &v.B, "free": &v.Free, "bi": &v.BI, "bo": &v.BO, "in": &v.In,
		"cs": &v.CS, "us": &v.US, "sy": &v.SY, "id": &v.ID, "wa": &v.WA}[column]
	if to != nil {
		*to = n
		return
	}
	if to := map[string]**int64{"buff": &v.Buff, "cache": &v.Cache, "inact": &v.Inact, "active": &v.Active,
		"st": &v.ST, "gu": &v.GU, "swpd": &v.Swpd, "si": &v.SI, "so": &v.SO}[column]; to != nil {
		*to = &n
	}
}

func (t *vmstat) end() {
	if t.out != nil && len(t.out.Vmstat.Samples) == 0 {
		t.out.Vmstat = nil
	}
	t.out, t.columns, t.broken, t.left = nil, nil, false, false
}
