package check

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// InDatabases returns what --deep found, and notes among the unknowns the
// databases that were not queried.
func InDatabases[T any](c *Case, query string, f known.Fact[[]T]) ([]T, bool) {
	list, ok := Need(c, f)
	if !ok {
		return nil, false
	}
	visits, _ := c.Instance.Server.Deep.Visits.Get()
	for _, v := range visits {
		if v.Reason != "" && (v.Query == "" || v.Query == "deep_"+query) {
			c.Missing(known.Gap{Fact: "database " + v.Database, Reason: v.Reason, Reveal: v.Reveal})
		}
	}
	return list, true
}

// At most this much of what was found is listed.
const (
	toldOfDatabase = 5
	toldDatabases  = 5
)

// ByDatabase gathers texts on what was found, by database.
type ByDatabase struct {
	names []string
	texts map[string][]say.Message
}

// Add notes a text, as say.M.
func (b *ByDatabase) Add(c *Case, in pg.In, text say.Template, pairs ...any) {
	name := in.Database
	if name == "" {
		name, _ = c.Database()
	}
	if b.texts == nil {
		b.texts = map[string][]say.Message{}
	}
	if b.texts[name] == nil {
		b.names = append(b.names, name)
	}
	b.texts[name] = append(b.texts[name], say.M(text, pairs...))
}

func (b *ByDatabase) Any() bool { return len(b.names) > 0 }

// List is "In database app: a, b. In database crm: c" without the last period.
func (b *ByDatabase) List(sep string) say.Message {
	var out []say.Message
	for _, n := range b.names {
		text := say.Template("In database {database}: {list}")
		if n == "" {
			text = "In the connected database: {list}"
		}
		out = append(out, say.M(text, "database", n, "list", say.List{Items: b.texts[n], Sep: sep,
			Most: toldOfDatabase}))
	}
	if more := len(out) - toldDatabases; more > 0 {
		out = append(out[:toldDatabases], say.N(more, "And in {n} more database", "And in {n} more databases"))
	}
	return say.All(". ", out...)
}

// CountedForIn is counting for what was found in a database.
func (c *Case) CountedForIn(in pg.In) (secs float64, ok bool) {
	name := in.Database
	if name == "" {
		name, _ = c.Database()
	}
	dbs, _ := c.Instance.Server.Databases.Get()
	for _, d := range dbs {
		if d.Name == name {
			return c.CountedFor(d)
		}
	}
	return 0, false
}

// Database returns the name of the database that we are connected to; ok is false
// if it is unknown.
func (c *Case) Database() (name string, ok bool) {
	a, _ := c.Instance.Server.Access.Get()
	return a.Database, a.Database != ""
}
