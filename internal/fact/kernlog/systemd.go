package kernlog

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

var (
	reUnit = regex.New(`^(\S{1,256}): (A process of this unit has been killed by the OOM killer|` +
		`The kernel OOM killer killed some processes in this unit|Failed with result 'oom-kill'|` +
		`systemd-oomd killed (\d{1,9}) process)`)
	reConsumed = regex.New(`^(\S{1,256}): Consumed .*?\b(\d{1,9}(?:\.\d{1,3})?)([KMGTP]?)B? memory peak` +
		`(?:, (\d{1,9}(?:\.\d{1,3})?)([KMGTP]?)B? memory swap peak)?`)
	reMain = regex.New(`^(\S{1,256}): Main process exited, code=killed, status=9/KILL$`)
	// Since 258 it marks what it kills.
	reOomd = regex.New(`^(?:Killed|Marked) (\S{1,512})(?: for killing)?` +
		`(?: due to (memory used|swap used|memory pressure)\b(.*))?`)
	// «(32305733632) / total (33046663168)»
	reOomdUsed     = regex.New(`^ \((\d{1,18})\)(?: / total \((\d{1,18})\))?`)
	reOomdOf       = regex.New(`^ for (\S{1,512}) being `)
	reOomdPressure = regex.New(`\bbeing (\d{1,16}(?:\.\d{1,2})?)% > (\d{1,3}(?:\.\d{1,2})?)%` +
		`(?: for > (\d{1,9}(?:min|s|ms)(?: \d{1,9}(?:s|ms))?)(?: |$))?`)
	// What it found before it kills, until 249 and since.
	reOomdOver = regex.New(`^Memory pressure for (\S{1,512}) is (?:greater than (\d{1,3})|` +
		`(\d{1,16}(?:\.\d{1,2})?)% > (\d{1,3}(?:\.\d{1,2})?)%)(?: for (?:more than (\d{1,9}) seconds|` +
		`> (\d{1,9}(?:min|s|ms)(?: \d{1,9}(?:s|ms))?)))?`)
	reOomdSwap   = regex.New(`^(Swap|Memory) used \((\d{1,18})\) / total \((\d{1,18})\) (?:is more than|and swap used)`)
	reConsidered = regex.New(`^Considered (\d{1,9}) cgroups for killing`)
	reCandidate  = regex.New(`^(Path|Pressure|Current Memory Usage|Swap Usage): {1,8}(\S.*)$`)
)

// systemd reads what systemd and systemd-oomd say about a kill.
func (p *Reader) systemd(l line) bool {
	s := l.text
	if p.earlyoom(l) {
		return true
	}
	if m := reUnit.FindStringSubmatch(s); m != nil {
		o := Other{At: l.at, Kind: UnitKilled, Name: m[1], Text: s}
		switch {
		case strings.HasPrefix(m[2], "Failed"):
			o.Kind = UnitFailed
		case m[3] != "":
			o.Kind = OomdUnit
			o.Processes, _ = strconv.Atoi(m[3])
		}
		if peak := p.peaks[o.Name]; peak != nil {
			o.Peak, o.SwapPeak = peak.Peak, peak.SwapPeak
			delete(p.peaks, o.Name)
		}
		p.add(o)
		return true
	}
	if m := reConsumed.FindStringSubmatch(s); m != nil {
		p.consumed(m)
		return true
	}
	if unit, _, ok := strings.Cut(s, ": "); ok && strings.HasSuffix(s, "timed out. Killing.") {
		if p.stopping == nil {
			p.stopping = map[string]bool{}
		}
		p.stopping[unit] = true
		return true
	}
	if m := reMain.FindStringSubmatch(s); m != nil {
		p.mainKilled(m[1])
		return true
	}
	if m := reConsidered.FindStringSubmatch(s); m != nil {
		o := Other{At: l.at, Kind: OomdLooked, Text: s}
		o.Cgroups, _ = strconv.Atoi(m[1])
		p.add(o)
		p.looked = p.log.Lines
		return true
	}
	if p.lately(p.looked, candidateLines) && p.candidate(s) {
		return true
	}
	if p.oomdOver(l) {
		return true
	}
	m := reOomd.FindStringSubmatch(s)
	if m == nil || l.from != fromSystemd && m[2] == "" {
		return false
	}
	o := Other{At: l.at, Kind: OomdKilled, Name: m[1], Text: s}
	switch m[2] {
	case "memory used":
		o.Why = MemoryUsed
	case "swap used":
		o.Why = SwapUsed
	case "memory pressure":
		o.Why = MemoryPressure
	}
	if u := reOomdUsed.FindStringSubmatch(m[3]); u != nil && o.Why != MemoryPressure {
		o.Used, o.Total = wholeBytes(u[1]), wholeBytes(u[2])
	}
	if u := reOomdPressure.FindStringSubmatch(m[3]); u != nil && o.Why == MemoryPressure {
		o.Pressure, o.Most, o.For = percent(u[1]), percent(u[2]), u[3]
		if of := reOomdOf.FindStringSubmatch(m[3]); of != nil {
			o.Of = of[1]
		}
	}
	p.add(o)
	return true
}

