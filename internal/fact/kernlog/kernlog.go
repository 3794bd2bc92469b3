// Package kernlog turns the kernel's log into typed facts: the reports of the
// OOM killer, from 3.10 to 6.18, and the few other lines that tell of memory
// that ran out, of systemd and of systemd-oomd too. It reads what dmesg, dmesg
// -T, journalctl (short forms and JSON) and syslog write, whole or cut, with
// lines of other programs between. What no kernel wrote it hands on to whoever
// wants it: a server's log is read elsewhere.
//
// A log is written by others and is hostile until proven otherwise: lines,
// reports and tables are bounded, and what makes no sense is left out, never
// guessed.
package kernlog

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Stamp is when a line was written, as far as the log tells.
type Stamp struct {
	Text string        // as it stands in the log; "" where the line has none
	Wall time.Time     // zero where year or zone is not in the log
	Boot time.Duration // since boot; negative where the log does not tell
	// The line has only how long after the one before it was written, as of dmesg -H and -d.
	after bool
}

// none is the stamp of a line that has none.
var none = Stamp{Boot: -1}

// Log is what was read.
type Log struct {
	Reports []Report // of the OOM killer, in the order of the log
	Other   []Other  // other lines about memory, in the order of the log
	Unread  []Unread // lines that tell of a kill and were not understood, by what they tell
	Mention string   // the first line in which somebody mentions a kill; "": there is none
	State   *Report  // of the memory, when an allocation failed that killed nothing; nil: there is none
	Stated  Stated   // what people and manifests state of the host and the container
	Lines   int      // read
	Cut     bool     // a bound was met: the oldest or the longest was left out
}

// Constraint says what the memory was short in.
type Constraint string

// The constraints, as the kernel names them.
const (
	Global  Constraint = "none"          // the whole host
	Memcg   Constraint = "memcg"         // a control group with a limit
	CPUSet  Constraint = "cpuset"        // the NUMA nodes of a cpuset
	Policy  Constraint = "memory_policy" // the NUMA nodes of a memory policy
	Unclear Constraint = ""              // the log does not tell
)

// Telling is what tells the constraint of a report.
type Telling string

// What tells a constraint, from what leaves no doubt to what has to be concluded.
const (
	BySummary Telling = "oom_kill_line" // «oom-kill:constraint=…»
	ByGroup   Telling = "group"         // the group's limit, usage or figures, which only it has
	ByKill    Telling = "kill_line"     // «Memory cgroup out of memory», or «Out of memory» alone
	ByTrace   Telling = "call_trace"    // the functions through which memory was asked for
	ByPanic   Telling = "panic"         // the kernel panics so for the whole host alone
)

// Report is one run of the OOM killer. Any part may be missing: a log that is
// cut, that hides the table of tasks, or that was searched with grep.
type Report struct {
	At         Stamp
	Kernel     string // release, such as 6.1.0-56-cloud-amd64
	Asker      Asker  // who wanted memory: not the one that held it
	Constraint Constraint
	From       Telling // what tells the constraint; "" where it is unclear
	Group      string  // control group whose limit was hit
	TaskGroup  string  // control group of the victim
	Nodes      string  // of NUMA that were allowed, as a list of numbers and ranges; "" where it is not known
	Zones      []Zone  // of all nodes, in the order of the log
	Info       *MemInfo
	Memcg      *MemcgInfo
	Table      Table
	Slabs      []Slab // where the kernel listed them, largest first
	Victims    []Victim
	Chosen     *Victim // by the score, where another was killed for it: a child, or the process of the thread
	Score      *int64  // of the victim or of who was chosen, where the kernel tells (before 5.0)
	Called     bool    // it is sure that the killer was called: else there is the state of memory alone
	Shown      bool    // the state of memory that a person asked for, with SysRq m: of no kill
	Event      *Event  // of Kubernetes, that quotes the line of the kill; nil: the log itself has it
	WholeGroup bool    // memory.oom.group: all of the group were killed
	NoVictim   bool    // no task could be killed
	Allocating bool    // vm.oom_kill_allocating_task: who asked was killed, not who held most
	Panic      bool    // the kernel panicked
	PanicOnOOM bool    // because vm.panic_on_oom is set, as it says
	Manual     bool    // a person asked for the kill, with SysRq f: memory was not necessarily short
	PageSize   unit.Bytes
	hinted     string // who asked for memory, by a line that says nothing else
	wholeHost  bool   // so the kernel does only where the host has no memory
	told       bool   // by one who saw the kill, not by the kernel's report of it
	failed     bool   // the state of memory at an allocation that failed: of no kill
	line       int    // of the log, in which it begins
	named      Victim // by the line «oom-kill:»
	trace      trace
	nodes      map[string]int64 // sums over the nodes, kB
}

