// Package output reads what measuring programs have printed, as people paste it: several
// outputs in one file, quoted, indented, without their line breaks, in another language, cut.
// It parses bytes that others wrote and judges nothing.
package output

import (
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
)

// The programs whose output is read.
const (
	TestFsync  = "pg_test_fsync"
	TestTiming = "pg_test_timing"
	FioProgram = "fio"
	PgbenchRun = "pgbench"
	PgbenchLog = "pgbench --log"
	SysbenchRT = "sysbench"
	IostatRun  = "iostat"
	VmstatRun  = "vmstat"
	SarRun     = "sar"
	MpstatRun  = "mpstat"
	PidstatRun = "pidstat"
)

// Output is one output of one program. One of the parts is there.
type Output struct {
	Program string `json:"program"`           // pg_test_fsync, fio, …
	Version string `json:"version,omitempty"` // as the program printed it
	Line    int    `json:"line"`              // of the file, in which it begins
	Of      string `json:"of,omitempty"`      // what it is of, where a table has several
	Cut     bool   `json:"cut,omitempty"`     // its beginning or its end is missing

	Fsync    *measured.Fsync     `json:"fsync,omitempty"`
	Timing   *measured.Timing    `json:"timing,omitempty"`
	Fio      *Fio                `json:"fio,omitempty"`
	Pgbench  *Pgbench            `json:"pgbench,omitempty"`
	Progress []measured.Progress `json:"progress,omitempty"` // lines of pgbench --progress
	Log      *Log                `json:"log,omitempty"`      // of pgbench --log
	Sysbench *Sysbench           `json:"sysbench,omitempty"`
	Iostat   *Iostat             `json:"iostat,omitempty"`
	Vmstat   *Vmstat             `json:"vmstat,omitempty"`
	Sar      *Sar                `json:"sar,omitempty"`
	Pidstat  *Pidstat            `json:"pidstat,omitempty"`
}

// Unread is what looks like a line of such a program and was not understood.
type Unread struct {
	What  string `json:"what"`  // that all of them contain
	Count int    `json:"count"` // lines
	Line  int    `json:"line"`  // of the first
	First string `json:"first"` // the first one, shortened
}

// allOutputs stands for what all lines contain where the file has more outputs than are read.
const allOutputs = "outputs"

// Told is the first line, or why there is none.
func (u *Unread) Told() any {
	if u.What == allOutputs {
		return say.M("more than {n} outputs: what follows is not read", "n", maxOutputs)
	}
	return u.First
}

// Reading is what a file holds.
type Reading struct {
	Outputs []Output
	Unread  []Unread
	Others  []Neighbor // results of other programs
}

// Bounds of a file. A person pastes some outputs; sar of a week has 1,008 reports a table.
const (
	maxBytes   = 4 << 20
	maxOutputs = 256
	maxRows    = 20_000 // of all tables of an output
	maxFirst   = 200    // characters of an unread line
	maxLine    = 4096   // the longest is a statement of pgbench, which is cut there
)

// Errors of Read.
var (
	ErrTooLong error = &say.Problem{Message: say.M("longer than any output of these programs"), Code: say.CodeError}
	ErrNone    error = &say.Problem{Message: say.M("no line of such a program is in it"), Code: say.CodeError}
)

// part reads the lines of one kind of program. line says whether it took a line; the line is
// clean, raw is as it was found but for its ending. end closes what is open.
type part interface {
	line(s scanned) bool
	end()
}

// scanned is a line of the file.
type scanned struct {
	number int // from 1
	text   string
	last   bool // no text follows
}

// reader collects the outputs.
type reader struct {
	out    []*Output
	unread []Unread
	host   *hostHead // of iostat and sar, until a table follows
	full   bool

	neighbors []Neighbor
	runs      int // of pgbench
}

// open begins an output.
func (r *reader) open(program string, line int) *Output {
	o := &Output{Program: program, Line: line}
	if len(r.out) >= maxOutputs {
		r.full = true
		return o // read on, and not kept
	}
	r.out = append(r.out, o)
	return o
}

