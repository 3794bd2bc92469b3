// Package metrics shows what was found as metrics of Prometheus: memory, page
// tables, huge page pools, the budget, findings, and settings beside the plan.
// The documents are those that check and plan show; a value that is not known is
// absent, never 0. A Source collects no more often than it may, however often it
// is scraped, so that monitoring is no load of its own on a server that is sick;
// Handler serves it, Text and WriteFile write it once.
package metrics

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	diagmemory "github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// Reading is one collection, judged: the documents that the metrics are made of.
type Reading struct {
	Snapshot *snapshot.Snapshot
	Report   check.Report
	Plan     *plan.Plan
	Drifts   []journal.Drift // of what was applied; empty if nothing was

	outcome *rule.Outcome
}

// Read puts the documents of one collection together. The error is that of
// deciding again what the plan has decided.
func Read(s *snapshot.Snapshot, r check.Report, p *plan.Plan) (*Reading, error) {
	// The plan lists only changes; what it decided to keep has a planned value too.
	out, err := rule.Decide(s, rules.All(), p.Options())
	if err != nil {
		return nil, err
	}
	return &Reading{Snapshot: s, Report: r, Plan: p, outcome: out}, nil
}

// fill writes the series of a reading.
func (r *Reading) fill(k *sink) {
	names := r.names()
	r.host(k)
	for i := range r.Snapshot.Instances {
		r.instance(k, &r.Snapshot.Instances[i], names)
	}
	r.budget(k)
	r.findings(k)
	r.settings(k, names)
	r.applied(k)
	r.unreadable(k, names)
}

// names are the labels of the instances by their keys. Two of one label, such as servers on one port of two addresses,
// are distinguished.
func (r *Reading) names() map[string]string {
	out, seen := map[string]string{"": ""}, map[string]bool{}
	for i := range r.Snapshot.Instances {
		in := &r.Snapshot.Instances[i]
		name := in.Label()
		if seen[name] {
			name += " (" + in.Key + ")"
		}
		seen[name] = true
		out[in.Key] = name
	}
	return out
}

// partNames are the parts of the host's memory as labels.
var partNames = map[string]string{
	diagmemory.PartTables: "postgres_page_tables", diagmemory.PartPrivate: "postgres_private",
	diagmemory.PartShared: "shared",
	diagmemory.PartHuge:   "huge_pages_used", diagmemory.PartOthers: "other_private",
	diagmemory.PartTables2: "other_page_tables",
	diagmemory.PartKernel:  "kernel", diagmemory.PartIdleHuge: "huge_pages_idle", diagmemory.PartCache: "file_cache",
	diagmemory.PartFree: "free",
}

func (r *Reading) host(k *sink) {
	s := r.Snapshot
	if m, ok := s.Host.Memory.Get(); ok {
		for _, l := range []struct {
			family *Family
			line   string
		}{
			{&hostMemory, "MemTotal"}, {&hostAvailable, "MemAvailable"}, {&hostPageTables, "PageTables"},
			{&hostSwap, "SwapTotal"},
			{&hostSwapFree, "SwapFree"}, {&hostCommitLimit, "CommitLimit"}, {&hostCommitted, "Committed_AS"},
		} {
			if b, ok := m.Line(l.line); ok {
				k.put(l.family, float64(b))
			}
		}
		if d := diagmemory.Diagnose(s, nil); d.Host != nil && r.processesSeen() {
			for _, p := range d.Host.Parts {
				k.put(&hostPart, float64(p.Size), partNames[p.Name])
			}
		}
	}
	if mode, ok := s.Host.Sysctls.Int("vm.overcommit_memory").Get(); ok {
		k.put(&hostOvercommit, float64(mode))
	}
	pools, _ := s.Host.HugePages.Get()
	for _, p := range pools {
		size := strconv.FormatInt(int64(p.Size), 10)
		in := func(pages int64) float64 { return float64(pages) * float64(p.Size) }
		k.put(&poolSize, in(p.Total), size)
		k.put(&poolFree, in(p.Free), size)
		k.put(&poolReserved, in(p.Reserved), size)
		k.put(&poolSurplus, in(p.Surplus), size)
	}
}

