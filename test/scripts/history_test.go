package scripts

import (
	"context"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/store"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/rogpeppe/go-internal/testscript"
)

// watched FILE makes the history of a host that was watched for two hours of
// 2026-11-03, while work_mem was raised and a finding appeared.
func watched(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: watched FILE")
	}
	s, err := store.Open(ts.MkAbs(args[0]), store.Options{Interval: time.Minute})
	ts.Check(err)
	ctx, noon := context.Background(), time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	for i := range 120 {
		ts.Check(s.Append(ctx, noon.Add(time.Duration(i)*time.Minute), []history.Point{
			{Series: history.Series{Name: "page_tables_bytes"}, Value: float64(i+1) * (1 << 20)},
			{Series: history.Series{Instance: "/srv/pg", Name: "connections", Label: "active"}, Value: float64(i % 7)},
		}))
	}
	for i, value := range []string{"4MB", "64MB"} {
		_, err := s.AppendSettings(ctx, noon.Add(time.Duration(i)*time.Hour), "/srv/pg",
			map[string]history.Setting{"work_mem": {Value: value, Where: "/srv/pg/postgresql.auto.conf:3"}})
		ts.Check(err)
	}
	_, err = s.AppendEvent(ctx, history.Event{At: noon.Add(90 * time.Minute), Kind: history.FindingAppeared,
		Subject: "swap_in_use", After: "notice", Detail: "The host swaps"})
	ts.Check(err)
	_, err = s.AppendEvent(ctx, history.Event{At: noon.Add(95 * time.Minute), Kind: history.Restarted,
		Instance: "/srv/other", After: "2026-11-03T13:34:00Z"})
	ts.Check(err)
	ts.Check(s.Close())
}
