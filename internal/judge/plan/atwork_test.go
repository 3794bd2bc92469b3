package plan_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	facts "github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// The promises of work_mem, over random hosts of 128 MB to 24 TB, 1 to 1,024 CPUs and 5 to 5,000 connections. 100 hosts
// each by default; 10,000 with make promises.

// crowds draws hosts with so many connections.
func crowds() *rapid.Generator[host] {
	return rapid.Custom(func(t *rapid.T) host {
		h := hosts().Draw(t, "host")
		h.opt.Connections = int(5 * math.Pow(1000, rapid.Float64Range(0, 1).Draw(t, "connections of 5 to 5000")))
		h.opt.Pins = nil
		return h
	})
}

// query is what a session of a profile holds at once: written down here as the
// issue has it, and not asked of the rules.
type query struct{ sorts, hashes, temp float64 }

var queries = map[rule.Profile]query{
	rule.Web: {1, 1, 0}, rule.OLTP: {1, 1, 0}, rule.Mixed: {1, 1, 0.1}, rule.Desktop: {1, 1, 0.1}, rule.OneC: {2, 1, 1},
	rule.DW: {2, 2, 0.1},
}

// plannedInstance is an instance after its plan, as its settings say it.
type plannedInstance struct {
	work, shared, temp, maintenance, vacuum, page float64 // bytes
	connections, processes, parallel, vacuums     float64
	multiplier                                    float64
}

func after(t fataler, s *snapshot.Snapshot, p *plan.Plan) plannedInstance {
	t.Helper()
	sim := plan.Simulate(s, p)
	set, _ := sim.Instances[0].Server.Settings.Get()
	n := func(name string) float64 {
		f, err := strconv.ParseFloat(set[name].Value, 64)
		if err != nil {
			return 0 // this version has no such setting
		}
		return f
	}
	kb := 1024.0
	out := plannedInstance{
		work: n("work_mem") * kb, temp: n("temp_buffers") * 8 * kb, maintenance: n("maintenance_work_mem") * kb,
		vacuum:      n("autovacuum_work_mem") * kb,
		connections: n("max_connections"), parallel: math.Min(n("max_parallel_workers"), n("max_worker_processes")),
		vacuums:    n("autovacuum_max_workers"),
		multiplier: math.Max(n("hash_mem_multiplier"), 1), shared: float64(p.Shared[0].Bytes), page: 4 * kb,
	}
	if out.vacuum < 0 {
		out.vacuum = out.maintenance
	}
	if hp, _ := set.Text("huge_pages"); hp != "off" {
		pool, _ := sim.Host.Sysctls.Int("vm.nr_hugepages").Get()
		if p.Shared[0].Pages > 0 && pool >= p.Shared[0].Pages {
			out.page = 2 << 20
		}
	}
	// Nine of its own that no setting counts.
	out.processes = 9 + out.parallel + out.vacuums
	if method, _ := set.Text("io_method"); method == "worker" {
		out.processes += n("io_workers") + n("io_max_workers") // 18, 19
	}
	return out
}

// small is the minor part of a sum: what each process has in addition, and what the tables above the lowest take, as a
// share and in whole pages.
type small struct{ each, above, pages, shared float64 }

var (
	// less is a little less than what the program computes, more a little more: page tables of 150 kB for a process's
	// own memory, a table of entries of tables for each 512 of the lowest, each of the four levels in whole pages of 4
	// kB, and the shared memory in whole huge pages.
	less = small{}
	more = small{each: 150 << 10, above: 1.0 / 511, pages: 4 * 4096, shared: 2 << 20}
)

