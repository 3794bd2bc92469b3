package database

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/measured/output"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/table"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
)

// Outputs of measuring programs: their beginning is found here, and package measured reads
// them.
var (
	reFsync = regex.New(
		`^(?:\d+ seconds? per test|O_DIRECT supported|Compare file sync methods using|Direct I/O is not supported)`)
	reTiming = regex.New(
		`^(?:Testing timing overhead for|Per loop time including overhead|Average loop time including overhead|H` +
			`istogram of timing durations)`)
	rePgbench  = regex.New(`^(?:starting vacuum\.\.\.|pgbench \(\d|transaction type: |progress: [\d.]+ s, )`)
	reBenchRow = regex.New(
		`^(?:starting vacuum\.\.\.|pgbench \(|transaction type:|scaling factor:|query mode:|partition|number of ` +
			`|maximum number of tries:|duration:|latency |initial connection time|tps = |progress: |SQL script |` +
			`statement latencies|- |\s*[\d.]+ +\S|script statistics:|rate limit |vacuuming|end\.|\.\.\.|scale option)`)
	reSysbench = regex.New(`^sysbench \d+\.\d+`)
	reFioText  = regex.New(`^fio[- ]\d|^\S+: \(g=\d+\): rw=|^\S.{0,60}: \(groupid=\d+, jobs=\d+\)`)
	// a row of pg_test_fsync, where its head was left out
	reFsyncRow = regex.New(`^(?:open_datasync|fdatasync|fsync|open_sync)\s+\d[\d.,]*\s+\S{2,12}/\S{1,6}(?:\s|$)`)
	reFioLine  = regex.New(
		`^(?:fio-\d|\S.{0,60}: \(g=\d+\): |\S.{0,60}: \(groupid=|Starting \d|Jobs: \d|Laying out|\.\.\.$|(?:read|wri` +
			`te|trim|mixed) ?:|[sc]?lat (?:percentiles )?\(|sync (?:percentiles )?\(|fsync/|\| *\d|bw ?\(|iops ?` +
			`:|cpu ?:|I` +
			`O depths|submit ?:|complete ?:|issued|latency ?:|Run status|(?:READ|WRITE|MIXED|TRIM): |Disk stats|` +
			`[\w-]+: io` +
			`s=|aggr|err=|\S+: No I/O performed)`)
)

// ReadMeasured reads pgbench, sysbench, fio, pg_test_fsync and pg_test_timing.
func ReadMeasured(w *part.Window) (f part.Found) {
	t := w.Text(0)
	begins := strings.HasPrefix(t, "{") && fioNear(w)
	for _, re := range []*regex.Regex{reFsync, reFsyncRow, reTiming, rePgbench, reSysbench, reFioText} {
		begins = begins || re.MatchString(t)
	}
	if !begins {
		return
	}
	lines, ok := w.Far()
	if !ok {
		return
	}
	defer func() {
		if f.N == 0 { // it costs more than what else is read far
			*w.Tries -= part.MostFar / 20
		}
	}()
	if reFioText.MatchString(t) {
		return readFioText(w, lines)
	}
	all := part.Block(w, len(lines))
	switch {
	case reFsync.MatchString(t), reFsyncRow.MatchString(t):
		f.N, f.Kind = lastLine(w, reFsyncLast), part.PgTestFsync
		o := outputOf(part.Block(w, f.N), output.TestFsync)
		if o == nil || o.Fsync == nil || len(o.Fsync.One) == 0 {
			return part.Found{}
		}
		for _, x := range o.Fsync.One {
			if !x.Missing {
				f.Add(part.Fact{Name: "fsync.rate", Of: x.Name, Value: x.PerSecond, Unit: "per second"})
			}
		}
	case reTiming.MatchString(t):
		f.N, f.Kind = lastLine(w, reTimingLast), part.PgTestTiming
		o := outputOf(part.Block(w, f.N), output.TestTiming)
		if o == nil || o.Timing == nil {
			return part.Found{}
		}
		for _, c := range o.Timing.Clocks {
			f.Add(part.Fact{Name: "timing.loop", Of: c.Name, Value: amount.Shifted(c.LoopNanos, -9), Unit: "s"})
		}
	case rePgbench.MatchString(t):
		n := 0
		for n < len(w.Lines) && (w.Lines[n].Is == part.Blank || w.Lines[n].Is == part.Elided ||
			reBenchRow.MatchString(w.Text(n))) {
			n++
		}
		return readPgbench(w, n)
	case reSysbench.MatchString(t):
		r, err := measured.ParseSysbench(all)
		if err != nil {
			return
		}
		if r.Seconds > 0 {
			f.Add(part.Fact{Name: "sysbench.tps", Value: float64(r.Transactions) / r.Seconds, Unit: "per second"})
		}
		f.N, f.Kind = lastLine(w, reSysbenchLast), part.Sysbench
	case strings.HasPrefix(t, "{") && fioNear(w):
		var raw json.RawMessage
		d := json.NewDecoder(strings.NewReader(string(all)))
		if d.Decode(&raw) != nil {
			return
		}
		r, err := measured.ParseFio(raw)
		if err != nil {
			return
		}
		for _, j := range r.Jobs {
			fio(&f, j)
		}
		f.N, f.Kind = strings.Count(string(all[:d.InputOffset()]), "\n")+1, part.Fio
	}
	return f
}

