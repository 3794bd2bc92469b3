// Package historytest makes the history of a host that does not exist: a year of
// samples, settings, findings and mishaps, the same each time. Tests of whatever
// reads a history start from it.
package storetest

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/store"
	"github.com/pgfettle/pgfettle/internal/fact/history"
)

// End is when the year ends; the last samples are of the 20 minutes before.
var End = time.Date(2026, 11, 21, 12, 20, 0, 0, time.UTC)

// Begin is when it begins.
var Begin = End.AddDate(-1, 0, 0).Truncate(time.Hour)

// Instance is the key of the n-th instance, from 0.
func Instance(n int) string { return "/var/lib/postgresql/" + strconv.Itoa(18-n) + "/main" }

// Series are the series of a host with so many instances: every published name,
// with the labels that a busy server has.
func Series(instances int) []history.Series {
	labels := map[string][]string{
		"state": {"active", "idle", "idle in transaction", "idle in transaction (aborted)", "fastpath function call",
			"disabled"},
		"wait":     {"Lock", "LWLock", "IO", "Client", "IPC", "Timeout", "BufferPin", "Extension"},
		"folder":   {"data", "wal"},
		"severity": {"critical", "warning", "notice", "info"},
	}
	var out []history.Series
	for n := -1; n < instances; n++ {
		for _, m := range history.Meanings() {
			s := history.Series{Name: m.Name}
			if (m.Scope == history.OfHost) != (n < 0) {
				continue
			}
			if n >= 0 {
				s.Instance = Instance(n)
			}
			if m.Label == "" {
				out = append(out, s)
			}
			for _, l := range labels[m.Label] {
				s.Label = l
				out = append(out, s)
			}
		}
	}
	return out
}

// Value is the value of a series at a time: a day and a week that people make,
// growth over the year, and noise. It depends on its arguments alone.
func Value(s history.Series, at time.Time) float64 {
	m, _ := history.MeaningOf(s.Name)
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\x00%s\x00%s", s.Instance, s.Name, s.Label)
	return value(m.Unit, h.Sum64(), load(at), at)
}

// load is how much the host has to do.
func load(at time.Time) float64 {
	sec := float64(at.Unix() % 86400)
	load := 0.5 - 0.45*math.Cos(2*math.Pi*(sec/86400-0.1))
	if d := at.Weekday(); d == time.Saturday || d == time.Sunday {
		load *= 0.4
	}
	return load * (1 + at.Sub(Begin).Hours()/8760/2)
}

func value(unit string, seed uint64, load float64, at time.Time) float64 {
	noise := mix(seed ^ uint64(at.UnixMilli()))
	v := load * (0.8 + 0.4*noise)
	switch scale := 1 + float64(seed%16); unit {
	case "bytes": // pages of 4 kB, of some GB
		return math.Floor(scale*(0.5+v/4)*262144) * 4096
	case "bytes/s":
		return scale * v * 1e6
	case "1/s":
		return scale * v * 10
	case "ratio":
		return min(v/2, 1)
	case "seconds":
		return scale * v * 7
	default: // counts
		return math.Floor(scale * 4 * v)
	}
}

// mix makes a number in [0, 1) of 64 bits (splitmix64).
func mix(x uint64) float64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return float64((x^x>>31)>>11) / (1 << 53)
}

// Year writes the history of a host with so many instances into a directory of the test and returns its path. All
// series are sampled every minute, and every 10 s in the last three days; nothing was watched in the night of the gap.
func Year(tb testing.TB, instances int) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), store.File)
	s, err := store.Open(path, store.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	if err := fill(s, instances); err != nil {
		tb.Fatal(err)
	}
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
	return path
}

// GapFrom and GapTo are when nothing was watched.
var (
	GapFrom = time.Date(2026, 3, 14, 22, 0, 0, 0, time.UTC)
	GapTo   = time.Date(2026, 3, 15, 6, 0, 0, 0, time.UTC)
)

