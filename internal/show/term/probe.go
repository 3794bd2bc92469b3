package term

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Probe writes what was measured for a person.
func Probe(w io.Writer, d *document.Probe, st Style) error {
	p := newPage(st)
	if d.From != "" {
		p.para("", plain, "Read from "+typeset.Clean(d.From)+":")
	} else {
		p.subject("Measured", d.Subject)
	}
	for i := range d.Measured.Disks {
		p.probeDisk(d, &d.Measured.Disks[i])
	}
	if t := d.Measured.Timing; t != nil {
		p.probed("Clock (" + typeset.Clean(t.By) + ")")
		for i := range t.Timing.Clocks {
			c := &t.Timing.Clocks[i]
			name := c.Name
			switch {
			case name == "" && d.From != "":
				name = "the clock"
			case name == "":
				name = "clock source " + d.Measured.Clock
			}
			text := fmt.Sprintf("%.0f ns for each reading", c.LoopNanos)
			if share, ok := c.UnderMicrosecond(); ok {
				text += fmt.Sprintf(", %.2f %% of them below a microsecond", 100*share)
			}
			p.para("  ", plain, typeset.Clean(name)+": "+text)
		}
	}
	if m := d.Measured.Memory; m != nil {
		p.probed("Memory, as one processor reads it")
		p.para("  ", plain, fmt.Sprintf("%.0f ns for a load at random within %s; %s a second in order", m.Latency*1e9,
			m.Size, speed(m.Speed)))
	}
	p.probeFollows(d.Follows)
	for _, g := range outline.Alike(check.Report{Findings: d.Findings}.In(st.Words).Findings) {
		p.gap()
		p.findings(g)
	}
	if len(d.Measured.Missing) > 0 {
		p.probed("Could not be measured")
		for _, g := range d.Measured.Missing {
			text := g.Fact + ": " + g.Reason
			if g.Reveal != "" {
				text += "; " + g.Reveal
			}
			p.para("  ", plain, typeset.Clean(text))
		}
	}
	if d.Kept != "" {
		p.gap()
		p.para("", plain, "Kept in "+typeset.Clean(d.Kept)+
			": check and plan rest on it for 90 days, as long as devices and kernel are the same.")
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *page) probed(text string) {
	p.gap()
	p.line(p.tint(strong, "── "+text))
	p.gap()
}

func (p *page) probeDisk(d *document.Probe, k *measured.Disk) {
	name := k.Name
	if name == "" {
		name = "device " + k.Device
	}
	if under := listedPlaces(k); under != "" {
		name += ", under " + under
	}
	p.probed("Disk " + typeset.Clean(name))
	if f := k.Flush; f != nil {
		p.para("  ", plain, "One 8 kB write and its flush, as a commit waits for it ("+typeset.Clean(f.By)+"):")
		for _, r := range f.Fsync.One {
			if r.Missing {
				continue
			}
			note := ""
			if slices.Contains(d.Methods, r.Name) && slices.Contains(k.Roles, "wal") {
				note = "  wal_sync_method now"
			}
			two := ""
			if _, b, ok := f.Fsync.Rate(r.Name); ok {
				two = "; two writes " + typeset.PadLeft(rate(b), 9) + " /s"
			}
			p.line("    ", typeset.Pad(typeset.Clean(r.Name), 20), typeset.PadLeft(rate(r.PerSecond), 11), " /s ",
				typeset.PadLeft(lasting(1/max(r.PerSecond, 1e-9)), 9), two, p.tint(faint, note))
		}
		if x := f.Fsync.Plain; x != nil && x.PerSecond > 0 {
			p.line("    ", p.tint(faint, typeset.Pad("no flush", 20)+typeset.PadLeft(rate(x.PerSecond), 11)+
				" /s: the page cache"))
		}
		if f.Fsync.NoDirectIO {
			p.para("    ", faint, "This filesystem has no direct I/O for the open_… methods.")
		}
	}
	if s := k.FioFlush; s != nil && s.PerSecond > 0 {
		p.line("    ", typeset.Pad("fdatasync by fio", 20), typeset.PadLeft(rate(s.PerSecond), 11), " /s ",
			typeset.PadLeft(lasting(s.Mean), 9), "; 99 % within ", lasting(s.P99))
	}
	r := k.Reads
	if r == nil {
		return
	}
	if k.Flush != nil || k.FioFlush != nil {
		p.gap()
	}
	from := ", from a file of " + r.Size.String()
	if r.Size == 0 {
		from = ""
	}
	p.para("  ", plain, "Reads past the page cache"+from+" ("+typeset.Clean(r.By)+"):")
	for _, x := range r.Random {
		p.line("    ", typeset.Pad(fmt.Sprintf("8 kB, %d at once", x.Depth), 20),
			typeset.PadLeft(rate(x.PerSecond), 11), " /s ", typeset.PadLeft(lasting(x.Mean), 9), "; 99 % within ",
			lasting(x.P99))
	}
	if r.Sequential > 0 {
		p.line("    ", typeset.Pad("in order", 20), typeset.PadLeft(speed(r.Sequential), 11), "/s")
		if ratio, ok := r.RandomOverSequential(0); ok {
			p.para("    ", plain,
				fmt.Sprintf("A page read at random, one by one, takes %.0f times as long as one in order.", ratio))
		}
	}
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

func (p *page) probeFollows(list []document.ProbeKnob) {
	if len(list) == 0 {
		return
	}
	p.probed("What the plan makes of it")
	last := ""
	for _, k := range list {
		if k.Instance != last {
			p.para("  ", plain, typeset.Clean(k.Instance)+":")
			last = k.Instance
		}
		value := k.Present + " stays"
		switch {
		case k.Present == "":
			value = "~ → " + k.Want
		case k.Present != k.Want:
			value = k.Present + " → " + k.Want
		}
		p.line("    ", p.tint(strong, typeset.Clean(k.Knob)), "  ", typeset.Clean(value))
		p.para("      ", plain, typeset.Clean(k.Reason))
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
