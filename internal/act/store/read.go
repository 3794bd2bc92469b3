package store

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/fact/history"
)

// Bounds of an answer: a screen has some thousand columns.
const (
	pointsUsual = 500
	rangeMost   = 10_000
	seriesRead  = 10_000 // a foreign file may contain any number
)

// Range returns a series in [from, to) as at most maxPoints buckets (0: 500), the oldest first. It reads the coarsest
// level that still fills them, so that a year costs no more than a day. If nothing was sampled there is no bucket; of a
// series that there is not, there is none at all.
func (s *Store) Range(ctx context.Context, series history.Series, from, to time.Time, maxPoints int) ([]history.Bucket,
	error) {
	out, err := s.Ranges(ctx, []history.Series{series}, from, to, maxPoints)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// Ranges is Range for several series at one state of the file; it reads the
// hour under way once for all of them.
func (s *Store) Ranges(ctx context.Context, series []history.Series, from, to time.Time,
	maxPoints int) ([][]history.Bucket, error) {
	if maxPoints <= 0 {
		maxPoints = pointsUsual
	}
	maxPoints = min(maxPoints, rangeMost)
	a, b := max(toMS(from), earliest), min(toMS(to), latest)
	out := make([][]history.Bucket, len(series))
	if a >= b {
		return out, nil
	}
	width := (b - a + int64(maxPoints) - 1) / int64(maxPoints)
	err := s.view(ctx, func(tx *sql.Tx) error {
		ids := make([]int64, len(series))
		of := map[int64][]bucket{}
		for i, k := range series {
			switch err := tx.QueryRowContext(ctx, "SELECT id FROM series WHERE instance = ? AND name = ? AND label = ?",
				k.Instance, k.Name, k.Label).Scan(&ids[i]); {
			case errors.Is(err, sql.ErrNoRows):
				ids[i] = -1
			case err != nil:
				return err
			default:
				of[ids[i]] = nil
			}
		}
		if err := recent(ctx, tx, of, a, b); err != nil {
			return err
		}
		for i, id := range ids {
			if id < 0 {
				continue
			}
			g := grid{from: a, width: width}
			if err := stored(ctx, tx, id, a, b, width, g.add); err != nil {
				return err
			}
			now := of[id]
			if l := levels[fitting(width)]; l.step > 0 {
				now = coarsen(now, l.step)
			}
			for _, x := range now {
				g.add(x)
			}
			out[i] = g.buckets()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// fitting is the coarsest level whose buckets are no wider than asked for.
func fitting(width int64) int {
	n := 0
	for i, l := range levels {
		if l.step <= width {
			n = i
		}
	}
	return n
}

// stored reads the buckets of a series in [a, b), in the order of their time:
// from the level that fits as far as it reaches back, and what lies before from
// the coarser ones.
func stored(ctx context.Context, tx *sql.Tx, id, a, b, width int64, put func(bucket)) error {
	type part struct {
		level    int
		from, to int64
	}
	var parts []part
	for n := fitting(width); n < len(levels) && a < b; n++ {
		var first sql.NullInt64
		if err := tx.QueryRowContext(ctx, "SELECT min(start) FROM block WHERE series = ? AND level = ?", id,
			n).Scan(&first); err != nil {
			return err
		}
		if from := max(a, first.Int64); first.Valid && from < b {
			parts = append(parts, part{n, from, b})
			b = from
		}
	}
	for _, p := range slices.Backward(parts) {
		if err := blocks(ctx, tx, id, p.level, p.from, p.to, put); err != nil {
			return err
		}
	}
	return nil
}

func blocks(ctx context.Context, tx *sql.Tx, id int64, n int, a, b int64, put func(bucket)) error {
	l := levels[n]
	rows, err := tx.QueryContext(ctx,
		"SELECT start, data FROM block WHERE series = ? AND level = ? AND start > ? AND start < ? AND "+
			"octet_length(data) <= ? ORDER BY start", id, n, a-l.span, b, blockBytes)
	if err != nil {
		return err
	}
	defer rows.Close()
	var list []bucket
	for rows.Next() {
		var start int64
		var data sql.RawBytes
		if err := rows.Scan(&start, &data); err != nil {
			return err
		}
		if list, err = unpackBlock(list, l, start, data); err != nil {
			return err
		}
		for _, x := range list {
			// a bucket belongs to the range that it begins in, or that begins in it
			if x.at+max(l.step, ms) > a && x.at < b {
				put(x)
			}
		}
	}
	return rows.Err()
}

// recent adds the samples of [a, b) that are not packed yet to those series that
// are keys of the map.
func recent(ctx context.Context, tx *sql.Tx, of map[int64][]bucket, a, b int64) error {
	return unpacked(ctx, tx, a, b, func(at, id int64, v float64) {
		if list, ok := of[id]; ok {
			of[id] = append(list, bucket{at: at, n: 1, min: v, max: v, mean: v, last: v})
		}
	})
}

// unpacked passes on the points of the samples of [a, b) that are not packed yet,
// in the order of their time.
func unpacked(ctx context.Context, tx *sql.Tx, a, b int64, put func(at, id int64, v float64)) error {
	rows, err := tx.QueryContext(ctx,
		"SELECT at, points FROM sample WHERE at >= ? AND at < ? AND octet_length(points) <= ? ORDER BY at", a, b,
		sampleBytes)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var at int64
		var text sql.RawBytes
		if err := rows.Scan(&at, &text); err != nil {
			return err
		}
		if err := eachPoint(string(text), func(id int64, v float64) { put(at, id, v) }); err != nil {
			return err
		}
	}
	return rows.Err()
}

// grid joins buckets that fall into the same width ms from a time on.
type grid struct {
	from, width int64
	list        []bucket
}

func (g *grid) slot(b bucket) int64 { return max(b.at-g.from, 0) / g.width }

func (g *grid) add(b bucket) {
	k, i := g.slot(b), len(g.list)
	// The last one as a rule; another only where the clock went back.
	for i > 0 && g.slot(g.list[i-1]) > k {
		i--
	}
	if i > 0 && g.slot(g.list[i-1]) == k {
		g.list[i-1].add(b)
		return
	}
	g.list = slices.Insert(g.list, i, b)
}

func (g *grid) buckets() []history.Bucket {
	out := make([]history.Bucket, len(g.list))
	for i, b := range g.list {
		out[i] = history.Bucket{At: fromMS(b.at), Min: b.min, Max: b.max, Mean: rounded(b.mean), Last: b.last,
			N: int(b.n)}
	}
	return out
}

// List returns every series with the time that it spans, in the order of the
// published list, those of the host first.
func (s *Store) List(ctx context.Context) ([]history.Info, error) {
	var out []history.Info
	err := s.view(ctx, func(tx *sql.Tx) error {
		now := map[int64][2]int64{} // of the samples that are not packed: first and last
		if err := unpacked(ctx, tx, math.MinInt64, math.MaxInt64, func(at, id int64, _ float64) {
			t, ok := now[id]
			if !ok {
				t[0] = at
			}
			t[1] = at
			now[id] = t
		}); err != nil {
			return err
		}
		// The coarsest level reaches back the farthest; its last block, an hour that was packed, gives the end to the
		// hour.
		rows, err := tx.QueryContext(ctx, `SELECT id, instance, name, label,
  (SELECT min(start) FROM block WHERE block.series = series.id AND level = ?1),
  (SELECT max(start) FROM block WHERE block.series = series.id AND level = ?1)
FROM series LIMIT ?2`, len(levels)-1, seriesRead)
		if err != nil {
			return err
		}
		defer rows.Close()
		type row struct {
			history.Info
			id          int64
			first, last sql.NullInt64
		}
		var list []row
		for rows.Next() {
			var r row
			if err := rows.Scan(&r.id, &r.Instance, &r.Name, &r.Label, &r.first, &r.last); err != nil {
				return err
			}
			list = append(list, r)
		}
		if err := rows.Err(); err != nil {
			return err
		}
		rows.Close()
		for _, r := range list {
			t, has := now[r.id]
			if r.first.Valid {
				l := levels[len(levels)-1]
				var ends [2]int64
				for i, start := range []int64{r.first.Int64, r.last.Int64} {
					if err := blocks(ctx, tx, r.id, len(levels)-1, start, start+l.span, func(b bucket) {
						if i == 1 || ends[0] == 0 {
							ends[i] = b.at
						}
					}); err != nil {
						return err
					}
				}
				if !has {
					t[1] = ends[1] + l.step - ms
				}
				t[0], has = ends[0], true
			}
			if !has {
				continue
			}
			r.First, r.Last = fromMS(t[0]), fromMS(t[1])
			out = append(out, r.Info)
		}
		return nil
	})
	order := map[string]int{}
	for i, m := range history.Meanings() {
		order[m.Name] = i
	}
	slices.SortFunc(out, func(a, b history.Info) int {
		if c := strings.Compare(a.Instance, b.Instance); c != 0 {
			return c
		}
		if c := order[a.Name] - order[b.Name]; c != 0 {
			return c
		}
		return strings.Compare(a.Label, b.Label)
	})
	return out, err
}

// Latest returns the last sample that was stored; a zero time where none was in
// the hour under way.
func (s *Store) Latest(ctx context.Context) (at time.Time, points []history.Point, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		var t int64
		var text string
		switch err := tx.QueryRowContext(ctx,
			"SELECT at, points FROM sample WHERE octet_length(points) <= ? ORDER BY at DESC LIMIT 1",
			sampleBytes).Scan(&t, &text); {
		case errors.Is(err, sql.ErrNoRows):
			return nil
		case err != nil:
			return err
		}
		names := map[int64]history.Series{}
		if err := eachSeries(ctx, tx, seriesRead, func(id int64, k history.Series) { names[id] = k }); err != nil {
			return err
		}
		at = fromMS(t)
		return eachPoint(text, func(id int64, v float64) {
			if k, ok := names[id]; ok {
				points = append(points, history.Point{Series: k, Value: v})
			}
		})
	})
	return at, points, err
}

// Instances returns the keys of the instances that there is anything of.
func (s *Store) Instances(ctx context.Context) ([]string, error) {
	var out []string
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx,
			"SELECT instance FROM series UNION SELECT instance FROM look UNION SELECT instance FROM event ORDER BY "+
				"1 LIMIT 1000")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var k string
			if err := rows.Scan(&k); err != nil {
				return err
			}
			if k != "" {
				out = append(out, cut(k, instanceMost))
			}
		}
		return rows.Err()
	})
	return out, err
}

// Span returns the times of the first and the last sample, the first to the hour; zero if there is none.
func (s *Store) Span(ctx context.Context) (first, last time.Time, err error) {
	list, err := s.List(ctx)
	for _, i := range list {
		if first.IsZero() || i.First.Before(first) {
			first = i.First
		}
		if i.Last.After(last) {
			last = i.Last
		}
	}
	return first, last, err
}
