package app

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/store"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/history"
)

// ordinary is this host as an ordinary user finds it, at a time.
type ordinary struct {
	target.Target
	at time.Time
}

func (ordinary) UID() int         { return 1000 }
func (o ordinary) Now() time.Time { return o.at }

// TestPeaksOfTheUser: a plan takes the peaks from its user's history.
func TestPeaksOfTheUser(t *testing.T) {
	noon := time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	state := t.TempDir()
	h := &Host{Vars: []string{"XDG_STATE_HOME=" + state}, Target: ordinary{&target.Local{}, noon.Add(time.Hour)}}
	file := filepath.Join(state, "pgfettle", store.File)
	s, err := store.Open(file, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range []float64{3, 34, 5} {
		if err := s.Append(context.Background(), noon.Add(time.Duration(i)*10*time.Second),
			[]history.Point{{Series: history.Series{Instance: "/srv/pg", Name: "connections", Label: "active"},
				Value: n}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := h.peaks(context.Background())
	if err != nil || p == nil {
		t.Fatal(p, err)
	}
	if in, ok := p.Of("/srv/pg"); !ok || in.Active.Value != 34 || in.Active.At != noon.Unix() {
		t.Errorf("%+v", p)
	}
}
