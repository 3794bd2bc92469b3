package kernlog

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/unit"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// A kill is told by others too, whose lines may be all that a person kept: the kernel's reaper, which comes after it,
// the kubelet, which reads the kernel's log, and oomkill of bcc and bpftrace, which watches the function.

var (
	// A person leaves the number out.
	reSystemOOM = regex.New(`\b(System|Cgroup) OOM encountered, victim process: ` +
		`(.{1,64}?)(?:, pid: (\d{1,10})\b|[\s"'\x60.]{0,4}$)`)
	reTriggered = regex.New(`^(?:(\d\d:\d\d:\d\d) )?Triggered by PID (\d{1,10}) \("?(.{1,64}?)"?\), ` +
		`OOM kill of PID (\d{1,10}) \("?(.{1,64}?)"?\)`)
)

// onlooker reads a line of one who tells of a kill.
func (p *Reader) onlooker(l line) bool {
	if strings.Contains(l.text, " OOM encountered") {
		m := reSystemOOM.FindStringSubmatchIndex(l.text)
		if m == nil || !event(l.text[:m[0]], l.indent) {
			return false
		}
		pid := ""
		if m[6] >= 0 {
			pid = l.text[m[6]:m[7]]
		}
		r := p.seen(l.at, l.text[m[4]:m[5]], pid)
		p.inEvent(l.text)
		p.ofEvent(r)
		r.Constraint, r.From = Global, ByKill
		if l.text[m[2]:m[3]] == "Cgroup" { // most kubelets say nothing of those
			r.Constraint = Memcg
		}
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
				known[who{v.PID, v.Name}], known[who{0, v.Name}] = true, true
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
	p.log.Reports = once(together(kept))
	slices.SortStableFunc(p.log.Reports, func(a, b Report) int { return a.line - b.line })
}

// together joins a line of a kill with the table of the same kill, where a person has put the line before it, as those
// do who explain a report.
func together(list []Report) []Report {
	out := list[:0]
	for _, r := range list {
		if n := len(out); n > 0 && oneKill(&out[n-1], &r) {
			kill := out[n-1]
			r.Victims, r.Score, r.line = kill.Victims, kill.Score, kill.line
			if kill.At.Text != "" || kill.At.Boot >= 0 {
				r.At = kill.At
			}
			if kill.Constraint != Unclear {
				r.Constraint, r.From = kill.Constraint, kill.From
			}
			r.conclude()
			out[n-1] = r
			continue
		}
		out = append(out, r)
	}
	return out
}

// bare says whether a report is but the lines of a kill.
func (r *Report) bare() bool {
	return r.Asker.Name == "" && r.Info == nil && r.Memcg == nil && len(r.Table.Tasks) == 0 && !r.WholeGroup &&
		len(r.Victims) == 1
}

// once leaves out lines of a kill that a person shows once more: what grep found of a report that stands below, and
// the end of a report that an article repeats.
func once(list []Report) []Report {
	seen := map[int][]int{} // reports by the process that was killed
	for i := range list {
		for j := range list[i].Victims {
			pid := list[i].Victims[j].PID
			seen[pid] = append(seen[pid], i)
		}
	}
	gone := map[int]bool{}
	for i := range list {
		r := &list[i]
		if !r.bare() {
			continue
		}
		for _, k := range seen[r.Victims[0].PID] {
			if k != i && !gone[k] && repeats(r, &list[k], k < i) {
				gone[i] = true
				break
			}
		}
	}
	out := list[:0]
	for i, r := range list {
		if !gone[i] {
			out = append(out, r)
		}
	}
	return out
}

// repeats says whether a report that is but lines of a kill tells nothing that another one does not.
func repeats(r, of *Report, earlier bool) bool {
	v := &r.Victims[0]
	for i := range of.Victims {
		w := &of.Victims[i]
		if w.PID != v.PID || w.Name != v.Name || v.Name == "" {
			continue
		}
		same := sameSize(v.Anon, w.Anon) && sameSize(v.VM, w.VM)
		switch {
		case v.At.Boot >= 0 && w.At.Boot >= 0:
			return v.At.Boot == w.At.Boot && (earlier || !of.bare()) && (same || v.Anon == nil)
		case v.At.Text != "" && v.At.Text == w.At.Text, v.At.Text == "" && w.At.Text == "":
			return same && earlier
		case v.Anon == nil && r.Score != nil && of.Score != nil && *r.Score == *of.Score:
			return w.Anon != nil || !of.bare() // of another clock
		}
	}
	return false
}

func sameSize(a, b *unit.Bytes) bool { return a == b || a != nil && b != nil && *a == *b }

// nextLines is how near a kill without a time and the table have to be.
const nextLines = 4

// oneKill says whether a report has but the line of a kill, and the one behind it but the table, of the same seconds.
func oneKill(kill, table *Report) bool {
	if len(kill.Victims) == 0 || kill.told || kill.Asker.Name != "" || kill.Info != nil || kill.Memcg != nil ||
		len(kill.Table.Tasks) > 0 || len(table.Victims) > 0 || table.Asker.Name != "" || table.NoVictim ||
		table.Panic || len(table.Table.Tasks) == 0 {
		return false
	}
	a, b := kill.At, table.At
	switch {
	case a.Text == "" && a.Boot < 0:
		return table.line-kill.line <= nextLines
	case !a.Wall.IsZero() && !b.Wall.IsZero():
		return b.Wall.Sub(a.Wall).Abs() <= sameKill
	case a.Boot >= 0 && b.Boot >= 0:
		return (b.Boot - a.Boot).Abs() <= sameKill
	}
	x, err := time.Parse(time.Stamp, a.Text)
	y, err2 := time.Parse(time.Stamp, b.Text)
	return err == nil && err2 == nil && y.Sub(x).Abs() <= sameKill
}

// sameKill is how long the kernel takes at most from the table to the kill.
const sameKill = 2 * time.Second