// Asker is the task whose request could not be met.
type Asker struct {
	Name  string
	PID   int // 0: not told
	Order int // of pages, a power of two; -1: not told
	Adj   *int
	GFP   string
	// the container that it was in, by the cpuset that the kernel names; "": unknown
	Container string
}

// Event is what an event of Kubernetes has in addition to the message of the kernel.
type Event struct {
	Age      string // when it was, before the list was made: 49m
	Reporter string // kernel-monitor, kubelet
	Node     string
}

// Stated is what a text has in addition to its logs: words of people, manifests, tables of kubectl. What it says
// twice, and differently, is nil.
type Stated struct {
	RAM, Swap      *unit.Bytes // of the host
	Limit          *unit.Bytes // of the container, or of the unit
	Kills          int         // how often there was one; 0: not said
	Restarts       int         // of the container; 0: not said
	Pod, Namespace string
	Node           string
	Exit           *Exit // code 137; nil: none
}

// Exit is that of a container or a program with the code 137: signal 9 ended it.
type Exit struct {
	At     Stamp
	Reason string // as Kubernetes reports it: Error; "": unknown
}

// MemInfo is the state of the whole host. Counts are pages; nil is not told.
type MemInfo struct {
	ActiveAnon, InactiveAnon, ActiveFile, InactiveFile, Unevictable *int64
	SlabReclaimable, SlabUnreclaimable, Shmem, PageTables, Free     *int64
	RAM, Reserved, SwapCache                                        *int64
	Dirty, Writeback, Mapped                                        *int64
	SwapTotal, SwapFree                                             *unit.Bytes
	SwapOff                                                         bool // free swap is negative, as while swapoff runs
	Huge                                                            []HugePool
}

// HugePool is the huge pages of one size on one node.
type HugePool struct {
	Node        int
	Total, Free int64
	Size        unit.Bytes
}

// Zone is the memory of a node that is for one kind of requests.
type Zone struct {
	Node            int
	Name            string // DMA, DMA32, Normal, Movable, Device
	Free, Min, High unit.Bytes
}

// MemcgInfo is the state of the control group whose limit was hit.
type MemcgInfo struct {
	Usage, Limit         *unit.Bytes // memory
	SwapUsage, SwapLimit *unit.Bytes // version 1: memory and swap together
	SwapTogether         bool
	Fails, SwapFails     int64 // how often it was reached (failcnt)
	Kmem                 *unit.Bytes
	Stat                 map[string]int64 // memory.stat, bytes
}

// Slab is a kernel cache.
type Slab struct {
	Name string
	Used unit.Bytes
}

// Table is the list of tasks that could have been killed.
type Table struct {
	Tasks      []Task
	Header     bool // the line with the columns' names was there
	PIDs       bool // the rows have their pid, else the thread group stands for it
	Split      bool // resident memory is told by kind (6.8)
	PageTables bool // page tables are told
	Ended      bool // a line of the kernel stands behind its last row: it is not cut there
}

// Task is a row. Sizes of memory are pages but for PageTables.
type Task struct {
	PID, TGID, UID   int
	VM, RSS          int64
	Anon, File, Shm  int64 // where Table.Split
	Swap             int64
	Adj              int
	Name             string
	PageTables       unit.Bytes // where Table.PageTables
	ptes, pmds, puds int64      // as counted before 4.15
}

// Victim is a task that was killed. Sizes are nil where the line has none.
type Victim struct {
	At                        Stamp
	PID, UID                  int // UID -1: not told
	Name                      string
	VM, Anon, File, Shm, Ptes *unit.Bytes
	RSS, Swap                 *unit.Bytes // as OpenVZ tells them
	Adj                       *int
	Reaped                    bool
	MainOf                    string // the unit whose main process it was, by what systemd said next; "": not told
	chosen                    bool   // by the line of the choice, before who was killed for it
}

