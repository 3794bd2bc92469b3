package apply_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/journal"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// knobs of the toy host in the order in which a plan has them.
var order = []struct {
	address knob.Address
	effect  knob.Effect
	values  []string
}{
	{"sysctl:vm.swappiness", knob.Now, []string{"0", "1", "10"}},
	{"sysctl:vm.dirty_bytes", knob.Now, []string{"0", "64", "128"}},
	{"sysctl:vm.nr_hugepages", knob.Now, []string{"0", "100", "200", "5000"}}, // 5000 is more than the kernel can find
	{"thp:enabled", knob.Now, []string{"0", "never"}},
	{"pg:r_a", knob.Reload, []string{"0", "1", "2", "bad"}},
	{"pg:r_b", knob.Reload, []string{"0", "1", "2"}},
	{"pg:s_a", knob.Restart, []string{"0", "1", "2", "bad"}},
	{"pg:huge_pages", knob.Restart, []string{"0", "on"}},
	{"sysctl:vm.overcommit_kbytes", knob.Now, []string{"0", "9000"}},
	{"sysctl:vm.overcommit_memory", knob.Now, []string{"0", "2"}},
	{"boot:quiet", knob.Reboot, []string{"0", "1"}},
}

// part is what one value stands in: a line of a file, or a live value.
type part string

func filePart(path, key string) part { return part("file " + path + " " + key) }
func livePart(path string) part      { return part("live " + path) }