func fill(s *store.Store, instances int) error {
	ctx := context.Background()
	series := Series(instances)
	type known struct {
		unit string
		seed uint64
	}
	of := map[history.Series]known{}
	for _, k := range series {
		m, _ := history.MeaningOf(k.Name)
		h := fnv.New64a()
		fmt.Fprintf(h, "%s\x00%s\x00%s", k.Instance, k.Name, k.Label)
		of[k] = known{m.Unit, h.Sum64()}
	}
	loads := make([]float64, End.Sub(Begin)/(10*time.Second)+1) // once for all series
	var last history.Series
	var o known
	ask := func(k history.Series, at time.Time) (float64, bool) {
		if !at.Before(GapFrom) && at.Before(GapTo) {
			return 0, false
		}
		if k != last {
			last, o = k, of[k]
		}
		i := at.Sub(Begin) / (10 * time.Second)
		if loads[i] == 0 {
			loads[i] = load(at)
		}
		return value(o.unit, o.seed, loads[i], at), true
	}
	// The finer samples begin where a block of the coarsest level does: eight days
	// from each other since 1970.
	const widest = 8 * 24 * time.Hour
	fine := time.UnixMilli(End.Add(-3*24*time.Hour).UnixMilli() / widest.Milliseconds() * widest.Milliseconds())
	if err := s.Fill(ctx, series, Begin, fine, time.Minute, ask); err != nil {
		return err
	}
	if err := s.Fill(ctx, series, fine, End, 10*time.Second, ask); err != nil {
		return err
	}
	if err := happenings(ctx, s, instances); err != nil {
		return err
	}
	for at := End.Truncate(time.Hour); at.Before(End); at = at.Add(10 * time.Second) {
		points := make([]history.Point, 0, len(series))
		for _, k := range series {
			v, _ := ask(k, at)
			points = append(points, history.Point{Series: k, Value: v})
		}
		if err := s.Append(ctx, at, points); err != nil {
			return err
		}
	}
	return nil
}

// happenings are the events of the year, in their order.
func happenings(ctx context.Context, s *store.Store, instances int) error {
	for n := range instances {
		key := Instance(n)
		now := map[string]history.Setting{"port": {Value: strconv.Itoa(5432 + n)}, "max_connections": {Value: "100"},
			"fsync": {Value: "on"}}
		for i := range 300 {
			now["custom.parameter_"+strconv.Itoa(i)] = history.Setting{Value: strconv.Itoa(i)}
		}
		// work_mem is raised on the first of every month.
		for m := range 12 {
			at := Begin.AddDate(0, m, 1)
			now["work_mem"] = history.Setting{Value: strconv.Itoa(4+2*m) + "MB", Where: key + "/postgresql.auto.conf:3",
				Who: "postgres"}
			if _, err := s.AppendSettings(ctx, at, key, now); err != nil {
				return err
			}
		}
		if _, err := s.AppendEvent(ctx, history.Event{At: Begin.AddDate(0, 6, 0), Kind: history.Restarted,
			Instance: key, After: Begin.AddDate(0, 6, 0).Format(time.RFC3339)}); err != nil {
			return err
		}
	}
	wal := history.Finding{ID: "wal_on_full_disk", Severity: "warning", Title: "The disk of the WAL is nearly full"}
	swap := history.Finding{ID: "swap_in_use", Severity: "notice", Title: "The host swaps"}
	worse := wal
	worse.Severity = "critical"
	for m, list := range [][]history.Finding{{swap}, {swap, wal}, {swap, worse}, {swap}} {
		if _, err := s.AppendFindings(ctx, Begin.AddDate(0, 3*m, 3), list); err != nil {
			return err
		}
	}
	for _, e := range []history.Event{
		{At: GapTo, Since: GapFrom, Kind: history.Gap, Detail: "pgfettle watch was not running"},
		{At: Begin.AddDate(0, 8, 2), Kind: history.OOMKill, Subject: "postgres", Detail: "process 4711 had 12 GB"},
		{At: Begin.AddDate(0, 9, 2), Kind: history.PlanStale, Subject: "memory of the host", Before: "64 GB",
			After: "128 GB"},
	} {
		if _, err := s.AppendEvent(ctx, e); err != nil {
			return err
		}
	}
	return nil
}
