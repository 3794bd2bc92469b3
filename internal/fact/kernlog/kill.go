package kernlog

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// kill reads the lines that say who was killed. Before 5.0 there are two: the
// choice, and who was killed for it, which may be a child.
func (p *Reader) kill(l line) bool {
	p.gave = strings.HasPrefix(l.text, "oom_reaper: ") // what follows is of what the reaper left
	if m := reReaped.FindStringSubmatch(l.text); m != nil {
		pid, _ := strconv.Atoi(m[1])
		if v := p.victim(pid); v != nil {
			v.Reaped = true
		} else if v := p.sacrificed(m[2]); v != nil {
			v.PID, v.Reaped = pid, true
		} else if m[2] != "" {
			p.seen(l.at, m[2], m[1]) // what it gave back is no size of what was killed
		}
		return true
	}
	s := l.text
	choice := reKill.FindStringSubmatch(s)
	killed := reKilled.FindStringSubmatch(s)
	if choice == nil && killed == nil {
		if !outOf(s) {
			return reExited.MatchString(s)
		}
		if m := reKillOther.FindStringSubmatch(s); m != nil {
			choice = []string{m[0], m[1], m[2], "", m[3], ""}
		} else if m = reKillUnnumbered.FindStringSubmatch(s); m != nil {
			choice = []string{m[0], m[1], "", "", m[2], ""}
		} else {
			return false
		}
	}
	if p.inTable && p.at != nil && len(p.at.Victims) == 0 {
		p.at.Table.Ended = true
	}
	p.inTable, p.inStat, p.inSlab = false, false, false
	v := Victim{At: l.at, UID: -1}
	if choice != nil {
		v.Name = choice[4]
		v.PID, _ = strconv.Atoi(choice[2])
		v.setUID(choice[3])
		v.chosen = strings.Contains(strings.ToLower(s[:len(choice[1])+16]), ": kill process ")
	} else {
		v.Name = killed[3]
		v.PID, _ = strconv.Atoi(killed[1])
		v.setUID(killed[2])
	}
	v.Name = undecorated(v.Name)
	if p.at != nil && p.at.Shown {
		p.close()
	}
	if p.at != nil && len(p.at.Victims) > 0 && !p.group {
		last := &p.at.Victims[len(p.at.Victims)-1]
		// The line of the choice is made whole by the one that follows.
		// Until 2.6.30 the second line began as the first.
		if !last.chosen || choice != nil && v.chosen {
			p.close()
		}
	}
	r := p.current(l.at)
	r.Called, p.tail, p.killed = true, p.since+sizeLines, p.log.Lines
	p.ofEvent(r)
	if choice != nil {
		switch {
		case r.Constraint != Unclear:
		case strings.HasPrefix(strings.ToLower(choice[1]), "memory cgroup"):
			r.Constraint, r.From = Memcg, ByKill
		case strings.EqualFold(choice[1], "out of memory") && r.Memcg == nil && !r.trace.group:
			r.Constraint, r.From = Global, ByKill
		}
		if strings.Contains(choice[1], "oom_kill_allocating_task") {
			r.Allocating = true
			if r.Constraint == Unclear {
				r.Constraint, r.From = Global, ByKill
			}
		}
		if choice[5] != "" {
			r.Score = number(choice[5])
		}
	}
	v.sizes(s)
	if p.group && v.At.Text == "" && v.At.Boot < 0 && slices.ContainsFunc(r.Victims, func(o Victim) bool {
		return o.PID == v.PID && o.Name == v.Name && (o.At.Text != "" || o.At.Boot >= 0)
	}) {
		return true // a person shows it once more
	}
	if (choice == nil || !v.chosen) && len(r.Victims) > 0 && !p.group {
		if last := r.Victims[len(r.Victims)-1]; last.chosen && last.PID != v.PID {
			r.Chosen = &last
		}
		r.Victims = r.Victims[:0] // the choice gives way to who was killed for it
	}
	if len(r.Victims) < maxTasks {
		r.Victims = append(r.Victims, v)
	}
	return true
}

// undecorated takes off what a page has put about a name to make it stand out: **firefox**.
func undecorated(name string) string {
	for _, mark := range []string{"**", "__", "`", "*"} {
		if in, ok := strings.CutPrefix(name, mark); ok && len(in) > len(mark) && strings.HasSuffix(in, mark) {
			name = strings.TrimSuffix(in, mark)
		}
	}
	return name
}