// sum adds up what so many open connections take, of which some hold a query, independently computed.
func (s plannedInstance) sum(open, active float64, q query, c small) float64 {
	const mb = 1 << 20
	processes := open + s.processes
	s.shared += c.shared
	tables := processes * (s.shared/s.page*8*(1+c.above) + c.pages + c.each) // an entry of eight bytes a page
	if s.temp != 8*mb {
		q.temp = math.Max(q.temp, 0.5) // set explicitly
	}
	private := processes*5*mb + active*q.temp*s.temp
	work := (active + s.parallel) * (q.sorts + q.hashes*s.multiplier) * s.work
	return s.shared + tables + private + work + s.maintenance + s.vacuums*s.vacuum
}

// worst is the larger of what has to be survived with so many open.
func (s plannedInstance) worst(h host, open float64, c small) float64 {
	q := queries[h.opt.Profile]
	if h.opt.Profile != rule.DW {
		return s.sum(open, open, q, c)
	}
	expected := math.Min(math.Floor(math.Max(h.expected(), s.connections/10)), open)
	return math.Max(s.sum(open, expected, q, c), s.sum(open, open, query{0, 1, q.temp}, c))
}

// expected is how many sessions run a report at once: two for each CPU, more if the user said so, or otherwise if twice
// the mean of a day or more was (14+).
func (h host) expected() float64 {
	least := 2 * float64(h.spec.CPUs)
	if h.opt.Active > 0 {
		return math.Max(least, float64(h.opt.Active))
	}
	answers, told := h.spec.Answers["databases"]
	if !told || h.spec.Major < 14 {
		return least
	}
	n := func(r pg.Rows, name string) float64 {
		f, _ := strconv.ParseFloat(*r.Rows[0][slices.Index(r.Columns, name)], 64)
		return f
	}
	if secs := n(h.spec.Answers["checkpoints"], "secs"); secs >= 24*3600 {
		least = math.Max(least, 2*n(answers, "active_time")/1000/secs)
	}
	return least
}

// TestSurvives: with every connection at work, each with the query of the profile at
// full size (dw: as many as are expected, and one hash in each), the part of the
// instance is not exceeded; or the plan says how many fit, and they do.
func TestSurvives(t *testing.T) {
	fits, short := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		h := crowds().Draw(t, "host")
		s := h.snapshot(t)
		p := mustPlan(t, s, h.opt)
		a := after(t, s, p)
		b := p.Budget.After
		share := float64(b.Total - b.Reserve - b.Others)
		if int(a.connections) != h.opt.Connections || p.Budget.Open != h.opt.Connections {
			t.Fatalf("%v\n%v connections are planned and %d reckoned with", h, a.connections, p.Budget.Open)
		}
		warned := strings.Contains(fmt.Sprint(p.Warnings), "Memory suffices")
		if p.Budget.Fit == p.Budget.Open {
			fits++
			if warned || p.Budget.AllAfter.Shortfall > 0 {
				t.Fatalf("%v\nall connections fit, and short of %s: %q", h, p.Budget.AllAfter.Shortfall, p.Warnings)
			}
			if worst := a.worst(h, a.connections, less); worst > share {
				t.Fatalf("%v\n%s of work_mem: %s with all connections at work in %s", h, unit.Bytes(a.work),
					unit.Bytes(worst), unit.Bytes(share))
			}
			return
		}
		short++
		if !warned || !strings.Contains(fmt.Sprint(p.Warnings), "PgBouncer") {
			t.Fatalf("%v\n%d of %d fit, and no warning says so: %q", h, p.Budget.Fit, p.Budget.Open, p.Warnings)
		}
		if fit := float64(p.Budget.Fit); fit > 0 && a.worst(h, fit, less) > share {
			t.Fatalf("%v\n%v are said to fit and take %s of %s", h, fit, unit.Bytes(a.worst(h, fit, less)),
				unit.Bytes(share))
		}
		if next := float64(p.Budget.Fit + 1); a.worst(h, next, more) < share {
			t.Fatalf("%v\n%v are said not to fit and take only %s of %s", h, next, unit.Bytes(a.worst(h, next, more)),
				unit.Bytes(share))
		}
	})
	t.Logf("all connections fit on %d hosts, not all on %d", fits, short)
	if fits == 0 || short == 0 {
		t.Error("this test has seen one of the two only")
	}
}

