package engine

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"path/filepath"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// Speeds for the estimate alone, seen on a virtual machine with two CPUs and one network disk; a dedicated machine is
// faster.
const (
	loadSpeed  = 30 * unit.MB    // a second: pgbench -i, indexes included
	copySpeed  = 200 * unit.MB   // a second, where the filesystem cannot share blocks
	countSpeed = 500             // transactions a second of one client, read-only over a socket
	aroundRun  = 6 * time.Second // start, calibration, two checkpoints, stop
	perClient  = 10 * unit.MB    // private memory of a backend, without what work_mem allows
	// of a cluster beside its database: an empty one has 40 MB, and max_wal_size is 1 GB by default
	overhead  = unit.GB + 64*unit.MB
	shared    = 128 * unit.MB          // shared_buffers by default
	eachSlice = 150 * time.Millisecond // start of pgbench and its connections
)

// copies is how many copies of the loaded cluster there are at one time, and how
// many are made a block.
func copies(e *Order) (atOnce int, perBlock int) {
	configs := len(e.labels())
	switch {
	case e.Restore == experiment.RestoreShared, e.Restore == experiment.RestoreExisting:
		return 0, 0
	case e.Restore == experiment.RestoreKept:
		return configs, 0
	case e.Design == experiment.DesignSlices:
		return configs, configs
	}
	return 1, configs
}

// disk is what the clusters take with a database of this size, without counting
// on a filesystem that shares blocks: a load that writes ends by having its own.
func disk(e *Order, data unit.Bytes) unit.Bytes {
	if e.On != nil {
		return data * unit.Bytes(len(e.Fills))
	}
	atOnce, _ := copies(e)
	wal := unit.Bytes(0)
	for _, label := range e.labels() {
		for name, v := range e.configuration(label).Settings {
			if name != "max_wal_size" && name != "min_wal_size" {
				continue
			}
			if mb, err := unit.ParseGUC(v, "MB"); err == nil && mb > 0 && mb < 1<<40 {
				wal = max(wal, unit.Bytes(mb)*unit.MB-unit.GB)
			}
		}
	}
	loaded := 1
	if e.Second.Dir != "" {
		loaded = 2
	}
	return unit.Bytes(loaded+atOnce)*(data+overhead) + unit.Bytes(max(atOnce, 1))*wal
}

// Estimate reports what an experiment will take, before anything of it is made.
func Estimate(e *Order) experiment.Estimation {
	if e.Restore == "" {
		e.Restore = Restores(e.Load.Describe(e.Scale).Writes, e.Design)
	}
	s, configs := e.Spec, time.Duration(len(e.labels()))
	data := e.Load.Size(e.Scale)
	seconds := func(x float64) time.Duration {
		return time.Duration(math.Min(x, 1e8) * float64(time.Second)) // three years: who asks for more is refused later
	}
	atOnce, perBlock := copies(e)
	one := seconds(float64(data+64*unit.MB) / float64(copySpeed))
	blocks := time.Duration(s.Blocks)
	load := seconds(float64(data)/float64(loadSpeed)) + 5*time.Second // initdb, vacuum, checkpoint
	switch {
	case e.On != nil:
		load *= time.Duration(len(e.Fills))
	case e.Second.Dir != "":
		load *= 2
	}
	copying := one * time.Duration(perBlock) * blocks
	if e.Restore == experiment.RestoreKept {
		copying = one * time.Duration(atOnce)
	}
	least := e.Load.Shortest(e.Scale, s.Clients) // a transaction that has begun is ended
	warm, around := time.Duration(0), configs*aroundRun
	if s.Warmup > 0 {
		warm = configs * seconds(max(s.Warmup, least))
	}
	measured := max(s.Duration, least)
	if e.Design == experiment.DesignSlices {
		parts := slicesOf(s)
		around += configs * time.Duration(parts) * eachSlice
		measured = max(measured, float64(parts)*least)
	}
	measure, measuring := configs*seconds(measured), "measuring"
	if s.Cycles > 0 {
		measure, measuring = 0, "measuring, at most"
		for _, label := range e.labels() {
			measure += seconds(max(longest(e.configuration(label), s.Cycles, s.Duration), least))
		}
	}
	count := configs * seconds(float64(s.Count)/countSpeed)
	if s.Numbered() { // the transactions are the run
		measure, count = configs*seconds(float64(s.Count)*least), 0
	}
	out := experiment.Estimation{Disk: disk(e, data), Open: s.Numbered() && least == 0,
		Block: warm + around + measure + count + one*time.Duration(perBlock)}
	// servers stay up and warm over all blocks
	if e.Design == experiment.DesignSlices && e.Restore == experiment.RestoreKept {
		out.Block -= warm
		warm /= max(blocks, 1)
	}
	later := warm
	if e.On != nil && s.Warmup > 0 {
		later = configs * seconds(max(e.mostWarmup(2), least))
		out.Block += later - warm
	}
	out.Parts = []experiment.Part{
		{What: "load", Time: load},
		{What: "copies", Time: copying},
		{What: "warm-up", Time: warm + later*(blocks-1)},
		{What: measuring, Time: measure * blocks},
		{What: "counting", Time: count * blocks},
		{What: "rest", Time: around * blocks},
	}
	for _, p := range out.Parts {
		out.Time += p.Time
	}
	for _, label := range e.labels() {
		if e.On != nil {
			break // the server has its memory
		}
		c := e.configuration(label)
		m := shared
		if pages, err := unit.ParseGUC(c.Settings["shared_buffers"], "8kB"); err == nil && pages > 0 && pages < 1<<40 {
			m = unit.Bytes(pages) * 8 * unit.KB
		}
		m += m / 20 // locks, WAL buffers and what else grows with it
		if e.Design == experiment.DesignSlices {
			out.Memory += m
		} else {
			out.Memory = max(out.Memory, m)
		}
	}
	out.Memory += unit.Bytes(s.Clients) * perClient
	return out
}

// EstimateHere is Estimate with what this host has: its disk, and data that an earlier
// experiment left loaded. The load is planned, not made.
func EstimateHere(ctx context.Context, t target.Target, e *Order) (experiment.Estimation, error) {
	planned := *e
	if err := planned.plan(ctx); err != nil {
		return experiment.Estimation{}, err
	}
	out := Estimate(&planned)
	if e.On != nil {
		return out, nil
	}
	out.Free = free(t, e.Scratch)
	switch held := Loaded(&planned); {
	case held == nil:
	case held.Fits:
		out.Held, out.Fits = held.Bytes, true
		withoutLoading(&out, planned.Load.Size(e.Scale))
	default:
		out.Held = held.Bytes
		out.Free += held.Bytes // it is removed first
	}
	return out, nil
}

// withoutLoading takes off what loading would take, where the data are there.
func withoutLoading(e *experiment.Estimation, data unit.Bytes) {
	e.Disk = max(e.Disk-data, 0)
	for i := range e.Parts {
		if e.Parts[i].What == "load" {
			e.Time -= e.Parts[i].Time
			e.Parts[i].Time = 0
		}
	}
}

// free is what the filesystem of a directory has left, which may not be there yet; 0: not known.
func free(t target.Target, dir string) unit.Bytes {
	for ; ; dir = filepath.Dir(dir) {
		if s, err := t.Statfs(dir); err == nil {
			return unit.Bytes(s.Free)
		} else if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return 0
		}
	}
}
