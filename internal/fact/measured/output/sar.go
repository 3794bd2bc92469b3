package output

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// Sar is the tables of sar, or of mpstat.
type Sar struct {
	Host    string     `json:"host,omitempty"`
	Kernel  string     `json:"kernel,omitempty"`
	Date    string     `json:"date,omitempty"` // as printed
	CPUs    int        `json:"cpus,omitempty"`
	CPU     []SarCPU   `json:"cpu,omitempty"`
	Devices []Device   `json:"devices,omitempty"`
	Average SarAverage `json:"average"`
	Others  []string   `json:"others,omitempty"` // the first columns of the tables of anything else
	Tables  []SarTable `json:"tables,omitempty"` // those tables, as far as they are read
}

// SarTable is one of memory, swap, paging, the run queue, network interfaces, and so on, in the columns of sar.
type SarTable struct {
	Columns []string `json:"columns"`
	Rows    []SarRow `json:"rows"`
	Average []SarRow `json:"average,omitempty"`
}

// SarRow is a row of it.
type SarRow struct {
	At     string             `json:"at,omitempty"` // the end of the interval, as printed
	Of     string             `json:"of,omitempty"` // the interface, interrupt or file system
	Values map[string]float64 `json:"values"`       // by column, in its unit
}

// SarAverage is the averages at the end, where they are there.
type SarAverage struct {
	CPU     []SarCPU `json:"cpu,omitempty"`
	Devices []Device `json:"devices,omitempty"`
}

// SarCPU is a row of processors.
type SarCPU struct {
	At  string `json:"at,omitempty"` // the end of the interval, as printed
	Of  string `json:"of"`           // all, or a number
	CPU        //
}

var (
	// «13:57:04», «01:10:08 PM», «11时50分01秒», «12.05.01»
	sarTime = regex.New(
		`^\s*([0-9]{1,2}[:.h时時시] ?[0-9]{2}[:.m分분] ?[0-9]{2}(?:秒|초)?(?: ?[APap]\.?[Mm]\.?)?)\s+(\S.*)$`)
	// «Average:», «Moyenne :», «Durchschn.:», «Среднее:», «平均时间:»
	sarMean  = regex.New(`^\s*([\p{L}.]{4,16} ?[:：])\s+(\S.*)$`)
	sarTable = regex.New(
		`^(?:CPU\s+%usr|CPU\s+%user|DEV\s+tps|tps\s+rtps|kbmemfree|kbswpfree|runq-sz|proc/s|` +
			`pswpin/s|pgpgin/s|IFACE|cswch/s|dentunusd|kbhugfree|totsck|INTR|TTY|MHz|FILESYSTEM|MBfsfree|call/s|` +
			`scall/s|TEMP)`)
)

// sarZone is a zone behind the time, as some locales have it.
var sarZone = regex.New(`^([A-Z]{3,5}|[+-][0-9]{2}(?::?[0-9]{2})?)\s+`)

const maxOthers = 32

type sar struct {
	r       *reader
	out     *Output
	columns []string // of the table that is open; nil: none
	table   bool     // it is neither of processors nor of devices: the last one of Tables
	rows    int
	zone    string // that stands behind the times
	broken  bool   // other text came between
}

func (t *sar) line(s scanned) bool {
	taken := t.read(s)
	t.broken = t.broken || !taken && !between.MatchString(s.text)
	return taken
}

func (t *sar) read(s scanned) bool {
	if t.out == nil && !holds(s.text, "/s", "%idle", "DEV", "kb", "runq-sz", "INTR", "TTY", "MHz", "TEMP", "dentunusd",
		"FILESYSTEM", "totsck") {
		return false
	}
	at, rest, mean := "", "", false
	if m := sarTime.FindStringSubmatch(s.text); m != nil {
		at, rest = m[1], m[2]
	} else if m := sarMean.FindStringSubmatch(s.text); m != nil {
		rest, mean = m[2], true
	} else if f := strings.TrimSpace(s.text); sarTable.MatchString(f) && strings.HasPrefix(s.text, "   ") {
		rest = f // a head without a time
	} else {
		return false
	}
	if m := sarZone.FindStringSubmatch(rest); m != nil && !sarTable.MatchString(rest) {
		if behind := rest[len(m[0]):]; sarTable.MatchString(behind) {
			t.zone = m[1]
		}
		if t.zone == m[1] {
			rest = rest[len(m[0]):]
		}
	}
	fields := strings.Fields(rest)
	if sarTable.MatchString(rest) {
		return t.head(s, fields)
	}
	if t.out == nil || t.columns == nil {
		return t.out != nil && !mean && len(fields) > 1 && onlyFigures(fields[1:])
	}
	return t.row(s, at, mean, fields)
}

