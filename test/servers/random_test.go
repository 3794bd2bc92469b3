package servers

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/pgsetting"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/planner"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/export"
	"github.com/pgfettle/pgfettle/test/hosts"
	"github.com/pgfettle/pgfettle/test/kernel"
)

// hostsOfEach is how many random hosts each version plans for in one round: six
// versions make sixty, and a hundred and twenty under make soak. Each round draws
// others.
func hostsOfEach() int { return inARound(10, mostOfEach) }

const mostOfEach = 20

// TestRandomPlansStart: the configuration that is planned for a random host
// starts a real server, which then has every value of the plan; or apply would
// name, before it writes anything, a setting that this machine cannot hold and
// why, and the server really does not start.
func TestRandomPlansStart(t *testing.T) {
	kernel.Beside(t) // a pool of huge pages must not come and go meanwhile
	rounds(t, func(seed uint64) {
		sum := &outcomes{count: map[string]int{}}
		t.Run("versions", func(t *testing.T) {
			each(t, func(t *testing.T, b scratch.Binaries) {
				beds <- struct{}{}
				defer func() { <-beds }()
				planned := newBed(t, b, sum)
				for n := range hostsOfEach() {
					// each host has a seed of its own
					planned.try(drawn(b, seed, n), n)
					if n%10 == 9 {
						progress("random plans %s: %d hosts", b.Version, n+1)
					}
				}
			})
		})
		t.Log(sum)
		if all, n := sum.all(), sum.count[asPlanned]; !t.Failed() && 3*n < all {
			t.Errorf("only %d of %d hosts could be held here: that shows too little", n, all)
		}
	})
}

// beds bounds how many of these servers are there at once, however many tests may run
// beside one another: each asks for as much memory as this machine has.
var beds = make(chan struct{}, 2)

// drawn is a host for a version. Most have as much memory as the machines that
// tests run on, so that they can be held here; one in six is any.
func drawn(b scratch.Binaries, seed uint64, n int) hosts.Host {
	h := rapid.Custom(func(t *rapid.T) hosts.Host {
		of := hosts.Within(hosts.GB, hosts.GB+5)
		if rapid.IntRange(0, 5).Draw(t, "any") == 0 {
			of = hosts.Any()
		}
		h := of.Draw(t, "host")
		for _, p := range pins {
			if rapid.IntRange(0, p.of-1).Draw(t, p.address) == 0 {
				h.Opt.Pins[knob.Address(p.address)] = rapid.SampledFrom(p.values).Draw(t, p.address+" value")
			}
		}
		return h
	}).Example(int(seed%(1<<40))*1000 + b.Version.Major()*mostOfEach + n)
	h.Of(b.Version.Major())
	return h
}

// pins are what people fix, each in one of so many hosts. Without the first most
// hosts could not be held: their pool of huge pages is not here.
var pins = []struct {
	address string
	of      int
	values  []string
}{
	{"pg:huge_pages", 2, []string{"try", "try", "off", "on"}},
	{"pg:shared_buffers", 6, []string{"128kB", "1GB", "10GB", "20GB", "24GB", "40GB", "1TB"}},
	{"pg:max_connections", 6, []string{"1", "37", "5000", "10000"}},
	{"pg:work_mem", 8, []string{"64kB", "64MB", "2GB"}},
	{"pg:wal_buffers", 8, []string{"-1", "64kB", "1GB"}},
	{"pg:max_worker_processes", 8, []string{"0", "8", "1000"}},
	{"pg:autovacuum_max_workers", 8, []string{"1", "10", "100"}},
	{"pg:min_wal_size", 8, []string{"32MB", "5MB", "10GB"}},
	{"pg:max_locks_per_transaction", 8, []string{"10", "256", "512"}},
}

// outcomes counts what became of the hosts. Several versions share it.
type outcomes struct {
	lock  sync.Mutex
	count map[string]int
}

func (o *outcomes) add(what string) {
	o.lock.Lock()
	defer o.lock.Unlock()
	o.count[what]++
}

func (o *outcomes) all() int {
	sum := 0
	for _, n := range o.count {
		sum += n
	}
	return sum
}

func (o *outcomes) String() string {
	var out strings.Builder
	for _, what := range sorted(o.count) {
		fmt.Fprintf(&out, "\n  %4d %s", o.count[what], what)
	}
	return fmt.Sprintf("%d random hosts%s", o.all(), out.String())
}

// bed is the server that the plans of one version are applied to: what the host is
// described with in one file, the plan in another.
type bed struct {
	t   *testing.T
	b   scratch.Binaries
	i   *scratch.Instance
	in  *snapshot.Instance
	pg  pgsetting.Kind
	sum *outcomes
	yes bool // the kernel promises more memory than there is
}

func newBed(t *testing.T, b scratch.Binaries, sum *outcomes) *bed {
	i := start(t, b, nil)
	p := &bed{t: t, b: b, i: i, pg: pgsetting.Kind{Server: &pgctl.Server{Target: &target.Local{}}}, sum: sum,
		yes: promisesMore(t)}
	t.Cleanup(p.pg.Close)
	main := i.DataDir + "/postgresql.conf"
	p.write("postgresql.conf", text(t, main)+"include 'described.conf'\ninclude 'planned.conf'\n")
	p.write("described.conf", "")
	p.write("planned.conf", "")
	p.in = &read(t, evidenceOf(t, i, false)).Instances[0]
	return p
}

