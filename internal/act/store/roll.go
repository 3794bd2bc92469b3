package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// roll packs one hour of samples that has ended into the blocks of every level, and throws away what is too old, in one
// transaction: a crash leaves the hour either as samples or as blocks, never both and never neither. It is true if more
// hours wait: one call packs one, so that no sample waits for many.
func (s *Store) roll(ctx context.Context, now int64) (more bool, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		// Those of other hours, also of later ones: the clock may have gone back.
		const others = "SELECT min(at) FROM sample WHERE at < ? OR at >= ?"
		var first sql.NullInt64
		if err := tx.QueryRow(others, now, now+hour).Scan(&first); err != nil || !first.Valid {
			return err
		}
		from := floor(first.Int64, hour)
		points, err := samples(tx, from, from+hour)
		if err != nil {
			return err
		}
		for _, id := range sortedKeys(points) {
			if err := merge(tx, id, points[id]); err != nil {
				return err
			}
		}
		if _, err := tx.Exec("DELETE FROM sample WHERE at >= ? AND at < ?", from, from+hour); err != nil {
			return err
		}
		if err := s.prune(tx, from, now); err != nil {
			return err
		}
		if err := tx.QueryRow(others, now, now+hour).Scan(&first); err != nil {
			return err
		}
		more = first.Valid
		return nil
	})
	return more, err
}

// samples reads the points of the samples in [from, to), by series, in the order
// of their time.
func samples(tx *sql.Tx, from, to int64) (map[int64][]bucket, error) {
	rows, err := tx.Query("SELECT at, points FROM sample WHERE at >= ? AND at < ? AND octet_length(points) <= ? "+
		"ORDER BY at", from, to, sampleBytes)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[int64][]bucket{}
	for rows.Next() {
		var at int64
		var text sql.RawBytes
		if err := rows.Scan(&at, &text); err != nil {
			return nil, err
		}
		err := eachPoint(string(text), func(id int64, v float64) {
			out[id] = append(out[id], bucket{at: at, n: 1, min: v, max: v, mean: v, last: v})
		})
		if err != nil {
			return nil, err
		}
	}
	return out, rows.Err()
}

var errSample = say.Named(errBlock, say.Err("a sample is not as we write it"))

// eachPoint reads the JSON of a sample, in the one spelling that pack writes: a
// general reader would take fifty times as long.
func eachPoint(text string, put func(id int64, v float64)) error {
	body, ok := strings.CutPrefix(text, "{")
	if body, ok2 := strings.CutSuffix(body, "}"); ok && ok2 {
		for body != "" {
			var one string
			one, body, _ = strings.Cut(body, ",")
			key, value, _ := strings.Cut(one, ":")
			if len(key) < 3 || key[0] != '"' || key[len(key)-1] != '"' {
				return errSample
			}
			id, err := strconv.ParseInt(key[1:len(key)-1], 10, 64)
			if err != nil {
				return errSample
			}
			v, err := strconv.ParseFloat(value, 64)
			if err != nil || v-v != 0 { // NaN and Inf are spellings that it takes
				return errSample
			}
			put(id, v)
		}
		return nil
	}
	return errSample
}

func sortedKeys(m map[int64][]bucket) []int64 {
	keys := make([]int64, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// merge adds the points of one hour of one series to every level.
func merge(tx *sql.Tx, series int64, points []bucket) error {
	for n, l := range levels {
		if l.step > 0 {
			points = coarsen(points, l.step)
		}
		list := points
		start := floor(list[0].at, l.span)
		var data []byte
		switch err := tx.QueryRow(
			"SELECT data FROM block WHERE series = ? AND level = ? AND start = ? AND octet_length(data) <= ?", series,
			n, start, blockBytes).Scan(&data); {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			return err
		default:
			before, err := unpackBlock(nil, l, start, data)
			if err != nil {
				return err
			}
			list = join(before, list)
		}
		if len(list) > blockMost {
			list = list[len(list)-blockMost:]
		}
		_, err := tx.Exec(`INSERT INTO block (series, level, start, n, data) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (series, level, start) DO UPDATE SET n = ?4, data = `+
			`?5`, series, n, start, len(list), packBlock(l, start, list))
		if err != nil {
			return err
		}
	}
	return nil
}

// prune throws away what is older than its level keeps, once the clock may be
// believed: the hour that was packed and the present one must be within a day
// of each other, and the history must hold samples of the day before. A clock
// that is wrong for some hours so takes nothing with it.
func (s *Store) prune(tx *sql.Tx, packed, now int64) error {
	if now-packed > day || now < packed {
		return nil
	}
	var steady bool
	// Any series of the last day but the last two hours, in the finest level.
	if err := tx.QueryRow(
		"SELECT EXISTS (SELECT 1 FROM series JOIN block ON block.series = series.id AND block.level = 0 AND "+
			"block.start >= ? AND block.start <= ?)", now-day-day/2, now-day+2*hour).Scan(&steady); err != nil ||
		!steady {
		return err
	}
	for n, l := range levels {
		// By series, so that the index finds them.
		if _, err := tx.Exec("DELETE FROM block WHERE id IN (SELECT b.id FROM series JOIN block AS b ON b.series = "+
			"series.id AND b.level = ? AND b.start < ?)", n, now-l.keep-l.span); err != nil {
			return err
		}
	}
	if floor(now, day) != floor(packed, day) { // once a day
		return s.pruneRows(tx, now)
	}
	return nil
}

// pruneRows bounds what is kept as rows: events, settings that were changed
// since, and series of which nothing is left.
func (s *Store) pruneRows(tx *sql.Tx, now int64) error {
	if _, err := tx.Exec("DELETE FROM event WHERE at < ?", now-keepEvents); err != nil {
		return err
	}
	// Of a setting the value that held when the time that is kept begins stays.
	if _, err := tx.Exec(`DELETE FROM setting WHERE EXISTS (
  SELECT 1 FROM setting AS b WHERE b.instance = setting.instance AND b.name = setting.name AND b.at > setting.at AND `+
		`b.at < ?)`, now-keepEvents); err != nil {
		return err
	}
	rows, err := tx.Query(`DELETE FROM series
WHERE NOT EXISTS (SELECT 1 FROM block WHERE block.series = series.id)
AND id NOT IN (SELECT CAST(j.key AS INTEGER) FROM sample, json_each(sample.points) AS j)
RETURNING id`)
	if err != nil {
		return err
	}
	defer rows.Close()
	gone := map[int64]bool{}
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		gone[id] = true
	}
	// Should the transaction fail, the series is asked for once more: see pack.
	for k, id := range s.ids {
		if gone[id] {
			delete(s.ids, k)
		}
	}
	return rows.Err()
}
