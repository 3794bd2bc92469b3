package pgclient

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// sized answers how large pg_class is, and everything else with one row.
func sized(bytes string) func(string) ([]string, [][]string) {
	return func(sql string) ([]string, [][]string) {
		if sql == catalogueSize.SQL {
			return []string{"pg_relation_size"}, [][]string{{bytes}}
		}
		return nil, nil
	}
}

// TestStatisticsOfManyTables: before 15 the statistics are asked in a database
// without tables where ours has many, and where we are when that fails; either
// way every answer is there, and nothing is asked twice that was answered.
func TestStatisticsOfManyTables(t *testing.T) {
	const large, small = "8388608", "2088960"
	notIn := func(user, db string) *pgproto3.ErrorResponse {
		if db == lastDatabase {
			return fatal("28000", "no pg_hba.conf entry")
		}
		return nil
	}
	for _, c := range []struct {
		name, version, size string
		refuse              func(user, db string) *pgproto3.ErrorResponse
		breaks              bool // the first connection that asks for the archiver is cut
		how                 func(dir string) Connect
		deep                bool
		starts              string
	}{
		{"many tables on 13", "13.23", large, nil, false, through, false, "dba@postgres dba@template1"},
		{"many tables on 14", "14.24", large, nil, false, through, false, "dba@postgres dba@template1"},
		{"few tables", "13.23", small, nil, false, through, false, "dba@postgres"},
		{"a size that is none", "13.23", "many", nil, false, through, false, "dba@postgres"},
		{"shared statistics", "15.19", large, nil, false, through, false, "dba@postgres"},
		{"the tables are asked for", "13.23", large, nil, false, through, true, "dba@postgres"},
		{"not let in there", "13.23", large, notIn, false, through, false, "dba@postgres dba@template1"},
		{"cut off there", "13.23", large, nil, true, through, false, "dba@postgres dba@template1"},
		{"the user named the database", "13.23", large, nil, false, func(dir string) Connect {
			return Connect{Conninfo: "user=dba dbname=shop host=" + dir, Peer: -1}
		}, false, "dba@shop"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bareEnvironment(t)
			var asked atomic.Int32
			f := &fakeServer{version: c.version, refuse: c.refuse, answer: sized(c.size)}
			archiver := onQuery(13, "archiver")
			f.hangUp = func(sql string) bool { return c.breaks && archiver(sql) && asked.Add(1) == 1 }
			a := evidence.New()
			s, err := Ask(context.Background(), a, "1", c.how(f.serve(t)), c.deep)
			if err != nil {
				t.Fatal(err)
			}
			if got := tried(f); got != c.starts {
				t.Errorf("connected as %s, want %s", got, c.starts)
			}
			for _, q := range pg.Queries(s.Major, c.deep) {
				if _, err := a.ReadFile(pg.Path("1", q.Name)); err != nil {
					t.Errorf("%s: %v", q.Name, err)
				}
			}
			for _, n := range a.Names() {
				if strings.Contains(n, catalogueSize.Name) {
					t.Errorf("%s is in the evidence", n)
				}
			}
			if m := a.MissingFiles(); len(m) != len(pg.Unasked(s.Major, c.deep)) {
				t.Errorf("missing: %v", m)
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			times := map[string]int{}
			for _, seg := range f.segments {
				if !strings.Contains(seg[0], "'transaction_read_only'") {
					t.Errorf("a transaction without its guard: %q", seg)
				}
				for _, sql := range seg[1:] {
					times[sql]++
				}
			}
			for sql, n := range times {
				if n > 1 {
					t.Errorf("asked %d times: %s", n, sql)
				}
			}
		})
	}
}
