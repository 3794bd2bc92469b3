package service

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var OomPolicy = rule.Rule{
	Address: "unit:OOMPolicy",
	Title:   "what systemd does with the instance when the kernel has killed one of its processes for memory",
	Why: "When the OOM killer ends a session the postmaster restarts the instance by itself in a second or so. With " +
		"stop, systemd's default since 243, the whole unit is then stopped, and the instance that had " +
		"just recovered stays down until somebody starts it; with kill the kernel ends all of its processes at once.",
	Formula: "continue where a unit that runs an instance says stop or kill.",
	Sources: []string{"systemd-service", "pgfettle-measured", "pg-overcommit"},
	Effect:  knob.Now,
	Risk:    knob.Low,
	Decide: func(c *rule.Case) {
		var goes, ends []string
		for i := range c.Snapshot.Instances {
			u, ok := c.Snapshot.Instances[i].Unit.Get()
			switch {
			case !ok || u.OOMPolicy == "" || slices.Contains(goes, u.Name):
				// no systemd, one before 243, which does not look, or a unit of several instances
			case u.OOMPolicy == "stop" || u.OOMPolicy == "kill":
				ends = append(ends, u.Name+" says "+u.OOMPolicy)
			default:
				goes = append(goes, u.Name)
			}
		}
		switch {
		case len(ends) == 1:
			c.Set("continue",
				"{unit}: one session killed for memory would leave the instance down, though it recovers by itself",
				"unit", ends[0])
		case len(ends) > 1:
			c.Set("continue",
				"{units}: one session killed for memory would leave its instance down, though it recovers by itself",
				"units", sizing.Listed(slices.Compact(ends)))
		case len(goes) > 0:
			c.Keep("the instance goes on after one of its processes was killed for memory")
		}
	},
}
