package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Probe is what was measured of disks, clock, and memory, and what follows from it.
func Probe(d *document.Probe, c *say.Catalogue) outline.Outline {
	var o outline.Outline
	if d.From != "" {
		o.Para("Read from ", d.From, ":")
		readOutputs(&o, d, c)
	} else {
		o.Add(outline.About(d.Subject, c)...)
		for i := range d.Measured.Disks {
			probedDisk(&o, d, &d.Measured.Disks[i])
		}
		probedClock(&o, d, d.Measured.Timing)
	}
	if m := d.Measured.Memory; m != nil {
		o.Part("Memory, read by one CPU")
		o.Para(fmt.Sprintf("%.0f ns per random read within %s; %s/s sequential", m.Latency*1e9, m.Size,
			speed(m.Speed)))
	}
	probeFollows(&o, d.Follows)
	o.Add(outline.Findings(document.Check{Report: check.Report{Findings: d.Findings}}, c)...)
	if len(d.Measured.Missing) > 0 {
		o.Part("Not measured")
		for _, g := range d.Measured.Missing {
			p := outline.WordsIn(c)
			text := g.Fact + p.Colon() + gapwords.In(c, g.Reason)
			if g.Reveal != "" {
				text += p.Semicolon() + gapwords.In(c, g.Reveal)
			}
			o.Para(text)
		}
	}
	if d.Kept != "" {
		o.Add(outline.Summary{Lines: []outline.Para{{Text: outline.Join("Saved in ", d.Kept,
			" (used by check and plan for 90 days, unless devices or kernel change)")}}})
	}
	return o
}

// probedClock is how long a reading of each clock takes.
func probedClock(o *outline.Outline, d *document.Probe, t *measured.TimingRun) {
	if t == nil {
		return
	}
	if d.From == "" {
		o.Part("Clock (", t.By, ")")
	}
	for i := range t.Timing.Clocks {
		c := &t.Timing.Clocks[i]
		name := c.Name
		switch {
		case name == "" && d.From != "":
			name = "the clock"
		case name == "":
			name = "clock source " + d.Measured.Clock
		}
		text := fmt.Sprintf("%.0f ns per reading", c.LoopNanos)
		if share, ok := c.UnderMicrosecond(); ok {
			text += fmt.Sprintf(", %.2f%% of them below 1 µs", 100*share)
		}
		o.Para(name, ": ", text)
	}
}

// probedDisk is what was measured of one disk: flushed writes, then reads.
func probedDisk(o *outline.Outline, d *document.Probe, k *measured.Disk) {
	name := k.Name
	if name == "" {
		name = "device " + k.Device
	}
	if under := listedPlaces(k); under != "" {
		name += ", used by " + under
	}
	o.Part("Disk ", name)
	flushedWrites(o, d, k)
	r := k.Reads
	if r == nil {
		return
	}
	from := ", from a file of " + r.Size.String()
	if r.Size == 0 {
		from = ""
	}
	o.Para("Reads without the page cache", from, " (", r.By, "):")
	rows := [][]string{{"8 kB reads", "per second", "mean", "p99"}}
	for _, x := range r.Random {
		rows = append(rows, []string{fmt.Sprintf("random, queue depth %d", x.Depth), rate(x.PerSecond), lasting(x.Mean),
			lasting(x.P99)})
	}
	ratio, compared := 0.0, false
	if r.Sequential > 0 {
		rows = append(rows, []string{"sequential", speed(r.Sequential) + "/s", "", ""})
		ratio, compared = r.RandomOverSequential(0)
	}
	if len(rows) > 1 {
		o.Add(outline.TableOf("Reads without the page cache", rows, 1))
	}
	if compared {
		o.Para(fmt.Sprintf("A random read of a page, one at a time, takes %.0f × as long as a sequential one.", ratio))
	}
}

// flushedWrites is what was measured of writes and their flushes.
func flushedWrites(o *outline.Outline, d *document.Probe, k *measured.Disk) {
	if k.Flush != nil {
		o.Para("One 8 kB write and its flush, as at a commit (", k.Flush.By, "):")
	}
	o.Add(flushTable(d, k)...)
	if k.Flush != nil && k.Flush.Fsync.NoDirectIO {
		o.Toned(outline.ToneNote, "This filesystem has no direct I/O for the open_… methods.")
	}
}

