package outputs

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/measured/output"
)

const (
	// apart is by how much a method must be faster than fsync_writethrough, or than the slowest
	// one, before they cannot do the same: fsync writes the file's times as well, and is some three
	// to five times as slow as fdatasync with a journal.
	apart = 20
	// beside fsync_writethrough, which writes no more than fsync does, less is enough to doubt.
	beside = 4
	// unwritten: a write that costs nearly as much as one with its flush says that the flush does
	// nothing.
	unwritten = 1.5
	// alike is how many methods have to agree before the one that does not is the exception, and not they.
	alike = 3
	// impossible: a write and a flush over PCIe take 10 µs together on the fastest flash.
	impossible = 100_000
	// quick flushes a second are what flash with protected caches reaches; below fair a commit
	// takes more than a millisecond, and below slow five, as on a rotating disk.
	quick, fair, slow = 5000, 1000, 200
)

// durable is the order in which the methods are asked for: the default of Linux first.
var durable = []string{"fdatasync", "fsync", "open_datasync", "open_sync"}

func rate(list []measured.Rate, name string) float64 {
	for _, r := range list {
		if r.Name == name && !r.Missing {
			return r.PerSecond
		}
	}
	return 0
}

// fsync judges one table of pg_test_fsync.
func (j *judge) fsync(f *measured.Fsync) {
	list := f.One
	if len(list) == 0 {
		list = f.Two
	}
	through := rate(list, "fsync_writethrough")
	method, most, least, slowest := "", 0.0, math.Inf(1), ""
	var beyond []string
	for _, m := range durable {
		v := rate(list, m)
		if v == 0 {
			continue
		}
		if v > most {
			method, most = m, v
		}
		if v < least {
			slowest, least = m, v
		}
		if through > 0 && v > beside*through {
			beyond = append(beyond, m)
		}
	}
	if method == "" {
		return
	}
	agree := 0 // methods that can do the same as the fastest
	for _, m := range durable {
		if rate(list, m)*apart >= most {
			agree++
		}
	}
	contradicted := true
	switch {
	case len(beyond) > 0 && most > apart*through:
		j.say("fsync_without_the_disk", Critical, "{method} reached {rate} flushed writes per second, and "+
			"fsync_writethrough only {through}. fsync_writethrough makes the disk write its cache; {methods} did "+
			"not wait for that. After a power failure such commits are lost. On this system (macOS or Windows) use "+
			"wal_sync_method = fsync_writethrough, or a disk whose cache is protected.", "method", method, "rate",
			Rate(most),
			"through",
			Rate(through), "methods", strings.Join(beyond, ", "))
	case len(beyond) > 0:
		j.say("fsync_without_the_disk", Warning, "{method} reached {rate} flushed writes per second, and "+
			"fsync_writethrough only {through}. fsync_writethrough makes the disk write its cache; {methods} "+
			"probably did not wait for that. Unless the cache of the disk is protected, use wal_sync_method = "+
			"fsync_writethrough.",
			"method",
			method, "rate", Rate(most), "through", Rate(through), "methods", strings.Join(beyond, ", "))
	case most > impossible:
		j.say("flush_impossible", Critical,
			"{method} reached {rate} flushed writes per second. No disk is that fast: the writes did not reach one.",
			"method", method, "rate", Rate(most))
	case most > apart*least && agree >= alike:
		contradicted = false
		j.say("methods_contradict", Info, "{other} reached only {least} flushed writes per second, the other methods "+
			"up to {rate} ({method}). Do not use {other} as wal_sync_method.", "method", method, "rate", Rate(most),
			"other", slowest, "least", Rate(least))
	case most > apart*least:
		j.say("methods_contradict", Warning,
			"{method} reached {rate} flushed writes per second, and {other} only {least}. Both have to bring the "+
				"same 8 kB to the disk, so {method} probably ended in a cache.",
			"method", method, "rate", Rate(most), "other", slowest, "least", Rate(least))
	default:
		contradicted = false
	}
	if p := f.Plain; p != nil && p.PerSecond > 0 && p.PerSecond < unwritten*most && len(f.One) > 0 {
		contradicted = true
		j.say("write_no_faster_than_flush", Warning,
			"A write without a flush ({plain} per second) is no faster than one with it ({method}: {rate}). Either "+
				"the flush does not reach the disk, or each write does by itself.",
			"plain", Rate(p.PerSecond), "method", method, "rate", Rate(most))
	}
	if contradicted || len(f.One) == 0 { // two writes take longer than a commit, by an unknown share
		return
	}
	for _, m := range durable {
		if v := rate(list, m); v > 0 {
			j.flushes(m, v)
			return
		}
	}
}

