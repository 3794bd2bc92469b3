// Package live holds what a host and an instance did during a while that
// somebody watched them: counters of the kernel at both ends, what was seen in
// between, and the report of perf; with the readers of each. Rates are for those
// who judge: here stands what was counted.
package live

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Episode is one watch.
type Episode struct {
	Seconds   float64     `json:"seconds"`
	CPUs      int         `json:"cpus"` // online; 0: not known
	HostSeen  bool        `json:"host_seen"`
	Before    Counters    `json:"before"`
	After     Counters    `json:"after"`
	Memory    unit.Bytes  `json:"memory"`      // MemTotal; 0: not known
	Available unit.Bytes  `json:"available"`   // MemAvailable at the end
	Tables    unit.Bytes  `json:"page_tables"` // PageTables at the end
	Ticks     []Tick      `json:"-"`           // in their order
	Processes []Busy      `json:"processes"`   // those that used most processor time, most first
	Asked     int         `json:"asked"`       // times that pg_stat_activity was read
	Waits     []Wait      `json:"waits"`       // most often seen first
	Blockers  []Blocker   `json:"blockers"`
	Perf      []Symbol    `json:"perf"`
	Missing   []known.Gap `json:"missing"`
}

// Counters are sums since boot, or since the control group was made.
type Counters struct {
	CPU         CPU              `json:"cpu"`
	VM          map[string]int64 `json:"vm"`       // of /proc/vmstat, those of VMNames that the kernel has
	Pressure    map[string]PSI   `json:"pressure"` // cpu, memory, io
	CGroup      map[string]int64 `json:"cgroup"`   // of memory.stat, memory.events, cpu.stat of the instance's group
	CGPressure  map[string]PSI   `json:"cgroup_pressure"`
	CGMemory    unit.Bytes       `json:"cgroup_memory"`     // memory.current
	CGMemoryMax unit.Bytes       `json:"cgroup_memory_max"` // memory.max of the group itself; 0: none
}

// CPU is /proc/stat, in clock ticks; Switches are context switches.
type CPU struct {
	User, Nice, System, Idle, IOWait, IRQ, SoftIRQ, Steal int64
	Switches                                              int64
	Running, Blocked                                      int64 // processes, now
}

// All is the sum of the ticks.
func (c CPU) All() int64 {
	return c.User + c.Nice + c.System + c.Idle + c.IOWait + c.IRQ + c.SoftIRQ + c.Steal
}

// PSI is the time that tasks stalled, in microseconds since boot.
type PSI struct {
	Some int64 `json:"some"`
	Full int64 `json:"full"`
}

// Tick is one look at the run queue.
type Tick struct{ Running, Blocked int64 }

// Busy is one process over the watch. Ours is a process of the instance.
type Busy struct {
	PID    int     `json:"pid"`
	Name   string  `json:"name"`
	Ours   bool    `json:"ours"`
	Kernel bool    `json:"kernel"` // a thread of the kernel
	CPU    float64 `json:"cpu"`    // seconds
	Major  int64   `json:"major_faults"`
	Minor  int64   `json:"minor_faults"`
}

// Wait is how often a state was seen, over all looks and backends. Type is ""
// for those that waited for nothing: they computed, or stood in the run queue.
type Wait struct {
	Backend string `json:"backend"` // backend_type
	State   string `json:"state"`   // active, idle, …; "" for processes without one
	Type    string `json:"type"`    // wait_event_type
	Event   string `json:"event"`   // wait_event
	Seen    int    `json:"seen"`
}

// Blocker is a backend that others waited for.
type Blocker struct {
	PID     int    `json:"pid"`
	Waiters int    `json:"waiters"` // most that were seen at once
	State   string `json:"state"`
	Since   int64  `json:"xact_seconds"` // age of its transaction
	Query   string `json:"query"`        // the beginning of its last query
	Example string `json:"example"`      // a query that waits for it
}

// Symbol is one line of a report of perf.
type Symbol struct {
	Percent float64 `json:"percent"`
	Command string  `json:"command"`
	Kernel  bool    `json:"kernel"`
	Name    string  `json:"name"`
}

// VMNames are the counters of /proc/vmstat that tell of memory trouble.
var VMNames = []string{"pgfault", "pgmajfault", "pswpin", "pswpout", "pgscan_direct", "pgscan_kswapd", "pgsteal_direct", "allocstall_normal", "allocstall_movable", "allocstall_dma32",
	"compact_stall", "compact_fail", "compact_success", "compact_migrate_scanned", "compact_daemon_wake", "thp_fault_alloc", "thp_fault_fallback", "thp_collapse_alloc", "thp_split_page",
	"workingset_refault_file", "workingset_refault_anon", "workingset_refault", "numa_pages_migrated", "numa_hint_faults", "zone_reclaim_failed", "oom_kill"}

// GroupNames are those of a control group.
var GroupNames = []string{"pgmajfault", "pgfault", "workingset_refault_file", "workingset_refault_anon", "pgscan", "pgscan_direct", "high", "max", "oom", "oom_kill", "nr_periods", "nr_throttled",
	"throttled_usec", "pagetables"}

// maxLines bounds a file of counters: /proc/vmstat has some two hundred lines.
const maxLines = 4096

