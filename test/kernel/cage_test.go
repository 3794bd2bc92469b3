package kernel

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgfettle/pgfettle/internal/act/cgroup"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/test/cell"
	"github.com/pgfettle/pgfettle/test/tier"
)

// cage is a container with a limit on its memory, and what it is for.
type cage struct {
	limit       unit.Bytes
	profile     rule.Profile
	connections int
}

func (c cage) String() string { return fmt.Sprintf("%s %s %d", c.limit, c.profile, c.connections) }

// configuration is what the plan for a cage sets, and how many connections it says
// to fit at work.
func (c cage) configuration(t *testing.T, major int) (settings map[string]string, fit int) {
	t.Helper()
	d := snapshot.Description{RAM: 24 * unit.GB, CPUs: 2, Sockets: 1, Kernel: "6.1.0", THP: "always", Major: major,
		CGroup: c.limit, Container: "docker", Storage: "ssd", Settings: map[string]string{}}
	a, err := d.Evidence()
	if err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.Read(a)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Make(s, rules.All(), rule.Options{Profile: c.profile, Connections: c.connections})
	if err != nil {
		t.Fatal(err)
	}
	// Without the pool that no container has; the table that fills the cache and the
	// temporary files need not be safe.
	settings = map[string]string{"work_mem": "4MB", "max_connections": "100", "shared_buffers": "128MB"}
	for _, ch := range p.Changes {
		if name, ok := strings.CutPrefix(string(ch.Address), "pg:"); ok {
			settings[name] = ch.To
		}
	}
	settings["huge_pages"], settings["fsync"], settings["full_page_writes"] = "off", "off", "off"
	return settings, p.Budget.Fit
}

// cages are 2, 4 and 8 GB for four profiles and 100 and 300 connections. To fill them all
// takes a quarter of an hour: without PGFETTLE_LAB=full it is the smallest for each profile,
// with one of the two numbers, and of the others two at random, besides those of 4 GB that
// are planted.
func cages(rng *rand.Rand) (out []cage) {
	for _, limit := range []unit.Bytes{2 * unit.GB, 4 * unit.GB, 8 * unit.GB} {
		for _, profile := range []rule.Profile{rule.Web, rule.OLTP, rule.Mixed, rule.OneC} {
			for _, n := range []int{100, 300} {
				out = append(out, cage{limit, profile, n})
			}
		}
	}
	if os.Getenv("PGFETTLE_LAB") == "full" {
		return out
	}
	large := slices.DeleteFunc(slices.Clone(out), func(c cage) bool { return c.limit == 2*unit.GB })
	drawn := []cage{large[rng.IntN(len(large))], large[rng.IntN(len(large))]}
	for n := 0; n < len(out) && out[n].limit == 2*unit.GB; n += 2 { // a pair for each profile
		drawn = append(drawn, out[n+rng.IntN(2)])
	}
	return slices.DeleteFunc(out, func(c cage) bool {
		return !slices.Contains(drawn, c) && (!planted(c) || c.limit != 4*unit.GB)
	})
}

// planted are the cages that are given four times their work_mem besides: one
// profile with a query of the least memory and the one with the most.
func planted(c cage) bool {
	return c.connections == 100 && (c.profile == rule.Web || c.profile == rule.OneC)
}

// TestCage: the planned configuration under a limit on memory, with a sort and a hash
// that want more than they may have in every connection at once, shared_buffers filled:
// where the plan says that all connections fit, nothing is killed and no query is
// refused memory; where it says that fewer do, with those. With four times the
// work_mem most are killed: the test can fail.
func TestCage(t *testing.T) {
	Alone(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	list := cages(rand.New(rand.NewPCG(seed, 1)))
	for _, major := range []int{18, 13} {
		t.Run(fmt.Sprintf("pg%d", major), func(t *testing.T) {
			mine := list
			if major == 13 { // the oldest: one of each size that is drawn
				mine = slices.CompactFunc(slices.Clone(list), func(a, b cage) bool { return a.limit == b.limit })
			}
			i := cageServer(t, major, mine)
			killed, plants := 0, 0
			for n, c := range mine {
				settings, fit := c.configuration(t, major)
				if fit == 0 {
					t.Logf("%-14s the plan says that none fits", c)
					continue
				}
				r := c.run(t, i, n, settings, fit)
				t.Logf("%-14s work_mem %-6s shared_buffers %-7s %3d of %d fit: %s", c, settings["work_mem"],
					settings["shared_buffers"], fit, c.connections, r)
				if r.bad() || r.held != fit {
					t.Errorf("%s: %d connections were said to fit: %s", c, fit, r)
				}
				if !planted(c) || major != 18 {
					continue
				}
				kb, err := unit.ParseGUC(settings["work_mem"], "kB")
				if err != nil {
					t.Fatal(err)
				}
				settings["work_mem"] = (4 * unit.Bytes(kb) * unit.KB).GUC()
				r = c.run(t, i, n, settings, fit)
				t.Logf("%-14s planted, work_mem %s: %s", c, settings["work_mem"], r)
				plants++
				if r.bad() {
					killed++
				}
			}
			if 2*killed < plants {
				t.Errorf("with four times the work_mem only %d of %d were killed or refused", killed, plants)
			}
		})
	}
}

// cageServer makes a server with a table that fills the largest shared_buffers of the cages,
// and stops it.
func cageServer(t *testing.T, major int, list []cage) *scratch.Instance {
	t.Helper()
	most := int64(0) // pages
	for _, c := range list {
		settings, _ := c.configuration(t, major)
		pages, err := unit.ParseGUC(settings["shared_buffers"], "8kB")
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, int64(pages))
	}
	i := cell.Server(t, tier.Kernel, major, scratch.Options{Settings: map[string]string{"fsync": "off",
		"full_page_writes": "off", "autovacuum": "off", "max_wal_size": "8GB", "wal_level": "minimal",
		"max_wal_senders": "0"}})
	rows := int(4 * most) // four rows a page
	if err := i.Exec(t.Context(), "create extension pg_prewarm",
		// In one transaction, so that it is not in the WAL; and not unlogged, as a crash empties such.
		"create table big (n int, filler text) with (autovacuum_enabled = off); alter table big alter filler set "+
			"storage plain; insert into big select g, repeat('x', 1950) from generate_series(1, "+strconv.Itoa(rows)+
			") g", "checkpoint"); err != nil {
		t.Fatal(err)
	}
	if err := i.Stop(); err != nil {
		t.Fatal(err)
	}
	return i
}

