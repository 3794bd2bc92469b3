package queries

import (
	"fmt"
	"sort"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// TempFiles goes by the rate since the statistics were reset, as the bare total
// only tells how long ago that was.
var TempFiles = check.Check{
	ID:       "temp_files",
	Area:     check.Query,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Sorts and hashes spill to disk",
	Why: "What does not fit into work_mem (hashes: work_mem × hash_mem_multiplier) is written to temporary files " +
		"and read back, which is slower than memory " +
		"by orders of magnitude and takes disk bandwidth and cache from everybody else. A missing index or a plan " +
		"that sorts far too much is a frequent cause, and more memory only hides it.",
	Do: "Set log_temp_files = '10MB' and reload, collect the statements (pg_stat_statements.temp_blks_written ranks " +
		"them), look for a missing index or a " +
		"needless ORDER BY or DISTINCT first, then raise work_mem for the role or the session that runs them, not " +
		"for the whole server.",
	Sources: []string{"pg-config-resource", "pg-config-logging", "pg-monitoring"},
	Judge: func(c *check.Case) {
		dbs, ok := check.Need(c, c.Instance.Server.Databases)
		if !ok {
			return
		}
		type spill struct {
			text string
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
			list = append(list, spill{fmt.Sprintf("database %s: %s an hour in files of %s on average (%s in %s)",
				d.Name, rate, file, d.TempBytes, say.Span(secs)), rate, file})
		}
		if len(list) == 0 {
			return
		}
		sort.SliceStable(list, func(i, j int) bool { return list[i].rate > list[j].rate })
		texts := make([]string, len(list))
		for i, s := range list {
			texts[i] = s.text
		}
		sev := check.Notice
		if list[0].rate >= limits.TempWarning {
			sev = check.Warning
		}
		workMem := "not known"
		if set, ok := c.Instance.Server.Settings.Get(); ok {
			workMem = set["work_mem"].Show()
		}
		do := c.Remedy()
		enough := max(list[0].file.Scale(limits.SpillFactor).RoundUp(unit.MB), unit.MB)
		if enough <= limits.WorkMemMost {
			do += " An average file of {file} would stay in memory from about work_mem = {enough} on."
		}
		c.FoundDo(sev, do, "{databases}; work_mem = {work}.", "databases", check.Join(texts, "; ", 3), "work", workMem,
			"file", list[0].file, "enough", enough.GUC())
	},
}