// MB
var caps = map[rule.Profile]int64{rule.Web: 64, rule.OLTP: 64, rule.Desktop: 64, rule.OneC: 128, rule.Mixed: 128,
	rule.DW: 1024}

// TestCapped: no profile gets more than an expert would write down without having
// seen larger spills; with them more, while all connections fit.
func TestCapped(t *testing.T) {
	at, above := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		h := crowds().Draw(t, "host")
		counted := h.spec.Answers
		h.spec.Answers = nil
		s := h.snapshot(t)
		present, most := value(t, s, "work_mem"), caps[h.opt.Profile]*1024
		got := value(t, plan.Simulate(s, mustPlan(t, s, h.opt)), "work_mem")
		if got > max(most, present) {
			t.Fatalf("%v\nwork_mem = %d kB", h, got)
		}
		if got == most {
			at++
		}
		if h.spec.Answers = counted; counted == nil {
			return
		}
		// A million files of so many bytes each, for as long as was counted.
		many := map[string]string{"secs": "864000", "temp_files": "1000000",
			"temp_bytes": strconv.Itoa(1000000 * (1 << rapid.IntRange(20, 29).Draw(t, "log2 file")))}
		for _, query := range []string{"databases", "checkpoints"} {
			for i, name := range counted[query].Columns {
				if text, ok := many[name]; ok {
					counted[query].Rows[0][i] = &text
				}
			}
		}
		s = h.snapshot(t)
		p := mustPlan(t, s, h.opt)
		if got := value(t, plan.Simulate(s, p), "work_mem"); got > max(most, present) {
			above++
			if p.Budget.Fit < p.Budget.Open {
				t.Fatalf("%v\nwork_mem = %d kB for spills, and of %d connections %d fit", h, got, p.Budget.Open,
					p.Budget.Fit)
			}
		}
	})
	t.Logf("%d at the cap, %d above it for spills", at, above)
	if at == 0 || above == 0 {
		t.Error("this test has seen one of the two only")
	}
}

// TestFloored: never below 4 MB, nor below the present value if no shortage was seen; shared_buffers is lowered first.
// With a shortage it is lowered until all connections fit, or to 4 MB.
func TestFloored(t *testing.T) {
	kept, lowered := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		h := crowds().Draw(t, "host")
		if rapid.Bool().Draw(t, "much") {
			h.spec.Settings["work_mem"] = strconv.Itoa(rapid.IntRange(4096, 1<<20).Draw(t, "work_mem"))
		}
		s := h.snapshot(t)
		p := mustPlan(t, s, h.opt)
		present := value(t, s, "work_mem")
		sim := plan.Simulate(s, p)
		got := value(t, sim, "work_mem")
		if got < max(4096, present) {
			t.Fatalf("%v\nwork_mem goes from %d to %d kB", h, present, got)
		}
		if b := p.Budget; b.Fit < b.Open {
			kept++
			sb := unit.Bytes(value(t, sim, "shared_buffers")) * 8 * unit.KB
			if least := max(128*unit.MB, b.After.Total.Scale(0.15)); sb > least.Scale(1+1.0/16) {
				t.Fatalf("%v\n%d of %d connections fit, and shared_buffers are %s", h, b.Fit, b.Open, sb)
			}
			if got > max(4096, present) {
				t.Fatalf("%v\n%d of %d connections fit, and work_mem is raised from %d to %d kB", h, b.Fit, b.Open,
					present, got)
			}
		}
		s.Described = false
		s.Host.VMStat = known.Is(facts.VMStat{"oom_kill": 1})
		if limited := h.spec.CGroup > 0; limited {
			cg, _ := s.Instances[0].CGroup.Get()
			cg.OOMKills = known.Is(int64(1))
			s.Instances[0].CGroup = known.Is(cg)
		}
		p = mustPlan(t, s, h.opt)
		got = value(t, plan.Simulate(s, p), "work_mem")
		if got < present {
			lowered++
		}
		if got < 4096 || got > 4096 && p.Budget.Fit < p.Budget.Open {
			t.Fatalf("%v\na kill was seen, and with work_mem = %d kB %d of %d connections fit", h, got, p.Budget.Fit,
				p.Budget.Open)
		}
		for _, c := range mustPlan(t, plan.Simulate(s, p), h.opt).Changes {
			t.Fatalf("%v\na kill was seen, and after the plan %s would change again, %s → %s: %s", h, c.Address, c.From,
				c.To, c.Reason)
		}
	})
	t.Logf("%d kept at what does not fit, %d lowered after a kill", kept, lowered)
	if kept == 0 || lowered == 0 {
		t.Error("this test has seen one of the two only")
	}
}

