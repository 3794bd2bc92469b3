package servers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/server"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/workload"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/test/tier"
)

// pgbench is the one of this host; it may be of another version than the server.
func pgbench(t *testing.T, b server.Binaries) workload.Pgbench {
	t.Helper()
	p, err := workload.FindPgbench(t.Context(), b.Version)
	var problem *say.Problem
	if errors.As(err, &problem) {
		tier.Missing(t, tier.Servers, "%v; %s", problem, problem.Hint)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// database makes one and returns a session in it.
func database(t *testing.T, i *server.Instance, name string) (conninfo string) {
	t.Helper()
	if err := i.Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("host='%s' port=%d user=postgres dbname=%s", i.Socket, i.Port, name)
}

// connected opens a session; its end is that of the test.
func connected(t *testing.T, conninfo string) *pgconn.PgConn {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), conninfo)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

// loaded loads a workload into a database and returns what it takes, catalogs not
// counted.
func loaded(t *testing.T, conninfo string, w *workload.Workload, scale int) (size int64, sum string) {
	t.Helper()
	c := connected(t, conninfo)
	var last int64
	if err := w.Load(t.Context(), c, scale, func(done, total int64) {
		if done < last || total != int64(scale) {
			t.Errorf("%d of %d done after %d", done, total, last)
		}
		last = done
	}); err != nil {
		t.Fatal(err)
	}
	if last != int64(scale) {
		t.Errorf("%d of %d done at the end", last, scale)
	}
	size, err := strconv.ParseInt(strings.TrimSpace(lines(t, c, "SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'")), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	sum, err = workload.Checksum(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return size, sum
}

// ran runs a workload with pgbench and returns its report. An error of pgbench is
// one of the test.
func ran(t *testing.T, p workload.Pgbench, w *workload.Workload, o workload.Options) (*measured.Pgbench, workload.Command) {
	t.Helper()
	c, err := w.Command(p, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Write(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	out, err := (&target.Local{}).Run(ctx, target.Command{Argv: c.Argv, Env: c.Env, Timeout: 5 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	talk := measured.ParsePgbenchTalk(out.Stderr)
	if out.Code != 0 || talk.Aborted != 0 || talk.Incomplete || len(talk.Errors) != 0 {
		t.Fatalf("%s ended with %d\n%s", c.Line(), out.Code, out.Stderr)
	}
	r, err := measured.ParsePgbench(out.Stdout)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.Stdout)
	}
	return r, c
}

// folder is a private one for a run's files; nothing but what we put there may be
// left in it.
func folder(t *testing.T) string {
	t.Helper()
	dir, _, err := workload.PrivateFolder()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestWorkloadsRun loads and runs every workload: no error, every script executed,
// the data the same each time, the database as large as was said.
func TestWorkloadsRun(t *testing.T) {
	on(t, []int{13, 15, 18}, func(t *testing.T, b server.Binaries) {
		p := pgbench(t, b)
		i := start(t, b, map[string]string{"fsync": "off", "autovacuum": "off", "max_wal_size": "2GB"})
		for n, w := range workload.List() {
			t.Run(w.Name, func(t *testing.T) {
				const scale = 2
				conninfo := database(t, i, fmt.Sprintf("load%d", n))
				size, sum := loaded(t, conninfo, &w, scale)
				if said := w.Size(scale); math.Abs(float64(size)/float64(said)-1) > 0.1 {
					t.Errorf("scale %d takes %d bytes, said are %d", scale, size, int64(said))
				}
				if _, again := loaded(t, database(t, i, fmt.Sprintf("again%d", n)), &w, scale); again != sum {
					t.Errorf("the data differ from one load to the next\n%s\n%s", sum, again)
				}
				conn, err := workload.ParseConn(conninfo)
				if err != nil {
					t.Fatal(err)
				}
				o := workload.Options{Conn: conn, Dir: folder(t), Scale: scale, Clients: 4, Transactions: 25, Seed: 42, PerStatement: true, Log: "log"}
				if w.Stream {
					o.Clients, o.Transactions = 1, 2
				}
				r, c := ran(t, p, &w, o)
				if want := int64(o.Clients * o.Transactions); r.Transactions != want || r.Failed != nil && *r.Failed != 0 {
					t.Errorf("%d transactions, %d wanted: %+v", r.Transactions, want, r.Counts)
				}
				if len(r.Scripts) != max(len(w.Scripts), 1) {
					t.Fatalf("%d scripts in the report of %d", len(r.Scripts), len(w.Scripts))
				}
				for _, s := range r.Scripts {
					if s.Transactions == 0 || len(s.Statements) == 0 {
						t.Errorf("script %s: %d transactions, %d statements", s.Name, s.Transactions, len(s.Statements))
					}
				}
				if w.Stream && len(r.Scripts[0].Statements) != 10 {
					t.Errorf("%d queries have a time of their own", len(r.Scripts[0].Statements))
				}
				if r.Reconnects != w.Connect {
					t.Errorf("connects each time: %v", r.Reconnects)
				}
				l, err := c.ReadLogs()
				if err != nil {
					t.Fatal(err)
				}
				if l.All.Count() != r.Transactions || l.Bad != 0 {
					t.Errorf("%d transactions in the log of %d, %d bad lines", l.All.Count(), r.Transactions, l.Bad)
				}
				after, err := workload.Checksum(t.Context(), connected(t, conninfo))
				if err != nil {
					t.Fatal(err)
				}
				if (after != sum) != w.Writes {
					t.Errorf("writes: %v, and the data are\n%s, were\n%s", w.Writes, after, sum)
				}
			})
		}
	})
}
