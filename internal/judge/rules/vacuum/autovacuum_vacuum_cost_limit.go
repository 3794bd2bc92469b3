package vacuum

import (
	"math"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// vacuumLimits is the work that all autovacuum workers together may do between
// two pauses. At 20 a dirtied page and a pause of 2 ms a limit of 200 dirties
// 40 MB/s, 1000 five times that, 2000 ten times.
var vacuumLimits = map[rule.Storage]int{rule.NVMe: 2000, rule.SSD: 1000, rule.SAN: 600}

var AutovacuumVacuumCostLimit = rule.Rule{
	Address: knob.PG("autovacuum_vacuum_cost_limit"),
	Title:   "Autovacuum cost limit (work between pauses)",
	Why: "All autovacuum workers share this limit. The default was made for rotating disks. On flash, the dead rows " +
		"of a busy table can grow faster than they are removed.",
	Formula: "nvme: 2000, ssd: 1000, san: 600. More, up to 10000, if at least one day of statistics shows more " +
		"updates and deletes: 3 × their mean rate, each row on its own page. On hdd and storage of unknown type " +
		"unchanged, except that at least 6 workers get as much per worker as one of 3 has by default. Higher values " +
		"stay, and so does a server with a delay of 0.",
	Sources: []string{"pg-config-autovacuum", "pg-routine-vacuuming"},
	Needs:   []knob.Address{knob.PG("autovacuum_vacuum_cost_delay"), knob.PG("autovacuum_max_workers")},
	Decide: func(c *rule.Case) {
		have, general := int(c.Now()), false
		if have <= 0 { // -1: vacuum_cost_limit is the limit
			have, general = c.Int(knob.PG("vacuum_cost_limit"))
			if !general {
				return
			}
		}
		s, why, ok := c.StorageOf(snapshot.DataPlace)
		if _, faster := vacuumLimits[s]; (!ok || !faster) && limitOfWorkers(c, have) {
			return
		}
		if !ok {
			return
		}
		want, faster := vacuumLimits[s]
		if least, rate, span, ok := limitOfChurn(c); ok && faster && least > want && have < least {
			c.Set(least,
				"updates and deletes: {rate} rows/s (over {span}); autovacuum must keep up with 3 × that at the "+
					"peak, but a limit of {present} allows {speed}/s of dirtied pages",
				"rate", int64(rate), "span", span, "present", have, "speed", dirtied(c, have))
			return
		}
		if pause, ok := c.Float(knob.PG("autovacuum_vacuum_cost_delay")); ok && pause == 0 {
			c.Keep("the cost delay is 0: no pauses")
			return
		}
		if !faster || have >= want {
			c.Keep("a limit of {present} suits {storage} ({why})", "present", have, "storage", string(s), "why", why)
			return
		}
		c.Set(want,
			"the data is on {storage} ({why}): a limit of {present}, shared by all workers, allows at most {speed}/s "+
				"of dirtied pages",
			"storage", string(s), "why", why, "present", have, "speed", dirtied(c, have))
	},
}

// limitOfWorkers decides if many workers would share the present limit: each would clean more slowly than one of three
// does by default. It reports whether it did.
func limitOfWorkers(c *rule.Case, have int) bool {
	workers, ok := c.Int(knob.PG("autovacuum_max_workers"))
	if pause, paused := c.Float(knob.PG("autovacuum_vacuum_cost_delay")); paused && pause == 0 {
		return false // no pauses, no limit
	}
	if !ok || workers < limits.AutovacuumWorkersMany || have/workers >= limits.AutovacuumShareLeast {
		return false
	}
	want := workers * limits.AutovacuumLimitUsual / limits.AutovacuumWorkersUsual
	want = (want + 99) / 100 * 100 // in hundreds, as people write it
	c.Set(want, "{workers} share a limit of {present}; {limit} gives each what one of 3 has by default",
		"workers", say.N(workers, "{n} worker", "{n} workers"), "present", have, "limit", want)
	return true
}

// churnPeak is how many times the mean the rows of the busiest hours are taken for.
const churnPeak = 3

// limitOfChurn returns the limit at which autovacuum dirties as many pages as rows become dead at the peak: each may be
// on a separate page. Rounded up to hundreds, so that it does not move with every row. ok is false if rows were not
// counted for a day.
func limitOfChurn(c *rule.Case) (limit int, rate float64, span say.Span, ok bool) {
	rate, span, ok = churn(c)
	one := float64(dirtied(c, 1)) / 8192 // pages a second that a limit of 1 lets dirty
	if !ok || one <= 0 {
		return 0, 0, 0, false
	}
	hundreds := math.Ceil(churnPeak * rate / one / 100)
	return int(min(hundreds, 100)) * 100, rate, span, true // 10000 is the most that a server takes
}

// dirtied returns how many bytes a second a cost limit lets autovacuum dirty.
func dirtied(c *rule.Case, limit int) unit.Bytes {
	page, ok1 := c.Float(knob.PG("vacuum_cost_page_dirty"))
	pause, ok2 := c.Seconds(knob.PG("autovacuum_vacuum_cost_delay"))
	if !ok1 || page <= 0 {
		page = 20 // the default in all versions
	}
	if !ok2 || pause <= 0 {
		pause = 0.002
	}
	return unit.Bytes(float64(limit) / page * 8192 / pause)
}
