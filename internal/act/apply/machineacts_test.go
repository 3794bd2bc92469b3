package apply_test

import (
	"context"
	"errors"
	"slices"
	"sort"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
	"pgregory.net/rapid"
)

// editStep is a foreign change of the knob whose step was interrupted.
func (m *machine) editStep() {
	for _, j := range m.readable() {
		for _, c := range j.Changes {
			if c.State != journal.IsIntended && c.State != journal.IsUndoing {
				continue
			}
			for _, r := range m.runs {
				r.edited = true
			}
			if c.Will.File != nil && rapid.Bool().Draw(m.t, "in its file") {
				f, v := m.d.files[c.Will.File.Path], "77"
				f.data, f.mode = put(f.data, c.Address.Name(), &v), 0o644
				m.d.files[c.Will.File.Path] = f
			} else if c.Effect == knob.Now {
				_, live := toyKind{m.d, c.Address.Prefix()}.place(apply.Knob{Address: c.Address})
				m.d.live[live] = "77"
			}
		}
	}
}

func (m *machine) apply() {
	p := m.plan()
	r := &run{before: map[heldPart]map[string]bool{}, after: map[heldPart]string{}, files: m.d.picture(false),
		whole:    m.d.picture(true),
		rebooted: !m.d.inStep()} // a reload would bring in more than what we write
	m.aim(r, p)
	o := selection.Options{MaxEffect: rapid.SampledFrom([]knob.Effect{knob.Reboot, knob.Restart, knob.Reload,
		knob.Now}).Draw(m.t, "most")}
	m.d.held = rapid.IntRange(0, 15).Draw(m.t, "locked") == 0
	m.d.full = rapid.IntRange(0, 15).Draw(m.t, "disk full") == 0
	known, writes := m.readable(), m.d.writes
	m.runs["new"] = r
	var res apply.Result
	w := m.world()
	err, died := m.guard("apply", r, func(ctx context.Context) (err error) {
		res, err = apply.Run(ctx, w, p, m.d.snapshot(), o)
		return err
	})
	held := m.d.held
	m.d.held, m.d.full = false, false
	delete(m.runs, "new")
	for id := range m.readable() {
		if known[id] == nil {
			m.runs[id] = r
		}
	}
	var no *say.Problem
	switch {
	case died:
		return
	case res.Journal == nil && m.d.writes != writes:
		m.t.Fatalf("apply began nothing and wrote %d times: %v", m.d.writes-writes, err)
	case held && err == nil && len(res.Left) < len(p.Changes):
		m.t.Fatalf("apply went on beside another")
	case res.Journal != nil && m.beside(known, res.Journal):
		m.t.Fatalf("apply went on beside an interrupted one of the same instance, or of the host")
	case res.Journal != nil && m.readable()[res.Journal.ID].Ended():
		m.ended(res.Journal.ID, r)
	case held && errors.As(err, &no) && no.Code == say.CodeRefused:
		m.seen["excluded"]++
	case res.Journal == nil && errors.As(err, &no) && no.Code == say.CodeStale:
		m.seen["stale"]++
	}
	m.servers(err)
}

// beside reports whether an interrupted apply has a part in common with another: an instance, or the host.
func (m *machine) beside(known map[string]*journal.Journal, with *journal.Journal) bool {
	shared := false
	for _, j := range known {
		if j.State != journal.Interrupted {
			continue
		}
		m.seen["beside an interrupted one of another instance"]++
		for _, c := range j.Changes {
			if !slices.Contains([]journal.ChangeState{journal.IsPlanned, journal.IsIntended, journal.IsDone,
				journal.IsUndoing}, c.State) {
				continue
			}
			shared = shared || slices.ContainsFunc(with.Changes, func(d journal.Change) bool {
				return c.Instance == d.Instance
			})
		}
	}
	return shared
}

// aim notes what an apply may make of each part.
func (m *machine) aim(r *run, p *plan.Plan) {
	now := m.d.parts()
	for i := range p.Changes {
		c := &p.Changes[i]
		file, live := places(c, m.d)
		for _, at := range []heldPart{file, live} {
			if at != "" {
				r.before[at] = map[string]bool{now[at]: true}
				r.after[at] = c.To
			}
		}
	}
}

