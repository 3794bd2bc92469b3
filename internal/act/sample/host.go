package sample

import (
	"errors"
	"time"

	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/host/cgroup"
	// Unseen is a number that was not there: unknown is never zero.
)

const Unseen = -1

// The lines of /proc/meminfo that are kept, in bytes save the pages.
const (
	memTotal = iota
	memAvailable
	memAnon
	memShmem
	memCached
	memDirty
	memTables
	memCommitted
	memLimit
	memSwapTotal
	memSwapFree
	memHugeTotal // pages, as the two after it
	memHugeFree
	memHugeRsvd
	memLines
)

// memNames are the lines in bytes.
var memNames = [...]string{
	memTotal: "MemTotal", memAvailable: "MemAvailable", memAnon: "AnonPages", memShmem: "Shmem", memCached: "Cached",
	memDirty:  "Dirty",
	memTables: "PageTables", memCommitted: "Committed_AS", memLimit: "CommitLimit", memSwapTotal: "SwapTotal",
	memSwapFree: "SwapFree",
}

// The counters of the kernel that are kept.
const (
	vmSwapIn = iota // pages
	vmSwapOut
	vmMajor
	OOMKills
	vmCounters
)

var vmNames = [vmCounters]string{vmSwapIn: "pswpin", vmSwapOut: "pswpout", vmMajor: "pgmajfault", OOMKills: "oom_kill"}

// The resources of /proc/pressure.
const (
	psiCPU = iota
	psiIO
	psiMemory
	psiFiles
)

var psiNames = [psiFiles]string{"/proc/pressure/cpu", "/proc/pressure/io", "/proc/pressure/memory"}

// The columns of the line cpu of /proc/stat.
const (
	cpuIdle   = 3
	cpuIOWait = 4
	cpuSteal  = 7
	cpuTimes  = 8 // guest time is in user already
)

// HostReading is what one look at the files of the host showed. A number that
// was not there is unseen.
type HostReading struct {
	At      time.Time           `json:"at"`
	Memory  [memLines]int64     `json:"memory"`
	VM      [vmCounters]int64   `json:"vm"`
	CPU     [cpuTimes]int64     `json:"cpu"` // clock ticks
	Running int64               `json:"running"`
	Blocked int64               `json:"blocked"`
	Some    [psiFiles]int64     `json:"some"`             // microseconds
	Full    [psiFiles]int64     `json:"full"`             // the CPU's is 0 before 5.13, and not kept
	Groups  map[string]int64    `json:"groups,omitempty"` // oom_kill of memory.events by instance
	Missing [3 + psiFiles]error `json:"-"`                // of the files, in the order of their reading
}

func (r *HostReading) clear(at time.Time) {
	groups := r.Groups
	clear(groups)
	*r = HostReading{At: at, Groups: groups, Running: Unseen, Blocked: Unseen}
	fill(r.Memory[:])
	fill(r.VM[:])
	fill(r.CPU[:])
	fill(r.Some[:])
	fill(r.Full[:])
}

func fill(list []int64) {
	for i := range list {
		list[i] = Unseen
	}
}

// Read looks at the host. groups are the directories of the instances' cgroups, by their labels. A file that cannot be
// read leaves its numbers unseen.
func (r *HostReading) Read(f *Files, at time.Time, groups map[string]string) {
	r.clear(at)
	parse := func(i int, name string, into func([]byte) error) {
		b, err := f.Read(name)
		if err == nil {
			err = into(b)
		}
		r.Missing[i] = err
	}
	parse(0, "/proc/meminfo", r.meminfo)
	parse(1, "/proc/stat", r.stat)
	parse(2, "/proc/vmstat", r.vmstat)
	for i, name := range psiNames {
		parse(3+i, name, func(b []byte) error { return r.pressure(i, b) })
	}
	for label, dir := range groups {
		b, err := f.Read(dir + "/memory.events")
		if err != nil {
			continue
		}
		n, err := cgroup.ParseOOMKills(b)
		if err != nil {
			continue
		}
		if r.Groups == nil {
			r.Groups = map[string]int64{}
		}
		r.Groups[label] = n
	}
}

func (r *HostReading) meminfo(b []byte) error {
	m, err := host.ParseMemory(b)
	if err != nil {
		return err
	}
	for i, name := range memNames {
		if n, ok := m.Line(name); ok {
			r.Memory[i] = int64(n)
		}
	}
	if m.HugePageSize > 0 { // else the kernel has no huge pages, and the zeros are no counts
		r.Memory[memHugeTotal], r.Memory[memHugeFree], r.Memory[memHugeRsvd] = m.HugeTotal, m.HugeFree, m.HugeRsvd
	}
	return nil
}

func (r *HostReading) stat(b []byte) error {
	c, err := host.ParseCPUCounters(b)
	if err != nil {
		return err
	}
	r.CPU = [cpuTimes]int64{c.User, c.Nice, c.System, c.Idle, c.IOWait, c.IRQ, c.SoftIRQ, c.Steal}
	r.Running = max(c.Running-1, 0) // we run as well
	r.Blocked = c.Blocked
	return nil
}

func (r *HostReading) vmstat(b []byte) error {
	counts, err := host.ParseCounters(b, vmNames[:])
	if err != nil {
		return err
	}
	for i, name := range vmNames {
		if n, ok := counts[name]; ok {
			r.VM[i] = n
		}
	}
	if r.VM[vmMajor] == Unseen {
		return errors.New("no line pgmajfault")
	}
	return nil
}

func (r *HostReading) pressure(i int, b []byte) error {
	p, err := host.ParsePSITotals(b)
	if err != nil {
		return err
	}
	r.Some[i], r.Full[i] = p.Some, p.Full
	return nil
}

var HostFiles = append([]string{"/proc/meminfo", "/proc/stat", "/proc/vmstat"}, psiNames[:]...)
