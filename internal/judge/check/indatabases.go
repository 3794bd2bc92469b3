package check

import (
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// ofDatabases returns what --deep found, and notes among the unknowns the
// databases that were not asked.
func ofDatabases[T any](c *Case, query string, f known.Fact[[]T]) ([]T, bool) {
	list, ok := Need(c, f)
	if !ok {
		return nil, false
	}
	visits, _ := c.Instance.Server.Deep.Visits.Get()
	for _, v := range visits {
		if v.Reason != "" && (v.Query == "" || v.Query == "deep_"+query) {
			c.unknown = append(c.unknown, known.Gap{Fact: "database " + v.Database, Reason: v.Reason, Reveal: v.Reveal})
		}
	}
	return list, true
}

// Of what was found, no more than these are told.
const (
	toldOfDatabase = 5
	toldDatabases  = 5
)

// byDatabase gathers texts on what was found, by database.
type byDatabase struct {
	names []string
	texts map[string][]string
}

func (b *byDatabase) add(c *Case, in pg.In, format string, args ...any) {
	name := in.Database
	if name == "" {
		name = c.database()
	}
	if b.texts == nil {
		b.texts = map[string][]string{}
	}
	if b.texts[name] == nil {
		b.names = append(b.names, name)
	}
	b.texts[name] = append(b.texts[name], fmt.Sprintf(format, args...))
}

func (b *byDatabase) any() bool { return len(b.names) > 0 }

// list is "In database app: a, b. In database crm: c" without the last full stop.
func (b *byDatabase) list(sep string) string {
	var out []string
	for _, n := range b.names {
		out = append(out, "In database "+n+": "+listed(b.texts[n], sep, toldOfDatabase))
	}
	if more := len(out) - toldDatabases; more > 0 {
		out = append(out[:toldDatabases], fmt.Sprintf("And in %d more databases", more))
	}
	return strings.Join(out, ". ")
}

// countingIn is counting for what was found in a database.
func (c *Case) countingIn(in pg.In) (secs float64, ok bool) {
	name := in.Database
	if name == "" {
		name = c.database()
	}
	dbs, _ := c.Instance.Server.Databases.Get()
	for _, d := range dbs {
		if d.Name == name {
			return c.counting(d)
		}
	}
	return 0, false
}
