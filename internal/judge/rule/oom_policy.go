package rule

import "github.com/pgfettle/pgfettle/internal/base/knob"

var oomPolicy = Rule{
	Address: "unit:OOMPolicy",
	Title:   "what systemd does with the instance when the kernel has killed one of its processes for memory",
	Why: "When the OOM killer ends a session the postmaster restarts the instance by itself in a second or so. With stop, systemd's default since 243, the whole unit is then stopped, and the instance that had " +
		"just recovered stays down until somebody starts it; with kill the kernel ends all of its processes at once.",
	Formula: "continue where a unit that runs an instance says stop or kill.",
	Sources: []string{"systemd-service", "pgfettle-measured", "pg-overcommit"},
	Effect:  knob.Now,
	Risk:    knob.Low,
	Decide: func(c *Case) {
		seen := ""
		for i := range c.Snapshot.Instances {
			u, ok := c.Snapshot.Instances[i].Unit.Get()
			if !ok || u.OOMPolicy == "" {
				continue // no systemd, or one before 243, which does not look
			}
			seen = u.Name
			if u.OOMPolicy == "stop" || u.OOMPolicy == "kill" {
				c.Set("continue", "{unit} says {policy}: one session killed for memory would leave the instance down, though it recovers by itself", "unit", u.Name, "policy", u.OOMPolicy)
				return
			}
		}
		if seen != "" {
			c.Keep("the instance goes on after one of its processes was killed for memory")
		}
	},
}