// Kind is what another line tells.
type Kind string

// The kinds of other lines.
const (
	UnitKilled Kind = "unit_killed"    // systemd: a process of a unit was killed by the OOM killer
	UnitFailed Kind = "unit_failed"    // systemd: the unit failed with result oom-kill
	OomdKilled Kind = "oomd_killed"    // systemd-oomd killed a control group
	OomdUnit   Kind = "oomd_unit"      // systemd: systemd-oomd killed processes of a unit
	OomdLooked Kind = "oomd_looked"    // systemd-oomd lists what it could kill
	OomdOver   Kind = "oomd_over"      // systemd-oomd found too little memory, and kills for it
	Refused    Kind = "commit_refused" // the kernel refused to promise memory (strict overcommit)
	AllocFail  Kind = "alloc_failure"  // a page allocation failed, which is no kill
	EarlyOOM   Kind = "earlyoom"       // earlyoom sent a process a signal
	// SysRq f asked for a kill; the report of one follows at once, if somebody was found
	AskedKill Kind = "asked_kill"
	// earlyoom found no process that it may send one
	EarlyNone Kind = "earlyoom_none"
	// earlyoom saw that hardly any memory was left, and sent nobody a signal
	EarlyLow Kind = "earlyoom_low"
	// The OOM controller of Talos killed all processes of a control group.
	TalosKilled Kind = "talos_killed"
	// Slurm says that the kernel killed in a step of a job
	SlurmKilled Kind = "slurm_killed"
	// A container runtime says that the kernel killed in a container.
	ContainerKilled Kind = "container_killed"
	// The kubelet saw in the kernel's log that it did.
	KubeletSaw Kind = "kubelet_saw"
	// It says that the kernel did not, of a container that signal 9 ended.
	ContainerSpared Kind = "container_spared"
	// The kubelet evicted a pod, as the node was low on memory: of its own accord, before the kernel kills.
	Evicted Kind = "evicted"
)

// Other is a line about memory that is no part of a report.
type Other struct {
	At   Stamp
	Kind Kind
	Name string // unit, control group or process
	PID  int
	Text string
	// What systemd and systemd-oomd tell besides; nil where they do not.
	Processes      int         // that were killed; 0: not told
	Peak, SwapPeak *unit.Bytes // of the unit in its life
	Why            Shortage
	Used, Total    *unit.Bytes // of memory, or of swap where that is why
	Pressure, Most *float64    // percent of the time, and what was allowed
	Of, For        string      // the control group whose pressure that is, and for how long: «20s»; "": not known
	Signal         string      // that earlyoom sent: SIGTERM or SIGKILL; Used is then what the process had
	Stays          bool        // earlyoom says that the process did not exit
	Escalated      bool        // it sent SIGTERM first
	Level          *Level      // that earlyoom saw before
	Cgroups        int         // that systemd-oomd lists
	Limit          *unit.Bytes // of the container
	Left           *unit.Bytes // of the memory of the node, as the kubelet saw it
	Cache          string      // of the kernel, that could not grow
	CacheOf        string      // the control group whose cache that is; "": of none
}

// Level is what of memory and swap was left.
type Level struct {
	Available, Total, SwapFree, SwapTotal unit.Bytes
	line                                  int // of the log
}

// Shortage is why systemd-oomd killed.
type Shortage string

// The shortages.
const (
	MemoryUsed     Shortage = "memory_used"
	SwapUsed       Shortage = "swap_used"
	MemoryPressure Shortage = "memory_pressure"
)

// Unread are lines that have words of a kill and were not understood.
type Unread struct {
	What  string // the words
	Lines int
	First string // as it stands, without its prefix
}

// Bounds of what is kept. A report is about 100 lines and a row of the table for
// each task; the kernel has at most 4,194,304 tasks, but nobody reads a list of
// more than what pid_max is by default.
const (
	maxLine    = 64 << 10 // a line that is longer is cut: the kernel's own bound is 8 kB
	maxReports = 256
	maxTasks   = 32768
	maxOther   = 1024
	maxText    = 4096 // of a statement or a line that is kept
	maxJoin    = 6    // pieces that a paste may have broken one line into
	maxSlabs   = 8
	maxInner   = 4096 // messages that a page has put into one line
	maxFirst   = 512  // of a line that was not understood
)
