package output

import (
	"math"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// hostHead is the line that iostat, sar and mpstat begin with.
type hostHead struct {
	kernel, host, date string
	cpus, line         int
	sinceBoot          bool // the first report is the mean since the boot
	repeats            bool // the command has an interval
}

// «Linux 5.15.0-48-generic (ubu-22) 	17.10.2022 	_x86_64_	(2 CPU)»
var (
	headLine = regex.New(
		`^\s*Linux (\S{1,80})\s+\(([^()]{1,80})\)\s+([0-9]\S{0,23})` +
			`(?:\s+_\S+_(?:\s+\(([0-9]{1,5}) [^)]{1,12}\))?|\s*$)`)
	// The date in the words of a locale.
	headWords = regex.New(`^\s*Linux (\S{1,80})\s+\(([^()]{1,80})\)\s+([\p{L}0-9][^_()\t]{4,38}[\p{L}0-9.])\s+_\S+_` +
		`(?:\s+\(([0-9]{1,5}) [^)]{1,12}\))?`)
	iostatOf   = regex.New(`(?:^|[$#>%] *)iostat(?:\s+-\S+|\s+\S+){0,12}\s*$`)
	iostatEach = regex.New(`\s[0-9]{1,5}(?:\s+[0-9]{1,6})?\s*$|\biostat(?:\s+-\S+)*\s+[0-9]{1,5}\b`)
	iostatNo   = regex.New(`\biostat\b.*\s-[a-zA-Z]*y`)
)

// hostLine takes the head of a report.
func (r *reader) hostLine(s scanned) bool {
	if !holds(s.text, "iostat", "Linux ") {
		return false
	}
	if iostatNo.MatchString(s.text) {
		r.host = &hostHead{line: s.number} // without the report since the boot
		return false
	}
	if strings.Contains(s.text, "iostat") && iostatOf.MatchString(s.text) {
		// where no head follows, as of FreeBSD
		r.host = &hostHead{line: s.number, sinceBoot: true, repeats: iostatEach.MatchString(s.text)}
		return false
	}
	m := headLine.FindStringSubmatch(s.text)
	if m == nil {
		m = headWords.FindStringSubmatch(s.text)
	}
	if m == nil {
		return false
	}
	since := r.host == nil || s.number-r.host.line > 3 || r.host.kernel != "" || r.host.sinceBoot
	n, _ := whole(m[4])
	r.host = &hostHead{kernel: short(m[1], 80), host: short(m[2], 80), date: short(m[3], 40), cpus: int(n),
		line: s.number, sinceBoot: since}
	return true
}

// CPU is the share of the time of all processors, in percent.
type CPU struct {
	User   float64 `json:"user"`
	Nice   float64 `json:"nice"`
	System float64 `json:"system"`
	IOWait float64 `json:"iowait"`
	Steal  float64 `json:"steal"`
	Idle   float64 `json:"idle"`
}

// Device is what iostat or sar tells of a device in an interval. What the form does not have
// is absent.
type Device struct {
	At      string      `json:"at,omitempty"` // of sar: the end of the interval, as printed
	Name    string      `json:"name"`
	TPS     *float64    `json:"tps,omitempty"` // requests a second, of all kinds
	Reads   *float64    `json:"reads_per_second,omitempty"`
	Writes  *float64    `json:"writes_per_second,omitempty"`
	Flushes *float64    `json:"flushes_per_second,omitempty"`
	Read    *unit.Bytes `json:"read_speed,omitempty"` // bytes a second
	Written *unit.Bytes `json:"write_speed,omitempty"`
	Await   *float64    `json:"await_ms,omitempty"` // of reads and writes
	ReadMS  *float64    `json:"read_ms,omitempty"`
	WriteMS *float64    `json:"write_ms,omitempty"`
	FlushMS *float64    `json:"flush_ms,omitempty"`
	Queue   *float64    `json:"queue,omitempty"` // requests under way or waiting, on average
	Util    *float64    `json:"util,omitempty"`  // percent of the time with a request under way
}

// Longest is the greatest of the latencies that the device has, with its name: reads, writes
// or requests. Of reads or writes that there were none of it says nothing.
func (d *Device) Longest() (ms float64, of string) {
	for _, x := range []struct {
		ms, count *float64
		of        string
	}{{d.ReadMS, d.Reads, "reads"}, {d.WriteMS, d.Writes, "writes"}, {d.Await, d.TPS, "requests"}} {
		if x.ms != nil && *x.ms > ms && (x.count == nil || *x.count > 0) {
			ms, of = *x.ms, x.of
		}
	}
	return ms, of
}

// set puts the value of a column into a device.
func (d *Device) set(column string, v float64) {
	to := map[string]**float64{"tps": &d.TPS, "r/s": &d.Reads, "w/s": &d.Writes, "f/s": &d.Flushes, "await": &d.Await,
		"r_await": &d.ReadMS, "w_await": &d.WriteMS, "f_await": &d.FlushMS, "aqu-sz": &d.Queue, "avgqu-sz": &d.Queue,
		"qlen": &d.Queue, "actv": &d.Queue, "asvc_t": &d.Await, "%util": &d.Util, "%b": &d.Util,
		"ms/r": &d.ReadMS, "ms/w": &d.WriteMS}[column]
	if to != nil {
		*to = &v
		return
	}
	sizes := map[string]struct {
		to   **unit.Bytes
		unit float64
	}{"rkB/s": {&d.Read, 1024}, "wkB/s": {&d.Written, 1024}, "rMB/s": {&d.Read, 1 << 20},
		"wMB/s":  {&d.Written, 1 << 20},
		"rsec/s": {&d.Read, 512}, "wsec/s": {&d.Written, 512}, "rd_sec/s": {&d.Read, 512},
		"wr_sec/s": {&d.Written, 512}, "kB_read/s": {&d.Read, 1024}, "kB_wrtn/s": {&d.Written, 1024},
		"MB_read/s": {&d.Read, 1 << 20}, "MB_wrtn/s": {&d.Written, 1 << 20}, "Blk_read/s": {&d.Read, 512},
		"Blk_wrtn/s": {&d.Written, 512}, "kr/s": {&d.Read, 1024}, "kw/s": {&d.Written, 1024},
		"Mr/s": {&d.Read, 1 << 20},
		"Mw/s": {&d.Written, 1 << 20}}[column]
	if sizes.to != nil && v*sizes.unit < 1<<60 {
		n := unit.Bytes(math.Round(v * sizes.unit))
		*sizes.to = &n
	}
}

// Iostat is the reports of a run.
type Iostat struct {
	Host    string         `json:"host,omitempty"`
	Kernel  string         `json:"kernel,omitempty"`
	Date    string         `json:"date,omitempty"` // as printed
	CPUs    int            `json:"cpus,omitempty"`
	Samples []IostatSample `json:"samples"`
}

// IostatSample is a report of it.
type IostatSample struct {
	SinceBoot bool     `json:"since_boot,omitempty"` // not of an interval
	CPU       *CPU     `json:"cpu,omitempty"`
	Devices   []Device `json:"devices,omitempty"`
}

var (
	iostatCPU = regex.New(`^\s*(?:\p{L}{3,12}:\s+)?avg-cpu:\s+%user`)
	// -h has the device last, and units behind the figures
	// and so has iostat -xn of Solaris
	iostatTail = regex.New(`^\s*(?:tps|r/s|w/s|d/s|f/s)\s+\S.*\s[Dd]evice\s*$`)
	iostatHead = regex.New(`^\s*[Dd]evice:?\s+\S*(?:r/s|w/s|tps|rrqm/s|r/i)\b`)
)

// between are lines that may stand between the tables of one output: times, and dots for what
// a person left out. Any other text ends it, for what follows may be of another host.
var between = regex.New(`^\s*(?:[0-9][0-9./:-]*(?: [0-9:]+)?(?: [AP]M)?|\.{2,}|…|Time: .{0,24})?\s*$`)

type iostat struct {
	r       *reader
	out     *Output
	columns []string
	cpu     bool
	rows    int
	boot    bool     // the first report is the mean since the boot
	broken  bool     // other text came between
	strange int      // lines of other text since the last row
	lastRow int      // line of the last row, or of the head
	more    []string // the columns that a narrow page has put into a line below the rows
	nth     int      // device whose figures for them come next
	early   []early  // rows before any head, as a screen begins with them
}

// early is a row whose head is not there.
type early struct {
	line   int
	fields []string
}

var deviceName = regex.New(`^[a-z][\w/!.-]{1,31}$`)

// first keeps a row of devices that stands before any head: the columns of the next head are its own.
func (t *iostat) first(s scanned) bool {
	if strings.Count(s.text, ".") < 8 || len(s.text) > 400 {
		if strings.TrimSpace(s.text) != "" {
			t.early = nil
		}
		return false
	}
	fields := strings.Fields(s.text)
	if _, ok := figures(fields[1:]); !ok || len(fields) < 10 || !deviceName.MatchString(fields[0]) ||
		len(t.early) >= maxFioDisks {
		t.early = nil
		return false
	}
	t.early = append(t.early, early{s.number, fields})
	return true
}

// adopt makes a sample of the rows that stood before the first head.
func (t *iostat) adopt() {
	rows := t.early
	t.early = nil
	x := t.out.Iostat
	if len(rows) == 0 || len(x.Samples) != 1 || len(x.Samples[0].Devices) > 0 {
		return
	}
	var before IostatSample
	for _, row := range rows {
		v, _ := figures(row.fields[1:])
		if len(v) != len(t.columns)-1 {
			return
		}
		d := Device{Name: short(row.fields[0], 64)}
		for i, column := range t.columns[1:] {
			d.set(column, v[i])
		}
		before.Devices = append(before.Devices, d)
	}
	x.Samples = append([]IostatSample{before}, x.Samples...)
	t.out.Line, t.out.Cut = rows[0].line, true
}

// mostStrange lines of other text may stand among the rows of a table, as remarks do.
const mostStrange = 2

func (t *iostat) sample(s scanned, cpu bool) *IostatSample {
	if t.out == nil || t.broken || t.r.host != nil && t.r.host.kernel != "" {
		t.end()
		t.out = t.r.open(IostatRun, s.number)
		t.out.Iostat = &Iostat{}
		if h := t.r.host; h != nil && h.kernel != "" {
			t.out.Line, t.boot = h.line, h.sinceBoot
			x := t.out.Iostat
			x.Host, x.Kernel, x.Date, x.CPUs = h.host, h.kernel, h.date, h.cpus
		} else if h != nil && s.number-h.line <= 3 {
			// Linux prints a head before the first report: without it, this may be a later one
			t.boot = h.sinceBoot && !(h.repeats && holds(s.text, "avg-cpu", "Device"))
		}
		t.r.host = nil
	}
	x := t.out.Iostat
	n := len(x.Samples)
	if n == 0 || len(x.Samples[n-1].Devices) > 0 || cpu && x.Samples[n-1].CPU != nil {
		if n >= maxRows {
			return &IostatSample{}
		}
		first := n == 0 && t.boot
		x.Samples = append(x.Samples, IostatSample{SinceBoot: first})
		n++
	}
	return &x.Samples[n-1]
}

func (t *iostat) line(s scanned) bool {
	if t.out == nil && !holds(s.text, "avg-cpu", "evice") {
		return t.first(s)
	}
	fields := strings.Fields(s.text)
	switch {
	case iostatCPU.MatchString(s.text):
		t.sample(s, true)
		t.cpu, t.columns, t.more = true, nil, nil
		return true
	case strings.Contains(s.text, "evice") && iostatTail.MatchString(s.text):
		if f := fields[0]; t.out == nil || f == "tps" || f == "r/s" {
			t.sample(s, false)
		}
		t.columns, t.cpu, t.strange, t.more, t.lastRow = fields, false, 0, nil, s.number
		return true
	case iostatHead.MatchString(s.text):
		t.sample(s, false)
		t.columns, t.cpu, t.strange, t.more, t.lastRow = fields, false, 0, nil, s.number
		t.adopt()
		return true
	case strings.Contains(s.text, "extended device statistics") && len(s.text) < 80:
		return true
	case len(fields) == 0:
		return false
	case t.cpu && t.out != nil && onlyFigures(percents(fields)):
		t.cpu = false
		v, ok := figures(percents(fields))
		if !ok || len(v) < 4 || len(v) > 6 || t.out == nil {
			return false
		}
		c := &CPU{User: v[0], Nice: v[1], System: v[2], IOWait: v[3], Idle: v[len(v)-1]}
		if len(v) == 6 {
			c.Steal = v[4]
		}
		t.out.Iostat.Samples[len(t.out.Iostat.Samples)-1].CPU = c
		return true
	case t.columns == nil:
		t.broken = t.broken || !between.MatchString(s.text)
		return false
	case moreColumns(fields):
		t.more, t.nth = fields, 0
		return true
	case t.more != nil && t.rest(fields):
		return true
	}
	taken := t.row(s, fields)
	t.broken = t.broken || !taken && !between.MatchString(s.text)
	return taken
}

// moreColumns says whether a line has nothing but names of columns: the rest of a heading that was too wide for a page.
func moreColumns(fields []string) bool {
	for _, f := range fields {
		if !strings.HasSuffix(f, "/s") && !strings.HasPrefix(f, "%") && !strings.HasSuffix(f, "-sz") &&
			!strings.HasSuffix(f, "await") && f != "svctm" {
			return false
		}
	}
	return len(fields) >= 3
}

// rest reads the figures of the columns that a page has put below the rows, a line for each device.
func (t *iostat) rest(fields []string) bool {
	x := &t.out.Iostat.Samples[len(t.out.Iostat.Samples)-1]
	v, ok := figures(fields)
	if !ok || len(v) != len(t.more) || t.nth >= len(x.Devices) {
		return false
	}
	for i, column := range t.more {
		x.Devices[t.nth].set(column, v[i])
	}
	t.nth++
	t.strange = 0
	return true
}

// percents takes off the signs that -h puts behind figures.
func percents(fields []string) []string {
	out := make([]string, 0, len(fields))
	for _, f := range fields {
		out = append(out, strings.TrimSuffix(f, "%"))
	}
	return out
}

// human reads a row of -h: «2410.60  1.2M  88.4M  nvme0n1». Its sizes have units of their own.
func (t *iostat) human(fields []string) bool {
	n := len(t.columns) - 1
	if len(fields) != len(t.columns) {
		return false
	}
	v := make([]float64, n)
	for i, f := range fields[:n] {
		f = strings.TrimSuffix(f, "%")
		number := strings.TrimRight(f, "BkKMGT")
		x, ok := figure(number)
		if !ok {
			return false
		}
		v[i] = x
		if size := f[len(number):]; size != "" {
			column := t.columns[i]
			of := 1024.0 // what the column counts
			if strings.HasPrefix(column, "MB") || strings.HasSuffix(column, "MB/s") {
				of = 1 << 20
			}
			v[i] = x * fioUnit(size) / of
		}
	}
	s := &t.out.Iostat.Samples[len(t.out.Iostat.Samples)-1]
	name := short(fields[n], 64)
	at := slices.IndexFunc(s.Devices, func(d Device) bool { return d.Name == name })
	if at < 0 {
		if t.rows++; t.rows > maxRows {
			return true
		}
		s.Devices = append(s.Devices, Device{Name: name})
		at = len(s.Devices) - 1
	}
	for i, column := range t.columns[:n] {
		s.Devices[at].set(column, v[i])
	}
	t.strange = 0
	return true
}

func (t *iostat) row(s scanned, fields []string) bool {
	if last := t.columns[len(t.columns)-1]; (last == "Device" || last == "device") && t.human(fields) {
		return true
	}
	v, ok := figures(percents(fields[1:]))
	if !ok || len(v) != len(t.columns)-1 {
		if s.last && ok && len(v) > 0 && len(v) < len(t.columns)-1 && !onlyFigures(fields[:1]) {
			t.out.Cut = true
			d := Device{Name: short(fields[0], 64)}
			for i := range len(v) - 1 { // the last may be cut within its digits
				d.set(t.columns[i+1], v[i])
			}
			if x := &t.out.Iostat.Samples[len(t.out.Iostat.Samples)-1]; len(v) > 1 {
				x.Devices = append(x.Devices, d)
			}
			return true
		}
		if !s.last || len(fields) > len(t.columns) || s.number != t.lastRow+1 || !deviceName.MatchString(fields[0]) ||
			!onlyFigures(fields[1:len(fields)-min(len(fields)-1, 1)]) {
			if t.strange++; t.strange > mostStrange || holds(s.text, "```", "~~~", "avg-cpu", "$ ", "# ") {
				t.columns = nil
			}
			return false
		}
		t.out.Cut = true
		return true
	}
	if t.rows++; t.rows > maxRows {
		return true
	}
	t.strange, t.lastRow = 0, s.number
	d := Device{Name: short(fields[0], 64)}
	for i, column := range t.columns[1:] {
		d.set(column, v[i])
	}
	x := &t.out.Iostat.Samples[len(t.out.Iostat.Samples)-1]
	x.Devices = append(x.Devices, d)
	return true
}

func (t *iostat) end() {
	if t.out != nil {
		kept := t.out.Iostat.Samples[:0]
		for _, s := range t.out.Iostat.Samples {
			if s.CPU != nil || len(s.Devices) > 0 {
				kept = append(kept, s)
			}
		}
		if t.out.Iostat.Samples = kept; len(kept) == 0 {
			t.out.Iostat = nil
		}
	}
	t.out, t.columns, t.cpu, t.rows, t.boot, t.broken, t.strange, t.more = nil, nil, false, 0, false, false, 0, nil
}