// titles gives what a person has put above a report to that report: the line of the kill, without its time.
func (l *Log) titles() {
	for i := 0; i+1 < len(l.Reports); i++ {
		t, r := &l.Reports[i], &l.Reports[i+1]
		if !t.title() || r.Asker.Name == "" || r.NoVictim || r.At.Text == "" && r.At.Boot < 0 {
			continue
		}
		if len(r.Victims) > 0 && (r.Victims[0].PID != t.Victims[0].PID || r.Victims[0].Name != t.Victims[0].Name) {
			continue
		}
		if len(r.Victims) == 0 { // it is cut
			r.Victims = t.Victims
			r.Victims[0].At = r.At
			if r.Constraint == Unclear {
				r.Constraint, r.From = t.Constraint, t.From
			}
		}
		l.Reports = slices.Delete(l.Reports, i, i+1)
		i--
	}
}

// askers joins a report whose first line is cut off with that line, which a person shows below it to explain it: of the
// same second, and nothing else.
func (l *Log) askers() {
	for i := 0; i+1 < len(l.Reports); i++ {
		r, a := &l.Reports[i], &l.Reports[i+1]
		if a.Asker.Name == "" || len(a.Victims) > 0 || a.Info != nil || a.Memcg != nil || len(a.Table.Tasks) > 0 ||
			a.Kernel != "" || a.Manual || a.NoVictim || a.Panic || len(r.Victims) == 0 || !sameMoment(&r.At, &a.At) ||
			r.Asker.Name != "" && r.Asker.Name != a.Asker.Name {
			continue
		}
		if r.Asker.Name == "" {
			r.Asker = a.Asker
		}
		l.Reports = slices.Delete(l.Reports, i+1, i+2)
		i--
	}
}

// sameMoment reports whether two times are known and the same.
func sameMoment(a, b *Stamp) bool {
	if a.Boot >= 0 || b.Boot >= 0 {
		return a.Boot == b.Boot
	}
	return a.Text != "" && a.Text == b.Text
}

// repeats leaves out the lines of a kill that a person shows once more, without their time.
func (l *Log) repeats() {
	for i := 0; i < len(l.Reports); i++ {
		t := &l.Reports[i]
		if t.title() && slices.ContainsFunc(l.Reports[:i], func(r Report) bool {
			timed := r.At.Text != "" || r.At.Boot >= 0
			return slices.ContainsFunc(r.Victims, func(o Victim) bool {
				return t.Victims[0].agrees(&o) && (timed || t.Victims[0].VM != nil && o.VM != nil)
			})
		}) {
			l.Reports = slices.Delete(l.Reports, i, i+1)
			i--
		}
	}
}

// clocks leaves out a kill that stands there twice, with the time since boot and with that of the day, as dmesg and
// syslog write it: of one kernel, no process is killed twice.
func (l *Log) clocks() {
	for i := 1; i < len(l.Reports); i++ {
		t := &l.Reports[i]
		k := slices.IndexFunc(l.Reports[:i], func(r Report) bool {
			return len(r.Victims) == 1 && len(t.Victims) == 1 && t.Victims[0].agrees(&r.Victims[0]) &&
				(r.At.sinceBoot() && t.At.ofDay() || r.At.ofDay() && t.At.sinceBoot())
		})
		if k < 0 {
			continue
		}
		if t.Asker.Name != "" && l.Reports[k].Asker.Name == "" {
			l.Reports[k], l.Reports[i] = l.Reports[i], l.Reports[k]
		}
		l.Reports = slices.Delete(l.Reports, i, i+1)
		i--
	}
}

// sinceBoot says whether a stamp tells the time since boot alone, ofDay whether it tells that of the day alone.
func (s Stamp) sinceBoot() bool {
	return s.Boot >= 0 && s.Wall.IsZero() && strings.HasPrefix(s.Text, "[")
}
func (s Stamp) ofDay() bool { return s.Boot < 0 && s.Text != "" }

// agrees says whether nothing that is told of one kill differs from what is told of another.
func (v *Victim) agrees(o *Victim) bool {
	if v.PID != o.PID || v.Name != o.Name {
		return false
	}
	for _, b := range [][2]*unit.Bytes{{v.VM, o.VM}, {v.Anon, o.Anon}, {v.File, o.File}, {v.Shm, o.Shm}} {
		if b[0] != nil && b[1] != nil && *b[0] != *b[1] {
			return false
		}
	}
	return true
}

