package reports

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/measured/output"
	"github.com/pgfettle/pgfettle/internal/judge/outputs"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// shownRows is how many rows of a table a person reads; all are in JSON.
const shownRows = 30

// readOutputs is each output of a file, with what it means.
func readOutputs(o *outline.Outline, d *document.Probe, c *say.Catalogue) {
	for i := range d.Outputs {
		x := &d.Outputs[i]
		head := x.Program
		if x.Version != "" && x.Program == output.FioProgram {
			head = x.Version
		} else if x.Version != "" {
			head += " " + x.Version
		}
		if len(d.Outputs) > 1 || x.Line > 1 {
			head += ", from line " + strconv.Itoa(x.Line)
		}
		if x.Of != "" {
			head += ", " + x.Of
		}
		o.Part(head)
		readOutput(o, d, x)
		if x.Cut {
			o.Toned(outline.ToneNote, "The output is incomplete: its beginning or its end is not in the file.")
		}
		for _, v := range d.Verdicts {
			if v.Output == i {
				o.Toned(toneOf(v.Tone), v.Text.In(c))
			}
		}
	}
	readNeighbors(o, d.Others)
	if len(d.Unread) == 0 {
		return
	}
	o.Part("Not understood")
	for _, u := range d.Unread {
		lines := "lines"
		if u.Count == 1 {
			lines = "line"
		}
		o.Toned(outline.ToneNote, fmt.Sprintf("%d %s with \"%s\" could not be read. The first is line %d: %s",
			u.Count, lines,
			u.What, u.Line, u.First))
	}
}

// readNeighbors are the results of other programs.
func readNeighbors(o *outline.Outline, list []output.Neighbor) {
	if len(list) == 0 {
		return
	}
	o.Part("Results of other programs")
	for _, x := range list {
		o.Para(fmt.Sprintf("%s, line %d: %s", x.Program, x.Line, x.Text))
		if v := x.Flushed; v > 0 {
			o.Para(fmt.Sprintf("Each write of dd was flushed: %s per second, %s each.", rate(v), coarse(1/v)))
		}
		if x.Cached {
			o.Toned(outline.ToneNote, "dd did not wait for the disk: this is the speed of the page cache. "+
				"Use oflag=direct or conv=fdatasync.")
		}
	}
}

func toneOf(t outputs.Tone) outline.Tone {
	return map[outputs.Tone]outline.Tone{outputs.Good: outline.ToneGood, outputs.Info: outline.ToneInfo,
		outputs.Warning: outline.ToneMind, outputs.Critical: outline.ToneBad}[t]
}

func readOutput(o *outline.Outline, d *document.Probe, x *output.Output) {
	switch {
	case x.Fsync != nil:
		k := &measured.Disk{Roles: []string{}, Flush: &measured.Flush{By: output.TestFsync, Fsync: *x.Fsync}}
		flushedWrites(o, d, k)
	case x.Timing != nil:
		probedClock(o, d, &measured.TimingRun{By: output.TestTiming, Timing: *x.Timing})
	case x.Fio != nil:
		readFio(o, x.Fio)
	case x.Pgbench != nil || x.Progress != nil:
		readPgbench(o, x)
	case x.Log != nil:
		readLog(o, x.Log)
	case x.Sysbench != nil:
		readSysbench(o, x.Sysbench)
	case x.Iostat != nil:
		readIostat(o, x.Iostat)
	case x.Vmstat != nil:
		readVmstat(o, x.Vmstat)
	case x.Sar != nil:
		readSar(o, x.Sar)
	}
}

