package store

import (
	"context"
	"time"

	"github.com/pgfettle/pgfettle/internal/fact/history"
)

// peakDays is how far back peaks are looked for: a year, so that the season of
// now is in it once, and a peak of a load that has gone is forgotten in the end.
const peakDays = 366

// weekDays is how far back the peak of other programs is looked for: a week, and
// a day more, so that the job that runs once a week is always in it; what was
// taken off the host is forgotten by then.
const weekDays = 8

// Peaks returns what plans depend on: the most sessions at work and open at once, the WAL of the busiest hour, and the
// most memory in use, in the year before now.
func (s *Store) Peaks(ctx context.Context, now time.Time) (*history.Peaks, error) {
	instances, err := s.Instances(ctx)
	if err != nil {
		return nil, err
	}
	series := []history.Series{{Name: "memory_used_bytes"}}
	for _, i := range instances {
		series = append(series, history.Series{Instance: i, Name: "connections", Label: "active"},
			history.Series{Instance: i, Name: "connections_total", Label: ""},
			history.Series{Instance: i, Name: "wal_bytes_per_second", Label: ""})
	}
	from := now.Add(-peakDays * 24 * time.Hour).Truncate(time.Hour)
	// One bucket an hour: the level that reaches back that far.
	lists, err := s.Ranges(ctx, series, from, from.Add((peakDays+1)*24*time.Hour), (peakDays+1)*24)
	if err != nil {
		return nil, err
	}
	week := now.Add(-weekDays * 24 * time.Hour).Truncate(time.Hour)
	others, err := s.Ranges(ctx, []history.Series{{Name: history.OtherPrograms}},
		week, week.Add((weekDays+1)*24*time.Hour), (weekDays+1)*24)
	if err != nil {
		return nil, err
	}
	disks, err := s.disks(ctx, now)
	if err != nil {
		return nil, err
	}
	p := &history.Peaks{Schema: history.Schema, Span: history.SpanOf(lists[0]), Memory: history.Highest(lists[0]),
		Instances: []history.Instance{}}
	if most := history.Highest(others[0]); most != nil {
		p.Others = &history.Week{Peak: *most, Span: history.SpanOf(others[0])}
	}
	for i, name := range instances {
		sessions, open, wal := lists[1+3*i], lists[2+3*i], lists[3+3*i]
		in := history.Instance{Instance: name, Span: history.SpanOf(sessions, open, wal),
			Active: history.Highest(sessions), Open: history.Highest(open), WAL: history.Busiest(wal),
			Disks: disks[name]}
		if in.Active != nil || in.Open != nil || in.WAL != nil || in.Disks != nil {
			p.Instances = append(p.Instances, in)
		}
	}
	return p, nil
}

// disks returns how fast the disks of each instance fill up, if a history of some days shows it.
func (s *Store) disks(ctx context.Context, now time.Time) (map[string][]history.Disk, error) {
	all, err := s.List(ctx)
	if err != nil {
		return nil, err
	}
	from := now.Add(-history.TrendDays * 24 * time.Hour).Truncate(time.Hour)
	var series []history.Series
	for _, i := range all {
		if i.Name == "disk_free_bytes" && !i.Last.Before(from) && len(series) < maxDisks {
			series = append(series, i.Series)
		}
	}
	lists, err := s.Ranges(ctx, series, from, from.Add((history.TrendDays+1)*24*time.Hour), (history.TrendDays+1)*24)
	if err != nil {
		return nil, err
	}
	out := map[string][]history.Disk{}
	for i, one := range series {
		if d, ok := history.Trend(lists[i]); ok {
			d.Place = one.Label
			out[one.Instance] = append(out[one.Instance], d)
		}
	}
	return out, nil
}

// maxDisks limits how many are examined: a history holds those of every instance that was ever there.
const maxDisks = 200
