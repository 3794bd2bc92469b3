package vacuum

import "github.com/pgfettle/pgfettle/internal/fact/pg"

// largeTable is 8 MB in pages: in a smaller table, dead rows have no noticeable effect.
const largeTable = 1024

// rowsPerPage estimates the size of a table that was never vacuumed, of which
// only the rows are known: rows of 80 bytes.
const rowsPerPage = 100

func large(t pg.Table) bool { return max(t.Pages, (t.Live+t.Dead)/rowsPerPage) >= largeTable }

// vacuumDue returns the number of dead rows above which autovacuum vacuums a table:
// autovacuum_vacuum_threshold + autovacuum_vacuum_scale_factor × reltuples; in 18 and
// later at most autovacuum_vacuum_max_threshold, unless that is -1. If there are more
// live rows than reltuples, they are used: the higher threshold is certain. A server of 19
// and later says itself what it counts with, unless a weight of 0 takes it out of the score.
func vacuumDue(set pg.Settings, t pg.Table) (float64, bool) {
	if weight, ok := set.Float("autovacuum_vacuum_score_weight"); ok && weight > 0 && t.Scores != nil &&
		t.Scores.Vacuum > 0 {
		return float64(t.Dead) * weight / t.Scores.Vacuum, true
	}
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
