package servers

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/test/live"
)

// TestBootstrappedShadow: a shadow that was made without initdb answers as one of a cluster of initdb does, and leaves
// nothing behind.
func TestBootstrappedShadow(t *testing.T) {
	live.Each(t, func(t *testing.T, b scratch.Binaries) {
		privateTemp(t)
		temp := ours(t)
		i, err := scratch.New(t.Context(), b, scratch.Options{InitDB: []string{"--wal-segsize=64"}})
		if err != nil {
			t.Fatal(err)
		}
		whole, err := scratch.NewShadow(b, i.DataDir, i.Account)
		if err := errors.Join(err, i.Remove()); err != nil {
			t.Fatal(err)
		}
		bare, err := scratch.NewBootstrapped(t.Context(), b, int64(64*unit.MB))
		if err != nil {
			t.Fatal(err)
		}
		for _, settings := range []map[string]string{{"min_wal_size": "128"},
			{"min_wal_size": "128", "shared_buffers": "131072", "max_connections": "300"},
			{"min_wal_size": "256", "wal_buffers": "-1", "max_wal_size": "4096", "wal_level": "logical"}} {
			want, err1 := whole.Ask(t.Context(), settings)
			got, err2 := bare.Ask(t.Context(), settings)
			if err := errors.Join(err1, err2); err != nil || cmp.Diff(want, got) != "" {
				t.Errorf("%v: %v\n%s", settings, err, cmp.Diff(want, got))
			}
		}
		for _, settings := range []map[string]string{{"work_mem": "8MB"}, {"min_wal_size": "64MB"},
			{"work_mem": "many"}, {"max_wal_size": "64MB"}} {
			want, err1 := whole.Try(t.Context(), settings)
			got, err2 := bare.Try(t.Context(), settings)
			if err := errors.Join(err1, err2); err != nil || cmp.Diff(want, got) != "" {
				t.Errorf("%v: %v\n%s", settings, err, cmp.Diff(want, got))
			}
		}
		if err := errors.Join(whole.Remove(), bare.Remove()); err != nil {
			t.Error(err)
		}
		if left := ours(t); len(left) != len(temp) {
			t.Errorf("left behind: %v", left)
		}
	})
}
