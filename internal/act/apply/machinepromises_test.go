package apply_test

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// heldPart is what one value is in: a line of a file, or a live value.
type heldPart string

func filePart(path, key string) heldPart { return heldPart("file " + path + " " + key) }
func livePart(path string) heldPart      { return heldPart("live " + path) }

// parts returns every value of the host, and the rest of each file under "rest".
func (d *toyDisk) parts() map[heldPart]string {
	m := map[heldPart]string{}
	for n, v := range d.live {
		m[livePart(n)] = v
	}
	for n, f := range d.files {
		if strings.Contains(n, "/.") || strings.HasPrefix(n, "/var/") {
			continue
		}
		rest := ""
		for l := range strings.Lines(f.data) {
			if k, v, ok := strings.Cut(strings.TrimSuffix(l, "\n"), " = "); ok {
				m[filePart(n, k)] = v
			} else {
				rest += l
			}
		}
		if rest != "" {
			m[heldPart("rest "+n)] = rest
		}
	}
	return m
}

// picture is everything that undo∘apply must restore: files byte for byte with
// mode and owner, live values, what the servers run with.
func (d *toyDisk) picture(live bool) string {
	var out []string
	for n, f := range d.files {
		if !strings.Contains(n, "/.") && !strings.HasPrefix(n, "/var/") {
			out = append(out, fmt.Sprintf("%s %o %d:%d %q", n, f.mode, f.uid, f.gid, f.data))
		}
	}
	if live {
		for n, v := range d.live {
			out = append(out, n+" is "+v)
		}
		for k, s := range d.servers {
			out = append(out, fmt.Sprintf("server %s up %v runs %v", k, s.up, s.running))
		}
	}
	sort.Strings(out)
	return strings.Join(out, "\n")
}

// judge holds what we did since the mark to what we were allowed to.
func (m *machine) judge(when string) {
	now := m.d.parts()
	for p := range now {
		m.step(p, m.mark[p], now[p], when)
	}
	for p := range m.mark {
		if _, ok := now[p]; !ok {
			m.step(p, m.mark[p], "", when)
		}
	}
	m.mark = now
}

func (m *machine) step(p heldPart, from, to, when string) {
	if from == to {
		return
	}
	if m.acting == nil {
		m.t.Fatalf("%s: %s went from %q to %q, and nothing was to be done", when, p, from, to)
	}
	before, after := m.acting.before[p], m.acting.after[p]
	between := p == livePart(poolPath) // page by page, or fewer than asked
	if before == nil || !before[from] && from != after && !between || !before[to] && to != after && !between {
		m.t.Fatalf("%s: %s went from %q to %q; before is %v and after %q", when, p, from,
			to, slices.Collect(maps.Keys(before)), after)
	}
}

// inStep reports whether every server runs with what its file says, and would start with it again.
func (d *toyDisk) inStep() bool {
	for _, s := range d.servers {
		if d.starts(s) != nil {
			return false
		}
		for _, n := range settings {
			v, ok := get(d.files[s.conf()].data, n)
			if !s.up || ok && v != s.running[n] || !ok && s.running[n] != "0" {
				return false
			}
		}
	}
	return true
}

func places(c *plan.Change, d *toyDisk) (file, live heldPart) {
	k := apply.Knob{Address: c.Address}
	if c.Instance != "" {
		for _, s := range d.servers {
			if s.dir == c.Instance {
				return filePart(s.conf(), c.Address.Name()), ""
			}
		}
	}
	f, l := toyKind{d, c.Address.Prefix()}.place(k)
	if f != "" {
		file = filePart(f, c.Address.Name())
	}
	if c.Effect == knob.Now {
		live = livePart(l)
	}
	return file, live
}

// ended holds an apply that came to its end to its word.
func (m *machine) ended(id string, r *run) {
	j := m.readable()[id]
	if j.State != journal.Whole && j.State != journal.Partly {
		m.t.Fatalf("%s ended and is %s", id, j.State)
	}
	m.seen["apply "+string(j.State)]++
	for i := range j.Changes {
		if c := &j.Changes[i]; c.State == journal.IsFailed && strings.Contains(c.Reason, "brought back") {
			m.seen["brought back"]++
		}
	}
	if r.edited || r.rebooted {
		return
	}
	for _, c := range j.Changes {
		if c.State == journal.IsFailed && c.Instance != "" && slices.ContainsFunc(j.Changes,
			func(d journal.Change) bool { return d.Instance == c.Instance && d.State == journal.IsDone }) {
			m.t.Fatalf("%s: %s failed, and other settings of the instance were done", id, c.Address)
		}
	}
	for i := range j.Changes {
		c := &j.Changes[i]
		if c.State != journal.IsDone {
			continue
		}
		file, live := places(&plan.Change{Address: c.Address, Instance: c.Instance, Effect: c.Effect}, m.d)
		now := m.d.parts()
		if file != "" && now[file] != c.After || live != "" && now[live] != c.After {
			m.t.Fatalf("%s: %s is done, and is %q, %q and not %q", id, c.Address, now[file], now[live], c.After)
		}
		if c.Instance != "" {
			for _, s := range m.d.servers {
				if s.dir == c.Instance && s.running[c.Address.Name()] != c.After {
					m.t.Fatalf("%s: %s is done, and the server runs with %q and not %q", id, c.Address,
						s.running[c.Address.Name()], c.After)
				}
			}
		}
	}
	if len(j.Pending) > 0 {
		m.t.Fatalf("%s ended and owes %v", id, j.Pending)
	}
}

// servers that we left run, except those that a foreign edit keeps down and those that the error reports.
func (m *machine) servers(err error) {
	if err != nil || slices.ContainsFunc(slices.Collect(maps.Values(m.readable())),
		func(j *journal.Journal) bool { return j.State == journal.Interrupted }) {
		return
	}
	for k, s := range m.d.servers {
		if s.up {
			m.theirs[k] = false
		}
		if why := m.d.starts(s); !s.up && why == nil && !m.theirs[k] {
			m.t.Fatalf("server %s could start and is down", k)
		}
	}
}

// widen lets what is planned and not begun start from what is there now: the live value that the plan depends on is
// read again, and a line that others wrote into a file meanwhile is what undo restores.
func (m *machine) widen(r *run) {
	now := m.d.parts()
	var j *journal.Journal
	for id, k := range m.readable() {
		if q := m.runs[id]; q == r || q == nil && m.runs["new"] == r {
			j = k
		}
	}
	for i := range j.Changes {
		c := &j.Changes[i]
		if c.State != journal.IsPlanned {
			continue
		}
		file, _ := places(&plan.Change{Address: c.Address, Instance: c.Instance, Effect: c.Effect}, m.d)
		if file != "" {
			r.before[file][now[file]] = true
		}
	}
}