// promisesMore reports whether the kernel allows one memory request to exceed what is available: with swap, or with
// overcommit_memory=1.
func promisesMore(t *testing.T) bool {
	t.Helper()
	mem, err := host.ParseMemory([]byte(text(t, "/proc/meminfo")))
	if err != nil {
		t.Fatal(err)
	}
	return mem.SwapTotal > 0 || strings.TrimSpace(text(t, "/proc/sys/vm/overcommit_memory")) == "1"
}

func (p *bed) write(name, text string) {
	p.t.Helper()
	at := p.i.DataDir + "/" + name
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	if p.i.Account.Switch {
		if err := os.Chown(at, p.i.Account.UID, p.i.Account.GID); err != nil {
			p.t.Fatal(err)
		}
	}
}

// try plans for a host and holds one of the two: it starts, or it was refused.
func (p *bed) try(h hosts.Host, n int) {
	p.t.Helper()
	fail := func(format string, args ...any) {
		p.t.Helper()
		p.t.Fatalf("host %d: %v\n%s", n, h, fmt.Sprintf(format, args...))
	}
	a, err := h.Spec.Evidence()
	if err != nil {
		fail("%v", err)
	}
	made, s, err := planner.Make(p.t.Context(), nil, a, h.Opt)
	if err != nil {
		if pin, ok := err.(*rule.PinError); ok {
			p.sum.add("not planned: a pin is refused") // in its own words, as the command shows them
			if pin.Address == "" || pin.Reason.IsZero() {
				fail("%+v", pin)
			}
			return
		}
		fail("%v", err)
	}
	var described, text bytes.Buffer
	for _, name := range sorted(h.Spec.Settings) {
		fmt.Fprintf(&described, "%s = '%s'\n", name, h.Spec.Settings[name])
	}
	var changes []plan.Change // as the file has them: try in place of on where the pool does not exist
	if keys := export.Keys(document.Plan{Plan: made}); len(keys) > 0 {
		changes = export.Settings(document.Plan{Plan: made}, s, keys[0])
		if err := export.Conf(&text, document.Plan{Plan: made}, s, keys[0]); err != nil {
			fail("%v", err)
		}
	}
	p.write("described.conf", described.String())
	p.write("planned.conf", "")
	found, err := p.pg.Try(p.t.Context(), p.in, changes)
	if err != nil {
		fail("tried: %v", err)
	}
	p.write("planned.conf", text.String())
	p.pg.Close()
	if err := p.i.Stop(); err != nil {
		fail("%v", err)
	}
	started := p.i.Start(p.t.Context())
	if len(found) == 0 {
		if started != nil {
			fail("nothing was found wrong, and it does not start: %v\n%s", started, text.String())
		}
		p.sum.add(asPlanned)
		p.equal(h, made, changes, fail)
		return
	}
	for _, f := range found {
		_, known := params.Lookup(p.b.Version.Major(), f.Name)
		if !known || f.Said == "" || !f.Planned && h.Spec.Settings[f.Name] == "" {
			fail("refused without a name of the plan or a reason: %+v", f)
		}
	}
	why := reason(found[0])
	p.sum.add("refused: " + why)
	switch {
	case why == ofGroup, why == ofMemory && p.yes:
		// such a server starts, and dies when it uses what it was promised
	case started == nil:
		fail("it was refused and starts: %+v\n%s", found, text.String())
	}
}

const (
	asPlanned = "started with every value of the plan"

	ofGroup  = "shared memory beyond the control group"
	ofMemory = "shared memory beyond the machine"
)

// reason puts a refusal into a drawer.
func reason(f pgctl.Trouble) string {
	switch {
	case strings.Contains(f.Said, "its cgroup is limited"):
		return ofGroup
	case strings.Contains(f.Said, "the host has"):
		return ofMemory
	case f.Name == "huge_pages" && strings.Contains(f.Said, "huge pages"):
		return "more huge pages than there are"
	}
	return f.Name + ": " + f.Said
}

// equal holds the running server to the plan.
func (p *bed) equal(h hosts.Host, made *plan.Plan, changes []plan.Change, fail func(string, ...any)) {
	p.t.Helper()
	live, show := map[string]string{}, map[string]string{}
	c := connect(p.t, p.i.ConnString())
	defer c.Close(p.t.Context())
	r := c.ExecParams(p.t.Context(), `SELECT name, setting, current_setting(name) FROM pg_settings`, nil, nil, nil,
		nil).Read()
	if r.Err != nil {
		fail("%v", r.Err)
	}
	for _, row := range r.Rows {
		live[string(row[0])], show[string(row[0])] = string(row[1]), string(row[2])
	}
	for _, c := range changes {
		name := c.Address.Name()
		if memory.Automatic(name, c.ToBase) && live[name] != c.ToBase {
			continue // the server has computed it
		}
		if live[name] != c.ToBase || show[name] != c.To {
			fail("%s: planned %s (%s), the server has %s (%s)", name, c.To, c.ToBase, show[name], live[name])
		}
	}
	want := maps.Clone(h.Spec.Settings)
	for _, c := range changes {
		delete(want, c.Address.Name())
	}
	for name, v := range want { // what the plan leaves
		if live[name] != v {
			fail("%s was described as %s, the server has %s", name, v, live[name])
		}
	}
	if mb, ok := live["shared_memory_size"]; ok && len(made.Shared) == 1 {
		n, err := unit.ParseGUC(mb, "MB")
		if size := unit.Bytes(n) * unit.MB; err != nil || made.Shared[0].Bytes+unit.MB < size {
			fail("the plan says %s of shared memory, the server takes %s (%v)", made.Shared[0].Bytes, size, err)
		}
	}
}
