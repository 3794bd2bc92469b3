package keep

import (
	"bytes"
	"errors"
	"time"
)

// unseen is a number that was not there: unknown is never zero.
const unseen = -1

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

// The counters of the kernel that are kept.
const (
	vmSwapIn = iota // pages
	vmSwapOut
	vmMajor
	vmOOM
	vmCounters
)

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
	Some    [psiFiles]int64     `json:"some"` // microseconds
	Full    [psiFiles]int64     `json:"full"`
	Groups  map[string]int64    `json:"groups,omitempty"` // oom_kill of memory.events by instance
	missing [3 + psiFiles]error // of the files, in the order of their reading
}

func (r *HostReading) clear(at time.Time) {
	groups := r.Groups
	clear(groups)
	*r = HostReading{At: at, Groups: groups, Running: unseen, Blocked: unseen}
	fill(r.Memory[:])
	fill(r.VM[:])
	fill(r.CPU[:])
	fill(r.Some[:])
	fill(r.Full[:])
}

func fill(list []int64) {
	for i := range list {
		list[i] = unseen
	}
}

// read looks at the host. groups are the folders of the instances' control
// groups, by their labels. A file that cannot be read leaves its numbers unseen.
func (r *HostReading) read(f *files, at time.Time, groups map[string]string) {
	r.clear(at)
	parse := func(i int, name string, into func([]byte) error) {
		b, err := f.read(name)
		if err == nil {
			err = into(b)
		}
		r.missing[i] = err
	}
	parse(0, "/proc/meminfo", r.meminfo)
	parse(1, "/proc/stat", r.stat)
	parse(2, "/proc/vmstat", r.vmstat)
	for i, name := range psiNames {
		parse(3+i, name, func(b []byte) error { return r.pressure(i, b) })
	}
	for label, dir := range groups {
		b, err := f.read(dir + "/memory.events")
		if err != nil {
			continue
		}
		if n, ok := named(b, "oom_kill"); ok {
			if r.Groups == nil {
				r.Groups = map[string]int64{}
			}
			r.Groups[label] = n
		}
	}
}

func (r *HostReading) meminfo(b []byte) error {
	for len(b) > 0 {
		var line []byte
		line, b = cutLine(b)
		name, rest, ok := bytes.Cut(line, colon)
		if !ok {
			continue
		}
		at, unit := memTotal, int64(1024)
		switch string(name) {
		case "MemTotal":
		case "MemAvailable":
			at = memAvailable
		case "AnonPages":
			at = memAnon
		case "Shmem":
			at = memShmem
		case "Cached":
			at = memCached
		case "Dirty":
			at = memDirty
		case "PageTables":
			at = memTables
		case "Committed_AS":
			at = memCommitted
		case "CommitLimit":
			at = memLimit
		case "SwapTotal":
			at = memSwapTotal
		case "SwapFree":
			at = memSwapFree
		case "HugePages_Total":
			at, unit = memHugeTotal, 1
		case "HugePages_Free":
			at, unit = memHugeFree, 1
		case "HugePages_Rsvd":
			at, unit = memHugeRsvd, 1
		default:
			continue
		}
		if n, _, ok := number(rest); ok {
			r.Memory[at] = n * unit
		}
	}
	if r.Memory[memTotal] <= 0 {
		return errors.New("no line MemTotal")
	}
	return nil
}

func (r *HostReading) stat(b []byte) error {
	for len(b) > 0 {
		var line []byte
		line, b = cutLine(b)
		name, rest, ok := bytes.Cut(line, blank)
		if !ok {
			continue
		}
		switch string(name) {
		case "cpu":
			for i := range r.CPU {
				n, after, ok := number(rest)
				if !ok {
					break
				}
				r.CPU[i], rest = n, after
			}
		case "procs_running":
			if n, _, ok := number(rest); ok {
				r.Running = max(n-1, 0) // we run as well
			}
		case "procs_blocked":
			if n, _, ok := number(rest); ok {
				r.Blocked = n
			}
		}
	}
	if r.CPU[cpuTimes-1] == unseen {
		fill(r.CPU[:])
		return errors.New("no whole line cpu")
	}
	return nil
}

func (r *HostReading) vmstat(b []byte) error {
	for len(b) > 0 {
		var line []byte
		line, b = cutLine(b)
		name, rest, ok := bytes.Cut(line, blank)
		if !ok {
			continue
		}
		var at int
		switch string(name) {
		case "pswpin":
			at = vmSwapIn
		case "pswpout":
			at = vmSwapOut
		case "pgmajfault":
			at = vmMajor
		case "oom_kill":
			at = vmOOM
		default:
			continue
		}
		if n, _, ok := number(rest); ok {
			r.VM[at] = n
		}
	}
	if r.VM[vmMajor] == unseen {
		return errors.New("no line pgmajfault")
	}
	return nil
}

var (
	colon = []byte{':'}
	blank = []byte{' '}
	total = []byte("total=")
)

func (r *HostReading) pressure(i int, b []byte) error {
	for len(b) > 0 {
		var line []byte
		line, b = cutLine(b)
		at := bytes.LastIndex(line, total)
		if at < 0 {
			continue
		}
		n, _, ok := number(line[at+len(total):])
		switch {
		case !ok:
		case bytes.HasPrefix(line, []byte("some ")):
			r.Some[i] = n
		case bytes.HasPrefix(line, []byte("full ")):
			r.Full[i] = n
		}
	}
	if r.Some[i] == unseen {
		return errors.New("no total of «some»")
	}
	return nil
}

// named returns the number of a line «name number».
func named(b []byte, name string) (int64, bool) {
	for len(b) > 0 {
		var line []byte
		line, b = cutLine(b)
		if key, rest, ok := bytes.Cut(line, blank); ok && string(key) == name {
			n, _, ok := number(rest)
			return n, ok
		}
	}
	return 0, false
}

func cutLine(b []byte) (line, rest []byte) {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return b[:i], b[i+1:]
	}
	return b, nil
}

// mostNumber keeps sums of a few of them, in bytes, within what an int64 holds.
const mostNumber = 1 << 50

// number reads the whole number that a text begins with, blanks before it left
// out. What is above mostNumber is that.
func number(b []byte) (n int64, rest []byte, ok bool) {
	i := 0
	for i < len(b) && (b[i] == ' ' || b[i] == '\t') {
		i++
	}
	for ; i < len(b) && b[i] >= '0' && b[i] <= '9'; i++ {
		ok = true
		if n < mostNumber {
			n = n*10 + int64(b[i]-'0')
		}
	}
	return min(n, mostNumber), b[i:], ok
}