// TestOrdered: on one host dw gets no less than mixed, mixed no less than oltp, and
// oltp no less than web.
func TestOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := crowds().Draw(t, "host")
		s := h.snapshot(t)
		before := int64(0)
		for _, p := range []rule.Profile{rule.Web, rule.OLTP, rule.Mixed, rule.DW} {
			h.opt.Profile = p
			got := value(t, plan.Simulate(s, mustPlan(t, s, h.opt)), "work_mem")
			if got < before {
				t.Fatalf("%v\n%s gets %d kB, and a profile of smaller queries %d", h, p, got, before)
			}
			before = got
		}
	})
}

// TestMonotoneWorkMem: more memory never lowers work_mem by more than a step, more
// connections never raise it, and 6 % more of them never cut it to less than half.
func TestMonotoneWorkMem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := crowds().Draw(t, "host")
		// A present value that is close enough stays, which is not the rule's doing.
		for _, name := range []string{"shared_buffers", "work_mem", "maintenance_work_mem"} {
			delete(h.spec.Settings, name)
		}
		work := func(h host) int64 {
			s := h.snapshot(t)
			return value(t, plan.Simulate(s, mustPlan(t, s, h.opt)), "work_mem")
		}
		was := work(h)
		big := h
		factor := rapid.SampledFrom([]float64{1.001, 1.01, 1.1, 1.5, 3}).Draw(t, "factor")
		big.spec.RAM = max(h.spec.RAM.Scale(factor).RoundDown(unit.MB), h.spec.RAM+unit.MB)
		if big.spec.CGroup > 0 {
			big.spec.CGroup += big.spec.RAM - h.spec.RAM
		}
		// One step of an eighth may be lost: everything except work_mem is rounded as well, and a worker for each 512
		// MB more may hold it too. Seen with 2.67 GB and 27 MB more, and on 200 CPUs under a limit of 25.6 GB that was
		// doubled (1 in 3,600 hosts).
		if got := work(big); 8*got < 7*was {
			t.Fatalf("%v\nwork_mem falls from %d to %d kB with %s more", h, was, got, big.spec.RAM-h.spec.RAM)
		}
		crowd := h
		crowd.opt.Connections += max(crowd.opt.Connections*6/100, 1)
		got := work(crowd)
		if got > was {
			t.Fatalf("%v\nwork_mem rises from %d to %d kB with %d connections", h, was, got, crowd.opt.Connections)
		}
		if h.opt.Connections >= 17 && 2*got < was { // of fewer one more is more than 6 %
			t.Fatalf("%v\nwork_mem falls from %d to %d kB with %d connections", h, was, got, crowd.opt.Connections)
		}
		crowd.opt.Connections *= rapid.IntRange(2, 10).Draw(t, "times")
		if got := work(crowd); got > was {
			t.Fatalf("%v\nwork_mem rises from %d to %d kB with %d connections", h, was, got, crowd.opt.Connections)
		}
	})
}
