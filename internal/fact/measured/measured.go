// Package measured reads what measuring programs say of a machine, and holds
// the document of a probe that puts them together: how fast writes reach the
// disks, how fast pages are read, what the clock and the memory cost. It parses
// bytes that others wrote and judges nothing.
package measured

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Schema names the version of the JSON form of what is kept of a probe.
const Schema = "pgfettle.measured/1"

// File is where a probe lies in the evidence: the latest that still belongs to
// the machine that the evidence is of.
const File = "measured/probe.json"

// Probe is what was measured of one machine in one run.
type Probe struct {
	Schema  string      `json:"schema"`
	TakenAt int64       `json:"taken_at"` // seconds since the epoch
	Kernel  string      `json:"kernel"`   // release
	Clock   string      `json:"clock"`    // clock source of the kernel; "" where it is not known
	Seconds int         `json:"seconds"`  // of each single measurement
	Disks   []Disk      `json:"disks"`
	Timing  *TimingRun  `json:"timing,omitempty"`
	Memory  *Memory     `json:"memory,omitempty"`
	Missing []known.Gap `json:"missing"` // what was to be measured and could not be
}

// Disk is what was measured on one filesystem.
type Disk struct {
	Device   string   `json:"device"`           // major:minor
	Name     string   `json:"name"`             // the kernel's: vda1, dm-3; "" where there is no device
	Identity string   `json:"identity"`         // digest of what tells the device from another with its number
	Places   []string `json:"places,omitempty"` // folders that were measured for; not kept
	Roles    []string `json:"roles"`            // data, wal, tablespace
	Flush    *Flush   `json:"flush,omitempty"`
	Reads    *Reads   `json:"reads,omitempty"`
	// fdatasync after each 8 kB, by fio: with percentiles, in a file that grows
	FioFlush *FioSide `json:"fio_flush,omitempty"`
}

// Flush is how often a write reached the disk.
type Flush struct {
	By    string `json:"by"` // pg_test_fsync 15.18, or OwnFlush
	Fsync Fsync  `json:"fsync"`
}

// OwnFlush is the measurement of this program itself, which stands in where
// pg_test_fsync is not installed: fdatasync with one write only.
const OwnFlush = "pgfettle's own fdatasync loop"

// Author is who measured, as the argument of a message: a program with its version, or this program itself.
func (f *Flush) Author() any {
	if f.By == OwnFlush {
		return say.M(OwnFlush)
	}
	return f.By
}

// Rate returns the flushes a second with one 8 kB write by a method.
func (f *Flush) Rate(method string) (float64, bool) { return rateOf(f.Fsync.One, method) }

// UnnamedDisk stands for the name of a disk that was measured elsewhere.
const UnnamedDisk = "the disk"

// Reads is what was read past the page cache.
type Reads struct {
	By         string     `json:"by"`         // fio-3.33, or OwnReads
	Size       unit.Bytes `json:"size"`       // of the file that was read from
	Random     []Random   `json:"random"`     // 8 kB at random, by depth
	Sequential unit.Bytes `json:"sequential"` // bytes a second in 128 kB requests; 0: not measured
	// Of reads that were measured elsewhere: the size of a request where it is another than 8 kB,
	// and whether the page cache was passed by ("buffered": it was not; "unknown").
	Block  unit.Bytes `json:"block,omitempty"`
	Access string     `json:"access,omitempty"`
}

// OwnReads is the measurement of this program itself, which stands in where fio is not
// installed: pread with O_DIRECT, from as many threads as requests are under way at once.
const OwnReads = "pgfettle's own reads"

// Author is who measured, as the argument of a message: a program with its version, or this program itself.
func (r *Reads) Author() any {
	if r.By == OwnReads {
		return say.M(OwnReads)
	}
	return r.By
}

// Random is 8 kB reads at random with a number of them under way at once.
type Random struct {
	Depth     int     `json:"depth"`
	PerSecond float64 `json:"per_second"`
	Mean      float64 `json:"mean"` // seconds
	P99       float64 `json:"p99"`  // seconds
}

// TimingRun is pg_test_timing with the version that ran.
type TimingRun struct {
	By     string `json:"by"` // pg_test_timing 15.18
	Timing Timing `json:"timing"`
}

// Memory is what reading it cost one processor.
type Memory struct {
	Size    unit.Bytes `json:"size"`    // that was walked through
	Latency float64    `json:"latency"` // seconds for a load that depends on the one before, at random
	Speed   unit.Bytes `json:"speed"`   // bytes a second, read in order
}

// Bounds of a probe: a host has some ten places, and no measurement runs an hour.
const (
	maxDisks   = 256
	maxRandom  = 32
	maxRoles   = 8
	maxMissing = 1000
	maxSeconds = 3600
)

// Read reads the probe of the evidence. Most evidence has none.
func Read(fsys fs.FS) known.Fact[Probe] { return evidence.Read(fsys, File, Parse) }

// Parse reads the JSON form of a probe, of this schema alone. Numbers that
// nothing can measure are errors.
func Parse(b []byte) (Probe, error) {
	if len(b) > maxText {
		return Probe{}, ErrTooLong
	}
	var p Probe
	dec := json.NewDecoder(bytes.NewReader(b))
	if err := dec.Decode(&p); err != nil {
		return Probe{}, err
	}
	if p.Schema != Schema {
		return Probe{}, fmt.Errorf("schema %.40q is not %s", p.Schema, Schema)
	}
	if err := p.check(); err != nil {
		return Probe{}, err
	}
	return p, nil
}

