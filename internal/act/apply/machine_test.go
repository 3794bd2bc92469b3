package apply_test

import (
	"context"
	"errors"
	"flag"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"pgregory.net/rapid"
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

// run is what the test knows of one apply.
type run struct {
	before   map[heldPart]map[string]bool // values that each part may go back to
	after    map[heldPart]string
	files    string // pictures from before it
	whole    string
	edited   bool // changed by others since
	rebooted bool // or the host was booted
}

type machine struct {
	t       *rapid.T
	d       *toyDisk
	seconds int64
	serial  int
	runs    map[string]*run
	mark    map[heldPart]string // parts when an operation of ours began, or someone else edited it
	acting  *run                // whose operation it is
	theirs  map[string]bool     // servers that did not come up with the host
	edits   int                 // that may still come while we are at work
	cancel  func()
	still   bool           // no other edits, and the host stays up
	seen    map[string]int // how often what came to pass
}

func (m *machine) world() *apply.System {
	kinds := map[string]apply.Kind{}
	for _, p := range []string{"sysctl", "thp", "pg", "boot"} {
		kinds[p] = toyKind{m.d, p}
	}
	m.serial++
	return &apply.System{Target: m.d, Kinds: kinds, Activate: m.d.activate, Tell: m.told, Hostname: "toy",
		Holder: "process 1",
		Suffix: strconv.Itoa(1000 + m.serial), Now: func() time.Time {
			m.seconds++
			return time.Unix(1_700_000_000+m.seconds, 0)
		}}
}

// told comes between two steps: there others may edit a file, and the user may interrupt.
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

func (m *machine) plan() *plan.Plan {
	p := &plan.Plan{Snapshot: "hash"}
	bad := rapid.IntRange(0, 3).Draw(m.t, "bad values") == 0
	want := rapid.SliceOfN(rapid.IntRange(-1, 3), 2*len(order), 2*len(order)).Draw(m.t, "plan")
	stale := rapid.IntRange(0, 20).Draw(m.t, "stale") == 0
	for i, o := range order {
		for n, key := range []string{"1", "2"} {
			w := want[2*i+n]
			inst := o.address.Prefix() == "pg"
			if w < 0 || !inst && n > 0 || w >= len(o.values) || !bad &&
				(o.values[w] == "bad" || o.values[w] == "5000") {
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

func (m *machine) readable() map[string]*journal.Journal {
	list, err := journalfile.List(m.d, journalDir)
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

// TestMachine holds the promises of apply over random histories of applies, deaths of the process and of the host at
// any operation, resumes, undos, and other people's edits: nothing but what is planned is touched, and that is before
// or after; values set by others are never overwritten; every journal can be read; undo∘apply restores every byte;
// resuming twice is resuming once; two applies exclude one another.
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
		return // others want fewer, or more
	}
	if actions < 10_000 {
		t.Errorf("only %d steps", actions)
	}
	for _, what := range []string{"apply died", "resume died", "undo died", "apply done", "apply partly", "interrupted",
		"stale", "excluded", "disk full", "resumed", "undone byte for byte", "kept", "brought back",
		"refused to undo what is covered", "beside an interrupted one of another instance"} {
		if seen[what] < 20 {
			t.Errorf("%s: %d times only: the histories do not reach it", what, seen[what])
		}
	}
}
