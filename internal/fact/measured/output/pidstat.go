package output

import (
	"math"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Pidstat is what pidstat tells of processes.
type Pidstat struct {
	Host    string `json:"host,omitempty"`
	Kernel  string `json:"kernel,omitempty"`
	Date    string `json:"date,omitempty"` // as printed
	CPUs    int    `json:"cpus,omitempty"`
	Tasks   []Task `json:"tasks"`
	Average []Task `json:"average,omitempty"`
}

// Task is a row of it: a process or a thread in an interval. What the form does not have is absent.
type Task struct {
	At        string      `json:"at,omitempty"`  // the end of the interval, as printed
	User      string      `json:"uid,omitempty"` // a number, or a name with -U
	PID       int64       `json:"pid"`
	Command   string      `json:"command"`
	CPU       *float64    `json:"cpu,omitempty"` // percent of one processor, as %usr, %system and %wait are
	Usr       *float64    `json:"user,omitempty"`
	System    *float64    `json:"system,omitempty"`
	Wait      *float64    `json:"wait,omitempty"`       // for a processor
	Read      *unit.Bytes `json:"read_speed,omitempty"` // bytes a second
	Written   *unit.Bytes `json:"write_speed,omitempty"`
	Cancelled *unit.Bytes `json:"cancelled_write_speed,omitempty"`
	Delay     *float64    `json:"iodelay,omitempty"` // of blocks and of swapping, in ticks of the clock
	Minor     *float64    `json:"minor_faults_per_second,omitempty"`
	Major     *float64    `json:"major_faults_per_second,omitempty"`
	Virtual   *unit.Bytes `json:"virtual,omitempty"`
	Resident  *unit.Bytes `json:"resident,omitempty"`
	Memory    *float64    `json:"memory_percent,omitempty"`
	Switches  *float64    `json:"voluntary_switches_per_second,omitempty"`
	Forced    *float64    `json:"involuntary_switches_per_second,omitempty"`
}

// set puts the value of a column into a row.
func (t *Task) set(column string, v float64) {
	to := map[string]**float64{"%CPU": &t.CPU, "%usr": &t.Usr, "%user": &t.Usr, "%system": &t.System, "%wait": &t.Wait,
		"iodelay": &t.Delay, "minflt/s": &t.Minor, "majflt/s": &t.Major, "%MEM": &t.Memory, "cswch/s": &t.Switches,
		"nvcswch/s": &t.Forced}[column]
	if to != nil {
		*to = &v
		return
	}
	size := map[string]**unit.Bytes{"kB_rd/s": &t.Read, "kB_wr/s": &t.Written, "kB_ccwr/s": &t.Cancelled,
		"VSZ": &t.Virtual, "RSS": &t.Resident}[column]
	if size != nil && v*1024 < 1<<60 {
		n := unit.Bytes(math.Round(v * 1024))
		*size = &n
	}
}

var (
	pidstatHead = regex.New(`^\s*(?:#?\s*Time|[0-9]\S*(?: [APap]\.?[Mm]\.?)?(?:\s+[A-Z]{3,5})?|` +
		`[\p{L}.]{4,16} ?[:：])?\s+` +
		`(?:(?:UID|USER)\s+)?(?:TGID\s+)?(?:PID|TID)\s+\S*(?:/s|%usr|%user|StkSize|threads)`)
	// a time, or the word for an average, in each language; that of -h may be seconds since 1970
	pidstatRow = regex.New(`^\s*([0-9]{1,2}[:.][0-9]{2}[:.][0-9]{2}(?: [APap]\.?[Mm]\.?)?|[0-9]{10}|` +
		`[\p{L}.]{4,16} ?[:：])\s+(\S.*)$`)
)

// pidstat reads its tables.
type pidstat struct {
	r       *reader
	out     *Output
	columns []string // of the table that is open, without its time
	rows    int
	zone    string // that stands behind the times
	broken  bool   // other text came between
}

func (t *pidstat) line(s scanned) bool {
	taken := t.read(s)
	t.broken = t.broken || !taken && !between.MatchString(s.text)
	return taken
}

func (t *pidstat) read(s scanned) bool {
	if strings.Contains(s.text, "PID") || strings.Contains(s.text, "TID") {
		if pidstatHead.MatchString(s.text) {
			t.head(s)
			return true
		}
	}
	if t.columns == nil {
		return false
	}
	m := pidstatRow.FindStringSubmatch(s.text)
	if m == nil {
		return false
	}
	rest, at, mean := m[2], m[1], strings.ContainsAny(m[1], ":：") && !digit(begun(m[1]))
	if mean {
		at = ""
	}
	if zone := strings.Fields(rest)[0]; zone == t.zone {
		rest = strings.TrimSpace(rest[len(zone):])
	}
	return t.row(s, at, mean, strings.Fields(rest))
}

func (t *pidstat) head(s scanned) {
	fields := strings.Fields(s.text)
	first := slices.IndexFunc(fields, func(f string) bool {
		return f == "UID" || f == "USER" || f == "TGID" || f == "PID" || f == "TID"
	})
	if t.out == nil || t.broken || t.r.host != nil && t.r.host.kernel != "" {
		t.end()
		t.out = t.r.open(PidstatRun, s.number)
		t.out.Pidstat = &Pidstat{Tasks: []Task{}}
		if h := t.r.host; h != nil && h.kernel != "" {
			t.out.Line = h.line
			x := t.out.Pidstat
			x.Host, x.Kernel, x.Date, x.CPUs = h.host, h.kernel, h.date, h.cpus
		}
		t.r.host = nil
	}
	t.zone = ""
	if before := fields[:first]; len(before) > 1 && before[0] != "#" && before[0] != "Time" {
		if zone := before[len(before)-1]; len(zone) > 2 && len(zone) < 6 { // not AM and PM
			t.zone = zone
		}
	}
	t.columns = fields[first:]
	if len(t.columns) > maxColumns {
		t.columns = nil
	}
}

// row reads a row. The command is the last column and may have blanks.
func (t *pidstat) row(s scanned, at string, mean bool, fields []string) bool {
	last := len(t.columns) - 1
	if len(fields) < len(t.columns) {
		if !s.last {
			return false
		}
		t.out.Cut = true
		return true
	}
	x := Task{At: short(at, 24), Command: short(strings.Join(fields[last:], " "), 120)}
	for i, column := range t.columns[:last] {
		f := strings.TrimSuffix(fields[i], "%")
		switch column {
		case "UID", "USER":
			x.User = short(f, 32)
			continue
		case "PID", "TID", "TGID":
			if n, ok := whole(f); ok {
				x.PID = n
			} else if f != "-" {
				return false
			}
			continue
		}
		bare := strings.TrimRight(f, "BkKMGT")
		v, ok := figure(bare)
		if !ok {
			if f == "-" || f == "-1.00" { // what it was not allowed to read
				continue
			}
			return false
		}
		if unit := f[len(bare):]; unit != "" { // --human
			v *= fioUnit(unit) / 1024
		}
		x.set(column, v)
	}
	if t.rows++; t.rows > maxRows {
		return true
	}
	if mean {
		t.out.Pidstat.Average = append(t.out.Pidstat.Average, x)
	} else {
		t.out.Pidstat.Tasks = append(t.out.Pidstat.Tasks, x)
	}
	return true
}

func (t *pidstat) end() {
	if t.out != nil && len(t.out.Pidstat.Tasks)+len(t.out.Pidstat.Average) == 0 {
		t.out.Pidstat = nil
	}
	t.out, t.columns, t.rows, t.broken, t.zone = nil, nil, 0, false, ""
}

// Top is the processes by what column of theirs is most, each with its greatest value; the averages alone where they
// are there.
func (p *Pidstat) Top(of func(*Task) float64, most int) []Task {
	list := p.Average
	if len(list) == 0 {
		list = p.Tasks
	}
	best := map[int64]Task{}
	for _, x := range list {
		if b, ok := best[x.PID]; of(&x) > 0 && (!ok || of(&x) > of(&b)) {
			best[x.PID] = x
		}
	}
	out := make([]Task, 0, len(best))
	for _, x := range best {
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b Task) int {
		switch {
		case of(&a) > of(&b):
			return -1
		case of(&a) < of(&b):
			return 1
		}
		return int(a.PID - b.PID)
	})
	return out[:min(len(out), most)]
}