// ParseCounters reads lines «name value» and keeps those that are named. Other
// lines are passed over; a kept one whose value is no number is an error.
func ParseCounters(b []byte, names []string) (map[string]int64, error) {
	out := map[string]int64{}
	n := 0
	for line := range strings.Lines(string(b)) {
		if n++; n > maxLines {
			return nil, errors.New("too many lines")
		}
		f := strings.Fields(line)
		if len(f) != 2 || !slices.Contains(names, f[0]) {
			continue
		}
		v, err := counter(f[1])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f[0], err)
		}
		out[f[0]] = v
	}
	return out, nil
}

// counter reads a number that is not negative; what is above 2^60 is that.
func counter(s string) (int64, error) {
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%.40q is not a whole number", s)
	}
	return int64(min(v, 1<<59)), nil // eight of them still add up
}

// ParseStat reads /proc/stat. A text without the line cpu, or without the counts of
// processes, is an error.
func ParseStat(b []byte) (CPU, error) {
	var c CPU
	missing := map[string]bool{"cpu": true, "procs_running": true, "procs_blocked": true}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		var to []*int64
		switch f[0] {
		case "cpu":
			to = []*int64{&c.User, &c.Nice, &c.System, &c.Idle, &c.IOWait, &c.IRQ, &c.SoftIRQ, &c.Steal}
			if len(f) < 9 {
				return CPU{}, errors.New("the line cpu is too short")
			}
		case "ctxt":
			to = []*int64{&c.Switches}
		case "procs_running":
			to = []*int64{&c.Running}
		case "procs_blocked":
			to = []*int64{&c.Blocked}
		}
		for i, p := range to {
			v, err := counter(f[i+1])
			if err != nil {
				return CPU{}, fmt.Errorf("%s: %w", f[0], err)
			}
			*p = v
		}
		delete(missing, f[0])
	}
	for name := range missing {
		return CPU{}, errors.New("no line " + name)
	}
	return c, nil
}

// ParsePSI reads the totals of a file of /proc/pressure or of a control group.
func ParsePSI(b []byte) (PSI, error) {
	var p PSI
	seen := false
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] != "some" && f[0] != "full" {
			continue
		}
		for _, kv := range f[1:] {
			s, ok := strings.CutPrefix(kv, "total=")
			if !ok {
				continue
			}
			v, err := counter(s)
			if err != nil {
				return PSI{}, err
			}
			if f[0] == "some" {
				p.Some, seen = v, true
			} else {
				p.Full = v
			}
		}
	}
	if !seen {
		return PSI{}, errors.New("no total of «some»")
	}
	return p, nil
}

// ProcStat is what /proc/PID/stat tells of a process.
type ProcStat struct {
	PID, Parent  int
	Name         string
	Minor, Major int64 // faults
	Ticks        int64 // user and system, in clock ticks
}

// ParseProcStat reads /proc/PID/stat. The name may hold blanks and brackets.
func ParseProcStat(b []byte) (ProcStat, error) {
	var p ProcStat
	s := string(b)
	open, end := strings.IndexByte(s, '('), strings.LastIndexByte(s, ')')
	if open < 1 || end < open {
		return p, errors.New("no name in brackets")
	}
	pid, err := strconv.Atoi(strings.TrimSpace(s[:open]))
	if err != nil || pid <= 0 {
		return p, errors.New("no process id")
	}
	p.PID, p.Name = pid, s[open+1:end]
	f := strings.Fields(s[end+1:])
	if len(f) < 13 {
		return p, errors.New("too few fields")
	}
	if p.Parent, err = strconv.Atoi(f[1]); err != nil {
		return p, errors.New("no parent")
	}
	var user, system int64
	for _, x := range []struct {
		at int
		to *int64
	}{{7, &p.Minor}, {9, &p.Major}, {11, &user}, {12, &system}} {
		if *x.to, err = counter(f[x.at]); err != nil {
			return p, err
		}
	}
	p.Ticks = user + system
	return p, nil
}

// maxSymbols bounds a report of perf.
const maxSymbols = 500

// ParsePerf reads perf report --stdio, with the column Children or without, and
// with or without Shared Object; call chains are passed over. A text with none of
// its lines is an error.
func ParsePerf(b []byte) ([]Symbol, error) {
	var out []Symbol
	percents := 1
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			if strings.Contains(line, "Children") && strings.Contains(line, "Self") {
				percents = 2
			}
			continue
		}
		f := strings.Fields(line)
		// PERCENT [PERCENT] COMMAND [OBJECT] [k] SYMBOL
		if len(f) < percents+3 {
			continue
		}
		text, ok := strings.CutSuffix(f[percents-1], "%") // Self where there are both
		v, err := unit.Figure(text)
		if !ok || err != nil || !(v >= 0 && v <= 100) {
			continue
		}
		at := slices.IndexFunc(f, func(s string) bool { return s == "[k]" || s == "[.]" || s == "[g]" || s == "[u]" || s == "[H]" })
		if at < percents+1 || at+1 >= len(f) {
			continue
		}
		// The object is one word; a command of several words has none that tells.
		end := at
		if o := f[at-1]; at > percents+1 && o != "" {
			end = at - 1
		}
		out = append(out, Symbol{Percent: v, Command: strings.Join(f[percents:end], " "), Kernel: f[at] == "[k]" || f[at] == "[g]", Name: strings.Join(f[at+1:], " ")})
		if len(out) == maxSymbols {
			break
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no line of a report of perf is in it")
	}
	return out, nil
}