// excerpts leaves out reports of which a person has put a few sums above the report that has all of them.
func (l *Log) excerpts() {
	for i := 0; i+1 < len(l.Reports); i++ {
		if r := &l.Reports[i]; !r.Called && !r.Shown && r.Info != nil && r.Info.within(l.Reports[i+1].Info) {
			l.Reports = slices.Delete(l.Reports, i, i+1)
			i--
		}
	}
}

// within says whether all that is told of a state of memory is told by another, too, and its RAM is among it.
func (i *MemInfo) within(o *MemInfo) bool {
	if o == nil || i.RAM == nil || len(i.Huge) > 0 || i.SwapOff && !o.SwapOff {
		return false
	}
	for _, name := range sumNames {
		if a, b := i.part(name), o.part(name); *a != nil && (*b == nil || **a != **b) {
			return false
		}
	}
	for _, x := range [][2]*int64{{i.RAM, o.RAM}, {i.Reserved, o.Reserved}, {i.SwapCache, o.SwapCache}} {
		if x[0] != nil && (x[1] == nil || *x[0] != *x[1]) {
			return false
		}
	}
	for _, x := range [][2]*unit.Bytes{{i.SwapTotal, o.SwapTotal}, {i.SwapFree, o.SwapFree}} {
		if x[0] != nil && (x[1] == nil || *x[0] != *x[1]) {
			return false
		}
	}
	return true
}

// sumNames are the sums of the whole host that part knows.
var sumNames = []string{"active_anon", "inactive_anon", "active_file", "inactive_file", "unevictable",
	"slab_reclaimable", "slab_unreclaimable", "shmem", "pagetables", "free", "dirty", "writeback", "mapped"}

// title says whether a report is the line of a kill alone, without a time.
func (r *Report) title() bool {
	return r.At.Text == "" && r.At.Boot < 0 && len(r.Victims) == 1 && r.Victims[0].PID > 0 && r.Asker.Name == "" &&
		r.Info == nil && r.Memcg == nil && len(r.Table.Tasks) == 0 && r.Group == "" && !r.told
}

// sizeLines is how many lines may stand between a kill and the rest of its line that a person broke off.
const sizeLines = 3

// sizes takes the rest of a line about a kill that was broken by hand or by a page.
func (p *Reader) sizes(l line) bool {
	if p.at == nil || len(p.at.Victims) == 0 || p.since > p.tail || l.from == fromSystemd || l.at.Boot >= 0 ||
		!reRest.MatchString(l.text) || p.gave {
		return false
	}
	p.at.Victims[len(p.at.Victims)-1].sizes(l.text)
	return true
}

// sizes reads what the line of a kill tells of its victim.
func (v *Victim) sizes(s string) {
	for _, m := range reSize.FindAllStringSubmatch(s, 8) {
		b := scaled(m[2], strings.ToUpper(m[3]))
		switch m[1] {
		case "total-vm", "vm":
			v.VM = b
		case "anon-rss":
			v.Anon = b
		case "file-rss":
			v.File = b
		case "shmem-rss":
			v.Shm = b
		case "pgtables":
			v.Ptes = b
		case "rss":
			v.RSS = b
		case "swap":
			v.Swap = b
		}
	}
	if m := reUID.FindStringSubmatch(s); m != nil && v.UID < 0 {
		v.setUID(m[1])
	}
	if m := reAdj.FindStringSubmatch(s); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n >= -1000 && n <= 1000 {
			v.Adj = &n
		}
	}
}

func (v *Victim) setUID(s string) {
	if n, err := strconv.Atoi(s); err == nil && s != "" {
		v.UID = n
	}
}

// sacrificed is the victim that was chosen last, where the line of who was killed for it is missing: the reaper names
// a child of it, of the same program.
func (p *Reader) sacrificed(name string) *Victim {
	if p.at == nil || len(p.at.Victims) != 1 || name == "" || p.group {
		return nil
	}
	v := &p.at.Victims[0]
	if !v.chosen || v.Name != name {
		return nil
	}
	chosen := *v
	p.at.Chosen = &chosen
	v.chosen = false
	return v
}

// victim finds one that was killed lately.
func (p *Reader) victim(pid int) *Victim {
	find := func(r *Report) *Victim {
		for i := range r.Victims {
			if r.Victims[i].PID == pid {
				return &r.Victims[i]
			}
		}
		return nil
	}
	if p.at != nil {
		if v := find(p.at); v != nil {
			return v
		}
	}
	for i := len(p.log.Reports) - 1; i >= 0 && i >= len(p.log.Reports)-8; i-- {
		if v := find(&p.log.Reports[i]); v != nil {
			return v
		}
	}
	return nil
}
