package check

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// Settings returns the instance's settings, noting what is missing.
func (c *Case) Settings() (pg.Settings, bool) { return Need(c, c.Instance.Server.Settings) }

// CommitRate returns the transactions per second of all databases since their
// statistics were reset, including read-only ones.
func CommitRate(s pg.Server) known.Fact[float64] {
	dbs, ok := s.Databases.Get()
	if !ok {
		return known.Without[float64](s.Databases.State(), s.Databases.Gap())
	}
	access, ok := s.Access.Get()
	if !ok {
		return known.Without[float64](s.Access.State(), s.Access.Gap())
	}
	checkpoints, _ := s.Checkpoints.Get()
	var rate float64
	for _, d := range dbs {
		if d.Commits+d.Rollbacks == 0 {
			continue
		}
		secs := float64(access.Now - d.StatsReset)
		if d.StatsReset == 0 {
			// Since 15, a database that was never reset has no date; its counters
			// are as old as those of the cluster, which a crash resets together.
			secs = checkpoints.Secs
		}
		if secs <= 0 {
			return known.Missed[float64](known.Gap{Fact: "transactions per second",
				Reason: "the start of the statistics is unknown"})
		}
		rate += float64(d.Commits+d.Rollbacks) / secs
	}
	return known.Is(rate)
}

// ListensOutside reports whether listen_addresses includes more than this host.
func ListensOutside(set pg.Settings) (v string, outside bool) {
	v, _ = set.Text("listen_addresses")
	for a := range strings.SplitSeq(v, ",") {
		a = strings.TrimSpace(a)
		if a != "" && a != "localhost" && a != "::1" && !strings.HasPrefix(a, "127.") {
			return v, true
		}
	}
	return v, false
}

// ShownSetting returns a setting that servers show only to members of
// pg_read_all_settings; if the role is no member, that is noted among the unknowns.
func (c *Case) ShownSetting(set pg.Settings, name string) (string, bool) {
	v, ok := set.Text(name)
	if ok {
		return v, true
	}
	if a, seen := c.Instance.Server.Access.Get(); seen && !a.Superuser && !a.Monitor {
		c.Missing(known.Gap{Fact: "setting " + name, Reason: "requires the role pg_monitor",
			Reveal: "GRANT pg_monitor TO <role>"})
	}
	return "", false
}

// OnWindows reports whether the server runs on Windows, by its version().
func OnWindows(a pg.Access) bool {
	low := strings.ToLower(a.Compiled)
	return strings.Contains(low, "windows") || strings.Contains(low, "visual c++") || strings.Contains(low, "mingw") ||
		strings.Contains(low, "msvc")
}
