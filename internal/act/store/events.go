package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/history"
)

// AppendEvent stores an event, and returns it with its ID and as it was stored.
func (s *Store) AppendEvent(ctx context.Context, e history.Event) (history.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.paused(); err != nil {
		return e, err
	}
	if t := toMS(e.At); t < earliest || t > latest || !slices.Contains(history.EventKinds(), e.Kind) {
		return e, fmt.Errorf("%w: an event %q of %s", ErrRefused, e.Kind, e.At.UTC().Format(time.RFC3339))
	}
	var out history.Event
	err := s.tx(ctx, func(tx *sql.Tx) (err error) {
		out, err = insertEvent(tx, e)
		return err
	})
	if err != nil {
		return e, s.fail(ctx, err)
	}
	return out, nil
}

// insertEvent bounds the texts, and the number of events: beyond eventsMost the oldest is removed, which one event a
// day reports.
func insertEvent(tx *sql.Tx, e history.Event) (history.Event, error) {
	for _, text := range []*string{&e.Instance, &e.Subject, &e.Before, &e.After, &e.Who, &e.Where, &e.Detail} {
		*text = cut(*text, history.EventTextMost)
	}
	e.At = fromMS(toMS(e.At))
	var since sql.NullInt64
	if !e.Since.IsZero() {
		since = sql.NullInt64{Int64: toMS(e.Since), Valid: true}
		e.Since = fromMS(since.Int64)
	}
	err := tx.QueryRow(`INSERT INTO event (at, since, kind, instance, subject, before, after, who, place, detail)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		toMS(e.At), since, string(e.Kind), e.Instance, e.Subject, e.Before, e.After, e.Who, e.Where,
		e.Detail).Scan(&e.ID)
	if err != nil || e.ID <= eventsMost {
		return e, err
	}
	// ids grow by one, so this one statement finds all that are too many, by the key
	res, err := tx.Exec("DELETE FROM event WHERE id <= (SELECT id FROM event ORDER BY id DESC LIMIT 1 OFFSET ?)",
		eventsMost)
	if err != nil {
		return e, err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 || e.Kind == history.Limited {
		return e, err
	}
	_, err = tx.Exec(`INSERT INTO event (at, kind, instance, subject, before, after, who, place, detail)
SELECT ?1, ?2, '', 'events', '', '', '', '', ?3
WHERE NOT EXISTS (SELECT 1 FROM event WHERE kind = ?2 AND subject = 'events' AND at > ?1 - ?4)`,
		toMS(e.At), string(history.Limited), fmt.Sprintf("the history holds %d events; older ones are removed",
			eventsMost),
		day)
	return e, err
}

// EventsBetween returns events in the order of their time, the oldest first.
func (s *Store) EventsBetween(ctx context.Context, f history.EventFilter) ([]history.Event, error) {
	where, args := []string{"id > ?"}, []any{f.After}
	add := func(cond string, arg ...any) { where, args = append(where, cond), append(args, arg...) }
	if !f.From.IsZero() {
		add("at >= ?", toMS(f.From))
	}
	if !f.To.IsZero() {
		add("at < ?", toMS(f.To))
	}
	switch {
	case f.Instance != nil && f.AndHost:
		add("instance IN (?, '')", *f.Instance)
	case f.Instance != nil:
		add("instance = ?", *f.Instance)
	}
	if len(f.Kinds) > 0 {
		marks := strings.TrimSuffix(strings.Repeat("?,", len(f.Kinds)), ",")
		var kinds []any
		for _, k := range f.Kinds {
			kinds = append(kinds, string(k))
		}
		add("kind IN ("+marks+")", kinds...)
	}
	most := f.Most
	if most <= 0 {
		most = 1000
	}
	args = append(args, min(most, eventsMost))
	var out []history.Event
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx,
			`SELECT id, at, since, kind, instance, subject, before, after, who, place, detail
FROM event WHERE `+strings.Join(where, " AND ")+" ORDER BY at DESC, id DESC LIMIT ?", args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var e history.Event
			var at int64
			var since sql.NullInt64
			if err := rows.Scan(&e.ID, &at, &since, &e.Kind, &e.Instance, &e.Subject, &e.Before, &e.After, &e.Who,
				&e.Where, &e.Detail); err != nil {
				return err
			}
			// The file may be another's: what is shown is bounded here too.
			for _, text := range []*string{&e.Instance, &e.Subject, &e.Before, &e.After, &e.Who, &e.Where, &e.Detail} {
				*text = cut(*text, history.EventTextMost)
			}
			e.At = fromMS(at)
			if since.Valid {
				e.Since = fromMS(since.Int64)
			}
			out = append(out, e)
		}
		return rows.Err()
	})
	slices.Reverse(out)
	return out, err
}

// Bounds of what the watcher remembers: some hashes and times.
const (
	stateMost      = 64
	stateBytesMost = 64 << 10
)

// Remember keeps a value under a key, for the next run of the watcher. Nil forgets it.
func (s *Store) Remember(ctx context.Context, key string, value []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.paused(); err != nil {
		return err
	}
	if len(value) > stateBytesMost || len(key) > labelMost {
		return say.Named(ErrRefused, say.Err("{n} bytes are too many to remember", "n", strconv.Itoa(len(value))))
	}
	err := s.tx(ctx, func(tx *sql.Tx) error {
		if value == nil {
			_, err := tx.Exec("DELETE FROM state WHERE key = ?", key)
			return err
		}
		res, err := tx.Exec(`INSERT INTO state (key, value) SELECT ?1, ?2
WHERE (SELECT count(*) FROM state WHERE key <> ?1) < ?3
ON CONFLICT (key) DO UPDATE SET value = ?2`, key, value, stateMost)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return errKeys
	})
	if errors.Is(err, errKeys) {
		return say.Named(ErrRefused, say.Err("{n} things are remembered, and no other", "n", strconv.Itoa(stateMost)))
	}
	if err != nil {
		return s.fail(ctx, err)
	}
	return nil
}

var errKeys = errors.New("too many keys")

// Recall returns what was remembered under a key; nil if nothing was.
func (s *Store) Recall(ctx context.Context, key string) ([]byte, error) {
	var value []byte
	err := s.view(ctx, func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, "SELECT value FROM state WHERE key = ?", key).Scan(&value)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return value, err
}