// flushTable is the rates of flushed writes, one method a row; nothing where none was measured.
func flushTable(d *document.Probe, k *measured.Disk) []outline.Block {
	rows := [][]string{{"method", "per second", "mean", "p99", "two writes per second"}}
	notes := map[int]string{} // of rows
	if f := k.Flush; f != nil {
		for _, r := range f.Fsync.One {
			if r.Missing {
				continue
			}
			if slices.Contains(d.Methods, r.Name) && slices.Contains(k.Roles, "wal") {
				notes[len(rows)-1] = "current wal_sync_method"
			}
			two := ""
			if _, b, ok := f.Fsync.Rate(r.Name); ok {
				two = rate(b)
			}
			rows = append(rows, []string{r.Name, rate(r.PerSecond), lasting(1 / max(r.PerSecond, 1e-9)), "", two})
		}
		if x := f.Fsync.Plain; x != nil && x.PerSecond > 0 {
			notes[len(rows)-1] = "the page cache"
			rows = append(rows, []string{"no flush", rate(x.PerSecond), "", "", ""})
		}
	}
	if s := k.FioFlush; s != nil && s.PerSecond > 0 {
		rows = append(rows, []string{"fdatasync (fio)", rate(s.PerSecond), lasting(s.Mean), lasting(s.P99), ""})
	}
	if len(rows) == 1 {
		return nil
	}
	t := outline.TableOf("Flushed writes", rows, 1)
	for i, note := range notes {
		t.Rows[i][0] = outline.Join(t.Rows[i][0], outline.Faint(" ("+note+")"))
	}
	return []outline.Block{t}
}

// listedPlaces names the folders of a disk, the first few of them.
func listedPlaces(k *measured.Disk) string {
	var at []string
	for _, place := range k.Places { // what lies in another one, as pg_wal does, goes without saying
		if !slices.ContainsFunc(k.Places, func(o string) bool { return strings.HasPrefix(place, o+"/") }) {
			at = append(at, place)
		}
	}
	if len(at) == 0 {
		return strings.Join(k.Roles, ", ")
	}
	const shown = 3
	s := strings.Join(at[:min(len(at), shown)], ", ")
	if more := len(at) - shown; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

// probeFollows is what the rules make of it, below each instance.
func probeFollows(o *outline.Outline, list []document.ProbeKnob) {
	if len(list) == 0 {
		return
	}
	o.Part("Effect on the plan")
	for i := 0; i < len(list); {
		at := list[i].Instance
		var rows outline.Rows
		for ; i < len(list) && list[i].Instance == at; i++ {
			k := &list[i]
			value := k.Present + " (unchanged)"
			switch {
			case k.Present == "":
				value = "~ → " + k.Want
			case k.Present != k.Want:
				value = k.Present + " → " + k.Want
			}
			row := outline.RowOf(outline.Bold(k.Knob), value)
			row.More = []outline.Block{outline.Para{Text: outline.Join(k.Reason)}}
			rows.List = append(rows.List, row)
		}
		o.Para(at, ":")
		o.Add(rows)
	}
}

// rate spells a number a second: two digits after the point below ten, which is
// where they tell something.
func rate(v float64) string {
	switch {
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return typeset.Digits(int(math.Round(v)))
}

// lasting spells seconds in the unit that leaves one to three digits.
func lasting(s float64) string {
	switch {
	case s <= 0:
		return "~"
	case s < 1e-6:
		return fmt.Sprintf("%.0f ns", s*1e9)
	case s < 1e-3:
		return fmt.Sprintf("%.0f µs", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.1f ms", s*1e3)
	}
	return fmt.Sprintf("%.1f s", s)
}

// speed spells bytes a second; Bytes.String keeps every digit, and three tell
// all that such a measurement does.
func speed(b unit.Bytes) string {
	switch {
	case b >= 10*unit.GB:
		return fmt.Sprintf("%.0f GB", float64(b)/float64(unit.GB))
	case b >= unit.GB:
		return fmt.Sprintf("%.1f GB", float64(b)/float64(unit.GB))
	}
	return fmt.Sprintf("%.0f MB", float64(b)/float64(unit.MB))
}
