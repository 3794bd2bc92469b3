package sampled

import (
	"math"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/live"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/gap"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
)

// Schema names the version of the document of a watch.
const Schema = "pgfettle.diagnose.slow-sample/1"

// Figures are what was measured. A figure that is nil could not be; shares
// are percent of the time, rates a second, sizes bytes.
type Figures struct {
	RunQueue    *float64    `json:"run_queue,omitempty"` // processes that ran or wanted to, on average
	Blocked     *float64    `json:"blocked,omitempty"`   // that waited for a disk
	Busy        *float64    `json:"busy,omitempty"`      // of all CPUs
	System      *float64    `json:"system,omitempty"`
	IOWait      *float64    `json:"iowait,omitempty"`
	Steal       *float64    `json:"steal,omitempty"`
	Switches    *float64    `json:"context_switches,omitempty"`
	CPUPSI      *float64    `json:"cpu_pressure,omitempty"` // some
	MemoryPSI   *float64    `json:"memory_pressure,omitempty"`
	IOPSI       *float64    `json:"io_pressure,omitempty"`
	GroupPSI    *float64    `json:"cgroup_memory_pressure,omitempty"`
	GroupFull   *float64    `json:"cgroup_limit_met,omitempty"` // times a second that the group was at its limit
	GroupMajor  *float64    `json:"cgroup_major_faults,omitempty"`
	Throttled   *float64    `json:"cgroup_throttled,omitempty"` // of the periods of its CPU quota
	Faults      *float64    `json:"faults,omitempty"`
	Major       *float64    `json:"major_faults,omitempty"`
	SwapIn      *float64    `json:"swap_in,omitempty"` // pages
	SwapOut     *float64    `json:"swap_out,omitempty"`
	DirectScan  *float64    `json:"direct_scan,omitempty"` // pages that processes themselves looked at for memory
	Compaction  *float64    `json:"compaction_stalls,omitempty"`
	HugeFaults  *float64    `json:"thp_faults,omitempty"`
	PageTables  *unit.Bytes `json:"page_tables,omitempty"`
	GroupMemory *unit.Bytes `json:"cgroup_memory,omitempty"`
	GroupLimit  *unit.Bytes `json:"cgroup_limit,omitempty"`
	Active      *float64    `json:"active,omitempty"`    // backends, on average
	Waiting     *float64    `json:"waiting,omitempty"`   // of the active, percent that waited for something
	Computing   *float64    `json:"computing,omitempty"` // of the active, percent that waited for nothing
}

// Function is a function of the profile with what it means.
type Function struct {
	live.Symbol
	Meaning say.Message `json:"meaning,omitzero"`
}

// Sample is what a watch shows.
type Sample struct {
	Schema    string         `json:"schema"`
	Instance  string         `json:"instance"`
	Seconds   float64        `json:"seconds"`
	CPUs      int            `json:"cpus"`
	Verdict   say.Message    `json:"verdict"`
	Verdicts  []slow.Verdict `json:"verdicts"`
	Figures   Figures        `json:"figures"`
	Waits     []live.Wait    `json:"waits"` // of active backends and of processes of the server that do not idle
	Asked     int            `json:"asked"` // how often the server was asked
	Blockers  []live.Blocker `json:"blockers"`
	Processes []live.Busy    `json:"processes"`
	Functions []Function     `json:"functions"`
	Missing   []gap.Gap      `json:"missing"`

	e      *live.Episode
	weight map[string]float64
	// shares of groups of functions with what they called; nil if no stacks were recorded
	inclusive map[string]float64
	hosted    bool
}

