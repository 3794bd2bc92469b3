package pgclient

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// manyDatabases answers like a server with databases a (the one connected to),
// b1 … bN, the last of them the largest, one that our role may not connect to,
// one that is not whole, and the templates.
func manyDatabases(n int) *fakeServer {
	all := [][]string{{"a", "f", "t", "-1"}, {"closed", "f", "t", "-1"}, {"gone", "f", "t", "-2"},
		{"template0", "t", "f", "-1"}, {"template1", "t", "t", "-1"}, {"off", "f", "f", "-1"}}
	sizes := [][]string{{"a", "10", "t"}, {"closed", "99999", "f"}, {"template1", "7", "t"}}
	for i := 1; i <= n; i++ {
		name := fmt.Sprintf("b%d", i)
		all = append(all, []string{name, "f", "t", "-1"})
		sizes = append(sizes, []string{name, fmt.Sprint(i), "t"})
	}
	return &fakeServer{version: "17.11", answer: func(sql string) ([]string, [][]string) {
		switch {
		case onQuery(17, "access")(sql):
			return []string{"role", "database"}, [][]string{{"dba", "a"}}
		case onQuery(17, "databases")(sql):
			return []string{"datname", "datistemplate", "datallowconn", "datconnlimit"}, all
		case onQuery(17, "deep_databases")(sql):
			return []string{"datname", "size", "may_connect"}, sizes
		case onQuery(17, "deep_duplicates")(sql):
			return []string{"nspname", "relname", "indexrelname", "kept", "relpages"},
				[][]string{{"public", "t", "x", "\x00", "8"}}
		}
		return nil, nil
	}}
}

func deepOf(t *testing.T, f *fakeServer) (pg.Deep, []string) {
	t.Helper()
	a := evidence.New()
	if _, err := Ask(context.Background(), a, "1", through(f.serve(t)), true); err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var entered []string
	for _, s := range f.starts {
		entered = append(entered, s["database"])
	}
	return pg.ReadDeep(a, "1"), entered
}

func visitsOf(t *testing.T, d pg.Deep) map[string]string {
	t.Helper()
	list, ok := d.Visits.Get()
	if !ok {
		t.Fatal(d.Visits.Gap())
	}
	out := map[string]string{}
	for _, v := range list {
		out[v.Database] += strings.TrimSpace(v.Query + " " + v.Reason)
	}
	return out
}

// Every database that lets us in is asked, the largest first, and each answer names its database.
func TestDeepGoesThroughTheDatabases(t *testing.T) {
	d, entered := deepOf(t, manyDatabases(3))
	// the fake says of the first that it is a
	if want := []string{"postgres", "b3", "b2", "b1"}; !slices.Equal(entered, want) {
		t.Errorf("connected to %v, want %v", entered, want)
	}
	var found []string
	list, _ := d.Duplicates.Get()
	for _, x := range list {
		found = append(found, x.Database+"."+x.Name+x.Kept)
	}
	if want := []string{"a.x", "b3.x", "b2.x", "b1.x"}; !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
	visits := visitsOf(t, d)
	if why := visits["closed"]; why != "no right to connect to it" {
		t.Errorf("closed: %q", why)
	}
	for _, db := range []string{"gone", "template0", "template1", "off"} {
		if _, ok := visits[db]; ok {
			t.Errorf("%s was visited", db)
		}
	}
	for _, db := range []string{"a", "b1", "b2", "b3"} {
		if why, ok := visits[db]; !ok || why != "" {
			t.Errorf("%s: %v %q", db, ok, why)
		}
	}
}

// A query that fails in one database is reported for that one; it is missing only if it fails in all.
func TestDeepQueryFailsInOneDatabase(t *testing.T) {
	f := manyDatabases(1)
	asked := 0
	f.fail = func(sql string) *pgproto3.ErrorResponse {
		if onQuery(17, "deep_duplicates")(sql) {
			if asked++; asked == 1 {
				return serverError("57014", "canceling statement due to statement timeout")
			}
		}
		if onQuery(17, "deep_sequences")(sql) {
			return serverError("42501", "permission denied for schema x")
		}
		return nil
	}
	d, _ := deepOf(t, f)
	if list, ok := d.Duplicates.Get(); !ok || len(list) != 1 || list[0].Database != "b1" {
		t.Errorf("%+v %+v", list, d.Duplicates.Gap())
	}
	if why := visitsOf(t, d)["a"]; !strings.Contains(why,
		"deep_duplicates canceling statement due to statement timeout") {
		t.Errorf("a: %q", why)
	}
	if g := d.Sequences; g.Known() || g.Gap().Reveal == "" || !strings.Contains(g.Gap().Reason, "permission denied") {
		t.Errorf("a query that no database answered: %s %+v", g.State(), g.Gap())
	}
}

// After some refusals no more connections are tried, as each is in the log of the server; and there is a most of
// databases.
func TestDeepKnowsWhenToStop(t *testing.T) {
	f := manyDatabases(9)
	f.refuse = func(_, database string) *pgproto3.ErrorResponse {
		if strings.HasPrefix(database, "b") {
			return fatal("28000", "no pg_hba.conf entry")
		}
		return nil
	}
	d, entered := deepOf(t, f)
	if len(entered) != 1+mostRefused {
		t.Errorf("%d connections: %v", len(entered), entered)
	}
	visits := visitsOf(t, d)
	if !strings.Contains(visits["b9"], "no pg_hba.conf entry") ||
		!strings.Contains(visits["b1"], "refused the connection") {
		t.Errorf("%v", visits)
	}
	d, entered = deepOf(t, manyDatabases(mostDatabases+5))
	if len(entered) != mostDatabases {
		t.Errorf("%d databases were entered, and %d are the most", len(entered), mostDatabases)
	}
	if why := visitsOf(t, d)["b1"]; !strings.Contains(why, "databases are asked, the largest") {
		t.Errorf("the smallest: %q", why)
	}
}
