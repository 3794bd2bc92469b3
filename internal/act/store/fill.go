package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/history"
)

// Fill stores what a watch would have left of a series that was sampled every
// step from from to to: value is asked for each sample; false leaves it out.
// It is for histories that are generated, of tests and measurements: only ended
// hours are stored (from and to are taken down to the hour), the series must be
// empty in that time, and nothing is sure to be on the disk before Close.
func (s *Store) Fill(ctx context.Context, series []history.Series, from, to time.Time, step time.Duration,
	value func(history.Series, time.Time) (float64, bool)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.paused(); err != nil {
		return err
	}
	if _, err := s.db.Exec("PRAGMA synchronous = OFF"); err != nil {
		return err
	}
	defer s.db.Exec("PRAGMA synchronous = FULL")
	a, b, every := floor(toMS(from), hour), floor(toMS(to), hour), step.Milliseconds()
	if every <= 0 || a < earliest || b > latest {
		return fmt.Errorf("%w: from %s to %s every %s", ErrRefused, from, to, step)
	}
	widest := levels[len(levels)-1].span
	points := make([]bucket, 0, widest/every+1)
	for t := floor(a, widest); t < b; t += widest {
		err := s.tx(ctx, func(tx *sql.Tx) error {
			for _, k := range series {
				id, err := s.fillID(tx, k)
				if err != nil {
					return err
				}
				points = points[:0]
				for at := max(a, t); at < min(b, t+widest); at += every {
					if v, ok := value(k, fromMS(at)); ok {
						v = rounded(v)
						points = append(points, bucket{at: at, n: 1, min: v, max: v, mean: v, last: v})
					}
				}
				if err := fillBlocks(tx, id, points, b); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return s.fail(ctx, err)
		}
	}
	s.last = max(s.last, b-every)
	return nil
}

func (s *Store) fillID(tx *sql.Tx, k history.Series) (int64, error) {
	if id, ok := s.ids[k]; ok {
		return id, nil
	}
	if err := checkPoint(history.Point{Series: k}); err != nil {
		return 0, say.Named(ErrRefused, say.Named(seriesText(k), err))
	}
	var id int64
	err := tx.QueryRow(
		"INSERT INTO series (instance, name, label) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET label = label "+
			"RETURNING id", k.Instance, k.Name, k.Label).Scan(&id)
	if err == nil {
		s.ids[k] = id
	}
	return id, err
}

// fillBlocks writes the blocks of points that begin where a block of the
// coarsest level does, as far as their level keeps them at the time end.
func fillBlocks(tx *sql.Tx, id int64, points []bucket, end int64) error {
	for n, l := range levels {
		if l.step > 0 {
			points = coarsen(points, l.step)
		}
		list := points
		if len(list) > 0 && list[len(list)-1].at < end-l.keep-l.span {
			continue
		}
		for len(list) > 0 {
			start, k := floor(list[0].at, l.span), 0
			for k < len(list) && list[k].at < start+l.span {
				k++
			}
			if start >= end-l.keep-l.span {
				if _, err := tx.Exec("INSERT INTO block (series, level, start, n, data) VALUES (?, ?, ?, ?, ?)", id,
					n, start, k, packBlock(l, start, list[:k])); err != nil {
					return err
				}
			}
			list = list[k:]
		}
	}
	return nil
}
