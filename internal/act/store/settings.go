package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/history"
)

// Bounds of settings and findings: a server has some 400 parameters, and its
// extensions may bring as many; a value such as a list of synchronous standbys
// may be long; a host has some 100 checks.
const (
	settingNames     = 4000
	settingNameMost  = 256
	settingValueMost = 8192
	findingsMost     = 2000
)

// AppendSettings compares the settings of an instance with those stored, stores what differs, and an event for each
// difference, in one transaction. It returns the events. The first time for an instance nothing is reported: that is
// its initial state.
//
// All settings of the instance must be given, or those of the same source each
// time: one that is not among them counts as removed.
func (s *Store) AppendSettings(ctx context.Context, at time.Time, instance string,
	now map[string]history.Setting) ([]history.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.paused(); err != nil {
		return nil, err
	}
	if err := comparable(at, instance); err != nil {
		return nil, err
	}
	if len(now) > settingNames {
		return nil, fmt.Errorf("%w: %d settings", ErrRefused, len(now))
	}
	bounded := make(map[string]history.Setting, len(now))
	for name, v := range now {
		bounded[cut(name, settingNameMost)] = history.Setting{Value: cut(v.Value, settingValueMost),
			Where: cut(v.Where, history.EventTextMost), Who: v.Who}
	}
	var events []history.Event
	err := s.tx(ctx, func(tx *sql.Tx) error {
		events = nil
		since, known, err := look(tx, "settings", instance, at)
		if err != nil {
			return err
		}
		before, err := settingsAt(ctx, tx, instance, latest)
		if err != nil {
			return err
		}
		t := toMS(at)
		names := maps.Clone(before)
		for name, v := range bounded {
			names[name] = v.Value
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			old, was := before[name]
			v, is := bounded[name]
			if was == is && old == v.Value {
				continue
			}
			var value any
			if is {
				value = v.Value
			}
			// If the clock went back, there may be rows of later times, which would hide this one: they are removed,
			// and the events still record them.
			if _, err := tx.Exec("DELETE FROM setting WHERE instance = ? AND name = ? AND at > ?", instance, name,
				t); err != nil {
				return err
			}
			if _, err := tx.Exec("INSERT OR REPLACE INTO setting (instance, name, at, value, place) VALUES (?, ?, "+
				"?, ?, ?)", instance, name, t, value, v.Where); err != nil {
				return err
			}
			if !known {
				continue
			}
			e := history.Event{At: at, Since: since, Kind: history.SettingChanged, Instance: instance, Subject: name,
				Before: old, After: v.Value, Who: v.Who, Where: v.Where}
			switch {
			case !was:
				e.Detail = "not set before"
			case !is:
				e.Detail = "no longer set"
			}
			e, err := insertEvent(tx, e)
			if err != nil {
				return err
			}
			events = append(events, e)
		}
		_, err = tx.Exec(`DELETE FROM setting WHERE (SELECT count(*) FROM setting) > ?1 AND at < (SELECT at FROM `+
			`setting ORDER BY at DESC LIMIT 1 OFFSET ?1)
AND EXISTS (SELECT 1 FROM setting AS b WHERE b.instance = setting.instance AND b.name = setting.name AND b.at > `+
			`setting.at)`, settingsMost)
		return err
	})
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	return events, nil
}

// comparable holds the time and the key of an instance to their bounds.
func comparable(at time.Time, instance string) error {
	if t := toMS(at); t < earliest || t > latest {
		return say.Named(ErrRefused, say.Err("the clock says {time}", "time", at.UTC().Format(time.RFC3339)))
	}
	if len(instance) > instanceMost || !plain(instance) {
		return say.Named(ErrRefused, say.Err("the key of an instance has {n} printable bytes at most",
			"n", strconv.Itoa(instanceMost)))
	}
	return nil
}

// look notes that something is compared now, and returns when it was before.
func look(tx *sql.Tx, what, instance string, at time.Time) (since time.Time, known bool, err error) {
	var last int64
	switch err := tx.QueryRow("SELECT last FROM look WHERE what = ? AND instance = ?", what, instance).Scan(&last); {
	case err == nil:
		known = true
		if t := fromMS(last); t.Before(at) {
			since = t
		}
	case !errors.Is(err, sql.ErrNoRows):
		return since, false, err
	}
	_, err = tx.Exec(`INSERT INTO look (what, instance, first, last) VALUES (?1, ?2, ?3, ?3)
ON CONFLICT DO UPDATE SET last = ?3`, what, instance, toMS(at))
	return since, known, err
}

// settingsAt reads the settings that were in force.
func settingsAt(ctx context.Context, tx *sql.Tx, instance string, t int64) (map[string]string, error) {
	// With max() SQLite takes the other columns from the row that has it.
	rows, err := tx.QueryContext(ctx,
		"SELECT name, value, max(at) FROM setting WHERE instance = ? AND at <= ? GROUP BY name LIMIT ?", instance,
		t, 4*settingNames)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		var name string
		var value sql.NullString
		var at int64
		if err := rows.Scan(&name, &value, &at); err != nil {
			return nil, err
		}
		if value.Valid {
			out[cut(name, settingNameMost)] = cut(value.String, settingValueMost)
		}
	}
	return out, rows.Err()
}

