// Package oomresult is what the command demo oom showed: a query that needs too much memory, on a busy server, first
// with the kernel's default overcommit and then with strict overcommit. act/oomdemo runs it.
package oomresult

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
)

// Ways to have strict overcommit in the second round.
const (
	StandIn = "stand-in" // each process of the server gets a limit on its address space
	Real    = "real"     // vm.overcommit_memory = 2, which is for the whole host
)

// OOM is what the exercise «out of memory» showed.
type OOM struct {
	Server     string     `json:"server"` // version of PostgreSQL
	Overcommit string     `json:"overcommit"`
	Limit      unit.Bytes `json:"limit"`          // of the cgroup
	Version    int        `json:"cgroup_version"` // 1 or 2
	Sessions   int        `json:"sessions"`       // in addition to the greedy one
	WorkMem    string     `json:"work_mem"`       // of the greedy one
	Query      string     `json:"query"`
	Rounds     []Round    `json:"rounds"`  // as it is by default, then under strict overcommit
	Swept      []string   `json:"swept"`   // left behind by an earlier run that was killed, and removed now
	Removed    []string   `json:"removed"` // what this run made, and took away again
}

// What became of the greedy query.
const (
	Killed    = "killed"    // the kernel killed its process
	Refused   = "refused"   // it got «out of memory»
	Completed = "completed" // it got all that it wanted
	Failed    = "failed"    // it ended otherwise
)

// Round is one run of the query under the load.
type Round struct {
	Setting  Setting `json:"setting"`
	Query    Greedy  `json:"greedy"`
	Load     Load    `json:"load"`
	OOMKills int64   `json:"oom_kills"` // in the cgroup, as the kernel counts them
	// SamePostmaster reports whether the postmaster at the end is that of the beginning; it survives the crash of a
	// session, and restarts all the others.
	SamePostmaster bool     `json:"same_postmaster"`
	Restarted      bool     `json:"restarted"` // the server ended all sessions and recovered
	Kernel         []string `json:"kernel"`    // lines of the kernel's log about it
	KernelGap      string   `json:"kernel_gap,omitempty"`
	Log            []string `json:"log"` // lines of the server's log about it
	// Readings are what pgfettle diagnose makes of both logs.
	Readings []Reading `json:"readings"`
}

// Setting is the kernel's overcommit setting, and its stand-in.
type Setting struct {
	Mode         int64      `json:"overcommit_memory"` // vm.overcommit_memory during the round
	CommitLimit  unit.Bytes `json:"commit_limit"`      // as /proc/meminfo shows it, then
	CommittedAS  unit.Bytes `json:"committed_as"`      // before the query
	AddressSpace unit.Bytes `json:"address_space"`     // limit of each process of the server; 0: none
	Session      unit.Bytes `json:"session_size"`      // address space of a session of the load
	Used         unit.Bytes `json:"used"`              // by the server with its sessions, before the query
}

// Greedy is what became of the query that wanted too much, and of its session.
type Greedy struct {
	PID      uint32 `json:"pid"`
	Outcome  string `json:"outcome"` // Killed, Refused, Completed, Failed
	SQLState string `json:"sqlstate,omitempty"`
	Message  string `json:"message,omitempty"` // of the server, or of the connection that broke
	Detail   string `json:"detail,omitempty"`
	Alive    bool   `json:"session_alive"` // the same connection, to the same process, answered afterwards
	Took     int64  `json:"took_us"`       // microseconds until its end
}

// Load is what the other sessions experienced.
type Load struct {
	Transactions int `json:"transactions"` // committed
	Before       int `json:"before"`       // of them before the query began
	Refused      int `json:"refused"`      // transactions that failed in a session that went on
	Lost         int `json:"lost"`         // sessions that lost their connection, at least once
	// microseconds from the first loss to the first commit after it; 0: none was lost
	Down  int64  `json:"down_us"`
	Pause int64  `json:"pause_us"` // longest time in which no session at all committed, in microseconds
	Said  string `json:"said"`     // the server's message to a session that it terminated; "" if there was none
}

// Reading is what a command of diagnosis makes of the logs of a round, in short.
// The logs themselves are gone when the exercise is over.
type Reading struct {
	Command   string      `json:"command"`   // oom or log, of pgfettle diagnose
	PID       int         `json:"pid"`       // of the process that was killed or refused; 0 if not reported
	Role      string      `json:"role"`      // of that process in the instance
	Statement string      `json:"statement"` // that it was running
	Cause     say.Message `json:"cause"`     // of a kill
	After     string      `json:"after"`     // what became of the server: restarted, recovering, …
	// memory contexts that held the most, of a refusal: ExecutorState with all below it first
	Held []Context `json:"held"`
}

// Context is a memory context, with those below it.
type Context struct {
	Name string     `json:"name"`
	Size unit.Bytes `json:"size"`
}

// In returns it with its texts for people in the language of a catalog.
func (d *OOM) In(c *say.Catalogue) *OOM {
	if c == nil {
		return d
	}
	out := *d
	out.Rounds, out.Swept, out.Removed = slices.Clone(d.Rounds), translated(d.Swept, c), translated(d.Removed, c)
	for i := range out.Rounds {
		r := &out.Rounds[i]
		r.KernelGap, r.Readings = gapwords.In(c, r.KernelGap), slices.Clone(r.Readings)
		for k := range r.Readings {
			r.Readings[k].Cause = r.Readings[k].Cause.Translated(c)
		}
	}
	return &out
}

func translated(list []string, c *say.Catalogue) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = gapwords.In(c, s)
	}
	return out
}