// Read reads a file. What is in it of no such program is passed over; a file with nothing of
// one is ErrNone.
func Read(b []byte) (*Reading, error) {
	if len(b) > maxBytes {
		return nil, ErrTooLong
	}
	lines, numbers := clean(b)
	r := &reader{}
	fio := newFio(r)
	bench := &pgbench{r: r}
	loads := &vmstat{r: r}
	docs := &documents{fio: fio, stat: &sysstat{r: r}}
	parts := []part{&retyped{r: r}, &retypedBench{r: r}, &fsync{r: r}, &timing{r: r}, &fioSummary{r: r}, fio, bench,
		&benchLog{r: r}, &sysbench{r: r}, &iostat{r: r}, loads, &sadf{r: r}, &pidstat{r: r}, &sar{r: r},
		&neighbors{r: r}}
	var cut *Output // the one within whose line the file ends
	text := 0       // lines up to the last that is not empty
	for i, l := range lines {
		if strings.TrimSpace(l) != "" {
			text = i + 1
		}
	}
	for i := 0; i < text; i++ {
		if n := docs.read(lines[i:text], numbers[i]); n > 0 {
			i += n - 1
			continue
		}
		if r.full {
			break
		}
		if elided(lines[i]) {
			loads.line(scanned{number: numbers[i], text: lines[i]})
			continue // what follows belongs to the same table
		}
		s := scanned{number: numbers[i], text: lines[i], last: i+1 == text}
		if len(s.text) > maxLine {
			continue // no program writes such a line
		}
		taken := r.hostLine(s)
		for _, p := range parts {
			if taken {
				break
			}
			taken = p.line(s)
		}
		if !taken {
			r.notice(s)
		}
		if s.last && len(r.out) > 0 && broken(s.text, taken) {
			cut = r.out[len(r.out)-1]
		}
	}
	for _, p := range parts {
		p.end()
	}
	bench.alone()
	if cut != nil {
		cut.Cut = true
	}
	if r.full {
		r.unread = append(r.unread, Unread{What: allOutputs, Count: 1, Line: r.out[maxOutputs-1].Line,
			First: fmt.Sprintf("more than %d outputs: what follows is not read", maxOutputs)})
	}
	out := &Reading{Unread: r.unread, Others: r.neighbors}
	for _, o := range r.out {
		if o.filled() {
			out.Outputs = append(out.Outputs, *o)
		}
	}
	if len(out.Outputs)+len(out.Others) == 0 {
		return out, ErrNone
	}
	return out, nil
}

// figuresBehind is a line that lacks the figures behind its name.
var figuresBehind = regex.New(`^\s*(?:iops|cpu|bw|[sc]?lat \([a-z]+\)|IO depths|submit|complete|` +
	`issued(?: rwts)?|latency(?: average| stddev)?|tps|duration|number of [a-z ]+)\s*[:=]\s*$|` +
	`^\s*(?:bw \( *[KMG]i?B(?:/s)?\)|iops) *: min=.*, (?:st?d?d?e?v?|sa?m?p?l?e?s?)=?$|^\s*Device:?\s*$`)

// broken says whether a file ends within a line: in brackets that are open, or behind the name of a figure.
func broken(l string, taken bool) bool {
	open := strings.Count(l, "(") > strings.Count(l, ")") || strings.Count(l, "[") > strings.Count(l, "]")
	if n := len(l); taken && n > 1 && l[n-1] == '.' && l[n-2] >= '0' && l[n-2] <= '9' && strings.Contains(l, "=") {
		return true // within a number
	}
	return open && (taken || strings.Contains(l, "th=[")) || figuresBehind.MatchString(l)
}

// left is a line that stands for lines that a person left out.
var left = regex.New(`(?i)^[\s#*/]*[\[(<{-]*\s*(?:\.{2,}|…+|⋮|\.(?: \.){1,5}|(?:\.{2,}|…)?\s?` +
	`(?:snip(?:ped)?|cut|skipped|omitted|truncated|gekürzt|coupé|пропущено|вырезано|省略|略)\s?(?:\.{2,}|…)?|8<)` +
	`\s*[\])>}-]*\s*$`)

// elided says whether a line only stands for others.
func elided(l string) bool {
	return len(l) < 60 && len(l) > 1 && left.MatchString(l)
}

// filled says whether anything was read of it.
func (o *Output) filled() bool {
	switch {
	case o.Fsync != nil:
		f := o.Fsync
		return len(f.One)+len(f.Two)+len(f.Sizes)+len(f.Descriptors) > 0 || f.Plain != nil
	case o.Timing != nil:
		return len(o.Timing.Clocks) > 0 || o.Timing.Backward != ""
	case o.Fio != nil:
		return len(o.Fio.Jobs) > 0
	}
	return o.Pgbench != nil || o.Progress != nil || o.Log != nil || o.Sysbench != nil || o.Iostat != nil ||
		o.Vmstat != nil || o.Sar != nil || o.Pidstat != nil
}

// tells are words that only lines of these programs have, so that one which no reader took is
// worth a word.
var tells = []string{"ops/sec", "IOPS=", "iops=", "loop time including overhead", "latency average", "tps = ",
	"per sec.)", "thds: ", "clat (", "sync percentiles"}

// figureNamed is a latency with a figure behind it.
var figureNamed = regex.New(`latency average[^:=]{0,20}[:=]`)

// bareRate says whether a line has nothing before its figure.
func bareRate(text string) bool {
	c := begun(text)
	return c >= '0' && c <= '9' && !strings.Contains(text, "*")
}

// notice counts a line that was not understood.
func (r *reader) notice(s scanned) {
	if t := strings.TrimSpace(s.text); strings.HasPrefix(t, "$ ") || strings.HasPrefix(t, "# ") {
		return // a command that names such a line
	}
	for _, what := range tells {
		if !strings.Contains(s.text, what) || what == "ops/sec" && bareRate(s.text) {
			continue // pg_test_fsync has the method before the figure; perf bench and others have none
		}
		if what == "latency average" && !figureNamed.MatchString(s.text) {
			continue // prose
		}
		for i := range r.unread {
			if r.unread[i].What == what {
				r.unread[i].Count++
				return
			}
		}
		r.unread = append(r.unread, Unread{What: what, Count: 1, Line: s.number,
			First: short(strings.TrimSpace(s.text), maxFirst)})
		return
	}
}
