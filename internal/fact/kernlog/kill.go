package kernlog

import (
	"strconv"
	"strings"
)

// kill reads the lines that say who was killed. Before 5.0 there are two: the
// choice, and who was killed for it, which may be a child.
func (p *Reader) kill(l line) bool {
	if m := reReaped.FindStringSubmatch(l.text); m != nil {
		pid, _ := strconv.Atoi(m[1])
		if v := p.victim(pid); v != nil {
			v.Reaped = true
		}
		return true
	}
	s := l.text
	choice := reKill.FindStringSubmatch(s)
	killed := reKilled.FindStringSubmatch(s)
	if choice == nil && killed == nil {
		return false
	}
	p.inTable, p.inStat, p.inSlab = false, false, false
	v := Victim{At: l.at, UID: -1}
	if choice != nil {
		v.Name = choice[4]
		v.PID, _ = strconv.Atoi(choice[2])
		v.setUID(choice[3])
	} else {
		v.Name = killed[3]
		v.PID, _ = strconv.Atoi(killed[1])
		v.setUID(killed[2])
	}
	if p.at != nil && len(p.at.Victims) > 0 && !p.group {
		last := &p.at.Victims[len(p.at.Victims)-1]
		// The line of the choice is made whole by the one that follows.
		if !(last.Anon == nil && choice == nil) {
			p.close()
		}
	}
	r := p.current(l.at)
	if choice != nil {
		switch {
		case r.Constraint != Unclear:
		case strings.HasPrefix(strings.ToLower(choice[1]), "memory cgroup"):
			r.Constraint = Memcg
		case r.Info != nil && r.Memcg == nil:
			r.Constraint = Global
		}
		if choice[5] != "" {
			r.Score = number(choice[5])
		}
	}
	for _, m := range reSize.FindAllStringSubmatch(s, 8) {
		b := kilobytes(m[2])
		switch m[1] {
		case "total-vm":
			v.VM = b
		case "anon-rss":
			v.Anon = b
		case "file-rss":
			v.File = b
		case "shmem-rss":
			v.Shm = b
		case "pgtables":
			v.Ptes = b
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
	if choice == nil && len(r.Victims) > 0 && !p.group {
		r.Victims = r.Victims[:0] // the choice gives way to who was killed for it
	}
	if len(r.Victims) < maxTasks {
		r.Victims = append(r.Victims, v)
	}
	return true
}

func (v *Victim) setUID(s string) {
	if n, err := strconv.Atoi(s); err == nil && s != "" {
		v.UID = n
	}
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