// readFio is a row for the reads, the writes and the flushes of each job.
func readFio(o *outline.Outline, f *output.Fio) {
	rows := [][]string{{"job", "operation", "per second", "bytes per second", "mean", "p99"}}
	for i := range f.Jobs {
		j := &f.Jobs[i]
		name := j.Name
		if j.Host != "" {
			name += " on " + j.Host
		}
		if j.Error != 0 {
			name += fmt.Sprintf(" (stopped by error %d)", j.Error)
			if j.Read == nil && j.Write == nil && j.Sync == nil {
				o.Toned(outline.ToneMind, fmt.Sprintf("Job %s failed with error %d%s and measured nothing.", j.Name,
					j.Error, errno(j.Error)))
			} else {
				o.Toned(outline.ToneMind, fmt.Sprintf("Job %s ended early, with error %d%s.", j.Name, j.Error,
					errno(j.Error)))
			}
		}
		for _, s := range []struct {
			kind string
			side *output.Side
		}{{"reads", j.Read}, {"writes", j.Write}, {"flushes", j.Sync}} {
			if s.side == nil || len(rows) > shownRows {
				continue
			}
			what := s.kind
			if s.kind != "flushes" {
				what = fioWhat(j, s.kind)
			}
			rows = append(rows, []string{name, what, rateOr(s.side.PerSecond), speedOr(s.side.Speed),
				coarse(s.side.Mean),
				coarse(s.side.P99)})
			name = ""
		}
		if j.Direct != nil && !*j.Direct && j.Read != nil {
			o.Toned(outline.ToneNote, "Job ", j.Name, " read through the page cache (no direct I/O).")
		}
	}
	if len(rows) > 1 {
		o.Add(outline.TableOf("fio jobs", rows, 2))
	}
	if p := f.Progress; p != nil {
		var of []string
		for _, x := range []struct {
			rate  float64
			speed unit.Bytes
			what  string
		}{{p.Reads, p.ReadSpeed, "reads"}, {p.Writes, p.WriteSpeed, "writes"}} {
			if x.rate > 0 || x.speed > 0 {
				of = append(of, strings.TrimSpace(rateOr(x.rate)+" "+x.what+" per second")+" ("+x.speed.String()+"/s)")
			}
		}
		o.Para(fmt.Sprintf("The run is not finished: %.1f%% done. Current rate: %s.", p.Done,
			strings.Join(of, ", ")))
	}
	for i, k := range f.Disks {
		if i < 8 {
			o.Para(fmt.Sprintf("Underlying disk %s: %s reads, %s writes, %.1f%% utilization.", k.Name,
				typeset.Digits(int(k.Reads)),
				typeset.Digits(int(k.Writes)), k.Util))
		}
	}
}

// errno is the name of an error of Linux, for those that a disk or its options cause.
func errno(n int) string {
	return map[int]string{1: " (EPERM)", 2: " (ENOENT, no such file)", 5: " (EIO, input/output error)", 12: " (ENOMEM)",
		13: " (EACCES, permission denied)", 22: " (EINVAL, invalid argument)", 28: " (ENOSPC, no space left on device)",
		30: " (EROFS, read-only filesystem)", 95: " (EOPNOTSUPP)", 122: " (EDQUOT, disk quota exceeded)"}[n]
}

// fioWhat is "reads of 4 kB, random, queue depth 16 (libaio)".
func fioWhat(j *output.Job, kind string) string {
	what := kind
	if j.BlockSize > 0 {
		what += " of " + j.BlockSize.String()
	}
	if random, ok := j.Random(); ok {
		if random {
			what += ", random"
		} else {
			what += ", sequential"
		}
	}
	if n := j.AtOnce(); n > 0 {
		what += fmt.Sprintf(", queue depth %d", n)
	}
	if j.Engine != "" {
		what += " (" + j.Engine + ")"
	}
	return what
}