// parts returns every value of the host, and the rest of each file under "rest".
func (d *toyDisk) parts() map[part]string {
	m := map[part]string{}
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
			m[part("rest "+n)] = rest
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

// run is what the test knows of one apply.
type run struct {
	before   map[part]map[string]bool // values that each part may go back to
	after    map[part]string
	files    string // pictures from before it
	whole    string
	edited   bool // somebody changed something since
	rebooted bool // or the host was booted
}

type machine struct {
	t       *rapid.T
	d       *toyDisk
	seconds int64
	serial  int
	runs    map[string]*run
	mark    map[part]string // parts when an operation of ours began, or somebody's edit came
	acting  *run            // whose operation it is
	theirs  map[string]bool // servers that did not come up with the host
	edits   int             // that may still come while we are at work
	cancel  func()
	still   bool           // nobody edits, and the host stays up
	seen    map[string]int // how often what came to pass
}

func (m *machine) world() *apply.World {
	kinds := map[string]apply.Kind{}
	for _, p := range []string{"sysctl", "thp", "pg", "boot"} {
		kinds[p] = toyKind{m.d, p}
	}
	m.serial++
	return &apply.World{Target: m.d, Kinds: kinds, Activate: m.d.activate, Tell: m.told, Hostname: "toy", Holder: "process 1",
		Suffix: strconv.Itoa(1000 + m.serial), Now: func() time.Time { m.seconds++; return time.Unix(1_700_000_000+m.seconds, 0) }}
}

// told comes between two steps: there somebody else may edit a file, and the
// user may interrupt.
func (m *machine) told(s string) {
	if m.edits > 0 && !strings.HasPrefix(s, "pg:") && m.d.fuse < 0 && rapid.IntRange(0, 9).Draw(m.t, "edit now") == 0 {
		m.edits--
		m.judge("before an edit in between")
		m.edit()
		m.mark = m.d.parts()
		m.widen(m.acting)
	}
	if m.cancel != nil && rapid.IntRange(0, 9).Draw(m.t, "interrupt now") == 0 {
		m.cancel()
	}
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

func (m *machine) step(p part, from, to, when string) {
	if from == to {
		return
	}
	if m.acting == nil {
		m.t.Fatalf("%s: %s went from %q to %q, and nothing was to be done", when, p, from, to)
	}
	before, after := m.acting.before[p], m.acting.after[p]
	between := p == livePart(poolPath) // page by page, or fewer than asked
	if before == nil || !before[from] && from != after && !between || !before[to] && to != after && !between {
		m.t.Fatalf("%s: %s went from %q to %q; before is %v and after %q", when, p, from, to, slices.Collect(maps.Keys(before)), after)
	}
}

// inStep says whether every server runs with what its file says, and would start
// with it again.
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

func places(c *plan.Change, d *toyDisk) (file, live part) {
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

func (m *machine) plan() *plan.Plan {
	p := &plan.Plan{Snapshot: "hash"}
	bad := rapid.IntRange(0, 3).Draw(m.t, "bad values") == 0
	want := rapid.SliceOfN(rapid.IntRange(-1, 3), 2*len(order), 2*len(order)).Draw(m.t, "plan")
	stale := rapid.IntRange(0, 20).Draw(m.t, "stale") == 0
	for i, o := range order {
		for n, key := range []string{"1", "2"} {
			w := want[2*i+n]
			inst := o.address.Prefix() == "pg"
			if w < 0 || !inst && n > 0 || w >= len(o.values) || !bad && (o.values[w] == "bad" || o.values[w] == "5000") {
				continue
			}
			c := plan.Change{Address: o.address, Effect: o.effect, Layer: o.address.Layer(), To: o.values[w]}
			k := apply.Knob{Address: o.address}
			if inst {
				c.Instance = m.d.servers[key].dir
				c.From = m.d.servers[key].running[o.address.Name()]
			} else {
				_, l := toyKind{m.d, o.address.Prefix()}.place(k)
				c.From = m.d.live[l]
			}
			if c.From == c.To {
				continue
			}
			if stale {
				c.From = "something else"
				stale = false
			}
			c.FromBase, c.ToBase = c.From, c.To
			p.Changes = append(p.Changes, c)
		}
	}
	slices.SortStableFunc(p.Changes, func(a, b plan.Change) int { return phase(&a) - phase(&b) })
	return p
}

func phase(c *plan.Change) int {
	less := len(c.To) < len(c.From) || len(c.To) == len(c.From) && c.To < c.From
	switch {
	case c.Address == "sysctl:vm.nr_hugepages" && less:
		return 5
	case c.Address == "sysctl:vm.overcommit_memory" && c.To == "2":
		return 7
	case c.Address == "sysctl:vm.overcommit_memory":
		return 0
	case c.Address == "sysctl:vm.overcommit_kbytes":
		return 6
	case c.Instance == "" && c.Effect == knob.Now:
		return 1
	case c.Effect == knob.Reload:
		return 3
	case c.Effect == knob.Restart:
		return 4
	}
	return 8
}

// guard runs an operation of ours to its end or its death.
func (m *machine) guard(what string, r *run, op func(ctx context.Context) error) (err error, died bool) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	m.acting, m.mark = r, m.d.parts()
	m.d.fuse, m.cancel, m.edits = -1, nil, 0
	m.d.cut, m.d.power = rapid.IntRange(0, 5000).Draw(m.t, "cut"), rapid.Bool().Draw(m.t, "power") && !m.still
	switch rapid.IntRange(0, 5).Draw(m.t, what+" dies") {
	case 0, 1, 2:
		m.d.fuse = rapid.IntRange(0, 120).Draw(m.t, "after points")
	case 3:
		m.cancel = cancel
	case 4:
		if !m.still {
			m.edits = 1
		}
	}
	func() {
		defer func() {
			if p := recover(); p != nil {
				if _, ok := p.(death); !ok {
					panic(p)
				}
				died = true
			}
		}()
		err = op(ctx)
	}()
	m.d.fuse, m.cancel, m.edits = -1, nil, 0
	m.judge("after " + what)
	m.acting = nil
	if died {
		m.seen[what+" died"]++
	}
	if errors.Is(err, context.Canceled) {
		m.seen["interrupted"]++
	}
	if errors.Is(err, syscall.ENOSPC) {
		m.seen["disk full"]++
	}
	if died && m.d.power {
		m.boot()
	}
	m.readable()
	if died && !m.still && rapid.IntRange(0, 3).Draw(m.t, "edit what was under way") == 0 {
		m.editStep()
	}
	return err, died
}

// editStep is somebody who changes the very knob whose step was cut short.
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

func (m *machine) readable() map[string]*journal.Journal {
	list, err := journal.List(m.d, journalDir)
	if err != nil {
		m.t.Fatalf("journals: %v", err)
	}
	byID := map[string]*journal.Journal{}
	for _, j := range list {
		byID[j.ID] = j
	}
	return byID
}

func (m *machine) boot() {
	m.d.boot()
	for k, s := range m.d.servers {
		m.theirs[k] = !s.up
	}
	for _, r := range m.runs {
		r.rebooted = true
	}
}

func (m *machine) apply() {
	p := m.plan()
	r := &run{before: map[part]map[string]bool{}, after: map[part]string{}, files: m.d.picture(false), whole: m.d.picture(true),
		rebooted: !m.d.inStep()} // a reload would bring in more than what we write
	m.aim(r, p)
	o := apply.Options{MaxEffect: rapid.SampledFrom([]knob.Effect{knob.Reboot, knob.Restart, knob.Reload, knob.Now}).Draw(m.t, "most")}
	m.d.held = rapid.IntRange(0, 15).Draw(m.t, "locked") == 0
	m.d.full = rapid.IntRange(0, 15).Draw(m.t, "disk full") == 0
	known, writes := m.readable(), m.d.writes
	open := slices.ContainsFunc(slices.Collect(maps.Values(known)), func(j *journal.Journal) bool { return j.State == journal.Interrupted })
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
	case open && res.Journal != nil:
		m.t.Fatalf("apply went on beside an interrupted one")
	case res.Journal != nil && m.readable()[res.Journal.ID].Ended():
		m.ended(res.Journal.ID, r)
	case held && errors.As(err, &no) && no.Code == say.CodeRefused:
		m.seen["excluded"]++
	case res.Journal == nil && errors.As(err, &no) && no.Code == say.CodeStale:
		m.seen["stale"]++
	}
	m.servers(err)
}

// aim notes what an apply may make of each part.
func (m *machine) aim(r *run, p *plan.Plan) {
	now := m.d.parts()
	for i := range p.Changes {
		c := &p.Changes[i]
		file, live := places(c, m.d)
		for _, at := range []part{file, live} {
			if at != "" {
				r.before[at] = map[string]bool{now[at]: true}
				r.after[at] = c.To
			}
		}
	}
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
		if c.State == journal.IsFailed && c.Instance != "" && slices.ContainsFunc(j.Changes, func(d journal.Change) bool { return d.Instance == c.Instance && d.State == journal.IsDone }) {
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
					m.t.Fatalf("%s: %s is done, and the server runs with %q and not %q", id, c.Address, s.running[c.Address.Name()], c.After)
				}
			}
		}
	}
	if len(j.Pending) > 0 {
		m.t.Fatalf("%s ended and owes %v", id, j.Pending)
	}
}