// flushes judges how often a write reaches the disk.
func (j *judge) flushes(method string, v float64) {
	args := []any{"method", method, "rate", Rate(v), "ms", lasting(1 / v)}
	switch {
	case v >= quick:
		j.say("flush_fast", Good, "{method} takes {ms}: one session can commit up to {rate} times per second. That is "+
			"good, provided that the disk or its controller protects its cache against a power failure.", args...)
	case v >= fair:
		j.say("flush_fair", Info, "{method} takes {ms}: one session can commit up to {rate} times per second.", args...)
	case v >= slow:
		j.say("flush_slow", Info, "{method} takes {ms}: one session can commit at most {rate} times per second. Flash "+
			"without a protected cache is as slow as this, and so are volumes over a network.", args...)
	default:
		j.say("flush_slow", Warning,
			"{method} takes {ms}: one session can commit at most {rate} times per second. That "+
				"is slow, as a rotating disk without a cache is.", args...)
	}
}

func (j *judge) timing(t *measured.Timing) {
	if t.Backward != "" {
		j.say("clock_backward", Critical, "The clock went backward, so pg_test_timing ended (\"{line}\"; older "+
			"versions print ms for microseconds). Times that are measured on this host are not reliable. Check its "+
			"clock source.", "line", t.Backward)
	}
	c := t.Server()
	if c == nil {
		return
	}
	share, ok := c.UnderMicrosecond()
	args := []any{"time", say.Number(fmt.Sprintf("%.0f ns", c.LoopNanos))}
	switch {
	case ok && share < 0.9, !ok && c.LoopNanos >= 1000:
		j.say("clock_slow", Warning, "Reading the clock is slow: {time}. EXPLAIN ANALYZE and track_io_timing are "+
			"expensive here.", args...)
	case c.LoopNanos <= 100:
		j.say("clock_fast", Good,
			"Reading the clock is fast: {time}. EXPLAIN ANALYZE and track_io_timing cost little.",
			args...)
	default:
		j.say("clock_fair", Info, "Reading the clock takes {time}. EXPLAIN ANALYZE of many rows shows times that are "+
			"partly its own.", args...)
	}
}

const (
	// flushLong and flushTail are seconds: of the mean, that of a rotating disk; of 99 in 100, what
	// etcd and Patroni's other stores ask for.
	flushLong, flushTail = 0.005, 0.010
	flushShort           = 0.0002
	// cached is a write that no device can have answered.
	cached = 10e-6
)

func (j *judge) fio(f *output.Fio) {
	if f.Signal > 0 {
		name := map[int]string{1: "1 (SIGHUP)", 2: "2 (SIGINT, Ctrl-C)", 15: "15 (SIGTERM)"}[f.Signal]
		if name == "" {
			name = strconv.Itoa(f.Signal)
		}
		j.say("interrupted", Info, "The run was interrupted by signal {signal}. Its results cover only the time until "+
			"then.", "signal", name)
	}
	for i := range f.Jobs {
		x := &f.Jobs[i]
		j.contrary(x)
		if f.FromCache(x) {
			j.say("page_cache", Warning, "{rate} reads per second came from the page cache, not from the disk. "+
				"They show nothing about the disk. Measure with --direct=1.", "rate", Rate(x.Read.PerSecond))
		}
		if s := x.Sync; s != nil && s.Mean > 0 {
			j.fioFlush(s)
			continue
		}
		w := x.Write
		if w == nil || w.PerSecond <= 0 {
			continue
		}
		if x.SyncEvery > 0 {
			j.say("flush_missing", Info, "The job flushed its writes ({option}), but how long a flush took is not in "+
				"this output: its end is missing, or fio is older than 3.5. The write latencies do not include "+
				"flushes. The rate does: {rate} writes per second.", "option", fmt.Sprintf("--%s=%d", syncOption(x),
				x.SyncEvery), "rate", Rate(w.PerSecond))
			continue
		}
		if x.Direct != nil && !*x.Direct || x.Direct == nil && w.Mean > 0 && w.Mean < cached {
			j.say("page_cache", Warning,
				"{rate} writes per second ended in the page cache: without direct I/O and without "+
					"a flush the job did not wait for the disk, and the number says nothing about it.", "rate",
				Rate(w.PerSecond))
		}
	}
}

