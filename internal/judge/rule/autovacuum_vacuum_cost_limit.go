package rule

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// vacuumLimits is the work that all autovacuum workers together may do between
// two pauses. At 20 a dirtied page and a pause of 2 ms a limit of 200 dirties
// 40 MB/s, 1000 five times that, 2000 ten times.
var vacuumLimits = map[Storage]int{NVMe: 2000, SSD: 1000, SAN: 600}

var autovacuumVacuumCostLimit = Rule{
	Address: knob.PG("autovacuum_vacuum_cost_limit"),
	Title:   "how much work autovacuum does between two pauses",
	Why:     "The limit is one for all workers together. The default was made for rotating disks; on flash it lets the dead rows of a busy table grow faster than they are removed.",
	Formula: "nvme 2000, ssd 1000, storage network 600; rotating disks keep what they have. More stays, and so does a server without pauses.",
	Sources: []string{"pg-config-autovacuum", "pg-routine-vacuuming"},
	Needs:   []knob.Address{knob.PG("autovacuum_vacuum_cost_delay")},
	Decide: func(c *Case) {
		s, why, ok := c.StorageOf(snapshot.DataPlace)
		if !ok {
			return
		}
		have, general := int(c.now()), false
		if have <= 0 { // -1: vacuum_cost_limit is the limit
			have, general = c.Int(knob.PG("vacuum_cost_limit"))
			if !general {
				return
			}
		}
		want, faster := vacuumLimits[s]
		if pause, ok := c.Float(knob.PG("autovacuum_vacuum_cost_delay")); ok && pause == 0 {
			c.Keep("autovacuum makes no pauses")
			return
		}
		if !faster || have >= want {
			c.Keep("a limit of {present} suits {storage} ({why})", "present", have, "storage", string(s), "why", why)
			return
		}
		c.Set(want, "the data lies on {storage} ({why}): a limit of {present}, shared by all workers, lets them dirty at most {speed} a second",
			"storage", string(s), "why", why, "present", have, "speed", c.dirtied(have))
	},
}

// dirtied returns how many bytes a second a cost limit lets autovacuum dirty.
func (c *Case) dirtied(limit int) unit.Bytes {
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
