package configuration

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// ProfileMismatch suggests the profile for 1C. Nothing switches it: it changes dozens of values, and a server may have
// other databases. The other profiles differ in what no fact shows.
var ProfileMismatch = check.Check{
	ID:       "profile_mismatch",
	Area:     check.Config,
	Severity: check.Info,
	Scope:    check.PerInstance,
	Title:    "1C:Enterprise without the profile 1c",
	Why: "1C:Enterprise creates temporary tables in almost every query, joins a dozen tables, and keeps many " +
		"sessions open. The values of the other profiles do not fit that. Some values of a plan never apply to its " +
		"sessions, because its platform sets them itself at each connection.",
	Do: "1. Compare the plan for 1C with the present one. This changes nothing: pgfettle plan --profile 1c\n" +
		"2. If 1C is the main application of this server, write profile = \"1c\" into the policy file, so that all " +
		"commands use it: /etc/pgfettle/policy.toml\n" +
		"3. Before you run EXPLAIN for a query of 1C, set what its sessions set: pgfettle explain onec-session-values",
	Commands: []check.Command{
		check.Shell("pgfettle plan --profile 1c"),
		check.Shell("pgfettle explain onec-session-values"),
	},
	Sources: []string{"postgrespro-1c", "its-1c", "onec-techlog"},
	Judge: func(c *check.Case) {
		profile, oneC := c.Profile()
		if oneC {
			return
		}
		platform, ok := c.Instance.Server.OneCPlatform()
		if !ok {
			check.Need(c, c.Instance.Server.OneC)
			return
		}
		seen := say.M("1C:Enterprise uses this server ({signs}). Profile of the plan: {profile}.", "signs",
			check.OneCSigns(platform), "profile", profile)
		if platform.Slots > 0 {
			seen = say.All(" ", seen, say.M("The slots of dbcopies_decoding require wal_level = logical; a plan never "+
				"lowers it."))
		}
		c.That(check.Info, say.M(c.Remedy()), seen)
	},
}
