package service

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var OomPolicy = rule.Rule{
	Address: "unit:OOMPolicy",
	Title:   "systemd action after an OOM kill",
	Why: "When the OOM killer kills a session, the postmaster restarts the instance within seconds. With stop, the " +
		"default since systemd 243, systemd then stops the whole unit: the recovered instance stays down until an " +
		"administrator starts it. With kill, the kernel kills all processes of the unit at once.",
	Formula: "continue if a unit that runs an instance has stop or kill.",
	Sources: []string{"systemd-service", "pgfettle-measured", "pg-overcommit"},
	Effect:  knob.Now,
	Risk:    knob.Low,
	Decide: func(c *rule.Case) {
		var goes, ends []string
		var says []say.Message
		for i := range c.Snapshot.Instances {
			u, ok := c.Snapshot.Instances[i].Unit.Get()
			switch {
			case !ok || u.OOMPolicy == "" || slices.Contains(goes, u.Name):
				// no systemd, one before 243, which does not look, or a unit of several instances
			case u.OOMPolicy == "stop" || u.OOMPolicy == "kill":
				if !slices.Contains(ends, u.Name) {
					says = append(says, say.M("{unit} has OOMPolicy={policy}", "unit", u.Name, "policy", u.OOMPolicy))
				}
				ends = append(ends, u.Name)
			default:
				goes = append(goes, u.Name)
			}
		}
		switch {
		case len(ends) == 1:
			c.Set("continue", "{unit}. After an OOM kill, the instance would stay down, although it could recover "+
				"automatically",
				"unit", says[0])
		case len(ends) > 1:
			c.Set("continue", "{units}. After an OOM kill, the instance would stay down, although it could recover "+
				"automatically",
				"units", say.List{Items: says})
		case len(goes) > 0:
			c.Keep("the instance keeps running after an OOM kill")
		}
	},
}
