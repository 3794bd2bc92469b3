package io

import (
	"math"

	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Measurements of a device take precedence over its apparent kind, but not over what the user said. Without a probe
// nothing is lost: each rule falls back on the kind.

const (
	// cachedReads is the share of random reads that the planner's own default takes to be served from a cache: 4 means
	// a page that is 40 times as expensive, of which nine in ten are never read from the disk.
	cachedReads = 0.9
	// A cost below that of flash would make the planner believe that order costs
	// nothing; one above the default would punish an index for a disk that a cache
	// mostly hides.
	pageCostLeast, pageCostMost = 1.1, 4.0
	// scanLeast is what a page of a scan takes at the least, in seconds, however fast
	// the disk reads ahead: the planner weighs seq_page_cost against the rows' own
	// costs, and 1 is as much as 80 rows (1 / (cpu_tuple_cost + cpu_operator_cost)).
	// On the machine of docs/benchmarks.md a backend took 6.6 µs for the 61 rows of a
	// cached page, 0.11 µs a row (PostgreSQL 18, sum over 164,000 pages). Without this
	// bound its disk of 4.1 GB/s would count as rotating: 34 times as long at random.
	scanLeast = 8e-6
	// costApart is how far from the measured cost a chosen value may be: runs of one device differ by a third.
	costApart = 1.5
)

// measuredCost returns what a random page costs by measurement, with the words for the reason; ok is false if reads
// were not measured on the data's device.
func measuredCost(c *rule.Case) (cost pageCost, inputs []any, ok bool) {
	if _, ok := rule.Need(c, c.Snapshot.Measured); !ok || c.Options.Storage != "" {
		return cost, nil, false
	}
	d, ok := c.Snapshot.MeasuredAt(c.Instance, snapshot.DataPlace)
	if !ok || d.Reads == nil {
		return cost, nil, false
	}
	cost, ratio, ok := costOf(d.Reads)
	if !ok {
		return cost, nil, false
	}
	one, _ := d.Reads.AtDepth(1)
	return cost, []any{"random", int64(math.Round(one.PerSecond)), "ratio", int64(math.Round(ratio)), "by",
		d.Reads.Author()}, true
}

// costOf returns what a random page costs on a device by what was measured there, and how many times as long it takes
// as one of a scan.
func costOf(r *measured.Reads) (cost pageCost, ratio float64, ok bool) {
	if ratio, ok = r.RandomOverSequential(scanLeast); !ok {
		return cost, 0, false
	}
	want := min(max(math.Round(ratio*(1-cachedReads)*10)/10, pageCostLeast), pageCostMost)
	return pageCost{want: want, low: max(want/costApart, 1), high: want * costApart}, ratio, true
}

// measuredDepth returns how many reads at once the data's device needs before
// more gain nothing.
func measuredDepth(c *rule.Case) (depth int, by any, ok bool) {
	if _, ok := rule.Need(c, c.Snapshot.Measured); !ok || c.Options.Storage != "" {
		return 0, "", false
	}
	d, ok := c.Snapshot.MeasuredAt(c.Instance, snapshot.DataPlace)
	if !ok || d.Reads == nil {
		return 0, "", false
	}
	depth, ok = d.Reads.Saturation()
	return depth, d.Reads.Author(), ok
}

// Depths of reading ahead by measurement.
const (
	// aheadFactor: of the pages asked for ahead before 18 some are cached already,
	// so that twice the depth keeps the device as busy as measured.
	aheadFactor = 2
	// aheadMost is what is usual for flash before 18; deeper than the deepest that
	// was measured is a guess.
	aheadMost = 200
	// fewHeads: a device that gains nothing beyond this moves heads, and from
	// aheadTooMany on its requests only wait in each other's way.
	fewHeads, aheadTooMany = 4, 16
	// deepRequests is the default of 18, deepMost what its buffers allow a session
	// to pin without harm.
	deepRequests, deepMost = 16, 64
)

// decideMeasured decides how deep to read ahead by what was measured.
func decideMeasured(c *rule.Case, major, depth int, by any) {
	have := int(c.Now())
	want := min(max(depth*aheadFactor, 2), aheadMost)
	if major >= 18 {
		want = min(max(depth, deepRequests), deepMost)
	}
	inputs := []any{"depth", depth, "by", by, "present", c.Shown()}
	switch {
	case major < 18 && depth <= fewHeads && have > aheadTooMany:
		c.Set(want,
			"a queue depth above {depth} gains nothing on the data device ({by}); {present} only lengthens the queue",
			inputs...)
	case have >= want || depth == 1:
		c.Keep("{present} keeps the data device busy: a queue depth above {depth} gains nothing ({by})",
			inputs...)
	default:
		c.Set(want,
			"the throughput of the data device grows up to a queue depth of {depth} ({by}); {present} does not keep "+
				"it busy",
			inputs...)
	}
}
