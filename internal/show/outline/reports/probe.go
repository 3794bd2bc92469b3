package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/outputs"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// Probe is what was measured of disks, clock, and memory, and what follows from it.
func Probe(d *document.Probe, c *say.Catalogue) outline.Outline {
	var o outline.Outline
	p := probeWords{outline.WordsIn(c)}
	if d.From != "" {
		o.Para(p.Say("Read from {file}:", "file", d.From))
		p.outputs(&o, d)
	} else {
		o.Add(outline.About(d.Subject, c)...)
		for i := range d.Measured.Disks {
			p.disk(&o, d, &d.Measured.Disks[i])
		}
		p.clock(&o, d, d.Measured.Timing)
	}
	if m := d.Measured.Memory; m != nil {
		o.Part(p.Say("Memory, read by one CPU"))
		o.Para(p.Say("{time} per random read within {size}; {speed} sequential", "time", nanos(m.Latency*1e9), "size",
			m.Size, "speed", speed(m.Speed)))
	}
	p.follows(&o, d.Follows)
	o.Add(outline.Findings(document.Check{Report: check.Report{Findings: p.findings(d)}}, c)...)
	if len(d.Measured.Missing) > 0 {
		o.Part(p.Say("Not measured"))
		for _, g := range d.Measured.Missing {
			text := gapwords.In(c, g.Fact) + p.Colon() + gapwords.In(c, g.Reason)
			if g.Reveal != "" {
				text += p.Semicolon() + gapwords.In(c, g.Reveal)
			}
			o.Para(text)
		}
	}
	if d.Kept != "" {
		o.Add(outline.Summary{Lines: []outline.Para{{Text: outline.Join(p.Say("Saved in {file} (used by check and "+
			"plan for 90 days, unless devices or kernel change)", "file", d.Kept))}}})
	}
	return o
}

// probeWords are the words of what was measured.
type probeWords struct{ outline.Words }

// row is the cells of a table.
func (p probeWords) row(cells ...any) []string {
	out := make([]string, len(cells))
	for i, cell := range cells {
		out[i] = p.Value(cell)
	}
	return out
}

// columns is the head of a table. It is one text, so that translators see the neighboring words: no other context
// distinguishes the running processes from a running server.
func (p probeWords) columns(text say.Template) []string {
	const between = " | "
	english := strings.Split(string(text), between)
	if told := strings.Split(p.Say(text), between); len(told) == len(english) {
		return told
	}
	return english // a translation with another number of columns would put numbers below the wrong ones
}

// clock is how long a reading of each clock takes.
func (p probeWords) clock(o *outline.Outline, d *document.Probe, t *measured.TimingRun) {
	if t == nil {
		return
	}
	if d.From == "" {
		o.Part(p.Say("Clock ({by})", "by", t.By))
	}
	for i := range t.Timing.Clocks {
		c := &t.Timing.Clocks[i]
		var name any = c.Name
		switch {
		case c.Name == "" && d.From != "":
			name = say.M("the clock")
		case c.Name == "":
			name = say.M("clock source {name}", "name", d.Measured.Clock)
		}
		if share, ok := c.UnderMicrosecond(); ok {
			o.Para(p.Say("{clock}: {time} per reading, {share} of them below 1 µs", "clock", name, "time",
				nanos(c.LoopNanos), "share", say.Number(fmt.Sprintf("%.2f%%", 100*share))))
			continue
		}
		o.Para(p.Say("{clock}: {time} per reading", "clock", name, "time", nanos(c.LoopNanos)))
	}
}

// disk is what was measured of one disk: flushed writes, then reads.
func (p probeWords) disk(o *outline.Outline, d *document.Probe, k *measured.Disk) {
	name := say.M("Disk {name}", "name", k.Name)
	if k.Name == "" {
		name = say.M("Disk device {device}", "device", k.Device)
	}
	var under say.Message
	if places := listedPlaces(k); !places.IsZero() {
		under = say.M("used by {places}", "places", places)
	}
	o.Part(p.Word(say.All(", ", name, under)))
	p.flushedWrites(o, d, k)
	r := k.Reads
	if r == nil {
		return
	}
	title := p.Say("Reads without the page cache")
	if by := r.Author(); r.Size == 0 {
		o.Para(p.Say("Reads without the page cache ({by}):", "by", by))
	} else {
		o.Para(p.Say("Reads without the page cache, from a file of {size} ({by}):", "size", r.Size, "by", by))
	}
	rows := [][]string{p.columns("8 kB reads | per second | mean | p99")}
	for _, x := range r.Random {
		rows = append(rows, p.row(say.M("random, queue depth {depth}", "depth", fmt.Sprint(x.Depth)),
			outputs.Rate(x.PerSecond),
			lasting(x.Mean), lasting(x.P99)))
	}
	ratio, compared := 0.0, false
	if r.Sequential > 0 {
		rows = append(rows, p.row(say.M("sequential"), speed(r.Sequential), "", ""))
		ratio, compared = r.RandomOverSequential(0)
	}
	if len(rows) > 1 {
		o.Add(outline.TableOf(title, rows, 1))
	}
	if compared {
		o.Para(p.Say("A random read of a page, one at a time, takes {times} × as long as a sequential one.", "times",
			say.Number(fmt.Sprintf("%.0f", ratio))))
	}
}

