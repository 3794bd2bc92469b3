package kernlog

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// A kill is told by others too, whose lines may be all that somebody kept: the kernel's reaper, which comes after it,
// the kubelet, which reads the kernel's log, and oomkill of bcc and bpftrace, which watches the function.

var (
	reSystemOOM = regex.New(`\bSystem OOM encountered, victim process: (.{1,64}?), pid: (\d{1,10})\b`)
	reTriggered = regex.New(`^(?:(\d\d:\d\d:\d\d) )?Triggered by PID (\d{1,10}) \("?(.{1,64}?)"?\), ` +
		`OOM kill of PID (\d{1,10}) \("?(.{1,64}?)"?\)`)
)

// onlooker reads a line of one who tells of a kill.
func (p *Reader) onlooker(l line) bool {
	if strings.Contains(l.text, "System OOM encountered") {
		m := reSystemOOM.FindStringSubmatch(l.text)
		if m == nil || !event(l.text[:strings.Index(l.text, "System OOM")], l.indent) {
			return false
		}
		r := p.seen(l.at, m[1], m[2])
		r.Constraint, r.From = Global, ByKill // of a kill in a control group the kubelet says nothing
		return true
	}
	if !strings.Contains(l.text, "OOM kill of PID ") {
		return false
	}
	m := reTriggered.FindStringSubmatch(l.text)
	if m == nil {
		return false
	}
	if m[1] != "" && l.at.Text == "" {
		l.at.Text = m[1]
	}
	r := p.seen(l.at, m[5], m[4])
	r.Asker.Name = m[3]
	r.Asker.PID, _ = strconv.Atoi(m[2])
	return true
}

// seen notes a kill that another one tells of. It is left out where the kernel's own line about it is there.
func (p *Reader) seen(at Stamp, name, pid string) *Report {
	r := Report{At: at, Called: true, told: true, line: p.log.Lines}
	r.Asker.Order = -1
	v := Victim{At: at, UID: -1, Name: name}
	v.PID, _ = strconv.Atoi(pid)
	r.Victims = []Victim{v}
	p.keep(&r)
	return &p.log.Reports[len(p.log.Reports)-1]
}

// keep puts a report to those that were read.
func (p *Reader) keep(r *Report) {
	if len(p.log.Reports) >= maxReports {
		p.log.Reports = append(p.log.Reports[:0], p.log.Reports[1:]...)
		p.log.Cut = true
	}
	p.log.Reports = append(p.log.Reports, *r)
}

// settle leaves out what others tell of a kill that the kernel told, or told twice, and puts the reports into the
// order of the log, in which those of several hosts may overlap.
func (p *Reader) settle() {
	type who struct {
		pid  int
		name string
	}
	known := map[who]bool{}
	for i := range p.log.Reports {
		r := &p.log.Reports[i]
		for _, v := range r.Victims {
			if !r.told {
				known[who{v.PID, v.Name}] = true
			}
		}
	}
	kept := p.log.Reports[:0]
	for _, r := range p.log.Reports {
		if r.told {
			w := who{r.Victims[0].PID, r.Victims[0].Name}
			if known[w] {
				continue
			}
			known[w] = true
		}
		kept = append(kept, r)
	}
	p.log.Reports = kept
	slices.SortStableFunc(p.log.Reports, func(a, b Report) int { return a.line - b.line })
}
