package reports

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/live"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow/sampled"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// FigureWaits is the picture of what the processes of the server did.
const FigureWaits = "waits"

// Sample is what a watch told, before any form.
func Sample(d *sampled.Sample) outline.Outline {
	var o outline.Outline
	o.Command("pgfettle diagnose slow --sample")
	o.Para(outline.Bold(typeset.Flat(d.Verdict)))
	slowVerdicts(&o, d.Verdicts)
	o.Part(SampleHead(d))
	t := outline.Table{Caption: "What was measured; ~ was not", Head: []string{"what", "measured"}}
	for _, row := range SlowFigureRows(d) {
		t.Rows = append(t.Rows, outline.Cells(row[0], row[1]))
	}
	o.Add(t)
	if len(d.Waits) > 0 {
		o.Part("What the processes of the server did")
		rows := [][]string{{"wait event", "process", "at once, on average"}}
		for i := range d.Waits[:min(len(d.Waits), SlowLines)] {
			w := &d.Waits[i]
			rows = append(rows, []string{WaitName(w), w.Backend, AtOnce(d, w)})
		}
		o.Add(outline.Figure{Name: FigureWaits},
			outline.TableOf("What the processes of the server did, on average at once", rows, 2))
	}
	if len(d.Processes) > 0 {
		o.Part("Processors used, by process")
		rows := [][]string{{"process", "whose", "processors"}}
		for i := range d.Processes {
			b := &d.Processes[i]
			rows = append(rows, []string{typeset.Digits(b.PID) + " " + b.Name, WhoseProcess(b), ProcessorsUsed(d, b)})
		}
		o.Add(outline.TableOf("Processors used, by process", rows, 2))
	}
	if len(d.Functions) > 0 {
		o.Part("Functions, of the whole host (perf)")
		rows := [][]string{{"function", "meaning", "share"}}
		for i := range d.Functions {
			if f := &d.Functions[i]; SlowShown(i, f) {
				rows = append(rows, []string{FunctionName(f), f.Meaning, fmt.Sprintf("%.1f %%", f.Percent)})
			}
		}
		o.Add(outline.TableOf("Functions that took the time", rows, 2))
	}
	gaps(&o, 2, "Could not be seen", d.Missing)
	return o
}

// Profile is what a profile of perf tells, before any form.
func Profile(d *sampled.Profile) outline.Outline {
	var o outline.Outline
	o.Command("pgfettle diagnose slow --perf")
	o.Para(outline.Bold(typeset.Flat(d.Verdict)))
	slowVerdicts(&o, d.Verdicts)
	if len(d.Groups) > 0 {
		o.Part("What the time is")
		rows := [][]string{{"what", "meaning", "share"}}
		for _, g := range d.Groups {
			rows = append(rows, []string{g.ID, g.Meaning, fmt.Sprintf("%.1f %%", g.Percent)})
		}
		o.Add(outline.TableOf("What the time is, by the functions that have it", rows, 2))
	}
	for _, list := range []struct {
		title string
		of    []sampled.Function
	}{{"Functions, by their own time", d.Functions}, {"Functions, with what they called", d.Callers}} {
		if len(list.of) == 0 {
			continue
		}
		o.Part(list.title)
		rows := [][]string{{"function", "meaning", "share"}}
		for i := range list.of {
			f := &list.of[i]
			rows = append(rows, []string{FunctionName(f), f.Meaning, fmt.Sprintf("%.1f %%", f.Percent)})
		}
		o.Add(outline.TableOf(list.title, rows, 2))
	}
	slowList(&o, "Not measured or not in the file", d.Missing)
	return o
}

// most lines of each list that a person reads in an emergency.
const SlowLines = 10

// SampleHead names what was watched, and for how long.
func SampleHead(d *sampled.Sample) string {
	if d.Instance == "" {
		return fmt.Sprintf("Seen in %.0f s", d.Seconds)
	}
	return fmt.Sprintf("Seen in %.0f s of %s", d.Seconds, typeset.Clean(d.Instance))
}

// AtOnce is how many processes waited so, on average.
func AtOnce(d *sampled.Sample, w *live.Wait) string {
	return fmt.Sprintf("%.1f", float64(w.Seen)/float64(max(d.Asked, 1)))
}

// WaitName says what a process did: the type and the event that it waited for.
func WaitName(w *live.Wait) string {
	if w.Type == "" {
		return "computes"
	}
	return w.Type + " / " + w.Event
}

func ProcessorsUsed(d *sampled.Sample, b *live.Busy) string {
	return fmt.Sprintf("%.2f", b.CPU/max(d.Seconds, 0.001))
}

func WhoseProcess(b *live.Busy) string {
	switch {
	case b.Ours:
		return "of this instance"
	case b.Kernel:
		return "of the kernel"
	}
	return ""
}

func FunctionName(f *sampled.Function) string {
	where := ""
	if f.Kernel {
		where = " (kernel)"
	}
	if f.Command != "" {
		where += " in " + typeset.Clean(f.Command)
	}
	return typeset.Clean(f.Name) + where
}

// SlowShown says whether the i-th function is told: the first, and of more those
// that have a meaning.
func SlowShown(i int, f *sampled.Function) bool {
	return i < SlowLines || f.Meaning != "" && i < 2*SlowLines
}

// SlowFigureRows are what was measured; what was not is ~.
func SlowFigureRows(d *sampled.Sample) [][2]string {
	f := d.Figures
	num := func(v *float64, unit string) string {
		switch {
		case v == nil:
			return "~"
		case *v >= 1000:
			return fmt.Sprintf("%.0f%s", *v, unit)
		}
		return fmt.Sprintf("%.1f%s", *v, unit)
	}
	size := func(v *unit.Bytes) string {
		if v == nil {
			return "~"
		}
		return v.String()
	}
	return [][2]string{
		{"queries active", num(f.Active, "") + ", of their time " + num(f.Waiting, " %") + " waiting, " +
			num(f.Computing, " %") + " computing"},
		{"run queue", num(f.RunQueue, "") + " on " + typeset.Digits(d.CPUs) + " processors; " + num(f.Blocked, "") +
			" blocked by disks"},
		{"processors", "busy " + num(f.Busy, " %") + ", in the kernel " + num(f.System, " %") + ", waiting for disks " +
			num(f.IOWait, " %") + ", stolen " + num(f.Steal, " %")},
		{"context switches", num(f.Switches, " a second")},
		{"pressure (PSI, some)", "processors " + num(f.CPUPSI, " %") + ", memory " + num(f.MemoryPSI, " %") +
			", disks " + num(f.IOPSI, " %")},
		{"page faults", num(f.Faults, " a second") + ", of them from disk " + num(f.Major, "")},
		{"swap", "in " + num(f.SwapIn, "") + " and out " + num(f.SwapOut, " pages a second")},
		{"direct reclaim", num(f.DirectScan, " pages a second")},
		{"compaction stalls", num(f.Compaction, " a second") + "; huge pages made in faults " +
			num(f.HugeFaults, " a second")},
		{"page tables", size(f.PageTables)},
		{"control group", "memory " + size(f.GroupMemory) + " of " + size(f.GroupLimit) + ", memory pressure " +
			num(f.GroupPSI, " %") + ", throttled " + num(f.Throttled, " % of periods")},
	}
}