// contrary is about latencies that cannot both be true.
func (j *judge) contrary(x *output.Job) {
	if s := x.Read; s != nil && s.Contrary != nil {
		j.say("latencies_contradict", Warning, "The latencies of the reads contradict each other: clat has a mean of "+
			"{clat}, and lat, which includes it, one of {lat}. Neither is used here.", "clat",
			lasting(s.Contrary.Completion), "lat", lasting(s.Contrary.Whole))
	}
	if s := x.Write; s != nil && s.Contrary != nil {
		j.say("latencies_contradict", Warning, "The latencies of the writes contradict each other: clat has a mean of "+
			"{clat}, and lat, which includes it, one of {lat}. Neither is used here.", "clat",
			lasting(s.Contrary.Completion), "lat", lasting(s.Contrary.Whole))
	}
}

// syncOption is the option that made a job flush.
func syncOption(x *output.Job) string {
	if x.SyncBy != "" {
		return x.SyncBy
	}
	return "fsync"
}

func (j *judge) fioFlush(s *output.Side) {
	mean := say.M("A flush takes {mean} on average.", "mean", lasting(s.Mean))
	if s.P99 != 0 {
		mean = say.All(" ", mean, say.M("99% take up to {p99}.", "p99", lasting(s.P99)))
	}
	tell := func(id string, t Tone, more say.Message) { j.add(id, t, say.All(" ", mean, more)) }
	switch {
	case s.Mean < 1.0/impossible:
		tell("flush_impossible", Warning, say.M("No disk is that fast, so these flushes did not write to one: it "+
			"reports no cache that it would have to write, or fio did not wait for it. How long a commit waits was "+
			"not measured."))
	case s.Mean >= flushLong || s.P99 >= 5*flushTail:
		tell("flush_slow", Warning, say.M("That is slow: a commit waits as long."))
	case s.Mean >= 1.0/fair || s.P99 >= flushTail:
		tell("flush_slow", Info, say.M("A commit waits as long."))
	case s.Mean <= flushShort:
		tell("flush_fast", Good, say.M("That is good, provided that the cache of the disk is protected against a "+
			"power failure."))
	default:
		tell("flush_fair", Info, say.Message{})
	}
}

// Rate spells a number a second: whole from 100 on, with commas from five digits on as everywhere.
func Rate(v float64) say.Number {
	switch {
	case v < 10:
		return say.Number(strconv.FormatFloat(v, 'f', 2, 64))
	case v < 100:
		return say.Number(strconv.FormatFloat(v, 'f', 1, 64))
	}
	return say.Number(say.Spell(int64(math.Round(min(v, 1e15)))))
}

// lasting spells seconds in the unit that leaves one to three digits.
func lasting(s float64) say.Number {
	for _, u := range []struct {
		seconds float64
		name    string
	}{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}} {
		v := s / u.seconds
		switch {
		case v >= 9.95:
			return say.Number(fmt.Sprintf("%.0f %s", v, u.name))
		case v >= 0.995:
			return say.Number(strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") + " " + u.name)
		}
	}
	return "0 s"
}

// sorted are the keys of what was found, in a settled order.
func sorted[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
