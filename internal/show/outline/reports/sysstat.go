package reports

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/measured/output"
	"github.com/pgfettle/pgfettle/internal/judge/outputs"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

func (p probeWords) iostat(o *outline.Outline, t *output.Iostat) {
	if t.Kernel != "" {
		o.Para(p.Word(hostOf(t.Host, t.Kernel, t.CPUs)))
	}
	shown := 0
	for i := range t.Samples {
		s := &t.Samples[i]
		if shown >= shownRows {
			o.Para(p.Many(len(t.Samples)-i, "{n} more reports: use --format json.",
				"{n} more reports: use --format json."))
			break
		}
		lead := say.M("Report {number}", "number", strconv.Itoa(i+1))
		if s.SinceBoot {
			lead = say.M("Report {number}, mean since boot", "number", strconv.Itoa(i+1))
		}
		var cpu say.Message
		if s.CPU != nil {
			cpu = cpuShare(s.CPU)
		}
		if len(t.Samples) > 1 || s.SinceBoot || s.CPU != nil {
			o.Para(p.Word(say.All(": ", lead, cpu)))
		}
		shown += max(len(s.Devices), 1)
		p.devices(o, s.Devices)
	}
}

// hostOf is the head of iostat and sar.
func hostOf(name, kernel string, cpus int) say.Message {
	return say.N(cpus, "{host}, kernel {kernel}, {n} CPU", "{host}, kernel {kernel}, {n} CPUs", "host", name, "kernel",
		kernel)
}

func cpuShare(c *output.CPU) say.Message {
	args := []any{"user", percent(c.User + c.Nice), "system", percent(c.System), "iowait", percent(c.IOWait), "idle",
		percent(c.Idle), "steal", percent(c.Steal)}
	if c.Steal > 0 {
		return say.M("CPU {user} user, {system} system, {iowait} iowait, {idle} idle, {steal} steal", args...)
	}
	return say.M("CPU {user} user, {system} system, {iowait} iowait, {idle} idle", args...)
}

// devices is a row a device; of many, those that do something.
func (p probeWords) devices(o *outline.Outline, list []output.Device) {
	rows := [][]string{p.columns("device | requests per second | reads per second | read | read latency | " +
		"writes per second | written | write latency | latency | queue | %util")}
	number := func(v *float64) say.Number {
		if v == nil {
			return ""
		}
		return outputs.Rate(*v)
	}
	size := func(v *unit.Bytes) say.Number {
		if v == nil {
			return ""
		}
		return each(*v)
	}
	ms := func(v, of *float64) say.Number {
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
		var util say.Number
		if d.Util != nil {
			util = percent(*d.Util)
		}
		name := d.Name
		if d.At != "" {
			name = d.At + " " + name
		}
		rows = append(rows, p.row(name, number(d.TPS), number(d.Reads), size(d.Read), ms(d.ReadMS, d.Reads),
			number(d.Writes), size(d.Written), ms(d.WriteMS, d.Writes), ms(d.Await, d.TPS), number(d.Queue), util))
	}
	if len(rows) > 1 {
		o.Add(outline.TableOf(p.Say("Devices"), rows, 1))
	}
	if left > 0 {
		o.Para(p.moreRows(left))
	}
	p.flushes(o, list)
}

// flushes is how often each device was flushed and how long that took: it is what commits wait for.
func (p probeWords) flushes(o *outline.Outline, list []output.Device) {
	said := 0
	for i := range list {
		d := &list[i]
		if d.Flushes == nil || *d.Flushes <= 0 || d.FlushMS == nil || said == shownRows {
			continue
		}
		name := d.Name
		if d.At != "" {
			name = d.At + " " + name
		}
		o.Para(p.Say("{device}: {rate} flushes per second, {latency} each", "device", name, "rate",
			outputs.Rate(*d.Flushes), "latency", coarse(*d.FlushMS/1000)))
		said++
	}
}

