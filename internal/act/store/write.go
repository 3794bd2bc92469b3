package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/history"
)

// Bounds of what is taken, beside those of Options. An instance is a path;
// labels are states, severities and the like.
const (
	instanceMost = 512
	labelMost    = 64
	// pointsMost bounds one sample: every series once, and as many again that are refused.
	pointsMost = 4096
)

// Append stores one sample in one transaction. When it returns nil the sample is on the disk. Points that cannot be
// kept are omitted and named in a RefusedError; the others are stored then.
//
// After a WriteError nothing of the sample is stored, and for a while nothing is tried. The first sample after it is
// stored with an event that records the gap.
func (s *Store) Append(ctx context.Context, at time.Time, points []history.Point) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.paused(); err != nil {
		return err
	}
	t := toMS(at)
	if t < earliest || t > latest {
		return &RefusedError{Points: points, Reason: "the clock says " + at.UTC().Format(time.RFC3339)}
	}
	// First the hour that has ended, so that an error means that nothing of this
	// sample was stored.
	if h := floor(t, hour); h != s.hour {
		more, err := s.roll(ctx, h)
		if err != nil {
			return s.fail(ctx, err)
		}
		if !more {
			s.hour = h
		}
	}
	var refused *RefusedError
	made := map[history.Series]int64{}
	err := s.tx(ctx, func(tx *sql.Tx) error {
		row, r, err := s.pack(tx, points, made)
		if err != nil {
			return err
		}
		refused = r
		if refused != nil && !s.full && errors.Is(refused.why, errMany) {
			if _, err := insertEvent(tx, history.Event{At: at, Kind: history.Limited, Subject: "series",
				Detail: refused.Reason}); err != nil {
				return err
			}
		}
		if e, ok := s.jump(t); ok {
			if _, err := insertEvent(tx, e); err != nil {
				return err
			}
		}
		// Another sample of the same ms is there only when the clock went back:
		// the next free ms is as true.
		for range pointsMost {
			res, err := tx.Exec("INSERT OR IGNORE INTO sample (at, points) VALUES (?, ?)", t, row)
			if err != nil {
				return err
			}
			if n, err := res.RowsAffected(); err != nil || n == 1 {
				return err
			}
			t++
		}
		return fmt.Errorf("there are %d samples of one second", pointsMost)
	})
	if err != nil {
		return s.fail(ctx, err)
	}
	if refused != nil && errors.Is(refused.why, errMany) {
		s.full = true
	}
	for k, id := range made {
		s.ids[k] = id
	}
	s.failed, s.last, s.began = nil, t, true
	if refused != nil {
		return refused
	}
	return nil
}

var errMany = say.Err("too many series")

// pack writes the points as JSON, the form of the table sample.
func (s *Store) pack(tx *sql.Tx, points []history.Point, made map[history.Series]int64) (row string,
	refused *RefusedError, err error) {
	refuse := func(p history.Point, why error) {
		if refused == nil {
			refused = &RefusedError{Reason: fmt.Sprintf("%s: %v", seriesText(p.Series), why), why: why}
		}
		refused.Points = append(refused.Points, p)
	}
	out := append(make([]byte, 0, 24*len(points)+2), '{')
	seen := make(map[int64]bool, len(points))
	for i, p := range points {
		if i >= pointsMost {
			refuse(p, fmt.Errorf("a sample has %d points at most", pointsMost))
			continue
		}
		if err := checkPoint(p); err != nil {
			refuse(p, err)
			continue
		}
		id, ok := s.ids[p.Series]
		if !ok {
			id, ok = made[p.Series]
		}
		if !ok {
			if len(s.ids)+len(made) >= s.o.SeriesMost {
				refuse(p, say.Named(errMany, say.Err("the history holds {n}, and no new one is added",
					"n", strconv.Itoa(s.o.SeriesMost))))
				continue
			}
			// DO UPDATE so that the id is returned also of one that is there.
			if err := tx.QueryRow(
				"INSERT INTO series (instance, name, label) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET label = "+
					"label RETURNING id", p.Instance, p.Name, p.Label).Scan(&id); err != nil {
				return "", nil, err
			}
			made[p.Series] = id
		}
		if seen[id] {
			refuse(p, errors.New("it is in the sample twice"))
			continue
		}
		seen[id] = true
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, '"')
		out = strconv.AppendInt(out, id, 10)
		out = append(out, '"', ':')
		if v := rounded(p.Value); v == math.Trunc(v) && math.Abs(v) <= exactly {
			out = strconv.AppendInt(out, int64(v), 10)
		} else {
			out = strconv.AppendFloat(out, v, 'g', -1, 64)
		}
	}
	return string(append(out, '}')), refused, nil
}

