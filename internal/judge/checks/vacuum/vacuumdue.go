package vacuum

import "github.com/pgfettle/pgfettle/internal/fact/pg"

// largeTable is 8 MB in pages: what dead rows do in a smaller table nobody feels.
const largeTable = 1024

// rowsPerPage stands for the size of a table that was never vacuumed, of which
// only the rows are counted: rows of 80 bytes.
const rowsPerPage = 100

func large(t pg.Table) bool { return max(t.Pages, (t.Live+t.Dead)/rowsPerPage) >= largeTable }

// vacuumDue returns from how many dead rows on autovacuum visits a table:
// autovacuum_vacuum_threshold + autovacuum_vacuum_scale_factor × reltuples, from
// 18 on autovacuum_vacuum_max_threshold at most, where that is not -1. Where
// reltuples is older than the rows, the live rows stand for it: the later
// threshold is the one that nobody can doubt.
func vacuumDue(set pg.Settings, t pg.Table) (float64, bool) {
	base, ok1 := set.Float("autovacuum_vacuum_threshold")
	scale, ok2 := set.Float("autovacuum_vacuum_scale_factor")
	if t.Threshold >= 0 {
		base, ok1 = t.Threshold, true
	}
	if t.Scale >= 0 {
		scale, ok2 = t.Scale, true
	}
	due := base + scale*max(t.Rows, float64(t.Live))
	if most, ok := set.Float("autovacuum_vacuum_max_threshold"); ok && most >= 0 {
		due = min(due, most)
	}
	return due, ok1 && ok2
}
