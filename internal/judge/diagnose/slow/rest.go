package slow

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
)

// slowEpisode is what to look at when the trouble is below PostgreSQL.
func slowEpisode() []say.Message {
	return []say.Message{
		say.M("While it is slow, pgfettle diagnose slow --sample shows wait events, run queue, steal, pressure, page " +
			"faults and compaction."),
		say.M("pgfettle diagnose memory shows the page tables: many connections to large shared_buffers without huge " +
			"pages can make memory access slower."),
		say.M("perf top -p PID for the backend shows compaction and page faults of the kernel, s_lock and " +
			"LWLockAcquire of the server."),
		say.M("On a virtual machine, check the steal time (column st of vmstat 1). In a cgroup, check cpu.stat for " +
			"throttling."),
	}
}

// rest judges what no cause above explains: the reading for two runs of one plan
// that did the same work on the same blocks.
func (d *Report) rest() {
	if !d.SamePlan {
		return
	}
	d.ruledOut(say.M("the planner: both runs have the same plan"))
	left := d.extra()
	for _, v := range d.Verdicts {
		if v.Explains != nil {
			left -= *v.Explains
		}
	}
	// Below half of it the causes that were found are the story.
	if d.extra() == 0 || left < d.extra()/2 {
		return
	}
	var evidence []say.Message
	switch {
	case d.Buffers == "same-hits":
		evidence = append(evidence, say.M("both runs have the same plan and found all blocks in shared buffers "+
			"({slow} and {fast})", "slow", *d.Slow.Hit, "fast", *d.Fast.Hit))
		if a, b := d.Slow.Execution, d.Fast.Execution; a != nil && b != nil && *d.Slow.Hit > 0 && *d.Fast.Hit > 0 {
			evidence = append(evidence, say.M("per block: {slow} instead of {fast}", "slow",
				ms(*a/float64(*d.Slow.Hit)), "fast", ms(*b/float64(*d.Fast.Hit))))
		}
	case d.Buffers == "unknown":
		evidence = append(evidence, say.M("both runs have the same plan; buffers were not counted"))
	default:
		evidence = append(evidence, say.M("both runs have the same plan; slow run: {slow_hit} blocks hit, "+
			"{slow_read} read; fast run: {fast_hit} hit, {fast_read} read", "slow_hit", *d.Slow.Hit, "slow_read",
			*d.Slow.Read, "fast_hit", *d.Fast.Hit, "fast_read", *d.Fast.Read))
	}
	switch d.Spread {
	case "uniform":
		evidence = append(evidence, say.M("all nodes that took time are slower by about the same factor: the whole "+
			"host was slow, not one table"))
	case "concentrated":
		for _, n := range d.worst(2) {
			evidence = append(evidence, slowNodeLine(n))
		}
	}
	switch {
	case d.Buffers == "same-hits":
		d.add("cpu-memory-or-lock", Sure, &left, say.M("CPU, memory or internal locks were slow, not the disks or "+
			"the plan"),
			evidence, slowEpisode())
	case d.Buffers == "unknown":
		next := append([]say.Message{say.M("Run both again with EXPLAIN (ANALYZE, BUFFERS). If both find all blocks " +
			"in shared buffers, it is neither the disks nor the plan, but CPU, memory or locks.")}, slowEpisode()...)
		d.add("cpu-memory-or-lock", Possible, &left,
			say.M("Reads, CPU, memory or internal locks were slow: EXPLAIN (ANALYZE, BUFFERS) distinguishes them"),
			evidence, next)
	case d.has("reads"):
		// A read whose time was measured and does not explain it, or was not measured.
		for _, v := range d.Verdicts {
			if v.ID == "reads" && v.Explains != nil {
				d.add("cpu-memory-or-lock", Likely, &left,
					say.M("CPU, memory or internal locks were slow too: the reads do not explain it"), evidence,
					slowEpisode())
			}
		}
	case len(d.Verdicts) == 0 || left > d.extra()/2:
		d.add("cpu-memory-or-lock", Likely, &left,
			say.M("CPU, memory or internal locks were slow: neither the plan nor the blocks explain it"), evidence,
			slowEpisode())
	}
}

func slowNodeLine(n Node) say.Message {
	text := say.M("{percent} of the extra time is in {node}", "percent", percent(n.Share), "node", named(n.Head))
	switch {
	case n.SlowLoop == nil || n.FastLoop == nil:
	case n.Loops > 1:
		text = say.M("{percent} of the extra time is in {node}: {slow} instead of {fast} in each of {loops}", "percent",
			percent(n.Share), "node", named(n.Head), "slow", ms(*n.SlowLoop), "fast", ms(*n.FastLoop), "loops",
			loopsOf(n.Loops))
	default:
		text = say.M("{percent} of the extra time is in {node}: {slow} instead of {fast}", "percent", percent(n.Share),
			"node", named(n.Head), "slow", ms(*n.SlowLoop), "fast", ms(*n.FastLoop))
	}
	return text
}

// planningHides is how much larger the factor of the executions is than that of the whole times for it to be told:
// planning then takes most of the fast run.
const planningHides = 3

// headline says the verdict in one line.
func (d *Report) headline() {
	a, f := d.took[0], d.took[1]
	times := say.M("At least one run has no time.")
	if d.Factor != nil {
		times = say.M("{slow} took {slow_time}, {fast} {fast_time}: {factor} times as long.",
			"slow", gapwords.Arg(d.Slow.Name),
			"slow_time", ms(*a), "fast", gapwords.Arg(d.Fast.Name), "fast_time", ms(*f), "factor", factor(*d.Factor))
		if x, y := d.Slow.Execution, d.Fast.Execution; x != nil && y != nil && *y > 0 && d.Slow.Client == nil &&
			*x / *y > planningHides**d.Factor {
			times = say.All(" ", times, say.M("Execution alone: {factor} times.", "factor", factor(*x / *y)))
		}
	}
	var why say.Message
	switch {
	case d.has("cpu-memory-or-lock") && d.Verdicts[0].ID == "cpu-memory-or-lock" && d.Buffers == "same-hits":
		why = say.M("Same plan, same blocks, all in shared buffers: not the disks or the plan, but CPU, memory or " +
			"locks.")
	case len(d.Verdicts) > 0:
		why = say.M("{finding}.", "finding", d.Verdicts[0].Title)
	case d.SamePlan:
		why = say.M("The plan is the same, and the measurements do not show why.")
	}
	d.Verdict = say.All(" ", times, why)
}