func (p probeWords) sar(o *outline.Outline, t *output.Sar) {
	if t.Kernel != "" {
		o.Para(p.Word(hostOf(t.Host, t.Kernel, t.CPUs)), ", ", t.Date)
	}
	p.sarCPUs(o, t.CPU, say.Message{})
	p.sarCPUs(o, t.Average.CPU, say.M("Average"))
	p.devices(o, t.Devices)
	if len(t.Average.Devices) > 0 {
		o.Para(p.Say("Average"), p.Say(":"))
		p.devices(o, t.Average.Devices)
	}
	for i := range t.Tables {
		p.sarTable(o, &t.Tables[i])
	}
	var names []say.Message
	for _, name := range t.Others {
		read := slices.ContainsFunc(t.Tables, func(x output.SarTable) bool {
			return strings.HasPrefix(strings.Join(x.Columns, " "), name)
		})
		if !read {
			names = append(names, say.Text(name))
		}
	}
	if len(names) > 0 {
		o.Toned(outline.ToneNote, p.Say("Recognized tables that pgfettle does not read begin with: {names}.", "names",
			say.All("; ", names...)))
	}
}

// sarCPUs is a line a row; lead is what it is where it has no time.
func (p probeWords) sarCPUs(o *outline.Outline, list []output.SarCPU, lead say.Message) {
	for i := range list {
		c := &list[i]
		if i >= shownRows {
			o.Para(p.moreRows(len(list) - i))
			break
		}
		at := lead
		if c.At != "" {
			at = say.Text(c.At)
		}
		var of say.Message
		if c.Of != "all" {
			of = say.M("CPU {name}", "name", c.Of)
		}
		o.Para(p.Word(say.All(": ", at, say.All(", ", of, cpuShare(&c.CPU)))))
	}
}

// sarTable is a table in the columns of sar itself: they are documented under these names.
func (p probeWords) sarTable(o *outline.Outline, t *output.SarTable) {
	head := append([]string{""}, t.Columns...)
	rows := [][]string{head}
	add := func(r *output.SarRow, at any) {
		row := []string{p.Value(at)}
		for _, c := range t.Columns {
			v, ok := r.Values[c]
			switch {
			case ok:
				row = append(row, strconv.FormatFloat(v, 'f', -1, 64))
			case r.Of != "":
				row = append(row, r.Of)
			default:
				row = append(row, "")
			}
		}
		rows = append(rows, row)
	}
	for i := range t.Rows[:min(len(t.Rows), shownRows)] {
		add(&t.Rows[i], t.Rows[i].At)
	}
	for i := range t.Average[:min(len(t.Average), shownRows)] {
		add(&t.Average[i], say.M("Average"))
	}
	if len(rows) > 1 {
		o.Add(outline.TableOf(strings.Join(t.Columns[:min(len(t.Columns), 3)], " "), rows, 1))
	}
	if n := len(t.Rows) - shownRows; n > 0 {
		o.Para(p.moreRows(n))
	}
}

// pidstat is a row a process.
func (p probeWords) pidstat(o *outline.Outline, t *output.Pidstat) {
	if t.Kernel != "" {
		o.Para(p.Word(hostOf(t.Host, t.Kernel, t.CPUs)), ", ", t.Date)
	}
	p.tasks(o, t.Tasks)
	if len(t.Average) > 0 {
		o.Para(p.Say("Average"), p.Say(":"))
		p.tasks(o, t.Average)
	}
}

func (p probeWords) tasks(o *outline.Outline, list []output.Task) {
	rows := [][]string{p.columns("process | PID | CPU | user | system | read | written | resident | major faults per " +
		"second | voluntary switches per second | involuntary switches per second")}
	share := func(v *float64) say.Number {
		if v == nil {
			return ""
		}
		return percent(*v)
	}
	rate := func(v *float64) say.Number {
		if v == nil {
			return ""
		}
		return outputs.Rate(*v)
	}
	speed := func(v *unit.Bytes) say.Number {
		if v == nil {
			return ""
		}
		return each(*v)
	}
	for i := range list {
		x := &list[i]
		if len(rows) > shownRows {
			break
		}
		var resident say.Number
		if x.Resident != nil {
			resident = say.Number(x.Resident.String())
		}
		name := x.Command
		if x.At != "" {
			name = x.At + " " + name
		}
		rows = append(rows, p.row(name, strconv.FormatInt(x.PID, 10), share(x.CPU), share(x.Usr), share(x.System),
			speed(x.Read), speed(x.Written), resident, rate(x.Major), rate(x.Switches), rate(x.Forced)))
	}
	if len(rows) > 1 {
		o.Add(outline.TableOf(p.Say("Processes"), rows, 1))
	}
	if n := len(list) - shownRows; n > 0 {
		o.Para(p.moreRows(n))
	}
}