func seriesText(k history.Series) string {
	if k.Label == "" {
		return k.Name
	}
	return k.Name + "{" + k.Label + "}"
}

// checkPoint holds a point to the published list and the bounds.
func checkPoint(p history.Point) error {
	m, ok := history.MeaningOf(p.Name)
	switch {
	case !ok:
		return errors.New("there is no such series")
	case (m.Label == "") != (p.Label == ""):
		return errors.New("its label is missing, or one too many")
	case (m.Scope == history.OfHost) != (p.Instance == ""):
		return errors.New("it is of an instance and not of the host, or the other way round")
	case len(p.Label) > labelMost || !plain(p.Label):
		return say.Err("a label has {n} printable bytes at most", "n", strconv.Itoa(labelMost))
	case len(p.Instance) > instanceMost || !plain(p.Instance):
		return say.Err("the key of an instance has {n} printable bytes at most", "n", strconv.Itoa(instanceMost))
	case math.IsNaN(p.Value) || math.IsInf(p.Value, 0):
		return say.Err("its value is no number")
	}
	return nil
}

func plain(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// jump returns the time since the last sample if it was not an interval.
func (s *Store) jump(t int64) (history.Event, bool) {
	if s.last == 0 {
		return history.Event{}, false
	}
	longest := max(3*s.o.Interval.Milliseconds(), minute/2)
	e := history.Event{At: fromMS(t), Since: fromMS(s.last), Kind: history.Gap}
	switch step := t - s.last; {
	case step < 0:
		return history.Event{At: fromMS(t), Kind: history.ClockJumped, Before: fromMS(s.last).Format(time.RFC3339),
			After:  fromMS(t).Format(time.RFC3339),
			Detail: "the clock was set back by " + (time.Duration(-step) * time.Millisecond).String()}, true
	case s.failed != nil:
		e.Detail = "the history could not be written: " + kindOf(s.failed)
	case step <= longest:
		return history.Event{}, false
	case !s.began:
		e.Detail = "pgfettle watch was not running"
	default:
		e.Detail = "no samples: the host was suspended, its clock was set forward, or pgfettle watch was delayed"
	}
	return e, true
}

// kindOf says the kind of a failure, without its particulars.
func kindOf(err error) string {
	for _, kind := range []error{ErrFull, ErrReadOnly, ErrLocked, ErrDamaged} {
		if errors.Is(err, kind) {
			return kind.Error()
		}
	}
	return err.Error()
}

// paused is the error of a write within the pause after a failure.
func (s *Store) paused() error {
	if s.lock == nil {
		return &WriteError{Path: s.path, Err: say.Err("{reason}: it was opened to be read", "reason", ErrReadOnly)}
	}
	if s.failed != nil && s.now().Before(s.retry) {
		return &WriteError{Path: s.path, Err: say.Named(ErrPaused, s.failed)}
	}
	return nil
}

// fail notes that a write did not succeed.
func (s *Store) fail(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err() // our own wish: nothing is wrong with the file
	}
	e := &WriteError{Path: s.path, First: s.failed == nil, Err: classify(s.path, err)}
	s.failed, s.retry = e.Err, s.now().Add(s.o.Pause)
	return e
}