// servers that we left run, but for those that somebody else's edit keeps down
// and those of which the error tells.
func (m *machine) servers(err error) {
	if err != nil || slices.ContainsFunc(slices.Collect(maps.Values(m.readable())), func(j *journal.Journal) bool { return j.State == journal.Interrupted }) {
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

// widen lets what is planned and not begun start from what is there now: the
// live value that the plan rests on is looked at again, a line that somebody
// wrote into a file meanwhile is what undo goes back to.
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
	err, died := m.guard("resume", r, func(ctx context.Context) error {
		_, err := apply.Resume(ctx, m.world(), m.d.snapshot(), id, apply.Options{})
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
	if _, err := apply.Resume(context.Background(), m.world(), m.d.snapshot(), id, apply.Options{}); err != nil || m.d.writes != writes || m.d.picture(true) != mark {
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
			q.edited = true // to a later apply this is somebody's edit
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

// edit is somebody else at work.
func (m *machine) edit() {
	for _, r := range m.runs {
		r.edited = true
	}
	files := []string{sysctlFile, grubFile, "/data/1/postgresql.auto.conf", "/data/2/postgresql.auto.conf"}
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

// TestMachine holds the promises of apply over random histories of applies,
// deaths of the process and of the host at any operation, resumes, undos, and
// other people's edits: nothing but what is planned is touched, and that is
// before or after; somebody's value is never overwritten; every journal can be
// read; undo∘apply restores every byte; resuming twice is resuming once; two
// applies exclude one another.
func TestMachine(t *testing.T) {
	actions, seen := 0, map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		// two short histories and not a long one: every journal is read at every step
		for range 2 {
			m := &machine{t: t, d: newToy(), runs: map[string]*run{}, theirs: map[string]bool{}, seen: seen}
			m.mark = m.d.parts()
			for range 52 { // with the hundred pairs that rapid makes: more than ten thousand steps
				actions++
				m.act()
			}
		}
	})
	t.Logf("%d steps: %v", actions, seen)
	if flag.Lookup("rapid.checks").Value.String() != "100" {
		return // somebody wants fewer, or more
	}
	if actions < 10_000 {
		t.Errorf("only %d steps", actions)
	}
	for _, what := range []string{"apply died", "resume died", "undo died", "apply done", "apply partly", "interrupted", "stale", "excluded", "disk full", "resumed", "undone byte for byte", "kept", "brought back", "refused to undo what is covered"} {
		if seen[what] < 20 {
			t.Errorf("%s: %d times only: the histories do not reach it", what, seen[what])
		}
	}
}

// act is one step of a history.
func (m *machine) act() {
	switch rapid.SampledFrom([]string{"apply", "apply", "apply", "resume", "resume", "undo", "undo", "edit", "boot", "status"}).Draw(m.t, "action") {
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
