package cli

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

// TestPeaksOfTheUser: a plan takes the peaks from the history of who makes it.
func TestPeaksOfTheUser(t *testing.T) {
	noon := time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	state := t.TempDir()
	env := &Env{Vars: []string{"XDG_STATE_HOME=" + state}, Target: ordinary{&target.Local{}, noon.Add(time.Hour)}}
	file := filepath.Join(state, "pgfettle", store.File)
	s, err := store.Open(file, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range []float64{3, 34, 5} {
		if err := s.Append(context.Background(), noon.Add(time.Duration(i)*10*time.Second), []history.Point{{Series: history.Series{Instance: "/srv/pg", Name: "connections", Label: "active"}, Value: n}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := peaks(env)(context.Background())
	if err != nil || p == nil {
		t.Fatal(p, err)
	}
	if in, ok := p.Of("/srv/pg"); !ok || in.Active.Value != 34 || in.Active.At != noon.Unix() {
		t.Errorf("%+v", p)
	}
}

func TestMoment(t *testing.T) {
	now := time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"90m": "2026-11-03T10:30:00Z", "36h": "2026-11-02T00:00:00Z", "7d": "2026-10-27T12:00:00Z", "2w": "2026-10-20T12:00:00Z", "1y": "2025-11-03T12:00:00Z", "5s": "2026-11-03T11:59:55Z",
		"2026-11-01": "2026-11-01T00:00:00Z", "2026-11-01 14:30": "2026-11-01T14:30:00Z", "2026-11-01T14:30:05": "2026-11-01T14:30:05Z", "2026-11-01T14:30:05+02:00": "2026-11-01T12:30:05Z",
	} {
		if got, err := moment("since", text, now); err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "0d", "-7d", "7", "7x", "1.5d", "101y", "4294967295y", "99999999999d", "2026-13-01", "tomorrow"} {
		if got, err := moment("since", text, now); err == nil {
			t.Errorf("%q is taken for %s", text, got)
		}
	}
}