func (m *machine) pick(is func(*journal.Journal) bool) string {
	var ids []string
	for id, j := range m.readable() {
		if is(j) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	sort.Strings(ids)
	return rapid.SampledFrom(ids).Draw(m.t, "journal")
}

func (m *machine) resume() {
	id := m.pick(func(j *journal.Journal) bool { return j.State == journal.Interrupted })
	if id == "" {
		return
	}
	r := m.runs[id]
	m.widen(r)
	for other, q := range m.runs {
		if other > id {
			q.edited = true // to a later apply this is a foreign edit
		}
	}
	err, died := m.guard("resume", r, func(ctx context.Context) error {
		_, err := apply.Resume(ctx, m.world(), m.d.snapshot(), id, selection.Options{})
		return err
	})
	if died {
		return
	}
	m.servers(err)
	j := m.readable()[id]
	if !j.Undoing && j.Ended() {
		m.seen["resumed"]++
		m.ended(id, r)
	}
	if err != nil && j.State == journal.Interrupted {
		return
	}
	writes, mark := m.d.writes, m.d.picture(true)
	if _, err := apply.Resume(context.Background(), m.world(), m.d.snapshot(), id, selection.Options{}); err != nil ||
		m.d.writes != writes || m.d.picture(true) != mark {
		m.t.Fatalf("resuming what was resumed to its end: %v, %d writes", err, m.d.writes-writes)
	}
}

func (m *machine) undo() {
	id := m.pick(func(j *journal.Journal) bool { return true })
	if id == "" {
		return
	}
	r := m.runs[id]
	m.widen(r)
	last := m.readable()[id].State != journal.TakenBack // else there is nothing to restore
	for other, j := range m.readable() {
		last = last && (other <= id || j.State == journal.TakenBack)
	}
	if !last {
		for other, q := range m.runs {
			if other < id {
				continue
			}
			q.edited = true // to a later apply this is a foreign edit
		}
	}
	err, died := m.guard("undo", r, func(ctx context.Context) error {
		_, err := apply.Undo(ctx, m.world(), m.d.snapshot(), id, apply.UndoOptions{MaxEffect: knob.Restart})
		return err
	})
	if died {
		return
	}
	var no *say.Problem
	if errors.As(err, &no) && no.Code == say.CodeRefused {
		if last {
			m.t.Fatalf("the last apply is refused to be undone: %v", err)
		}
		m.seen["refused to undo what is covered"]++
		return
	}
	m.servers(err)
	if err != nil {
		if !r.edited && !r.rebooted && !errors.Is(err, context.Canceled) {
			m.t.Fatalf("undo %s: %v", id, err)
		}
		return
	}
	if j := m.readable()[id]; j.State != journal.TakenBack {
		m.t.Fatalf("undo %s left it %s", id, j.State)
	}
	for _, c := range m.readable()[id].Changes {
		if c.State == journal.IsKept {
			m.seen["kept"]++
		}
	}
	if last && !r.edited {
		if !r.rebooted {
			m.seen["undone byte for byte"]++
		}
		if got := m.d.picture(false); got != r.files {
			m.t.Fatalf("undo %s: files are\n%s\nand were\n%s", id, got, r.files)
		}
		if got := m.d.picture(true); !r.rebooted && got != r.whole {
			m.t.Fatalf("undo %s: all is\n%s\nand was\n%s", id, got, r.whole)
		}
	}
}

// edit is a change by others.
func (m *machine) edit() {
	for _, r := range m.runs {
		r.edited = true
	}
	files := []string{SysctlFile, grubFile, "/data/1/postgresql.auto.conf", "/data/2/postgresql.auto.conf"}
	switch rapid.IntRange(0, 4).Draw(m.t, "edit") {
	case 0: // a line of a file
		o := rapid.SampledFrom(order).Draw(m.t, "knob")
		name := rapid.SampledFrom(files).Draw(m.t, "file")
		v := rapid.SampledFrom([]string{"0", "1", "77"}).Draw(m.t, "value")
		f := m.d.files[name]
		f.data, f.mode = put(f.data, o.address.Name(), &v), 0o644
		m.d.files[name] = f
	case 1: // a remark
		name := rapid.SampledFrom(files).Draw(m.t, "file")
		f := m.d.files[name]
		f.data, f.mode = "# seen\n"+f.data, 0o644
		m.d.files[name] = f
	case 2: // the file goes
		delete(m.d.files, rapid.SampledFrom(files).Draw(m.t, "file"))
	default: // a live value
		var names []string
		for n := range m.d.live {
			names = append(names, n)
		}
		sort.Strings(names)
		n := rapid.SampledFrom(names).Draw(m.t, "live")
		m.d.live[n] = rapid.SampledFrom([]string{"0", "1", "77", "100"}).Draw(m.t, "value")
	}
}

func (m *machine) status() {
	before := m.d.picture(true)
	writes := m.d.writes
	if _, err := apply.Status(context.Background(), m.world(), m.d.snapshot(), ""); err != nil {
		m.t.Fatalf("status: %v", err)
	}
	if m.d.writes != writes || m.d.picture(true) != before {
		m.t.Fatalf("status changed something")
	}
}

// act is one step of a history.
func (m *machine) act() {
	switch rapid.SampledFrom([]string{"apply", "apply", "apply", "resume", "resume", "undo", "undo", "edit", "boot",
		"status"}).Draw(m.t, "action") {
	case "apply":
		m.apply()
	case "resume":
		m.resume()
	case "undo":
		m.undo()
	case "edit":
		if rapid.Bool().Draw(m.t, "really") { // rarer than the rest, or every history is tainted
			m.edit()
		}
	case "boot":
		if rapid.IntRange(0, 3).Draw(m.t, "really") == 0 {
			m.boot()
		}
	case "status":
		m.status()
	}
}