// flushedWrites is what was measured of writes and their flushes.
func (p probeWords) flushedWrites(o *outline.Outline, d *document.Probe, k *measured.Disk) {
	switch {
	case k.Flush == nil:
	case onlyTwo(&k.Flush.Fsync):
		o.Para(p.Say("Two 8 kB writes and their flush ({by}):", "by", k.Flush.Author()))
	default:
		o.Para(p.Say("One 8 kB write and its flush, as at a commit ({by}):", "by", k.Flush.Author()))
	}
	o.Add(p.flushTable(d, k)...)
	if k.Flush != nil && k.Flush.Fsync.NoDirectIO {
		o.Toned(outline.ToneNote, p.Say("This filesystem has no direct I/O for the open_… methods."))
	}
}

// onlyTwo says whether the table of one write is not there, and that of two is.
func onlyTwo(f *measured.Fsync) bool { return len(f.One) == 0 && len(f.Two) > 0 }

// flushTable is the rates of flushed writes, one method a row; nothing where none was measured.
func (p probeWords) flushTable(d *document.Probe, k *measured.Disk) []outline.Block {
	rows := [][]string{p.columns("method | per second | mean | p99 | two writes per second")}
	notes := map[int]string{} // of rows
	if f := k.Flush; f != nil {
		for _, r := range f.Fsync.One {
			if r.Missing {
				continue
			}
			if slices.Contains(d.Methods, r.Name) && slices.Contains(k.Roles, "wal") {
				notes[len(rows)-1] = p.Say("current wal_sync_method")
			}
			var two any = ""
			if _, b, ok := f.Fsync.Rate(r.Name); ok {
				two = outputs.Rate(b)
			}
			rows = append(rows, p.row(r.Name, outputs.Rate(r.PerSecond), lasting(1/max(r.PerSecond, 1e-9)), "", two))
		}
		for _, r := range f.Fsync.Two {
			if onlyTwo(&f.Fsync) && !r.Missing {
				rows = append(rows, p.row(r.Name, "", "", "", outputs.Rate(r.PerSecond)))
			}
		}
		if x := f.Fsync.Plain; x != nil && x.PerSecond > 0 {
			notes[len(rows)-1] = p.Say("the page cache")
			rows = append(rows, p.row(say.M("no flush"), outputs.Rate(x.PerSecond), "", "", ""))
		}
	}
	if s := k.FioFlush; s != nil && s.PerSecond > 0 {
		rows = append(rows, p.row("fdatasync (fio)", outputs.Rate(s.PerSecond), lasting(s.Mean), lasting(s.P99), ""))
	}
	if len(rows) == 1 {
		return nil
	}
	t := outline.TableOf(p.Say("Flushed writes"), rows, 1)
	for i, note := range notes {
		t.Rows[i][0] = outline.Join(t.Rows[i][0], outline.Faint(" ("+note+")"))
	}
	return []outline.Block{t}
}

// listedPlaces names the directories of a disk, the first few of them.
func listedPlaces(k *measured.Disk) say.Message {
	var at []string
	for _, place := range k.Places { // what is in another one, as pg_wal does, goes without saying
		if !slices.ContainsFunc(k.Places, func(o string) bool { return strings.HasPrefix(place, o+"/") }) {
			at = append(at, place)
		}
	}
	if len(at) == 0 {
		at = k.Roles
	}
	if len(at) == 0 {
		return say.Message{}
	}
	const shown = 3
	names := say.Names(at[:min(len(at), shown)], 0)
	if more := len(at) - shown; more > 0 {
		return say.N(more, "{places} and {n} more", "{places} and {n} more", "places", names)
	}
	return say.Text(names.String())
}

// follows is what the rules make of it, below each instance.
func (p probeWords) follows(o *outline.Outline, list []document.ProbeKnob) {
	if len(list) == 0 {
		return
	}
	o.Part(p.Say("Effect on the plan"))
	for i := 0; i < len(list); {
		at := list[i].Instance
		var rows outline.Rows
		for ; i < len(list) && list[i].Instance == at; i++ {
			k := &list[i]
			value := p.Say("{value} (unchanged)", "value", k.Present)
			switch {
			case k.Present == "":
				value = "~ → " + k.Want
			case k.Present != k.Want:
				value = k.Present + " → " + k.Want
			}
			row := outline.RowOf(outline.Bold(k.Knob), value)
			row.More = []outline.Block{outline.Para{Text: outline.Join(p.Word(k.Reason))}}
			rows.List = append(rows.List, row)
		}
		o.Para(at, p.Say(":"))
		o.Add(rows)
	}
}
