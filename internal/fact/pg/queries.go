package pg

import (
	"embed"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"sync"
)

//go:embed sql/*.sql
var sqlFiles embed.FS

// deepPrefix begins the name of a query whose cost grows with the number of
// tables or of their files.
const deepPrefix = "deep_"

// Query is one question to a server: a file sql/NAME_FROM.sql.
type Query struct {
	Name     string // of the answer: "settings" is answered in pg/KEY/settings.json
	SQL      string // one statement without parameters
	Reveal   string // the right that the query needs beyond any role's; "" for none
	MinMajor int    // the first major version whose catalogue this text is written for
	Each     bool   // of one database: asked in each of them
	Together string // queries of the same word are best asked in one transaction; "" for no matter
}

// Statistics is the company of the queries that before 15 are answered from the
// file of the statistics. What it holds of other databases than one's own is
// that of the whole database only.
const Statistics = "statistics"

// sharedStatistics is the first major version whose statistics lie in shared
// memory. Before it a backend reads them, those of every table of its database
// included, from a file, anew in each transaction: 10 ms with 20,000 tables.
const sharedStatistics = 15

// Deep says whether the query is asked only with --deep.
func (q Query) Deep() bool { return strings.HasPrefix(q.Name, deepPrefix) }

// Queries returns what is asked of a server of the given major version, sorted
// by name: of each name the text with the greatest FROM not above it. Deep
// queries are among them only where deep is true.
func Queries(major int, deep bool) []Query {
	var out []Query
	for _, q := range allQueries() {
		if q.MinMajor > major || q.Deep() && !deep {
			continue
		}
		if major >= sharedStatistics {
			q.Together = ""
		}
		if n := len(out); n > 0 && out[n-1].Name == q.Name {
			out[n-1] = q
			continue
		}
		out = append(out, q)
	}
	return out
}

// Unasked returns the names that Queries leaves out for this major version and
// depth, with the first major version that answers them: a name above major
// has no such view there, one that is not is deep.
func Unasked(major int, deep bool) []Query {
	asked := map[string]bool{}
	for _, q := range Queries(major, deep) {
		asked[q.Name] = true
	}
	var out []Query
	for _, q := range allQueries() {
		if !asked[q.Name] {
			asked[q.Name] = true
			out = append(out, q)
		}
	}
	return out
}

// allQueries holds every file, sorted by name and first major version. A file
// whose name or head is wrong is a fault of this program and panics; the tests
// read them all.
var allQueries = sync.OnceValue(func() []Query {
	entries, err := sqlFiles.ReadDir("sql")
	if err != nil {
		panic(err)
	}
	out := make([]Query, 0, len(entries))
	for _, e := range entries {
		b, err := sqlFiles.ReadFile("sql/" + e.Name())
		if err != nil {
			panic(err)
		}
		q, err := parseQuery(e.Name(), string(b))
		if err != nil {
			panic(err)
		}
		out = append(out, q)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Name != out[j].Name {
			return out[i].Name < out[j].Name
		}
		return out[i].MinMajor < out[j].MinMajor
	})
	return out
})

// parseQuery takes a file apart: its name, the comment lines at its head, of
// which "-- Reveal: …" names the right, "-- Together: …" the company and
// "-- Of: each database" says where, and the statement under them.
func parseQuery(file, text string) (Query, error) {
	base, isSQL := strings.CutSuffix(file, ".sql")
	i := strings.LastIndexByte(base, '_')
	if !isSQL || i <= 0 {
		return Query{}, fmt.Errorf("query file %s: the name is not NAME_FROM.sql", file)
	}
	from, err := strconv.Atoi(base[i+1:])
	if err != nil {
		return Query{}, fmt.Errorf("query file %s: the name does not end in a major version", file)
	}
	q := Query{Name: base[:i], MinMajor: from}
	for strings.HasPrefix(text, "--") {
		line, rest, _ := strings.Cut(text, "\n")
		if r, ok := strings.CutPrefix(line, "-- Reveal: "); ok {
			q.Reveal = strings.TrimSpace(r)
		}
		if w, ok := strings.CutPrefix(line, "-- Together: "); ok {
			q.Together = strings.TrimSpace(w)
		}
		if line == "-- Of: each database" {
			q.Each = true
		}
		text = rest
	}
	q.SQL = strings.TrimSpace(text)
	if q.SQL == "" {
		return Query{}, fmt.Errorf("query file %s: no statement", file)
	}
	return q, nil
}