// SettingsAt returns the settings of an instance that were in force at a time, as they were last seen before it; empty
// if none had been seen.
func (s *Store) SettingsAt(ctx context.Context, instance string, at time.Time) (map[string]string, error) {
	var out map[string]string
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		out, err = settingsAt(ctx, tx, instance, toMS(at))
		return err
	})
	return out, err
}

// SettingsDiff returns what differs between the settings of two times, by name.
func (s *Store) SettingsDiff(ctx context.Context, instance string, from, to time.Time) ([]history.SettingChange,
	error) {
	var out []history.SettingChange
	err := s.view(ctx, func(tx *sql.Tx) error {
		a, err := settingsAt(ctx, tx, instance, toMS(from))
		if err != nil {
			return err
		}
		b, err := settingsAt(ctx, tx, instance, toMS(to))
		if err != nil {
			return err
		}
		names := maps.Clone(a)
		maps.Copy(names, b)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			c := history.SettingChange{Name: name}
			if v, ok := a[name]; ok {
				c.Before = &v
			}
			if v, ok := b[name]; ok {
				c.After = &v
			}
			if c.Before == nil || c.After == nil || *c.Before != *c.After {
				out = append(out, c)
			}
		}
		return nil
	})
	return out, err
}

// AppendFindings compares the findings of the whole host with those stored, as
// AppendSettings does. Findings that could not be looked for (a fact was missing)
// must be given as they were: Findings returns those.
func (s *Store) AppendFindings(ctx context.Context, at time.Time, now []history.Finding) ([]history.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.paused(); err != nil {
		return nil, err
	}
	if err := comparable(at, ""); err != nil {
		return nil, err
	}
	if len(now) > findingsMost {
		return nil, fmt.Errorf("%w: %d findings", ErrRefused, len(now))
	}
	type key struct{ instance, id, subject string }
	is := map[key]history.Finding{}
	for _, f := range now {
		f.Instance, f.ID, f.Subject = cut(f.Instance, instanceMost), cut(f.ID, settingNameMost),
			cut(f.Subject, settingNameMost)
		f.Severity, f.Title = cut(f.Severity, labelMost), cut(f.Title, history.EventTextMost)
		is[key{f.Instance, f.ID, f.Subject}] = f
	}
	var events []history.Event
	err := s.tx(ctx, func(tx *sql.Tx) error {
		events = nil
		since, known, err := look(tx, "findings", "", at)
		if err != nil {
			return err
		}
		stored, err := findings(ctx, tx)
		if err != nil {
			return err
		}
		was := map[key]history.Finding{}
		all := make(map[key]history.Finding, len(is))
		for _, f := range stored {
			k := key{f.Instance, f.ID, f.Subject}
			was[k], all[k] = f, f
		}
		maps.Copy(all, is)
		if _, err := tx.Exec("DELETE FROM finding"); err != nil {
			return err
		}
		for _, k := range slices.SortedFunc(maps.Keys(all), func(a, b key) int {
			return slices.Compare([]string{a.instance, a.id, a.subject}, []string{b.instance, b.id, b.subject})
		}) {
			before, old := was[k]
			after, new := is[k]
			if new {
				if _, err := tx.Exec("INSERT INTO finding (instance, id, subject, severity, title) VALUES (?, ?, ?, "+
					"?, ?)", k.instance, k.id, k.subject, after.Severity, after.Title); err != nil {
					return err
				}
			}
			e := history.Event{At: at, Since: since, Instance: k.instance, Subject: k.id, Where: k.subject,
				Before: before.Severity, After: after.Severity, Detail: after.Title}
			switch {
			case !known, old && new && before.Severity == after.Severity:
				continue
			case old && new:
				e.Kind = history.FindingSeverity
			case new:
				e.Kind = history.FindingAppeared
			default:
				e.Kind, e.Detail = history.FindingVanished, before.Title
			}
			if e, err = insertEvent(tx, e); err != nil {
				return err
			}
			events = append(events, e)
		}
		return nil
	})
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	return events, nil
}

func findings(ctx context.Context, tx *sql.Tx) ([]history.Finding, error) {
	rows, err := tx.QueryContext(ctx,
		"SELECT instance, id, subject, severity, title FROM finding ORDER BY 1, 2, 3 LIMIT ?", findingsMost)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []history.Finding
	for rows.Next() {
		var f history.Finding
		if err := rows.Scan(&f.Instance, &f.ID, &f.Subject, &f.Severity, &f.Title); err != nil {
			return nil, err
		}
		f.Title = cut(f.Title, history.EventTextMost)
		out = append(out, f)
	}
	return out, rows.Err()
}

// Findings returns the findings as they were last compared.
func (s *Store) Findings(ctx context.Context) (out []history.Finding, err error) {
	err = s.view(ctx, func(tx *sql.Tx) (err error) {
		out, err = findings(ctx, tx)
		return err
	})
	return out, err
}