func (p *Probe) check() error {
	switch {
	case p.TakenAt <= 0 || p.TakenAt > 1<<40:
		return errors.New("no time")
	case len(p.Disks) > maxDisks || len(p.Missing) > maxMissing || p.Seconds < 0 || p.Seconds > maxSeconds:
		return errors.New("more than a probe holds")
	case len(p.Kernel) > 256 || len(p.Clock) > 64:
		return errors.New("a name that is too long")
	}
	p.Kernel, p.Clock = plainly(p.Kernel), plainly(p.Clock)
	for i := range p.Disks {
		if err := p.Disks[i].check(); err != nil {
			return fmt.Errorf("disk %d: %w", i+1, err)
		}
	}
	if t := p.Timing; t != nil {
		t.By = plainly(t.By)
		if len(t.Timing.Clocks) == 0 || len(t.Timing.Clocks) > maxClocks {
			return errors.New("timing: no clock, or too many")
		}
		for i := range t.Timing.Clocks {
			c := &t.Timing.Clocks[i]
			c.Name = plainly(c.Name)
			if c.LoopNanos < 0 || c.LoopNanos > 1e12 || len(c.Steps) > maxSteps ||
				slices.ContainsFunc(c.Steps, func(s Step) bool { return s.Below < 0 || s.Count < 0 }) {
				return errors.New("timing: an impossible number")
			}
		}
	}
	if m := p.Memory; m != nil && (m.Size <= 0 || m.Latency <= 0 || m.Latency > 1 || m.Speed <= 0) {
		return errors.New("memory: an impossible number")
	}
	return nil
}

func (d *Disk) check() error {
	if len(d.Device) > 32 || len(d.Identity) > 128 || len(d.Roles) > maxRoles || len(d.Places) > maxDisks {
		return errors.New("more than is said of a disk")
	}
	d.Name, d.Device, d.Identity = plainly(d.Name), plainly(d.Device), plainly(d.Identity)
	if f := d.Flush; f != nil {
		f.By = plainly(f.By)
		for _, list := range [][]Rate{f.Fsync.One, f.Fsync.Two, f.Fsync.Sizes, f.Fsync.Descriptors} {
			if len(list) > maxFsyncOps {
				return errors.New("flush: too many lines")
			}
			for i := range list {
				list[i].Name = plainly(list[i].Name)
				if list[i].PerSecond < 0 || list[i].PerSecond > mostPerSecond {
					return errors.New("flush: an impossible rate")
				}
			}
		}
	}
	if r := d.Reads; r != nil {
		r.By = plainly(r.By)
		if r.Size < 0 || r.Sequential < 0 || len(r.Random) > maxRandom {
			return errors.New("reads: an impossible number")
		}
		for _, x := range r.Random {
			if x.Depth < 1 || x.Depth > 1<<16 || x.PerSecond <= 0 || x.PerSecond > mostPerSecond || x.Mean < 0 ||
				x.P99 < 0 {
				return errors.New("reads: an impossible number")
			}
		}
	}
	if s := d.FioFlush; s != nil && (s.PerSecond < 0 || s.PerSecond > mostPerSecond || s.Mean < 0 || s.P99 < 0) {
		return errors.New("flush by fio: an impossible number")
	}
	return nil
}

// On returns what was measured on the device of a number.
func (p *Probe) On(device string) (*Disk, bool) {
	for i := range p.Disks {
		if p.Disks[i].Device == device && device != "" {
			return &p.Disks[i], true
		}
	}
	return nil, false
}

// AtDepth returns the random reads at a depth.
func (r *Reads) AtDepth(depth int) (Random, bool) {
	for _, x := range r.Random {
		if x.Depth == depth {
			return x, true
		}
	}
	return Random{}, false
}

// page is what the server reads at once.
const page = 8 * unit.KB

// RandomOverSequential returns how many times longer a page read at random takes
// than one read in order, which takes no less than so many seconds; ok is false
// where either was not measured.
func (r *Reads) RandomOverSequential(least float64) (float64, bool) {
	one, ok := r.AtDepth(1)
	if !ok || r.Sequential <= 0 || one.PerSecond <= 0 {
		return 0, false
	}
	return 1 / one.PerSecond / max(least, float64(page)/float64(r.Sequential)), true
}

// saturated is which share of the best rate counts as all of it: rates of one
// depth differ by some percent from run to run, and by factors between depths.
const saturated = 0.8

// Saturation returns the smallest measured depth that reaches nearly the best
// rate; ok is false with less than two depths.
func (r *Reads) Saturation() (depth int, ok bool) {
	best := 0.0
	for _, x := range r.Random {
		best = max(best, x.PerSecond)
	}
	if best <= 0 || len(r.Random) < 2 {
		return 0, false
	}
	for _, x := range r.Random {
		if x.PerSecond >= saturated*best && (depth == 0 || x.Depth < depth) {
			depth = x.Depth
		}
	}
	return depth, true
}