// oomdOver reads what systemd-oomd found before it kills.
func (p *Reader) oomdOver(l line) bool {
	o := Other{At: l.at, Kind: OomdOver, Text: l.text}
	if m := reOomdOver.FindStringSubmatch(l.text); m != nil {
		o.Why, o.Of, o.For = MemoryPressure, m[1], m[6]
		if m[5] != "" {
			o.For = m[5] + "s"
		}
		o.Pressure, o.Most = percent(m[3]), percent(m[2]+m[4])
		p.add(o)
		return true
	}
	m := reOomdSwap.FindStringSubmatch(l.text)
	if m == nil {
		return false
	}
	if o.Why = MemoryUsed; m[1] == "Swap" {
		o.Why = SwapUsed
	}
	o.Used, o.Total = wholeBytes(m[2]), wholeBytes(m[3])
	p.add(o)
	return true
}

// candidateLines is how many lines such a list has.
const candidateLines = 80

// candidate reads a line of what systemd-oomd could kill: of the first in its list.
func (p *Reader) candidate(s string) bool {
	m := reCandidate.FindStringSubmatch(s)
	n := len(p.log.Other)
	if m == nil || n == 0 || p.log.Other[n-1].Kind != OomdLooked {
		return false
	}
	o := &p.log.Other[n-1]
	switch {
	case m[1] == "Path" && o.Name == "":
		o.Name = m[2]
	case m[1] == "Path":
		p.looked = 0 // the next
	}
	if p.looked > 0 && len(o.Text) < maxText {
		o.Text += " " + s
	}
	return true
}

// mainLines is how many lines after a kill systemd may say whose main process it was.
const mainLines = 64

// mainKilled notes that systemd found the main process of a unit killed: of a unit of the victim's own name, just after
// the kill, it is the victim.
func (p *Reader) mainKilled(unit string) {
	r := p.at
	if r == nil && len(p.log.Reports) > 0 {
		r = &p.log.Reports[len(p.log.Reports)-1]
	}
	if r == nil || len(r.Victims) != 1 || p.log.Lines-p.killed > mainLines || p.stopping[unit] ||
		!strings.HasPrefix(unit, "postgres") || !strings.HasPrefix(r.Victims[0].Name, "postgres") {
		return
	}
	r.Victims[0].MainOf = unit
}

// consumed notes the peaks of a unit of which a kill was told: systemd tells them of every unit that ends.
func (p *Reader) consumed(m []string) {
	const far = 64
	for i := len(p.log.Other) - 1; i >= 0 && i >= len(p.log.Other)-far; i-- {
		o := &p.log.Other[i]
		if o.Name != m[1] || o.Kind == Refused || o.Kind == AllocFail {
			continue
		}
		o.Peak, o.SwapPeak = scaled(m[2], m[3]), scaled(m[4], m[5])
		return
	}
	const most = 256
	if p.peaks == nil {
		p.peaks = map[string]*Other{}
	}
	if len(p.peaks) < most {
		p.peaks[m[1]] = &Other{Peak: scaled(m[2], m[3]), SwapPeak: scaled(m[4], m[5])}
	}
}

// scaled is a size as systemd writes it, rounded to a tenth of a power of 1024.
func scaled(number, letter string) *unit.Bytes {
	f, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return nil
	}
	b := unit.Bytes(f * float64(map[string]unit.Bytes{"": 1, "K": unit.KB, "M": unit.MB, "G": unit.GB, "T": unit.TB,
		"P": 1024 * unit.TB}[letter]))
	return &b
}

func wholeBytes(s string) *unit.Bytes {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return nil
	}
	b := unit.Bytes(n)
	return &b
}

func percent(s string) *float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil
	}
	return &f
}
