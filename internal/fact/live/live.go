// Package live holds what a host and an instance did while they were being watched: counters of the kernel at both
// ends, what was seen in between, and the report of perf with its reader. Rates are left to judge: this package holds
// what was counted.
package live

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
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
	Processes []Busy      `json:"processes"`   // those that used most CPU time, most first
	Asked     int         `json:"asked"`       // times that pg_stat_activity was read
	Waits     []Wait      `json:"waits"`       // most often seen first
	Blockers  []Blocker   `json:"blockers"`
	Perf      []Symbol    `json:"perf"`
	Missing   []known.Gap `json:"missing"`
}

// Counters are sums since boot, or since the cgroup was made.
type Counters struct {
	CPU      host.CPUCounters          `json:"cpu"`
	VM       map[string]int64          `json:"vm"`       // of /proc/vmstat, those of VMNames that the kernel has
	Pressure map[string]host.PSITotals `json:"pressure"` // cpu, memory, io
	// of memory.stat, memory.events, cpu.stat of the instance's group
	CGroup      map[string]int64          `json:"cgroup"`
	CGPressure  map[string]host.PSITotals `json:"cgroup_pressure"`
	CGMemory    unit.Bytes                `json:"cgroup_memory"`     // memory.current
	CGMemoryMax unit.Bytes                `json:"cgroup_memory_max"` // memory.max of the group itself; 0: none
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
	PID     int      `json:"pid"`
	Waiters int      `json:"waiters"` // most that were seen at once
	State   string   `json:"state"`
	Since   int64    `json:"xact_seconds"`      // age of its transaction
	Query   string   `json:"query"`             // the beginning of its last query
	Example string   `json:"example"`           // a query that waits for it
	Waiting []Waiter `json:"waiting,omitempty"` // the processes that wait for it, the longest first; five at most
}

// Waiter is a backend that waits for another one.
type Waiter struct {
	PID     int   `json:"pid"`
	Seconds int64 `json:"seconds"` // age of its query
}

// Symbol is one line of a report of perf.
type Symbol struct {
	Percent float64 `json:"percent"`
	Command string  `json:"command"`
	Kernel  bool    `json:"kernel"`
	Name    string  `json:"name"`
}

// VMNames are the counters of /proc/vmstat that indicate memory trouble.
var VMNames = []string{"pgfault", "pgmajfault", "pswpin", "pswpout", "pgscan_direct", "pgscan_kswapd", "pgsteal_direct",
	"allocstall_normal", "allocstall_movable", "allocstall_dma32",
	"compact_stall", "compact_fail", "compact_success", "compact_migrate_scanned", "compact_daemon_wake",
	"thp_fault_alloc", "thp_fault_fallback", "thp_collapse_alloc", "thp_split_page",
	"workingset_refault_file", "workingset_refault_anon", "workingset_refault", "numa_pages_migrated",
	"numa_hint_faults", "zone_reclaim_failed", "oom_kill"}

// GroupNames are those of a cgroup.
var GroupNames = []string{"pgmajfault", "pgfault", "workingset_refault_file", "workingset_refault_anon", "pgscan",
	"pgscan_direct", "high", "max", "oom", "oom_kill", "nr_periods", "nr_throttled",
	"throttled_usec", "pagetables"}

// maxSymbols bounds a report of perf.
const maxSymbols = 500

// ParsePerf reads perf report --stdio, with the column Children or without, and returns the functions by their own time
// as perf sorted them. What cannot be read is skipped.
func ParsePerf(b []byte) ([]Symbol, error) {
	own, _ := perfReport(string(b))
	if len(own) == 0 {
		return nil, say.Err("no line of a report of perf is in it")
	}
	return own, nil
}

// perfReport reads the functions of a report, and, if it has the column Children, what each took including its callees.
func perfReport(text string) (own, with []Symbol) {
	percents, command := 1, true
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			if strings.Contains(line, "Children") && strings.Contains(line, "Self") {
				percents = 2
			}
			if strings.Contains(line, "Symbol") {
				command = strings.Contains(line, "Command")
			}
			continue
		}
		f := strings.Fields(line)
		// PERCENT [PERCENT] [SAMPLES] COMMAND [OBJECT] [k] SYMBOL
		if len(f) < percents+2 {
			continue
		}
		v, ok := percent(f[percents-1]) // Self if there are both
		all, ok2 := percent(f[0])
		at := slices.IndexFunc(f, func(s string) bool {
			return s == "[k]" || s == "[.]" || s == "[g]" || s == "[u]" || s == "[H]"
		})
		if !ok || !ok2 || at < percents || at+1 >= len(f) {
			continue
		}
		from := percents
		if from < at-1 && strings.Trim(f[from], "0123456789") == "" { // the column Samples
			from++
		}
		// The object is one word; a command of several words has none that identifies it.
		end := at
		if at > from+1 {
			end = at - 1
		}
		s := Symbol{Percent: v, Kernel: f[at] == "[k]" || f[at] == "[g]", Name: strings.Join(f[at+1:], " ")}
		if command {
			s.Command = strings.Join(f[from:end], " ")
		}
		if v > 0 || percents == 1 {
			own = append(own, s)
		}
		if percents == 2 {
			s.Percent = all
			with = append(with, s)
		}
		if len(own) == maxSymbols || len(with) == 4*maxSymbols {
			break
		}
	}
	return own, with
}

// percent reads "44.02%".
func percent(s string) (float64, bool) {
	text, ok := strings.CutSuffix(s, "%")
	v, err := unit.Figure(text)
	return v, ok && err == nil && v >= 0 && v <= 100
}
