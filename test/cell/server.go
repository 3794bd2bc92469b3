package cell

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/test/template"
	"github.com/pgfettle/pgfettle/test/tier"
)

var listed = sync.OnceValues(func() (map[int]scratch.Binaries, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	bins, err := scratch.Listed(ctx, os.Getenv("PGFETTLE_TEST_PG"))
	found := map[int]scratch.Binaries{}
	for _, b := range bins {
		found[b.Version.Major()] = b
	}
	return found, err
})

// Binaries are those of a major version: one of PGFETTLE_TEST_PG, or else a cached
// or fetched one.
func Binaries(t *testing.T, of string, major int) scratch.Binaries {
	t.Helper()
	var b scratch.Binaries
	var err error
	if os.Getenv("PGFETTLE_TEST_PG") == "" {
		// As live.Binaries: those that another package's tests fetch are waited for.
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
		defer cancel()
		b, err = scratch.Fetch(ctx, major, scratch.FetchOptions{})
	} else {
		var all map[int]scratch.Binaries
		if all, err = listed(); err == nil {
			b = all[major]
		}
	}
	if err != nil || b.Dir == "" {
		tier.Missing(t, of, "PostgreSQL %d is not to be had: %v", major, err)
	}
	return b
}

// Server starts a throwaway server of a major version and takes it away with the
// test.
func Server(t *testing.T, of string, major int, o scratch.Options) *scratch.Instance {
	t.Helper()
	b := Binaries(t, of, major)
	i, err := template.New(t.Context(), b, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Remove(); err != nil {
			t.Error(err)
		}
	})
	if err := i.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return i
}