// outcome is what came of a cage.
type outcome struct {
	held   int        // connections that held their sort and their hash at once
	used   unit.Bytes // then, without cached files
	kills  int64
	errors []string
}

func (o outcome) bad() bool { return o.kills > 0 || len(o.errors) > 0 }

func (o outcome) String() string {
	text := fmt.Sprintf("%d held at once, %s used, %d killed", o.held, o.used, o.kills)
	if len(o.errors) > 0 {
		text += fmt.Sprintf(", %d errors, the first: %s", len(o.errors), o.errors[0])
	}
	return text
}

// run starts the server in its own group with the settings, fills shared_buffers, and lets so many connections hold a
// sort and a hash.
func (c cage) run(t *testing.T, i *scratch.Instance, n int, settings map[string]string, open int) (out outcome) {
	t.Helper()
	at, err := cgroup.Places()
	if err != nil {
		tier.Missing(t, tier.Kernel, "a cage needs a memory cgroup: %v", err)
	}
	if room, ok := at[0].Room(); ok && room < c.limit {
		tier.Missing(t, tier.Kernel, "a cage of %s needs as much memory, and %s are left", c.limit, room)
	}
	g, err := cgroup.New(at, fmt.Sprintf("pgfettle-test-cage-%d-%d", os.Getpid(), n), c.limit)
	if err != nil {
		tier.Missing(t, tier.Kernel, "a cage needs a memory cgroup that the test may make: %v", err)
	}
	defer func() {
		_ = i.Stop()
		if err := g.Remove(); err != nil {
			t.Error(err)
		}
	}()
	if err := i.Reconfigure(settings); err != nil {
		t.Fatal(err)
	}
	if err := i.StartConfined(t.Context(), scratch.Confinement{Enter: g.Add}); err != nil {
		t.Fatal(err)
	}
	pages := "(select setting::bigint from pg_settings where name = 'shared_buffers')"
	if err := i.Exec(t.Context(), "select pg_prewarm('big', 'buffer', 'main', 0, least("+
		pages+", pg_relation_size('big') / 8192) - 1)"); err != nil {
		t.Fatal(err)
	}
	kb, err := unit.ParseGUC(settings["work_mem"], "kB")
	if err != nil {
		t.Fatal(err)
	}
	sql := holding(unit.Bytes(kb) * unit.KB)
	var mu sync.Mutex
	var all sync.WaitGroup
	fail := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		out.errors = append(out.errors, err.Error())
	}
	var conns []*pgconn.PgConn
	for range open {
		conn, err := pgconn.Connect(t.Context(), i.ConnString())
		if err != nil {
			fail(err)
			break
		}
		defer func() { _ = conn.Close(context.Background()) }()
		conns = append(conns, conn)
	}
	for _, conn := range conns {
		all.Go(func() {
			if _, err := conn.Exec(t.Context(), sql).ReadAll(); err != nil {
				fail(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			out.held++
		})
	}
	all.Wait() // every one of them has its cursors open, and the memory of both
	if out.used, err = g.Used(); err != nil {
		t.Fatal(err)
	}
	if out.kills, err = g.Kills(); err != nil {
		t.Fatal(err)
	}
	return out
}

// holding is what a connection runs: a sort and a hash that want a third more than
// they may have, each held by a cursor from which one row was fetched.
func holding(work unit.Bytes) string {
	// A row of 900 bytes takes a chunk of 1 kB, in a hash some bytes more.
	sorted, hashed := int64(work*4/3/unit.KB), int64(2*work*4/3/unit.KB)
	return fmt.Sprintf(`begin;
declare s no scroll cursor for select g, repeat('x', 900) from (select generate_series(1, %d) g) t order by g desc;
set local enable_sort = off;
declare h no scroll cursor for select k, count(*) from (select generate_series(1, %d)::text || repeat('x', 900) k) t `+
		`group by k;
fetch s; fetch h`, sorted, hashed)
}