func fio(f *part.Found, j measured.FioJob) {
	if j.Read.PerSecond > 0 {
		f.Add(part.Fact{Name: "fio.reads", Of: j.Name, Value: j.Read.PerSecond, Unit: "per second"})
	}
	if j.Write.PerSecond > 0 {
		f.Add(part.Fact{Name: "fio.writes", Of: j.Name, Value: j.Write.PerSecond, Unit: "per second"})
	}
}

func fioNear(w *part.Window) bool {
	for i := 0; i < len(w.Lines) && i < 4; i++ {
		if strings.Contains(w.Text(i), `"fio version"`) {
			return true
		}
	}
	return false
}

// The last lines of the outputs.
var (
	reFsyncLast = regex.New(`ops/sec|n/a\*?$|usecs/op|^(?:open_datasync|fdatasync|fsync|fsync_writethrough|op` +
		`en_sync)\s`)
	reTimingLast   = regex.New(`\d\s+[\d.]+%?\s+\d+|time including overhead`)
	reSysbenchLast = regex.New(`^(?:events|execution time)|percentile:|per sec`)
)

// readFioText reads what fio prints without --output-format.
func readFioText(w *part.Window, lines []part.Line) (f part.Found) {
	const most = 2000 // lines of some runs with their percentiles
	n := fioLines(lines[:min(len(lines), most)])
	o := outputOf(part.Block(w, n), output.FioProgram)
	if o == nil || o.Fio == nil {
		return
	}
	for _, j := range o.Fio.Jobs {
		if j.Read != nil && j.Read.PerSecond > 0 {
			f.Add(part.Fact{Name: "fio.reads", Of: j.Name, Value: j.Read.PerSecond, Unit: "per second"})
		}
		if j.Write != nil && j.Write.PerSecond > 0 {
			f.Add(part.Fact{Name: "fio.writes", Of: j.Name, Value: j.Write.PerSecond, Unit: "per second"})
		}
	}
	if len(f.Facts) == 0 {
		return part.Found{}
	}
	f.N, f.Kind = n, part.Fio
	return f
}

// outputOf reads the first output of a program in a text; nil: there is none.
func outputOf(text []byte, program string) *output.Output {
	r, err := output.Read(text)
	if err != nil {
		return nil
	}
	for i := range r.Outputs {
		if r.Outputs[i].Program == program {
			return &r.Outputs[i]
		}
	}
	return nil
}

// fioLines is how many lines are of fio's text.
func fioLines(lines []part.Line) int {
	n := 0
	for i := range lines {
		switch {
		case lines[i].Is == part.Blank, lines[i].Is == part.Elided:
		case reFioLine.MatchString(lines[i].Text):
			n = i + 1
		case i-n > 2:
			return n
		}
	}
	return n
}

// lastLine is behind the last line that matches, before others of which none does.
func lastLine(w *part.Window, re *regex.Regex) int {
	const gap = 16 // headings and blank lines
	n := 1
	for i := 0; i < len(w.Lines) && i-n < gap; i++ {
		if re.MatchString(w.Text(i)) {
			n = i + 1
		}
	}
	return n
}

var reBench = map[string]*regex.Regex{
	"pgbench.scale":   regex.New(`^scaling factor: (\d+)`),
	"pgbench.clients": regex.New(`^number of clients: (\d+)`),
	"pgbench.threads": regex.New(`^number of threads: (\d+)`),
}

var (
	reBenchDone    = regex.New(`^number of transactions actually processed: (\d+)`)
	reBenchLatency = regex.New(`^latency average(?: =|:) ([\d.]+) ms`)
	reBenchTPS     = regex.New(
		`^tps = ([\d.]+) \(((?:in|ex)cluding connections establishing|without initial connection time)\)`)
	reBenchType = regex.New(`^transaction type: (.+)$`)
)

func readPgbench(w *part.Window, n int) (f part.Found) {
	f.N, f.Kind = n, part.Pgbench
	for i := range n {
		if len(abreast(w.Text(i))) > 1 {
			return sideBySide(w, n)
		}
	}
	for i := range n {
		benchLine(&f, w.Text(i))
	}
	return f
}