// Judge judges a watch.
func Judge(instance string, e *live.Episode) *Sample {
	d := &Sample{Schema: Schema, Instance: instance, Seconds: math.Round(e.Seconds*10) / 10, CPUs: e.CPUs,
		Asked: e.Asked, e: e, weight: map[string]float64{},
		Verdicts: []slow.Verdict{}, Waits: []live.Wait{}, Functions: []Function{},
		Blockers: append([]live.Blocker{}, e.Blockers...), Processes: append([]live.Busy{}, e.Processes...),
		Missing: gap.All(e.Missing)}
	d.figures()
	for _, w := range e.Waits {
		if w.Type != "Activity" && (w.State == "active" || w.Backend != "client backend" && w.Type != "") {
			d.Waits = append(d.Waits, w)
		}
	}
	for _, s := range e.Perf {
		m, _ := slowMeaning(s.Name)
		d.Functions = append(d.Functions, Function{Symbol: s, Meaning: m.meaning})
	}
	for _, f := range []func(){d.lockJam, d.waits, d.processors, d.stolen, d.throttled, d.memory, d.compaction,
		d.pageTables, d.spins, d.clients, d.profile, d.computes} {
		f()
	}
	slices.SortStableFunc(d.Verdicts, func(a, b slow.Verdict) int {
		switch x, y := d.weight[a.ID], d.weight[b.ID]; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	d.Verdict = d.headline()
	return d
}

// headline says the verdict in one line.
func (d *Sample) headline() say.Message {
	switch seen := d.e.Asked > 0; {
	case len(d.Verdicts) > 0:
		return firstTwo(d.Verdicts)
	case !seen && !d.e.HostSeen:
		return say.M("Nothing was observed: neither the server nor the host could be read.")
	case d.Figures.Active != nil && *d.Figures.Active < 0.5:
		return say.M("Quiet: hardly any query ran in this time. Sample while it is slow.")
	case !d.e.HostSeen:
		return say.M("Nothing unusual in the server; the host was not observed.")
	case !seen:
		return say.M("Nothing unusual on the host; the server was not observed.")
	}
	return say.M("Nothing unusual: no lock contention, and CPU, memory and disks had room.")
}

// firstTwo are the titles of the verdicts that come first.
func firstTwo(list []slow.Verdict) say.Message {
	if len(list) == 1 {
		return say.M("{finding}.", "finding", list[0].Title)
	}
	return say.M("{first}. Then: {second}.", "first", list[0].Title, "second", list[1].Title)
}

// add puts a verdict in, with its weight: the share of the time, in percent, that it costs, as far as known.
func (d *Sample) add(id, certainty string, weight float64, title say.Message, evidence, next []say.Message) {
	d.Verdicts = append(d.Verdicts, slow.Verdict{ID: id, Certainty: certainty, Title: title,
		Evidence: append([]say.Message{}, evidence...), Next: append([]say.Message{}, next...)})
	d.weight[id] = weight
}

func slowAt[T any](v T) *T { return &v }

func (d *Sample) figures() {
	e, f := d.e, &d.Figures
	if e.Asked > 0 {
		active, computing := 0, 0
		for _, w := range e.Waits {
			if w.State == "active" && w.Backend == "client backend" || w.Backend == "parallel worker" {
				active += w.Seen
				if w.Type == "" {
					computing += w.Seen
				}
			}
		}
		f.Active = slowAt(slowTenth(float64(active) / float64(e.Asked)))
		if active > 0 {
			c := 100 * float64(computing) / float64(active)
			f.Computing, f.Waiting = slowAt(slowTenth(c)), slowAt(slowTenth(100-c))
		}
	}
	if !e.HostSeen || e.Seconds <= 0 {
		return
	}
	d.hosted = true
	a, b := e.Before, e.After
	if all := b.CPU.All() - a.CPU.All(); all > 0 && a.CPU.All() > 0 {
		share := func(x, y int64) *float64 { return slowAt(slowTenth(100 * float64(max(y-x, 0)) / float64(all))) }
		f.System, f.IOWait, f.Steal = share(a.CPU.System, b.CPU.System), share(a.CPU.IOWait, b.CPU.IOWait),
			share(a.CPU.Steal, b.CPU.Steal)
		idle := b.CPU.Idle - a.CPU.Idle + b.CPU.IOWait - a.CPU.IOWait
		f.Busy = slowAt(slowTenth(100 * float64(max(all-idle, 0)) / float64(all)))
		f.Switches = slowAt(math.Round(float64(max(b.CPU.Switches-a.CPU.Switches, 0)) / e.Seconds))
	}
	if len(e.Ticks) > 0 {
		run, blocked := 0.0, 0.0
		for _, t := range e.Ticks {
			run, blocked = run+float64(t.Running), blocked+float64(t.Blocked)
		}
		n := float64(len(e.Ticks))
		f.RunQueue, f.Blocked = slowAt(slowTenth(run/n)), slowAt(slowTenth(blocked/n))
	}
	pressure := func(a, b map[string]host.PSITotals, kind string) *float64 {
		x, ok := a[kind]
		y, ok2 := b[kind]
		if !ok || !ok2 {
			return nil
		}
		// microseconds of a second, in percent
		return slowAt(min(slowTenth(float64(max(y.Some-x.Some, 0))/1e4/e.Seconds), 100))
	}
	f.CPUPSI, f.MemoryPSI, f.IOPSI = pressure(a.Pressure, b.Pressure, "cpu"),
		pressure(a.Pressure, b.Pressure, "memory"), pressure(a.Pressure, b.Pressure, "io")
	f.GroupPSI = pressure(a.CGPressure, b.CGPressure, "memory")
	rate := func(a, b map[string]int64, names ...string) *float64 {
		sum, any := int64(0), false
		for _, n := range names {
			if y, ok := b[n]; ok {
				sum, any = sum+max(y-a[n], 0), true
			}
		}
		if !any {
			return nil
		}
		return slowAt(slowTenth(float64(sum) / e.Seconds))
	}
	f.Faults, f.Major = rate(a.VM, b.VM, "pgfault"), rate(a.VM, b.VM, "pgmajfault")
	f.SwapIn, f.SwapOut = rate(a.VM, b.VM, "pswpin"), rate(a.VM, b.VM, "pswpout")
	f.DirectScan, f.Compaction, f.HugeFaults = rate(a.VM, b.VM, "pgscan_direct"), rate(a.VM, b.VM, "compact_stall"),
		rate(a.VM, b.VM, "thp_fault_alloc")
	f.GroupFull, f.GroupMajor = rate(a.CGroup, b.CGroup, "max"), rate(a.CGroup, b.CGroup, "pgmajfault")
	if p := b.CGroup["nr_periods"] - a.CGroup["nr_periods"]; p > 0 {
		f.Throttled = slowAt(slowTenth(100 * float64(b.CGroup["nr_throttled"]-a.CGroup["nr_throttled"]) / float64(p)))
	}
	if e.Tables > 0 {
		f.PageTables = slowAt(e.Tables)
	}
	if b.CGMemory > 0 {
		f.GroupMemory = slowAt(b.CGMemory)
	}
	if b.CGMemoryMax > 0 {
		f.GroupLimit = slowAt(b.CGMemoryMax)
	}
}

func slowTenth(v float64) float64 { return math.Round(v*10) / 10 }

// slowValue is a figure, or 0 if there is none: for comparisons in which a missing figure must not fire.
func slowValue(f *float64) float64 {
	if f == nil {
		return 0
	}
	return *f
}
