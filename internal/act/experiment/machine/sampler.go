package machine

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

const (
	// sampleEvery is how often the host is sampled. Accumulated counters are read at both ends only; between them only
	// what could come and go.
	sampleEvery = time.Second
	// firstSample lets a slice of one second have one.
	firstSample = sampleEvery / 2
	// mostBetween is the longest time between two looks at page tables, of which
	// each costs a read for every session: they grow quickly first, then slowly.
	mostBetween = 10
)

// Watch implements engine.world.
func (m *Machine) Watch(n Node, fault func(error)) (end func() Seen) {
	var (
		s     Seen
		quit  = make(chan struct{})
		wg    sync.WaitGroup
		begun = time.Now()
		first = stats()
		psi   = pressures()
	)
	wg.Go(func() {
		clock, step := offset(begun), 1
		timer := time.NewTimer(firstSample)
		defer timer.Stop()
		for i := 0; ; i++ {
			select {
			case <-quit:
				return
			case <-timer.C:
			}
			timer.Reset(sampleEvery)
			now := offset(begun)
			if d := now - clock; d.Abs() > s.Clock.Abs() {
				s.Clock = d
			}
			clock = now
			if err := m.full(); err != nil {
				fault(err)
			}
			if step--; step == 0 {
				s.PageTables = max(s.PageTables, pageTables(n.PID()))
				step = min(1+i/2, mostBetween)
			}
		}
	})
	return func() Seen {
		close(quit)
		wg.Wait()
		s.Wall = time.Since(begun)
		last := stats()
		if s.Known = first.known && last.known; s.Known {
			s.All, s.Steal = last.all-first.all, last.steal-first.steal
			s.Own = last.own - first.own + grown(first.threads, last.threads).Seconds()
			// Differences of large sums: if nothing was idle this could be a hair above all.
			s.Busy = min(last.busy-first.busy, s.All)
		}
		s.Pressure = map[string]time.Duration{}
		for name, d := range pressures() {
			if b, ok := psi[name]; ok {
				s.Pressure[name] = d - b
			}
		}
		return s
	}
}

// offset is the wall clock less the monotonic one: it is constant unless the clock is set.
func offset(begun time.Time) time.Duration {
	now := time.Now()
	return time.Duration(now.UnixNano()-begun.UnixNano()) - now.Sub(begun)
}

// full says that the filesystem of the scratch directory is nearly so.
func (m *Machine) full() error {
	free, total, err := m.Space()
	if err != nil {
		return nil // one that cannot be asked is no reason to end a run
	}
	return m.nearlyFull(free, total)
}

func (m *Machine) nearlyFull(free, total unit.Bytes) error {
	if total <= 0 || free >= total/100*LeastFree {
		return nil
	}
	return &say.Problem{Message: say.M("the filesystem of {dir} is nearly full: {free} of {total} are free", "dir",
		m.dir, "free", free, "total", total),
		Detail: say.M("an experiment leaves {leastFree} % free", "leastFree", fmt.Sprint(LeastFree)),
		Hint:   say.M("make room, or resume with less: what was measured before is kept"), Code: say.CodeError}
}

// cpuTimes are in seconds since some moment.
type cpuTimes struct {
	all, busy, steal, own float64
	threads               map[int]time.Duration // of the kernel's own, by their ids
	known                 bool
}

func stats() (s cpuTimes) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return s
	}
	t, err := host.ParseCPUTime(b)
	if err != nil {
		return s
	}
	seconds := func(ticks int64) float64 { return float64(ticks) * tick.Seconds() }
	s.steal = seconds(t.Steal)
	// Interrupts are served in the context of any process; they belong to none.
	s.busy = seconds(t.User + t.Nice + t.System)
	s.all = seconds(t.User + t.Nice + t.System + t.Idle + t.IOWait + t.IRQ + t.SoftIRQ + t.Steal)
	s.own, s.known = (usage(syscall.RUSAGE_SELF) + usage(syscall.RUSAGE_CHILDREN)).Seconds(), true
	s.threads = kernelThreads()
	return s
}

func usage(who int) time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(who, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// kernelThreads is the CPU time of the kernel's own threads. They write pages back and commit the filesystem's journal
// for the writing process, which here is us; for which process is not reported, so they are not counted as foreign.
func kernelThreads() map[int]time.Duration {
	const kthreadd = 2 // its children are all of them; in a container it is not seen
	name, err := os.ReadFile("/proc/2/comm")
	if err != nil || strings.TrimSpace(string(name)) != "kthreadd" {
		return nil
	}
	list, err := children(kthreadd)
	if err != nil {
		return nil
	}
	out := make(map[int]time.Duration, len(list))
	for _, pid := range list {
		if own, _, err := times(pid); err == nil {
			out[pid] = own
		}
	}
	return out
}

// grown is the time that threads took between two looks. Workers of the kernel come
// and go: a sum over all of them would lose, with one that went, the hours before.
func grown(before, after map[int]time.Duration) (sum time.Duration) {
	for pid, t := range after {
		if b := before[pid]; b <= t {
			t -= b
		} // else the number was given to another
		sum += t
	}
	return sum
}

// pressures are the times in which some or all tasks waited for a resource, as the kernel accumulates them; nothing if
// it does not (before 4.20, psi=0).
func pressures() map[string]time.Duration {
	out := map[string]time.Duration{}
	for _, name := range []string{"cpu", "io", "memory"} {
		b, err := os.ReadFile("/proc/pressure/" + name)
		if err != nil {
			continue
		}
		if p, err := host.ParsePSITotals(b); err == nil {
			out[name+" some"], out[name+" full"] = time.Duration(p.Some)*time.Microsecond,
				time.Duration(p.Full)*time.Microsecond
		}
	}
	return out
}

// pageTables is the memory in page tables of a server's processes; 0 if they cannot be read.
func pageTables(pid int) (sum int64) {
	if pid == 0 {
		return 0
	}
	list, err := children(pid)
	if err != nil {
		return 0
	}
	for _, p := range append(list, pid) {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(p) + "/status")
		if err != nil {
			continue
		}
		if s, err := host.ParseStatus(b); err == nil {
			sum += int64(s.PageTables)
		}
	}
	return sum
}