func readPgbench(o *outline.Outline, x *output.Output) {
	if p := x.Pgbench; p != nil {
		var of []string
		add := func(s string, ok bool) {
			if ok {
				of = append(of, s)
			}
		}
		add(p.Type, p.Type != "")
		add(fmt.Sprintf("scale %d", p.Scale), p.Scale > 0)
		add(counted(p.Clients, "client", "clients"), p.Clients > 0)
		add(counted(p.Threads, "thread", "threads"), p.Threads > 0)
		add("query mode "+p.Mode, p.Mode != "")
		if p.Duration != nil {
			add(fmt.Sprintf("%d s", *p.Duration), true)
		}
		o.Para(strings.Join(of, ", "))
		o.Para(pgbenchResult(p))
		pgbenchInit(o, p.Init)
		pgbenchScripts(o, p.Scripts)
	}
	if n := len(x.Progress); n > 0 {
		low, high := math.Inf(1), 0.0
		for _, p := range x.Progress {
			low, high = min(low, p.TPS), max(high, p.TPS)
		}
		o.Para(fmt.Sprintf("Progress: %d lines, %s to %s tps.", n, rate(low), rate(high)))
	}
}

// pgbenchInit is how long pgbench -i took.
func pgbenchInit(o *outline.Outline, p *output.PgbenchInit) {
	if p == nil {
		return
	}
	text := "Initialization (pgbench -i): " + typeset.Digits(int(p.Rows)) + " rows"
	if p.Done < p.Rows {
		text = fmt.Sprintf("Initialization (pgbench -i): %s of %s rows", typeset.Digits(int(p.Done)),
			typeset.Digits(int(p.Rows)))
	}
	if p.Seconds != nil {
		text += fmt.Sprintf(" in %v s", *p.Seconds)
	}
	for _, x := range []struct {
		of   *float64
		what string
	}{{p.Generate, "rows"}, {p.Vacuum, "vacuum"}, {p.Keys, "primary keys"}} {
		if x.of != nil {
			text += fmt.Sprintf(", %s %v s", x.what, *x.of)
		}
	}
	o.Para(text, ".")
}

// pgbenchResult is the line that counts.
func pgbenchResult(p *output.Pgbench) string {
	var of []string
	switch in, out := p.TPSConnecting, p.TPS; {
	case out != nil && in != nil:
		of = append(of, fmt.Sprintf("%s tps without connection time, %s tps with it", rate(*out), rate(*in)))
	case out != nil:
		of = append(of, rate(*out)+" tps")
	case in != nil:
		of = append(of, rate(*in)+" tps including connection time")
	}
	if p.Processed != nil {
		of = append(of, typeset.Digits(int(*p.Processed))+" transactions")
	}
	if m := p.Latency.Mean; m != nil {
		text := "mean latency " + fine(*m/1000)
		if sd := p.Latency.SD; sd != nil {
			text += " (standard deviation " + fine(*sd/1000) + ")"
		}
		of = append(of, text)
	}
	if len(of) == 0 {
		return ""
	}
	return strings.Join(of, "; ") + "."
}

// pgbenchScripts are the scripts of a run, where there are several, and the statements of each.
func pgbenchScripts(o *outline.Outline, list []measured.Script) {
	rows := [][]string{{"script", "weight", "tps", "latency", "standard deviation"}}
	ms := func(v *float64) string {
		if v == nil {
			return ""
		}
		return fine(*v / 1000)
	}
	for i := range list {
		s := &list[i]
		if len(rows) > shownRows {
			break
		}
		weight, tps := "", ""
		if s.Weight != nil {
			weight = strconv.FormatInt(*s.Weight, 10)
		}
		if s.TPS != nil {
			tps = rate(*s.TPS)
		}
		rows = append(rows, []string{typeset.Line(s.Name), weight, tps, ms(s.Latency.Mean), ms(s.Latency.SD)})
	}
	if len(list) > 1 {
		o.Add(outline.TableOf("Scripts", rows, 1))
	}
	for i := range list {
		pgbenchScript(o, &list[i])
	}
}