// processesSeen reports whether the processes of every instance are known: without them what they hold would count with
// other programs.
func (r *Reading) processesSeen() bool {
	return !slices.ContainsFunc(r.Snapshot.Instances, func(in snapshot.Instance) bool {
		up, told := in.Running.Get()
		return !in.Processes.Known() && (up || !told)
	})
}

func (r *Reading) instance(k *sink, in *snapshot.Instance, names map[string]string) {
	s, name := r.Snapshot, names[in.Key]
	version, port := in.Version(), ""
	if p, ok := in.Port.Get(); ok {
		port = strconv.Itoa(p)
	}
	k.put(&instanceInfo, 1, name, version, port)
	if up, ok := in.Running.Get(); ok {
		k.put(&instanceRunning, truth(up), name)
	}
	k.put(&instanceAnswered, truth(in.Server.Settings.Known()), name)
	if ps, ok := in.Processes.Get(); ok {
		var sum host.Process
		for _, p := range ps {
			sum.PageTables += p.PageTables
			sum.Anon += p.Anon
			sum.Swap += p.Swap
		}
		k.put(&instanceProcesses, float64(len(ps)), name)
		k.put(&instanceTables, float64(sum.PageTables), name)
		k.put(&instancePrivate, float64(sum.Anon), name)
		k.put(&instanceSwapped, float64(sum.Swap), name)
	}
	// Page tables do not depend on what load is assumed.
	if m, ok := memory.AsItIs(s, in, memory.Mixed).Get(); ok {
		k.put(&instanceTablesWorst, float64(m.Parts().PageTables), name)
	}
	if seg, ok := memory.SegmentOf(in).Get(); ok {
		k.put(&instanceShared, float64(seg.Size), name)
	}
	page, _ := memory.HugePageSize(s, in).Get()
	need, told := memory.HugeNeedOf(in, page)
	if told {
		k.put(&instanceHugeNeeded, float64(need.Pages)*float64(page), name, strconv.FormatInt(int64(page), 10))
	}
	if on, ok := memory.OnHugePages(in).Get(); ok {
		k.put(&instanceOnHuge, truth(on), name)
		switch {
		case !on:
			k.put(&instanceHugeUsed, 0, name)
		case told:
			k.put(&instanceHugeUsed, float64(need.Pages)*float64(page), name)
		}
	}
}

func (r *Reading) budget(k *sink) {
	b := r.Plan.Budget
	if !b.Known {
		return
	}
	k.put(&budgetLimit, float64(b.Before.Total), b.Limit)
	for state, l := range map[string]memory.Budget{"present": b.Before, "planned": b.After} {
		for part, size := range map[string]unit.Bytes{
			"shared_memory": l.Shared, "page_tables": l.PageTables, "backends": l.Backends, "work": l.Work,
			"maintenance": l.Maintenance,
			"neighbours":  l.Beside, "others": l.Others, "reserve": l.Reserve, "huge_pages_unused": l.PoolUnused,
			"file_cache": l.FileCache,
		} {
			k.put(&budgetPart, float64(size), state, part)
		}
		k.put(&budgetShortfall, float64(l.Shortfall), state)
	}
}

func (r *Reading) findings(k *sink) {
	accepted := make([]check.Finding, len(r.Report.Accepted))
	for i, a := range r.Report.Accepted {
		accepted[i] = a.Finding
	}
	for _, set := range []struct {
		list     []check.Finding
		sum, one *Family
	}{{r.Report.Findings, &findings, &finding}, {accepted, &findingsAccepted, &findingAccepted}} {
		sums := map[check.Severity]int{check.Info: 0, check.Notice: 0, check.Warning: 0, check.Critical: 0}
		ones := map[[3]string]int{}
		for _, f := range set.list {
			sums[f.Severity]++
			ones[[3]string{f.ID, f.Severity.String(), f.Instance}]++
		}
		for sev, n := range sums {
			k.put(set.sum, float64(n), sev.String())
		}
		for _, l := range sorted(ones) {
			k.put(set.one, float64(ones[l]), l[:]...)
		}
	}
}

// sorted orders keys, so that what a bound cuts off is not left to chance.
func sorted(m map[[3]string]int) [][3]string {
	return slices.SortedFunc(maps.Keys(m), func(a, b [3]string) int { return slices.Compare(a[:], b[:]) })
}

