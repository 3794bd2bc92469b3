package render

import (
	"fmt"
	"io"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/live"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose"
)

// SlowSampleJSON writes what a watch told as JSON. No array is null.
func SlowSampleJSON(w io.Writer, d *diagnose.SlowSample) error { return writeJSON(w, d) }

// most lines of each list that a person reads in an emergency.
const slowLines = 10

// SlowSampleText writes what a watch told for people.
func SlowSampleText(w io.Writer, d *diagnose.SlowSample, st Style) error {
	p := newPage(st)
	p.para("", strong, d.Verdict)
	p.slowVerdicts(d.Verdicts)
	p.gap()
	p.line(p.tint(strong, "── "+seenIn(d)))
	p.gap()
	p.slowFigures(d)
	if len(d.Waits) > 0 {
		p.gap()
		p.line(p.tint(strong, "── What the processes of the server did, on average at once"))
		p.gap()
		for i, x := range d.Waits {
			if i == slowLines {
				break
			}
			p.line("  ", padLeft(atOnce(d, &x), 6), "  ", pad(clean(WaitName(&x)), 34), "  ", clean(x.Backend))
		}
	}
	if len(d.Processes) > 0 {
		p.gap()
		p.line(p.tint(strong, "── Processors used, by process"))
		p.gap()
		for _, x := range d.Processes {
			p.line("  ", padLeft(processorsUsed(d, &x), 6), "  ", padLeft(digits(x.PID), 8), "  ", pad(clean(x.Name), 16), "  ", whoseProcess(&x))
		}
	}
	if len(d.Functions) > 0 {
		p.gap()
		p.line(p.tint(strong, "── Functions, of the whole host (perf)"))
		p.gap()
		for i, f := range d.Functions {
			if !slowShown(i, &f) {
				continue
			}
			p.para(fmt.Sprintf("  %5.1f %%  ", f.Percent), plain, functionName(&f))
			if f.Meaning != "" {
				p.para("           ", faint, f.Meaning)
			}
		}
	}
	if len(d.Missing) > 0 {
		p.gap()
		p.line(p.tint(strong, "── Could not be seen"))
		p.gap()
		for _, g := range d.Missing {
			p.para("  ", plain, clean(unseen(g)))
		}
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// seenIn names what was watched, and for how long.
func seenIn(d *diagnose.SlowSample) string {
	if d.Instance == "" {
		return fmt.Sprintf("Seen in %.0f s", d.Seconds)
	}
	return fmt.Sprintf("Seen in %.0f s of %s", d.Seconds, clean(d.Instance))
}

// atOnce is how many processes waited so, on average.
func atOnce(d *diagnose.SlowSample, w *live.Wait) string {
	return fmt.Sprintf("%.1f", float64(w.Seen)/float64(max(d.Asked, 1)))
}

// WaitName says what a process did: the type and the event that it waited for.
func WaitName(w *live.Wait) string {
	if w.Type == "" {
		return "computes"
	}
	return w.Type + " / " + w.Event
}

func processorsUsed(d *diagnose.SlowSample, b *live.Busy) string {
	return fmt.Sprintf("%.2f", b.CPU/max(d.Seconds, 0.001))
}

func whoseProcess(b *live.Busy) string {
	switch {
	case b.Ours:
		return "of this instance"
	case b.Kernel:
		return "of the kernel"
	}
	return ""
}

func functionName(f *diagnose.SlowFunction) string {
	where := ""
	if f.Kernel {
		where = " (kernel)"
	}
	return clean(f.Name) + where + " in " + clean(f.Command)
}

// slowShown says whether the i-th function is told: the first, and of more those
// that have a meaning.
func slowShown(i int, f *diagnose.SlowFunction) bool {
	return i < slowLines || f.Meaning != "" && i < 2*slowLines
}

func unseen(g known.Gap) string {
	if g.Reveal == "" {
		return g.Fact + ": " + g.Reason
	}
	return g.Fact + ": " + g.Reason + "; " + g.Reveal
}

// slowFigures writes what was measured.
func (p *page) slowFigures(d *diagnose.SlowSample) {
	for _, row := range slowFigureRows(d) {
		p.para("  "+pad(row[0], 20)+"  ", plain, row[1])
	}
}

// slowFigureRows are what was measured; what was not is ~.
func slowFigureRows(d *diagnose.SlowSample) [][2]string {
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
		{"queries active", num(f.Active, "") + ", of their time " + num(f.Waiting, " %") + " waiting, " + num(f.Computing, " %") + " computing"},
		{"run queue", num(f.RunQueue, "") + " on " + digits(d.CPUs) + " processors; " + num(f.Blocked, "") + " blocked by disks"},
		{"processors", "busy " + num(f.Busy, " %") + ", in the kernel " + num(f.System, " %") + ", waiting for disks " + num(f.IOWait, " %") + ", stolen " + num(f.Steal, " %")},
		{"context switches", num(f.Switches, " a second")},
		{"pressure (PSI, some)", "processors " + num(f.CPUPSI, " %") + ", memory " + num(f.MemoryPSI, " %") + ", disks " + num(f.IOPSI, " %")},
		{"page faults", num(f.Faults, " a second") + ", of them from disk " + num(f.Major, "")},
		{"swap", "in " + num(f.SwapIn, "") + " and out " + num(f.SwapOut, " pages a second")},
		{"direct reclaim", num(f.DirectScan, " pages a second")},
		{"compaction stalls", num(f.Compaction, " a second") + "; huge pages made in faults " + num(f.HugeFaults, " a second")},
		{"page tables", size(f.PageTables)},
		{"control group", "memory " + size(f.GroupMemory) + " of " + size(f.GroupLimit) + ", memory pressure " + num(f.GroupPSI, " %") + ", throttled " + num(f.Throttled, " % of periods")},
	}
}
