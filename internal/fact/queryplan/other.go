package queryplan

import (
	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

// estimates of PostgreSQL are two costs with two points between them.
var ownEstimate = regex.New(`\(cost=[\d.]+\.\.[\d.]* ?rows=|Node[ -]Type`)

// others are plans of other databases, by what they alone write.
var others = []struct {
	product string
	mark    *regex.Regex
}{
	{"MySQL", regex.New(`(?m)-> [^\n]+\(cost=\d+(?:\.\d+)?(?:e[+]?\d+)? rows=[\d.e+]+\)|"query_block" ?:|` +
		`^\W*id\W+select_type\W+table\b`)},
	{"Oracle", regex.New(`(?m)^\| *Id *\| *Operation +\|`)},
	{"SQL Server", regex.New(`\|--[\w ]+\(OBJECT:\(|http://schemas\.microsoft\.com/sqlserver/\d+/\d+/showplan`)},
	{"SQLite", regex.New("(?m)^[|` ]*--(?:SCAN|SEARCH) \\w")},
	{"CockroachDB", regex.New(`(?m)^\W*distribution: (?:local|full)\W*$`)},
	{"Spark", regex.New(`== (?:Optimized|Physical) (?:Logical )?Plan ==`)},
	{"MongoDB", regex.New(`"?winningPlan"? ?:`)},
	{"DuckDB", regex.New(`(?m)^│?[┌│└].*(?:Physical Plan|EXPLAIN_ANALYZE|Total Time: )`)},
	{"ClickHouse", regex.New(`\bReadFromMergeTree\b`)},
}

// other is an error where a text is the plan of another database; nil where that is not known.
func other(text string) error {
	if ownEstimate.MatchString(text) {
		return nil
	}
	for _, o := range others {
		if o.mark.MatchString(text) {
			return say.Err("no plan of EXPLAIN is in it: it is a plan of {product}, not of PostgreSQL",
				"product", o.product, "kind", ErrNone, "other", ErrOther)
		}
	}
	return nil
}