func (r *Reading) settings(k *sink, names map[string]string) {
	for _, d := range r.outcome.Decisions {
		now, ok := d.Present.Get()
		if !ok {
			continue // what cannot be seen is not planned to change
		}
		kind := ""
		if in := r.Snapshot.Instance(d.Instance); in != nil {
			set, _ := in.Server.Settings.Get()
			kind = set[d.Address.Name()].Type
		}
		if v, unit, ok := number(now, kind); ok {
			k.put(&setting, v, names[d.Instance], string(d.Address), unit)
		}
		if v, unit, ok := number(d.Effective, kind); ok {
			k.put(&settingPlanned, v, names[d.Instance], string(d.Address), unit)
		}
	}
	effects := map[knob.Effect]int{knob.Now: 0, knob.Reload: 0, knob.Restart: 0, knob.Reboot: 0}
	for _, c := range r.Plan.Changes {
		effects[c.Effect]++
		k.put(&planChange, 1, names[c.Key], string(c.Address), c.Effect.String(), string(c.Risk))
	}
	for e, n := range effects {
		k.put(&planChanges, float64(n), e.String())
	}
}

// number returns a value in the base unit of Prometheus, and that unit. kind is
// the server's type of the setting, "" for those of the host.
func number(v rule.Value, kind string) (f float64, base string, ok bool) {
	if kind == "bool" {
		return truth(v.Setting == "on"), "boolean", v.Setting == "on" || v.Setting == "off"
	}
	if kind == "enum" || kind == "string" {
		return 0, "", false
	}
	f, err := unit.Figure(v.Setting)
	if err != nil {
		return 0, "", false
	}
	base, times := cmp.Or(v.Unit, "none"), 1.0
	if size, ok := unit.MemoryUnit(v.Unit); ok {
		base, times = "bytes", float64(size)
	} else if d, ok := unit.TimeUnit(v.Unit); ok {
		base, times = "seconds", d.Seconds()
	}
	if f < 0 { // -1 is «automatic» or «off», no amount
		times = 1
	}
	return f * times, base, true
}

func (r *Reading) applied(k *sink) {
	if len(r.Drifts) == 0 {
		return
	}
	holds := map[journal.Hold]int{journal.Holds: 0, journal.Changed: 0, journal.Lost: 0, journal.Waits: 0,
		journal.Unseen: 0}
	for _, d := range r.Drifts {
		holds[d.Hold]++
		if d.Hold == journal.Changed || d.Hold == journal.Lost {
			k.put(&appliedMoved, 1, d.Instance, string(d.Address), string(d.Hold))
		}
	}
	for h, n := range holds {
		k.put(&applied, float64(n), string(h))
	}
}

// mostFacts limits the facts that are named: if more are missing, the cause is one missing right, and the count shows
// its effect.
const mostFacts = 64

var (
	// process is the number of a process in the name of a fact. It would make a new
	// series of every process.
	process = regexp.MustCompile(`\bproc/[0-9]+/`)
	// ofServer is a fact that a server was asked for.
	ofServer = regexp.MustCompile(`^pg/([^/]+)/(.+)$`)
)

// askedDeep begins the names of what is asked with --deep alone: here it never is,
// and nothing keeps it from being read.
const askedDeep = "deep_"

func (r *Reading) unreadable(k *sink, names map[string]string) {
	all := map[[3]string]int{}
	for _, g := range slices.Concat(r.Report.Unknown, r.Plan.Unknown) {
		fact, instance := process.ReplaceAllString(g.Fact, "proc/*/"), ""
		if m := ofServer.FindStringSubmatch(g.Fact); m != nil && names[m[1]] != "" {
			if strings.HasPrefix(m[2], askedDeep) {
				continue
			}
			fact, instance = "pg/"+m[2], names[m[1]]
		}
		all[[3]string{fact, instance}]++
	}
	k.put(&unreadableFacts, float64(len(all)))
	list := sorted(all)
	for _, f := range list[:min(len(list), mostFacts)] {
		k.put(&unreadableFact, 1, f[0], f[1])
	}
}
