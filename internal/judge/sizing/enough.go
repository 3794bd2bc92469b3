package sizing

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// A server's counts take precedence over a profile's assumptions. Three rules keep a plan from oscillating with them.
// Evidence only chooses below the ceiling that the memory sets. It never lowers what is there now: what was counted,
// was counted with it. And a wanted value depends on the counts, not on the value that it replaces, so that the planned
// host, of which the same was counted, is planned the same.

// RoundUpToPower returns the power of two that is not below: what grows a little from week to week is planned again
// only when it has doubled.
func RoundUpToPower(b unit.Bytes) unit.Bytes {
	p := unit.MB
	for p < b && p < 1024*unit.TB {
		p *= 2
	}
	return p
}

// enough is a size of shared_buffers beyond which nothing is gained.
type enough struct {
	size unit.Bytes
	Why  say.Message
}

const (
	// roomToGrow is what a database is given beyond its size.
	roomToGrow = 1.25
	// hitsEnough and busyEnough: of a thousand pages asked for less than one was
	// not in shared_buffers, at a thousand pages a second or more. An idle server
	// hits as well, and says nothing.
	hitsEnough = 0.999
	busyEnough = 1000.0
	// unusedShare of the buffers never used since the start is no accident.
	unusedShare = 0.1
)

// enoughBuffers returns how much of shared_buffers is enough by what was seen,
// the smallest of what its evidence says; ok is false without evidence.
func enoughBuffers(c *rule.Case) (e enough, ok bool) {
	present, havePresent := c.Bytes(knob.PG("shared_buffers"))
	dbs, _ := c.Instance.Server.Databases.Get() // a described host has none, and needs none
	sum, whole := unit.Bytes(0), len(dbs) > 0
	hit, read, longest := 0.0, 0.0, 0.0
	for _, d := range dbs {
		size, known := d.Size.Get()
		whole = whole && known
		sum += max(size, 0)
		if secs, ok := c.Instance.Server.CountedFor(d); ok && secs >= memory.MeasuredLeast {
			hit += max(float64(d.BlocksHit), 0) / secs
			read += max(float64(d.BlocksRead), 0) / secs
			longest = max(longest, secs)
		}
	}
	take := func(size unit.Bytes, why say.Template, in ...any) {
		if !ok || size < e.size {
			e, ok = enough{size, say.M(why, in...)}, true
		}
	}
	if whole {
		take(max(RoundUpToPower(sum.Scale(roomToGrow)), buffersLeast),
			"all databases together take {databases}, plus 25% for growth", "databases", sum)
	}
	if !havePresent || present < buffersLeast {
		return e, ok
	}
	if all := hit + read; all >= busyEnough && hit >= hitsEnough*all {
		take(present,
			"page requests per second over {span}: {asked}, of which {missed} missed the present {present}; the peak "+
				"is unknown",
			"asked", int64(all), "span", say.Span(longest), "missed", int64(read), "present", present)
	}
	if b, seen := c.Instance.Server.BufferCache.Get(); seen && b.Secs >= memory.MeasuredLeast && b.Used > 0 &&
		float64(b.Unused) >= unusedShare*float64(b.Used+b.Unused) {
		take(present, "{unused} of the present {present} was never used in {span}", "unused",
			unit.Bytes(min(b.Unused, 1<<50))*8*unit.KB, "present", present, "span", say.Span(b.Secs))
	}
	return e, ok
}