// benchLine adds what a line of pgbench's report says.
func benchLine(f *part.Found, t string) {
	for _, name := range []string{"pgbench.scale", "pgbench.clients", "pgbench.threads"} {
		if m := reBench[name].FindStringSubmatch(t); m != nil {
			v, _ := amount.Whole(m[1])
			f.Add(part.Count(name, "", v))
		}
	}
	if m := reBenchDone.FindStringSubmatch(t); m != nil {
		v, _ := amount.Whole(m[1])
		f.Add(part.Count("pgbench.transactions", "", v))
	}
	if m := reBenchLatency.FindStringSubmatch(t); m != nil {
		if v, ok := amount.Decimal(m[1]); ok {
			f.Add(part.Seconds("pgbench.latency", "", amount.Shifted(v, -3)))
		}
	}
	if m := reBenchType.FindStringSubmatch(t); m != nil {
		f.Add(part.Word("pgbench.script", "", m[1]))
	}
	if m := reBenchTPS.FindStringSubmatch(t); m != nil {
		name := "pgbench.tps"
		if strings.HasPrefix(m[2], "incl") {
			name = "pgbench.tps_with_connections"
		}
		if v, ok := amount.Decimal(m[1]); ok {
			f.Add(part.Fact{Name: name, Value: v, Unit: "per second"})
		}
	}
}

var reBenchCell = regex.New(`^(?:transaction type:|scaling factor:|query mode:|number of |maximum number of tries:|` +
	`duration:|latency |initial connection time|tps = )`)

// abreast are the cells of a line of a table that has a run in each column; one or none where it is no such line.
func abreast(t string) []string {
	if !strings.Contains(t, "|") {
		return nil
	}
	cells := table.Cells(t, strings.HasPrefix(t, "|") || strings.HasSuffix(t, "|"))
	for _, c := range cells {
		if !reBenchCell.MatchString(c) {
			return nil
		}
	}
	return cells
}

// sideBySide reads the runs of such a table, each of what the head says of its column.
func sideBySide(w *part.Window, n int) (f part.Found) {
	f.N, f.Kind = n, part.Pgbench
	var heads []string
	for i := len(w.Before) - 1; i > 0 && i > len(w.Before)-4; i-- {
		if part.TableRule.MatchString(w.Before[i].Text) {
			heads = table.Cells(w.Before[i-1].Text, true)
			break
		}
	}
	columns := 0
	for i := range n {
		columns = max(columns, len(abreast(w.Text(i))))
	}
	for k := range columns {
		var one part.Found
		for i := range n {
			if c := abreast(w.Text(i)); k < len(c) {
				benchLine(&one, c[k])
			}
		}
		of := strconv.Itoa(k + 1)
		if len(heads) == columns && heads[k] != "" {
			of = strings.Trim(heads[k], "*_ ")
		}
		for _, x := range one.Facts {
			x.Of = of
			f.Add(x)
		}
	}
	return f
}

// EXPLAIN, as text; its other forms are read where their whole block is one.
var (
	reQueryPlan = regex.New(`(?i)^(?:query plan|план запроса|план выполнения запроса)$`)
	rePlanNode  = regex.New(`\(cost=\d+\.\d+\.\.\d+\.\d+ rows=\d+ width=\d+\)`)
	rePlanEnd   = regex.New(`^(?:Total runtime|Execution [Tt]ime|Execution time):`)
)

// ReadExplain reads EXPLAIN.
func ReadExplain(w *part.Window) (f part.Found) {
	i := 0
	if reQueryPlan.MatchString(strings.Trim(w.Text(0), "| ")) {
		i = 1
	} else if !rePlanNode.MatchString(w.Text(0)) && !(strings.HasPrefix(w.Text(0), "[") && jsonPlan(w)) {
		return
	}
	lines, ok := w.Far()
	if !ok {
		return
	}
	n := len(lines)
	for k := i; k < len(lines); k++ {
		if table.RowCount.MatchString(w.Text(k)) {
			n = k + 1
			break
		}
		if w.Lines[k].Is == part.Blank && k > i {
			n = k
			break
		}
		if rePlanEnd.MatchString(strings.Trim(w.Text(k), "| ")) {
			n = k + 1
			if table.RowCount.MatchString(w.Text(n)) {
				n++
			}
			break
		}
	}
	plans, err := queryplan.Parse(part.Block(w, n))
	if err != nil || len(plans) == 0 {
		return
	}
	f.N = n
	p := plans[0]
	nodes := int64(0)
	if p.Root != nil {
		p.Root.Walk(func(*queryplan.Node) { nodes++ })
		f.Add(part.Word("plan.root", "", p.Root.Head))
	}
	f.Add(part.Count("plan.nodes", "", nodes))
	if ms, ok := p.Total(); ok {
		f.Add(part.Seconds("plan.time", "", amount.Shifted(ms, -3)))
	}
	return f
}

func jsonPlan(w *part.Window) bool {
	for i := 0; i < len(w.Lines) && i < 4; i++ {
		if strings.Contains(w.Text(i), `"Plan"`) {
			return true
		}
	}
	return false
}
