package queries

import (
	"sort"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// TempFiles uses the rate since the statistics were reset, because the total depends
// on how long ago that was.
var TempFiles = check.Check{
	ID:       "temp_files",
	Area:     check.Query,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Queries spill to temporary files",
	Why: "A sort that does not fit into work_mem, or a hash that does not fit into work_mem × " +
		"hash_mem_multiplier, spills to temporary files. Files are much slower than memory, and they take disk " +
		"bandwidth and page cache from all other sessions. Frequent causes are a missing index and a plan that " +
		"sorts far too many rows: more memory only hides these.",
	Do: "Set log_temp_files = '10MB' and reload. Find the statements: pg_stat_statements.temp_blks_written " +
		"ranks them. First look for a missing index or an unnecessary ORDER BY or DISTINCT. Then raise " +
		"work_mem for the role or session that runs them, not for the whole server.",
	Sources: []string{"pg-config-resource", "pg-config-logging", "pg-monitoring"},
	Judge: func(c *check.Case) {
		dbs, ok := check.Need(c, c.Instance.Server.Databases)
		if !ok {
			return
		}
		type spill struct {
			seen say.Message
			rate unit.Bytes
			file unit.Bytes
		}
		var list []spill
		for _, d := range dbs {
			secs, ok := c.CountedFor(d)
			if !ok || d.TempFiles == 0 {
				continue
			}
			rate := d.TempBytes.Scale(3600 / secs)
			if rate < limits.TempNotice {
				continue
			}
			file := d.TempBytes / unit.Bytes(d.TempFiles)
			list = append(list, spill{say.M("database {database}: {rate} per hour, {average} per file on average "+
				"({total} in {span})", "database", d.Name, "rate", rate, "average", file, "total", d.TempBytes, "span",
				say.Span(secs)),
				rate, file})
		}
		if len(list) == 0 {
			return
		}
		sort.SliceStable(list, func(i, j int) bool { return list[i].rate > list[j].rate })
		told := say.List{Sep: "; ", Most: 3}
		for _, s := range list {
			told.Items = append(told.Items, s.seen)
		}
		sev := check.Notice
		if list[0].rate >= limits.TempWarning {
			sev = check.Warning
		}
		seen := say.M("{databases}.", "databases", told)
		if set, ok := c.Instance.Server.Settings.Get(); ok {
			seen = say.M("{databases}; work_mem = {work}.", "databases", told, "work", set["work_mem"].Show())
		}
		do := say.M(c.Remedy())
		enough := max(list[0].file.Scale(limits.SpillFactor).RoundUp(unit.MB), unit.MB)
		if enough <= limits.WorkMemMost {
			do = say.All(" ", do, say.M("An average file of {file} would fit in memory with about work_mem = {enough}.",
				"file", list[0].file, "enough", enough.GUC()))
		}
		c.That(sev, do, seen)
	},
}
