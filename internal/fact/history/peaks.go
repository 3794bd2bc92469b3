// Package history says what a history of samples is: series of numbers and what they mean, events, and the peaks that
// are folded from them: how many sessions were at work at once at most, how fast WAL was written in the busiest hour,
// how much memory was in use. Plans depend on the peaks. It parses bytes that others wrote and judges nothing;
// act/store keeps a history in a file.
package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Schema names the version of the JSON form.
const Schema = "pgfettle.peaks/1"

// File is the path of the peaks in the evidence.
const File = "history/peaks.json"

// Peaks are the peaks of a host and its instances.
type Peaks struct {
	Schema    string     `json:"schema"`
	Span                 // of the host's samples
	Memory    *Peak      `json:"memory,omitempty"` // bytes in use on the host: MemTotal less MemAvailable
	Others    *Week      `json:"others,omitempty"` // bytes that other programs held, in the last days
	Instances []Instance `json:"instances"`
}

// Instance are the peaks of one instance.
type Instance struct {
	Instance string `json:"data_directory"` // else how it is reached, "port 5432": Label of the snapshot's instance
	Span
	Active *Peak `json:"active,omitempty"` // sessions at work at once
	Open   *Peak `json:"open,omitempty"`   // sessions of clients that were open at once, idle ones included
	WAL    *Peak `json:"wal,omitempty"`    // bytes a second, the mean of the busiest hour
	// Disks are those of which some days of samples are there, as the last two weeks show them.
	Disks []Disk `json:"disks,omitempty"`
}

// Disk is how fast the filesystem of a directory fills up.
type Disk struct {
	Place  string  `json:"place"`   // data, wal, or "tablespace OID"
	Days   float64 `json:"days"`    // for how long there are samples: at least two
	PerDay float64 `json:"per_day"` // bytes of its free room that go away a day; less than 0 if it becomes more
	// as many at least in three quarters of what was compared; not above 0: no steady growth
	Least float64 `json:"least"`
}

// Span is the time that a history covers.
type Span struct {
	From int64   `json:"from"` // seconds since the epoch
	To   int64   `json:"to"`
	Days float64 `json:"days"` // for how long there are samples; less than To − From if there are gaps
}

// Peak is the greatest value that was seen.
type Peak struct {
	Value float64 `json:"value"`
	At    int64   `json:"at"` // seconds since the epoch, to the hour
}

// Week is the greatest value of the last days, which have their own span.
type Week struct {
	Peak
	Span
}

// Bounds of peaks: of a history of some hundred years, of 10,000 instances,
// each with a path. No machine of today has or writes an exabyte.
const (
	maxText      = 8 << 20
	maxInstances = 10_000
	maxName      = 4096
	maxDisks     = 200
	maxValue     = 1 << 60
	maxTime      = 1 << 40
	maxDays      = 40_000
)

// Read reads the peaks of the evidence. If it holds none, because the host was not watched, the fact is the zero one:
// not collected.
func Read(fsys fs.FS) known.Fact[Peaks] {
	f := evidence.Read(fsys, File, Parse)
	if f.State() == known.Absent {
		return known.Fact[Peaks]{}
	}
	return f
}

// Parse reads the JSON form, of this schema alone.
func Parse(b []byte) (Peaks, error) {
	if len(b) > maxText {
		return Peaks{}, errors.New("more than peaks are")
	}
	var p Peaks
	if err := json.Unmarshal(b, &p); err != nil {
		return Peaks{}, err
	}
	if p.Schema != Schema {
		return Peaks{}, fmt.Errorf("schema %.40q is not %s", p.Schema, Schema)
	}
	if w := p.Others; w != nil {
		if err := w.Span.check(&w.Peak); err != nil {
			return Peaks{}, err
		}
	}
	if len(p.Instances) > maxInstances {
		return Peaks{}, errors.New("more instances than a host has")
	}
	if err := p.Span.check(p.Memory); err != nil {
		return Peaks{}, err
	}
	seen := map[string]bool{}
	for i := range p.Instances {
		in := &p.Instances[i]
		if len(in.Instance) > maxName || seen[in.Instance] {
			return Peaks{}, fmt.Errorf("instance %d: its name is too long, or there twice", i+1)
		}
		seen[in.Instance] = true
		if err := in.Span.check(in.Active, in.Open, in.WAL); err != nil {
			return Peaks{}, fmt.Errorf("instance %d: %w", i+1, err)
		}
		if len(in.Disks) > maxDisks || slices.ContainsFunc(in.Disks, Disk.odd) {
			return Peaks{}, fmt.Errorf("instance %d: no disks of it", i+1)
		}
	}
	return p, nil
}

// odd reports whether it is none that was measured.
func (d Disk) odd() bool {
	number := func(v float64) bool { return v >= -maxValue && v <= maxValue } // false for NaN
	return len(d.Place) > maxName || !(d.Days >= 0 && d.Days <= maxDays) || !number(d.PerDay) || !number(d.Least)
}

func (s Span) check(peaks ...*Peak) error {
	if s.From < 0 || s.To < s.From || s.To > maxTime || !(s.Days >= 0 && s.Days <= maxDays) {
		return errors.New("no span of time")
	}
	for _, p := range peaks {
		if p != nil && (!(p.Value >= 0 && p.Value <= maxValue) || p.At < 0 || p.At > maxTime) {
			return errors.New("no peak")
		}
	}
	return nil
}

// Of returns the peaks of an instance.
func (p *Peaks) Of(label string) (Instance, bool) {
	for _, in := range p.Instances {
		if in.Instance == label {
			return in, true
		}
	}
	return Instance{}, false
}