func onlyFigures(fields []string) bool {
	_, ok := figures(fields)
	return ok
}

// head begins a table.
func (t *sar) head(s scanned, fields []string) bool {
	if t.out == nil || t.broken || t.r.host != nil {
		t.end()
		t.out = t.r.open(SarRun, s.number)
		t.out.Sar = &Sar{}
		if h := t.r.host; h != nil {
			t.out.Line = h.line
			x := t.out.Sar
			x.Host, x.Kernel, x.Date, x.CPUs = h.host, h.kernel, h.date, h.cpus
		}
		t.r.host = nil
	}
	t.columns, t.table = fields, false
	switch {
	case fields[0] == "CPU" && slices.Contains(fields, "%idle"):
		// mpstat has %irq before %steal, sar -u ALL behind it
		irq, steal := slices.Index(fields, "%irq"), slices.Index(fields, "%steal")
		if irq >= 0 && irq < steal {
			t.out.Program = MpstatRun
		}
	case fields[0] == "DEV":
	default:
		t.openTable(fields)
		name := short(strings.Join(fields[:min(len(fields), 3)], " "), 60)
		if x := t.out.Sar; len(x.Others) < maxOthers && !slices.Contains(x.Others, name) {
			x.Others = append(x.Others, name)
		}
	}
	return true
}

// openTable begins one that is neither of processors nor of devices, or goes on with it behind another head.
func (t *sar) openTable(fields []string) {
	x := t.out.Sar
	t.table = true
	if n := len(x.Tables); n > 0 && slices.Equal(x.Tables[n-1].Columns, fields) {
		return
	}
	if len(x.Tables) >= maxOthers || len(fields) > maxColumns {
		t.columns = nil
		return
	}
	x.Tables = append(x.Tables, SarTable{Columns: fields, Rows: []SarRow{}})
}

// maxColumns a table of sar has, and some.
const maxColumns = 32

// named are the columns whose values are names.
var named = []string{"IFACE", "INTR", "TTY", "FILESYSTEM", "CPU", "DEVICE", "MOUNTPOINT", "BUS"}

// tableRow reads a row of such a table.
func (t *sar) tableRow(s scanned, at string, mean bool, fields []string) bool {
	row := SarRow{At: short(at, 24), Values: map[string]float64{}}
	for i, f := range fields[:min(len(fields), len(t.columns))] {
		column := t.columns[i]
		if slices.Contains(named, column) {
			row.Of = short(f, 64)
			continue
		}
		v, ok := figure(f)
		if !ok {
			return false
		}
		row.Values[column] = v
	}
	switch {
	case len(fields) < len(t.columns) && s.last:
		t.out.Cut = true
	case len(fields) != len(t.columns):
		return false
	}
	if t.rows++; t.rows > maxRows || len(row.Values) == 0 {
		return true
	}
	table := &t.out.Sar.Tables[len(t.out.Sar.Tables)-1]
	if mean {
		table.Average = append(table.Average, row)
	} else {
		table.Rows = append(table.Rows, row)
	}
	return true
}

func (t *sar) row(s scanned, at string, mean bool, fields []string) bool {
	if t.table {
		return t.tableRow(s, at, mean, fields)
	}
	if len(fields) != len(t.columns) || !onlyFigures(fields[1:]) {
		if s.last && len(fields) < len(t.columns) {
			t.out.Cut = true
			return true
		}
		return false
	}
	if t.rows++; t.rows > maxRows {
		return true
	}
	v, _ := figures(fields[1:])
	x := t.out.Sar
	if t.columns[0] == "DEV" && !t.table {
		d := Device{At: short(at, 24), Name: short(fields[0], 64)}
		for i, column := range t.columns[1:] {
			d.set(column, v[i])
		}
		if mean {
			x.Average.Devices = append(x.Average.Devices, d)
		} else {
			x.Devices = append(x.Devices, d)
		}
		return true
	}
	c := SarCPU{At: short(at, 24), Of: short(fields[0], 8)}
	for i, column := range t.columns[1:] {
		c.set(strings.TrimPrefix(column, "%"), v[i])
	}
	if mean {
		x.Average.CPU = append(x.Average.CPU, c)
	} else {
		x.CPU = append(x.CPU, c)
	}
	return true
}

func (t *sar) end() {
	if t.out != nil {
		x := t.out.Sar
		if len(x.CPU)+len(x.Devices)+len(x.Average.CPU)+len(x.Average.Devices)+len(x.Others) == 0 {
			t.out.Sar = nil
		}
	}
	t.out, t.columns, t.table, t.rows, t.broken = nil, nil, false, 0, false
}
