package engine

import (
	"math"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// Estimation is what an experiment will take.
type Estimation struct {
	Time   time.Duration // all of it, without blocks that have to be repeated
	Block  time.Duration // of it a block
	Disk   unit.Bytes    // at most at one time
	Memory unit.Bytes    // at most at one time
	Parts  []Part        // of the time
	Open   bool          // without the runs themselves: how long their transactions take is not known
}

// Part is a part of the time.
type Part struct {
	What string // load, copies, warm-up, measuring, counting, rest
	Time time.Duration
}

// Speeds for the estimate alone, seen on a virtual machine with two processors
// and one network disk; a machine of its own is faster.
const (
	loadSpeed  = 30 * unit.MB           // a second: pgbench -i, indexes included
	copySpeed  = 200 * unit.MB          // a second, where the filesystem cannot share blocks
	countSpeed = 500                    // transactions a second of one client, read-only over a socket
	aroundRun  = 6 * time.Second        // start, canary, two checkpoints, stop
	perClient  = 10 * unit.MB           // private memory of a backend, without what work_mem allows
	overhead   = unit.GB + 64*unit.MB   // of a cluster beside its database: an empty one has 40 MB, and max_wal_size is 1 GB by default
	shared     = 128 * unit.MB          // shared_buffers by default
	eachSlice  = 150 * time.Millisecond // start of pgbench and its connections
)

// copies is how many copies of the loaded cluster there are at one time, and how
// many are made a block.
func copies(e *Experiment) (atOnce int, perBlock int) {
	arms := len(e.arms())
	switch {
	case e.Restore == Shared:
		return 0, 0
	case e.Restore == Kept:
		return arms, 0
	case e.Design == experiment.DesignSlices:
		return arms, arms
	}
	return 1, arms
}

// disk is what the clusters take with a database of this size, without counting
// on a filesystem that shares blocks: a load that writes ends by having its own.
func disk(e *Experiment, data unit.Bytes) unit.Bytes {
	atOnce, _ := copies(e)
	wal := unit.Bytes(0)
	for _, arm := range e.arms() {
		for name, v := range e.config(arm).Settings {
			if name != "max_wal_size" && name != "min_wal_size" {
				continue
			}
			if mb, err := unit.ParseGUC(v, "MB"); err == nil && mb > 0 && mb < 1<<40 {
				wal = max(wal, unit.Bytes(mb)*unit.MB-unit.GB)
			}
		}
	}
	return unit.Bytes(1+atOnce)*(data+overhead) + unit.Bytes(max(atOnce, 1))*wal
}

// Estimate tells what an experiment will take, before anything of it is made.
func Estimate(e *Experiment) Estimation {
	if e.Restore == "" {
		e.Restore = Restores(e.Load.Describe(e.Scale).Writes, e.Design)
	}
	s, arms := e.Spec, time.Duration(len(e.arms()))
	data := e.Load.Size(e.Scale)
	seconds := func(x float64) time.Duration {
		return time.Duration(math.Min(x, 1e8) * float64(time.Second)) // three years: who asks for more is refused later
	}
	atOnce, perBlock := copies(e)
	one := seconds(float64(data+64*unit.MB) / float64(copySpeed))
	blocks := time.Duration(s.Blocks)
	load := seconds(float64(data)/float64(loadSpeed)) + 5*time.Second // initdb, vacuum, checkpoint
	copying := one * time.Duration(perBlock) * blocks
	if e.Restore == Kept {
		copying = one * time.Duration(atOnce)
	}
	least := e.Load.Shortest(e.Scale, s.Clients) // a transaction that has begun is ended
	warm, around := time.Duration(0), arms*aroundRun
	if s.Warmup > 0 {
		warm = arms * seconds(max(s.Warmup, least))
	}
	measured := max(s.Duration, least)
	if e.Design == experiment.DesignSlices {
		parts := slicesOf(s)
		around += arms * time.Duration(parts) * eachSlice
		measured = max(measured, float64(parts)*least)
	}
	measure, measuring := arms*seconds(measured), "measuring"
	if s.Cycles > 0 {
		measure, measuring = 0, "measuring, at most"
		for _, arm := range e.arms() {
			measure += seconds(max(longest(e.config(arm), s.Cycles, s.Duration), least))
		}
	}
	count := arms * seconds(float64(s.Count)/countSpeed)
	if s.Numbered() { // the transactions are the run
		measure, count = arms*seconds(float64(s.Count)*least), 0
	}
	out := Estimation{Disk: disk(e, data), Open: s.Numbered() && least == 0, Block: warm + around + measure + count + one*time.Duration(perBlock)}
	if e.Design == experiment.DesignSlices && e.Restore == Kept { // servers stay up and warm over all blocks
		out.Block -= warm
		warm /= max(blocks, 1)
	}
	out.Parts = []Part{{"load", load}, {"copies", copying}, {"warm-up", warm * blocks}, {measuring, measure * blocks}, {"counting", count * blocks}, {"rest", around * blocks}}
	for _, p := range out.Parts {
		out.Time += p.Time
	}
	for _, arm := range e.arms() {
		c := e.config(arm)
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
