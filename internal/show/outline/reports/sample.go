package reports

import (
	"fmt"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/live"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow/sampled"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// FigureWaits is the picture of what the processes of the server did.
const FigureWaits = "waits"

// Sample is what a watch reported, before any form.
func Sample(d *sampled.Sample, c *say.Catalogue) outline.Outline {
	d = d.In(c)
	p := slowWords{outline.WordsIn(c)}
	var o outline.Outline
	o.Command("pgfettle diagnose slow --sample")
	o.Para(outline.Bold(p.flat(d.Verdict)))
	p.verdicts(&o, d.Verdicts)
	o.Part(p.flat(sampleHead(d)))
	t := outline.Table{Caption: p.Say("Measurements; ~ means not measured"), Head: []string{p.Say("what"),
		p.Say("measured")}}
	for _, row := range p.figures(d) {
		t.Rows = append(t.Rows, outline.Cells(row[0], row[1]))
	}
	o.Add(t)
	if len(d.Waits) > 0 {
		title := p.Say("Active sessions by wait event")
		o.Part(title)
		rows := [][]string{{p.Say("wait event"), p.Say("process"), p.Say("average")}}
		for i := range d.Waits[:min(len(d.Waits), slowLines)] {
			w := &d.Waits[i]
			rows = append(rows, []string{p.Word(WaitName(w)), w.Backend, p.Value(Average(d, float64(w.Seen)))})
		}
		o.Add(outline.Figure{Name: FigureWaits}, outline.TableOf(title, rows, 2))
	}
	if len(d.Processes) > 0 {
		title := p.Say("CPU use by process")
		o.Part(title)
		rows := [][]string{{p.Say("process"), p.Say("belongs to"), p.Say("CPUs")}}
		for i := range d.Processes {
			b := &d.Processes[i]
			rows = append(rows, []string{strconv.Itoa(b.PID) + " " + b.Name, p.whose(b),
				p.Value(say.Number(fmt.Sprintf("%.2f", b.CPU/max(d.Seconds, 0.001))))})
		}
		o.Add(outline.TableOf(title, rows, 2))
	}
	if len(d.Functions) > 0 {
		title := p.Say("Functions with the most CPU time, on the whole host (perf)")
		o.Part(title)
		rows := [][]string{p.functionHead()}
		for i := range d.Functions {
			if f := &d.Functions[i]; functionShown(i, f) {
				rows = append(rows, p.function(f))
			}
		}
		o.Add(outline.TableOf(title, rows, 2))
	}
	gaps(&o, p.Words, 2, p.Say("Unknown"), d.Missing)
	return o
}

// Profile is what a profile of perf says, before any form.
func Profile(d *sampled.Profile, c *say.Catalogue) outline.Outline {
	d = d.In(c)
	p := slowWords{outline.WordsIn(c)}
	var o outline.Outline
	o.Command("pgfettle diagnose slow --perf")
	o.Para(outline.Bold(p.flat(d.Verdict)))
	p.verdicts(&o, d.Verdicts)
	if len(d.Groups) > 0 {
		title := p.Say("CPU time by cause")
		o.Part(title)
		rows := [][]string{{p.Say("cause"), p.Say("meaning"), p.Say("share")}}
		for _, g := range d.Groups {
			rows = append(rows, []string{g.ID, p.flat(g.Meaning), p.tenths(g.Percent)})
		}
		o.Add(outline.TableOf(title, rows, 2))
	}
	p.functions(&o, p.Say("Functions by own time"), d.Functions)
	p.functions(&o, p.Say("Functions, including the functions that they called"), d.Callers)
	p.list(&o, p.Say("Not measured, or not in the file"), d.Missing)
	return o
}

// functions is a part of functions with their shares.
func (p slowWords) functions(o *outline.Outline, title string, list []sampled.Function) {
	if len(list) == 0 {
		return
	}
	o.Part(title)
	rows := [][]string{p.functionHead()}
	for i := range list {
		rows = append(rows, p.function(&list[i]))
	}
	o.Add(outline.TableOf(title, rows, 2))
}

func (p slowWords) functionHead() []string {
	return []string{p.Say("function"), p.Say("meaning"), p.Say("share")}
}

func (p slowWords) function(f *sampled.Function) []string {
	return []string{p.Word(functionName(f)), p.flat(f.Meaning), p.tenths(f.Percent)}
}

func functionName(f *sampled.Function) say.Message {
	name, command := typeset.Clean(f.Name), typeset.Clean(f.Command)
	switch {
	case f.Kernel && command != "":
		return say.M("{function} (kernel) in {command}", "function", name, "command", command)
	case f.Kernel:
		return say.M("{function} (kernel)", "function", name)
	case command != "":
		return say.M("{function} in {command}", "function", name, "command", command)
	}
	return say.Text(name)
}

// slowLines bounds each list that a person reads in an emergency.
const slowLines = 10

// functionShown reports whether the i-th function is shown: the first, and of more those that have a meaning.
func functionShown(i int, f *sampled.Function) bool {
	return i < slowLines || !f.Meaning.IsZero() && i < 2*slowLines
}

// sampleHead names what was watched, and for how long.
func sampleHead(d *sampled.Sample) say.Message {
	long := say.Number(fmt.Sprintf("%.0f s", d.Seconds))
	if d.Instance == "" {
		return say.M("Measured for {time}", "time", long)
	}
	return say.M("Measured for {time} on {instance}", "time", long, "instance", typeset.Clean(d.Instance))
}

// Average is how many processes were in a state that was seen so often.
func Average(d *sampled.Sample, seen float64) say.Number {
	return say.Number(fmt.Sprintf("%.1f", seen/float64(max(d.Asked, 1))))
}

// WaitName says what a process did: the type and the event that it waited for.
func WaitName(w *live.Wait) say.Message {
	if w.Type == "" {
		return say.M("no wait event")
	}
	return say.Text(w.Type + " / " + w.Event)
}

func (p slowWords) whose(b *live.Busy) string {
	switch {
	case b.Ours:
		return p.Say("this instance")
	case b.Kernel:
		return p.Say("the kernel")
	}
	return ""
}

// figures are what was measured; what was not is ~.
func (p slowWords) figures(d *sampled.Sample) [][2]string {
	f := d.Figures
	num := func(v *float64, form string) any {
		switch {
		case v == nil:
			return "~"
		case *v >= 1000:
			return say.Number(fmt.Sprintf("%.0f"+form, *v))
		}
		return say.Number(fmt.Sprintf("%.1f"+form, *v))
	}
	size := func(v *unit.Bytes) any {
		if v == nil {
			return "~"
		}
		return *v
	}
	cpus := any("~")
	if d.CPUs > 0 {
		cpus = d.CPUs
	}
	return [][2]string{
		{p.Say("active queries"), p.Say("{active}; {waiting} of their time waiting, {computing} computing", "active",
			num(f.Active, ""), "waiting", num(f.Waiting, "%%"), "computing", num(f.Computing, "%%"))},
		{p.Say("run queue"), p.Say("{running}, CPUs: {cpus}; blocked by I/O: {blocked}", "running", num(f.RunQueue, ""),
			"cpus", cpus, "blocked", num(f.Blocked, ""))},
		{p.Say("CPU"), p.Say("busy {busy}, system {system}, I/O wait {iowait}, steal {steal}", "busy", num(f.Busy,
			"%%"),
			"system", num(f.System, "%%"), "iowait", num(f.IOWait, "%%"), "steal", num(f.Steal, "%%"))},
		{p.Say("context switches"), p.Say("{n} per second", "n", num(f.Switches, ""))},
		{p.Say("pressure (PSI, some)"), p.Say("CPU {cpu}, memory {memory}, I/O {io}", "cpu", num(f.CPUPSI, "%%"),
			"memory",
			num(f.MemoryPSI, "%%"), "io", num(f.IOPSI, "%%"))},
		{p.Say("page faults"), p.Say("{n} per second, major: {major}", "n", num(f.Faults, ""), "major", num(f.Major,
			""))},
		{p.Say("swap"), p.Say("pages per second: {in} in, {out} out", "in", num(f.SwapIn, ""), "out", num(f.SwapOut,
			""))},
		{p.Say("direct reclaim"), p.Say("pages scanned per second: {n}", "n", num(f.DirectScan, ""))},
		{p.Say("compaction stalls"), p.Say("{n} per second; huge pages allocated in page faults: {huge} per second",
			"n",
			num(f.Compaction, ""), "huge", num(f.HugeFaults, ""))},
		{p.Say("page tables"), p.Value(size(f.PageTables))},
		{p.Say("cgroup"), p.Say("memory {used} of {limit}, memory pressure {pressure}, throttled in {throttled} of "+
			"the periods",
			"used", size(f.GroupMemory), "limit", size(f.GroupLimit), "pressure", num(f.GroupPSI, "%%"), "throttled",
			num(f.Throttled, "%%"))},
	}
}
