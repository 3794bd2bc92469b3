package slow

import (
	"fmt"
	"strings"
)

// slowEpisode is what to look at when the trouble is below PostgreSQL.
var slowEpisode = []string{
	"while it is slow: pgfettle diagnose slow --sample, for wait events, run queue, steal, pressure, page faults " +
		"and compaction",
	"pgfettle diagnose memory: page tables of many connections on a large shared_buffers without huge pages slow " +
		"every access to memory",
	"perf top -p PID of the backend: compaction and page faults of the kernel, s_lock and LWLockAcquire of the server",
	"on a virtual machine the steal column of vmstat 1, and cpu.stat of the control group for throttling",
}

// rest judges what no cause above explains: the reading for two runs of one plan
// that did the same work on the same blocks.
func (d *Report) rest() {
	if !d.SamePlan {
		return
	}
	d.ruledOut("the planner: both runs have the same plan")
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
	var evidence []string
	switch {
	case d.Buffers == "same-hits":
		evidence = append(evidence,
			fmt.Sprintf(
				"both runs have the same plan and found the same blocks in shared buffers (%d and %d), reading none",
				*d.Slow.Hit, *d.Fast.Hit))
		if a, b := d.Slow.Execution, d.Fast.Execution; a != nil && b != nil && *d.Slow.Hit > 0 && *d.Fast.Hit > 0 {
			evidence = append(evidence, fmt.Sprintf("for each block that is %s instead of %s",
				ms(*a/float64(*d.Slow.Hit)), ms(*b/float64(*d.Fast.Hit))))
		}
	case d.Buffers == "unknown":
		evidence = append(evidence, "both runs have the same plan; buffers were not counted")
	default:
		evidence = append(evidence,
			fmt.Sprintf("both runs have the same plan; blocks found and read: %d and %d, against %d and %d",
				*d.Slow.Hit, *d.Slow.Read, *d.Fast.Hit, *d.Fast.Read))
	}
	switch d.Spread {
	case "uniform":
		evidence = append(evidence,
			"every node that took time is slower by about the same factor: the whole machine is slow, not one table")
	case "concentrated":
		for _, n := range d.worst(2) {
			evidence = append(evidence, slowNodeLine(n))
		}
	}
	switch {
	case d.Buffers == "same-hits":
		d.add("cpu-memory-or-lock", Sure, &left,
			"CPU, memory or internal locks were slow: no disk and no plan problem", evidence, slowEpisode)
	case d.Buffers == "unknown":
		next := append(
			[]string{
				"run both again with EXPLAIN (ANALYZE, BUFFERS): if all blocks are hits in both, disks and plan are " +
					"ruled out, and it is CPU, memory or locks"}, slowEpisode...)
		d.add("cpu-memory-or-lock", Possible, &left,
			"Reads, or CPU, memory and internal locks: without BUFFERS they cannot be told apart", evidence, next)
	case d.has("reads"):
		// A read whose time was measured and does not explain it, or was not measured.
		for _, v := range d.Verdicts {
			if v.ID == "reads" && v.Explains != nil {
				d.add("cpu-memory-or-lock", Likely, &left,
					"The reads do not explain it: CPU, memory or internal locks were slow too", evidence, slowEpisode)
			}
		}
	case len(d.Verdicts) == 0 || left > d.extra()/2:
		d.add("cpu-memory-or-lock", Likely, &left,
			"CPU, memory or internal locks were slow: the plan and the blocks are the same", evidence, slowEpisode)
	}
}

func slowNodeLine(n Node) string {
	text := fmt.Sprintf("%.0f %% of the extra time is in %s", n.Share, n.Head)
	if n.SlowLoop != nil && n.FastLoop != nil {
		text += fmt.Sprintf(": %s instead of %s in each of %.0f loops", ms(*n.SlowLoop), ms(*n.FastLoop), n.Loops)
	}
	return text
}

// headline says the verdict in one line.
func (d *Report) headline() {
	var b strings.Builder
	a, f := slowWhole(d.Slow), slowWhole(d.Fast)
	if d.Factor != nil {
		fmt.Fprintf(&b, "%s took %s, %s %s: %s times as long. ", d.Slow.Name, ms(*a), d.Fast.Name, ms(*f),
			factor(*d.Factor))
	} else {
		b.WriteString("Not both runs tell their time. ")
	}
	switch {
	case d.has("cpu-memory-or-lock") && d.Verdicts[0].ID == "cpu-memory-or-lock" && d.Buffers == "same-hits":
		b.WriteString(
			"Same plan, same blocks, all of them in shared buffers: no disk and no plan problem, but CPU, memory or " +
				"locks.")
	case len(d.Verdicts) > 0:
		b.WriteString(d.Verdicts[0].Title + ".")
	case d.SamePlan:
		b.WriteString("The plan is the same, and what was measured does not show why.")
	}
	d.Verdict = strings.TrimSpace(b.String())
}
