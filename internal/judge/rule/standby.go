package rule

import "github.com/pgfettle/pgfettle/internal/base/say"

// WarnStandbys says that the standbys come first, if some are connected: a standby with less of it than its primary
// pauses its replay (14+) or stops (13).
func (c *Case) WarnStandbys(want int) {
	replicas, _ := Need(c, c.Instance.Server.Replicas)
	if len(replicas) == 0 {
		return
	}
	c.Warn(
		"{standbys} connected. Raise {parameter} to {want} on every standby first and restart it, then raise it "+
			"here: a standby with a lower value than its primary stops replaying.",
		"standbys", say.N(len(replicas), "{n} standby", "{n} standbys"), "parameter",
		c.Rule.Address.Name(), "want", want)
}
