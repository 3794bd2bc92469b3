package history

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"
)

// Bounds of an answer: a screen has some thousand columns.
const (
	pointsUsual = 500
	rangeMost   = 10_000
)

// Range returns a series in [from, to) as at most maxPoints buckets (0: 500), the
// oldest first. It reads the coarsest level that still fills them, so that a year
// costs no more than a day. Where nothing was sampled there is no bucket; of a
// series that there is not, there is none at all.
func (s *Store) Range(ctx context.Context, series Series, from, to time.Time, maxPoints int) ([]Bucket, error) {
	out, err := s.Ranges(ctx, []Series{series}, from, to, maxPoints)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// Ranges is Range for several series at one state of the file; it reads the
// hour under way once for all of them.
func (s *Store) Ranges(ctx context.Context, series []Series, from, to time.Time, maxPoints int) ([][]Bucket, error) {
	if maxPoints <= 0 {
		maxPoints = pointsUsual
	}
	maxPoints = min(maxPoints, rangeMost)
	a, b := max(toMS(from), earliest), min(toMS(to), latest)
	out := make([][]Bucket, len(series))
	if a >= b {
		return out, nil
	}
	width := (b - a + int64(maxPoints) - 1) / int64(maxPoints)
	err := s.view(ctx, func(tx *sql.Tx) error {
		ids := make([]int64, len(series))
		of := map[int64][]bucket{}
		for i, k := range series {
			switch err := tx.QueryRowContext(ctx, "SELECT id FROM series WHERE instance = ? AND name = ? AND label = ?", k.Instance, k.Name, k.Label).Scan(&ids[i]); {
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
			list, err := stored(ctx, tx, id, a, b, width)
			if err != nil {
				return err
			}
			now := of[id]
			if l := levels[fitting(width)]; l.step > 0 {
				now = coarsen(now, l.step)
			}
			out[i] = fill(join(list, slices.Clone(now)), a, width, maxPoints)
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

// stored reads the blocks of a series in [a, b): from the level that fits as far
// as it reaches back, and what lies before from the coarser ones.
func stored(ctx context.Context, tx *sql.Tx, id, a, b, width int64) ([]bucket, error) {
	var parts [][]bucket
	for n := fitting(width); n < len(levels) && a < b; n++ {
		var first sql.NullInt64
		if err := tx.QueryRowContext(ctx, "SELECT min(start) FROM block WHERE series = ? AND level = ?", id, n).Scan(&first); err != nil {
			return nil, err
		}
		if !first.Valid {
			continue
		}
		from := a
		if n < len(levels)-1 {
			from = max(a, first.Int64)
		}
		if from >= b {
			continue
		}
		list, err := blocks(ctx, tx, id, n, from, b)
		if err != nil {
			return nil, err
		}
		parts = append(parts, list)
		b = from
	}
	slices.Reverse(parts)
	return slices.Concat(parts...), nil
}

func blocks(ctx context.Context, tx *sql.Tx, id int64, n int, a, b int64) ([]bucket, error) {
	l := levels[n]
	rows, err := tx.QueryContext(ctx, "SELECT start, data FROM block WHERE series = ? AND level = ? AND start > ? AND start < ? ORDER BY start", id, n, a-l.span, b)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []bucket
	for rows.Next() {
		var start int64
		var data sql.RawBytes
		if err := rows.Scan(&start, &data); err != nil {
			return nil, err
		}
		list, err := unpackBlock(l, start, data)
		if err != nil {
			return nil, err
		}
		for _, x := range list {
			// a bucket belongs to the range that it begins in, or that begins in it
			if x.at+max(l.step, ms) > a && x.at < b {
				out = append(out, x)
			}
		}
	}
	return out, rows.Err()
}

// recent adds the samples of [a, b) that are not packed yet to those series that
// are keys of the map.
func recent(ctx context.Context, tx *sql.Tx, of map[int64][]bucket, a, b int64) error {
	rows, err := tx.QueryContext(ctx, "SELECT at, points FROM sample WHERE at >= ? AND at < ? ORDER BY at", a, b)
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
		err := eachPoint(string(text), func(id int64, v float64) {
			if list, ok := of[id]; ok {
				of[id] = append(list, bucket{at: at, n: 1, min: v, max: v, mean: v, last: v})
			}
		})
		if err != nil {
			return err
		}
	}
	return rows.Err()
}

// fill makes at most n buckets of width ms from a on out of those read. Fewer
// are left as they are.
func fill(list []bucket, a, width int64, n int) []Bucket {
	out := make([]Bucket, 0, min(len(list), n))
	var open bucket
	var slot int64
	flush := func() {
		if open.n > 0 {
			out = append(out, Bucket{At: fromMS(open.at), Min: open.min, Max: open.max, Mean: open.mean, Last: open.last, N: int(open.n)})
		}
	}
	whole := len(list) <= n
	for _, b := range list {
		k := max(b.at-a, 0) / width
		if !whole && open.n > 0 && k == slot {
			open.add(b)
			continue
		}
		flush()
		open, slot = b, k
	}
	flush()
	return out
}

// List returns every series with the time that it spans, in the order of the
// published list, those of the host first.
func (s *Store) List(ctx context.Context) ([]Info, error) {
	var out []Info
	err := s.view(ctx, func(tx *sql.Tx) error {
		now := map[int64][2]int64{} // of the samples that are not packed: first and last
		rows, err := tx.QueryContext(ctx, "SELECT at, points FROM sample ORDER BY at")
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
			if err := eachPoint(string(text), func(id int64, _ float64) {
				t, ok := now[id]
				if !ok {
					t[0] = at
				}
				t[1] = at
				now[id] = t
			}); err != nil {
				return err
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
		rows.Close()
		// The coarsest level reaches back the farthest; its last block, an hour
		// that was packed, tells the end to the hour.
		rows, err = tx.QueryContext(ctx, `SELECT id, instance, name, label,
  (SELECT min(start) FROM block WHERE series = id AND level = ?1),
  (SELECT max(start) FROM block WHERE series = id AND level = ?1)
FROM series LIMIT 10000`, len(levels)-1)
		if err != nil {
			return err
		}
		defer rows.Close()
		type row struct {
			Info
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
				first, err := blocks(ctx, tx, r.id, len(levels)-1, r.first.Int64, r.first.Int64+l.span)
				if err != nil {
					return err
				}
				last, err := blocks(ctx, tx, r.id, len(levels)-1, r.last.Int64, r.last.Int64+l.span)
				if err != nil {
					return err
				}
				if len(first) == 0 || len(last) == 0 {
					return errBlock
				}
				if !has {
					t[1] = last[len(last)-1].at + l.step - ms
				}
				t[0], has = first[0].at, true
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
	for i, m := range meanings {
		order[m.Name] = i
	}
	slices.SortFunc(out, func(a, b Info) int {
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
func (s *Store) Latest(ctx context.Context) (at time.Time, points []Point, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		var t int64
		var text string
		switch err := tx.QueryRowContext(ctx, "SELECT at, points FROM sample ORDER BY at DESC LIMIT 1").Scan(&t, &text); {
		case errors.Is(err, sql.ErrNoRows):
			return nil
		case err != nil:
			return err
		}
		names := map[int64]Series{}
		rows, err := tx.QueryContext(ctx, "SELECT id, instance, name, label FROM series LIMIT 10000")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id int64
			var k Series
			if err := rows.Scan(&id, &k.Instance, &k.Name, &k.Label); err != nil {
				return err
			}
			names[id] = k
		}
		if err := rows.Err(); err != nil {
			return err
		}
		at = fromMS(t)
		return eachPoint(text, func(id int64, v float64) {
			if k, ok := names[id]; ok {
				points = append(points, Point{Series: k, Value: v})
			}
		})
	})
	return at, points, err
}

// Instances returns the keys of the instances that there is anything of.
func (s *Store) Instances(ctx context.Context) ([]string, error) {
	var out []string
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, "SELECT instance FROM series UNION SELECT instance FROM look UNION SELECT instance FROM event ORDER BY 1 LIMIT 1000")
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

// Span returns the times of the first and the last sample, the first to the
// hour; zero where there is none.
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