// pgbenchScript is the statements of a script, by what they took.
func pgbenchScript(o *outline.Outline, s *measured.Script) {
	rows := [][]string{{"latency", "statement"}}
	for _, st := range s.Statements {
		if strings.HasPrefix(st.Text, `\`) && st.Latency < 0.1 {
			continue // a command of pgbench itself
		}
		if len(rows) > shownRows {
			break
		}
		rows = append(rows, []string{fine(st.Latency / 1000), typeset.Line(st.Text)})
	}
	if len(rows) > 1 {
		o.Add(outline.TableOf("Statements", rows, 0))
	}
}

func readLog(o *outline.Outline, l *output.Log) {
	if l.P50 == 0 {
		o.Para(fmt.Sprintf("%s transactions in %d s, in intervals of %d s; mean latency %s, maximum %s.",
			typeset.Digits(int(l.Transactions)), l.Seconds, l.Window, fine(l.Mean/1000), fine(l.Max/1000)))
		return
	}
	o.Para(
		fmt.Sprintf("%s transactions in %d s; latency: mean %s, p50 %s, p95 %s, p99 %s, maximum %s.",
			typeset.Digits(int(l.Transactions)), l.Seconds, fine(l.Mean/1000), fine(l.P50/1000), fine(l.P95/1000),
			fine(l.P99/1000), fine(l.Max/1000)))
	if l.Failed+l.Skipped > 0 {
		o.Para(fmt.Sprintf("%d transactions failed, %d were skipped.", l.Failed, l.Skipped))
	}
}

func readSysbench(o *outline.Outline, s *output.Sysbench) {
	var of []string
	add := func(ok bool, format string, args ...any) {
		if ok {
			of = append(of, fmt.Sprintf(format, args...))
		}
	}
	add(s.Test != "", "%s", s.Test)
	add(s.Threads > 0, "%s", counted(s.Threads, "thread", "threads"))
	add(s.Seconds > 0, "%.1f s", s.Seconds)
	o.Para(strings.Join(of, ", "))
	of = nil
	if s.TPS != nil {
		add(true, "%s tps", rate(*s.TPS))
	}
	if s.Transactions != nil {
		add(true, "%s transactions", typeset.Digits(int(*s.Transactions)))
	}
	if s.QPS != nil {
		add(true, "%s queries per second", rate(*s.QPS))
	}
	if s.Transactions == nil && s.Rate != nil {
		add(true, "%s events per second", rate(*s.Rate))
	}
	if s.ReadRate != nil || s.WriteRate != nil {
		var reads, writes float64
		if s.ReadRate != nil {
			reads = *s.ReadRate
		}
		if s.WriteRate != nil {
			writes = *s.WriteRate
		}
		add(true, "%s reads and %s writes per second", rate(reads), rate(writes))
	}
	for _, x := range []struct {
		of   *float64
		what string
	}{{s.ReadSpeed, "read"}, {s.WriteSpeed, "written"}, {s.Moved, "moved"}} {
		if x.of != nil && *x.of > 0 {
			add(true, "%s MiB/s %s", rate(*x.of), x.what)
		}
	}
	if s.Fsyncs != nil {
		add(true, "%s fsyncs per second", rate(*s.Fsyncs))
	}
	if l := s.Latency; l != nil {
		if l.Mean != nil {
			add(true, "mean latency %s", hundredths(*l.Mean))
		}
		if l.At != nil && l.Percentile > 0 {
			add(true, "p%v %s", l.Percentile, hundredths(*l.At))
		}
		if l.Max != nil {
			add(true, "maximum %s", hundredths(*l.Max))
		}
	}
	if len(of) > 0 {
		o.Para(strings.Join(of, "; "), ".")
	}
	for _, x := range []struct {
		unit string
		of   func(p *output.SysbenchPoint) *float64
	}{{"tps", func(p *output.SysbenchPoint) *float64 { return p.TPS }},
		{"events per second", func(p *output.SysbenchPoint) *float64 { return p.Events }}} {
		low, high, n := math.Inf(1), 0.0, 0
		for i := range s.Progress {
			if v := x.of(&s.Progress[i]); v != nil {
				low, high, n = min(low, *v), max(high, *v), n+1
			}
		}
		if n > 0 {
			o.Para(fmt.Sprintf("Progress: %d lines, %s to %s %s.", n, rate(low), rate(high), x.unit))
		}
	}
}

// hundredths spells a time of sysbench, which prints hundredths of a millisecond: 0.00 is less than
// that, and not nothing.
func hundredths(ms float64) string {
	if ms == 0 {
		return "below 0.01 ms"
	}
	return fine(ms / 1000)
}

func readIostat(o *outline.Outline, t *output.Iostat) {
	if t.Kernel != "" {
		o.Para(t.Host, ", kernel ", t.Kernel, ", ", counted(int64(t.CPUs), "CPU", "CPUs"))
	}
	shown := 0
	for i := range t.Samples {
		s := &t.Samples[i]
		if shown >= shownRows {
			o.Para(fmt.Sprintf("%d more reports: use --format json.", len(t.Samples)-i))
			break
		}
		lead := fmt.Sprintf("Report %d", i+1)
		if s.SinceBoot {
			lead += ", mean since boot"
		}
		if s.CPU != nil {
			lead += ": " + cpuShare(s.CPU)
		}
		if len(t.Samples) > 1 || s.SinceBoot || s.CPU != nil {
			o.Para(lead)
		}
		shown += max(len(s.Devices), 1)
		deviceTable(o, s.Devices)
	}
}

func cpuShare(c *output.CPU) string {
	text := fmt.Sprintf("CPU %.1f%% user, %.1f%% system, %.1f%% iowait, %.1f%% idle", c.User+c.Nice,
		c.System, c.IOWait, c.Idle)
	if c.Steal > 0 {
		text += fmt.Sprintf(", %.1f%% steal", c.Steal)
	}
	return text
}

// deviceTable is a row a device; of many, those that do something.
func deviceTable(o *outline.Outline, list []output.Device) {
	rows := [][]string{{"device", "requests per second", "reads per second", "read", "read latency",
		"writes per second",
		"written", "write latency", "latency", "queue", "%util"}}
	number := func(v *float64) string {
		if v == nil {
			return ""
		}
		return rate(*v)
	}
	size := func(v *unit.Bytes) string {
		if v == nil {
			return ""
		}
		return v.String() + "/s"
	}
	ms := func(v, of *float64) string {
		if v == nil || of != nil && *of == 0 || *v == 0 {
			return ""
		}
		return coarse(*v / 1000)
	}
	left := 0
	for i := range list {
		d := &list[i]
		still := d.Util != nil && *d.Util == 0 && len(list) > 8
		if still || len(rows) > shownRows {
			left++
			continue
		}
		util := ""
		if d.Util != nil {
			util = fmt.Sprintf("%.1f%%", *d.Util)
		}
		name := d.Name
		if d.At != "" {
			name = d.At + " " + name
		}
		rows = append(rows, []string{name, number(d.TPS), number(d.Reads), size(d.Read), ms(d.ReadMS, d.Reads),
			number(d.Writes), size(d.Written), ms(d.WriteMS, d.Writes), ms(d.Await, d.TPS), number(d.Queue), util})
	}
	if len(rows) > 1 {
		o.Add(outline.TableOf("Devices", rows, 1))
	}
	if left > 0 {
		o.Para(fmt.Sprintf("%d more rows: use --format json.", left))
	}
}

func readVmstat(o *outline.Outline, t *output.Vmstat) {
	rows := [][]string{{"line", "running", "blocked", "swapped", "free", "swapped in", "swapped out", "read", "written",
		"user", "system", "idle", "waiting"}}
	kb := func(n int64) string { return (unit.Bytes(min(n, 1<<50)) * unit.KB).String() }
	memory := kb
	if size, ok := map[string]unit.Bytes{"MB": unit.MB, "1000 B": 1000, "1000000 B": 1e6}[t.Unit]; ok {
		memory = func(n int64) string { return (unit.Bytes(min(n, 1<<40)) * size).String() }
	}
	percent := func(n int64) string { return fmt.Sprintf("%d%%", n) }
	stolen := len(t.Samples) > 0 && t.Samples[0].ST != nil &&
		slices.ContainsFunc(t.Samples, func(s output.VmstatSample) bool { return s.ST != nil && *s.ST > 0 })
	if stolen {
		rows[0] = append(rows[0], "steal")
	}
	for i := range t.Samples {
		s := &t.Samples[i]
		if len(rows) > shownRows {
			o.Para(fmt.Sprintf("%d more lines: use --format json.", len(t.Samples)-i))
			break
		}
		name := strconv.Itoa(i + 1)
		if s.SinceBoot {
			name = "since boot"
		}
		row := []string{name, fmt.Sprint(s.R), fmt.Sprint(s.B), memory(s.Swpd), memory(s.Free), memory(s.SI) + "/s",
			memory(s.SO) + "/s", kb(s.BI) + "/s", kb(s.BO) + "/s", percent(s.US), percent(s.SY), percent(s.ID),
			percent(s.WA)}
		if stolen && s.ST != nil {
			row = append(row, percent(*s.ST))
		}
		rows = append(rows, row)
	}
	o.Add(outline.TableOf("vmstat lines", rows, 1))
}

func readSar(o *outline.Outline, t *output.Sar) {
	if t.Kernel != "" {
		o.Para(t.Host, ", kernel ", t.Kernel, ", ", counted(int64(t.CPUs), "CPU", "CPUs"), ", ", t.Date)
	}
	for _, list := range []struct {
		lead string
		of   []output.SarCPU
	}{{"", t.CPU}, {"Average: ", t.Average.CPU}} {
		for i := range list.of {
			c := &list.of[i]
			if i >= shownRows {
				o.Para(fmt.Sprintf("%d more rows: use --format json.", len(list.of)-i))
				break
			}
			lead := list.lead
			if c.At != "" {
				lead = c.At + ": "
			}
			if c.Of != "all" {
				lead += "CPU " + c.Of + ", "
			}
			o.Para(lead, cpuShare(&c.CPU))
		}
	}
	deviceTable(o, t.Devices)
	if len(t.Average.Devices) > 0 {
		o.Para("Average:")
		deviceTable(o, t.Average.Devices)
	}
	if len(t.Others) > 0 {
		o.Toned(outline.ToneNote, "Recognized tables that pgfettle does not read begin with: ",
			strings.Join(t.Others, "; "), ".")
	}
}

func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return typeset.Digits(int(n)) + " " + many
}

func rateOr(v float64) string {
	if v <= 0 {
		return ""
	}
	return rate(v)
}

func speedOr(v unit.Bytes) string {
	if v <= 0 {
		return ""
	}
	return v.String()
}

// coarse spells seconds with two digits, as far as a measurement of a disk tells; "" for none.
func coarse(s float64) string { return spelled(s, "%.1f", "%.0f") }

// fine spells seconds with three digits.
func fine(s float64) string {
	if s <= 0 {
		return "0 ms"
	}
	if v := s; v >= 1e-3 && v < 1 {
		ms := s * 1e3
		switch {
		case ms >= 100:
			return typeset.Digits(int(math.Round(ms))) + " ms"
		case ms >= 10:
			return fmt.Sprintf("%.1f ms", ms)
		}
		return fmt.Sprintf("%.2f ms", ms)
	}
	return spelled(s, "%.2f", "%.1f")
}

func spelled(s float64, small, large string) string {
	for _, u := range []struct {
		seconds float64
		name    string
	}{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}} {
		v := s / u.seconds
		switch {
		case v >= 9.95:
			return fmt.Sprintf(large, v) + " " + u.name
		case v >= 0.995:
			return fmt.Sprintf(small, v) + " " + u.name
		}
	}
	return ""
}
