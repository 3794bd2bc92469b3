package oom

import (
	"slices"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/kernlog"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// After is what became of the server.
type After struct {
	State   string      `json:"state"` // restarted, stopped, recovering, untouched, unknown
	Text    say.Message `json:"text"`
	Seconds *float64    `json:"seconds,omitempty"` // from the death to the readiness, if logged
}

// The states.
const (
	oomRestarted  = "restarted"  // all sessions were ended, and it takes connections again
	oomStopped    = "stopped"    // it is down
	oomRecovering = "recovering" // the log ends before it is ready
	oomUntouched  = "untouched"  // the victim was none of a server
	oomUnknown    = "unknown"
)

// lost is what a crash costs, whatever the server was doing, and whether or not it has recovered by now.
func lost() say.Message {
	return say.M("All sessions were terminated and uncommitted transactions were rolled back. Committed transactions " +
		"are kept, except the newest ones with synchronous_commit = off. Crash recovery empties unlogged tables and " +
		"resets the cumulative statistics.")
}

// after follows the server's log from the death of the victim on.
func (c *oomCase) after() {
	a, v := &c.kill.After, c.kill.Victim
	a.State = oomUnknown
	switch {
	case c.report.Panic:
		a.State, a.Text = oomStopped, say.M("The kernel panic stopped the host and all servers on it. At the next "+
			"start, crash recovery restores committed transactions, except the newest ones with synchronous_commit = "+
			"off. With fsync = off, data can be corrupted.")
		return
	case c.report.NoVictim, c.report.Shown:
		a.State, a.Text = oomUntouched, say.M("The OOM killer killed no process.")
		return
	case v == nil && !c.report.Called:
		a.Text = say.M("The logs do not show that a process was killed.")
		return
	case v == nil:
		a.Text = say.M("The victim is unknown, and so is the effect on a server.")
		return
	case !c.serverKilled():
		a.State, a.Text = oomUntouched,
			say.M("The victim was not a process of a PostgreSQL server, so this kill restarted no server.")
		return
	}
	failed := c.unitFailed()
	if c.death == nil && c.report.WholeGroup {
		c.wholeGroup()
		return
	}
	if c.death == nil {
		a.Text = say.M("When a child process is killed, a server terminates all sessions and runs crash recovery " +
			"(restart_after_crash = on, the default). No line of a server log about this kill was read.")
		if v.Role == "postmaster" {
			a.Text = say.M("Without its postmaster, a server accepts no connections until systemd, a cluster manager " +
				"or an administrator starts it again. No line of a server log about this kill was read.")
		}
		if end, ok := c.silent(); ok {
			a.Text = say.M("The server log ends at {end}, before the kill. Either the victim was the postmaster, or "+
				"the log is incomplete.", "end", end)
		}
		if failed != "" {
			a.State, a.Text = oomStopped, say.All(" ", stoppedBySystemd(failed), lost())
		}
		return
	}
	if c.death.Orphaned {
		c.started(c.deathI+1, say.M("The postmaster itself died, and its child processes exited."),
			say.M("The server accepts no connections until systemd, a cluster manager or an administrator starts it."))
		return
	}
	var text []say.Message
	reinit, ready, from, to := false, false, "", ""
	state := oomRecovering
	asked, down := false, 0 // down is where the log says that it shut down
loop:
	for i := c.deathI + 1; i < len(c.log.Server); i++ {
		e := &c.log.Server[i]
		if c.death.By > 0 && e.By > 0 && e.By != c.death.By && (e.Kind == pglog.Ready || e.Kind == pglog.Reinit ||
			e.Kind == pglog.ShutDown || e.Kind == pglog.Starting || e.Kind == pglog.ChildDied) {
			continue // another server's
		}
		switch e.Kind {
		case pglog.ChildDied:
			if state == oomRestarted {
				break loop // the next kill
			}
		case pglog.Reinit:
			reinit = true
		case pglog.RedoStart:
			from = oomAfterWords(e.Text, "redo starts at ")
		case pglog.RedoDone:
			to = oomAfterWords(e.Text, "redo done at ")
		case pglog.Ready:
			if state != oomRecovering {
				continue
			}
			state, ready = oomRestarted, true
			if d, ok := e.since(c.death); ok && d >= 0 {
				a.Seconds = oomPtr(seconds(d))
			}
		case pglog.ShutdownAsked:
			asked = true
		case pglog.ShutDown:
			if state == oomRestarted && !asked {
				break loop
			}
			state, down = oomStopped, i
			break loop
		case pglog.Starting:
			break loop // started later by someone else
		}
	}
	a.State = state
	if failed != "" {
		a.State = oomStopped
	}
	if reinit || state == oomRestarted {
		text = append(text, lost())
	}
	switch {
	case from != "" && to != "":
		text = append(text, say.M("WAL was replayed from {from} to {to}.", "from", from, "to", to))
	case from != "":
		text = append(text, say.M("WAL was replayed from {from}.", "from", from))
	}
	switch {
	case failed != "" && ready:
		text = append(text, say.M("Then systemd stopped {unit}, although the server had recovered, because one of its "+
			"processes had been killed (OOMPolicy=stop is the default). Unless Restart= is set for the unit, the "+
			"server is down until it is started again.", "unit", failed))
	case failed != "":
		text = append(text, stoppedBySystemd(failed))
	case state == oomStopped && asked:
		text = append(text, say.M("Then the server was asked to shut down, and did. That may have been systemd with "+
			"OOMPolicy=stop, its default (see journalctl -u UNIT), or an administrator."), c.noLaterStart(down))
	case state == oomStopped:
		text = append(text, say.M("Then the server shut down."), c.noLaterStart(down))
	case state == oomRecovering && !reinit:
		text = append(text, say.M("The server log does not show whether crash recovery followed."))
	case state == oomRecovering:
		text = append(text, say.M("The server log does not show the end of crash recovery."))
	}
	a.Text = say.All(" ", text...)
}

// stoppedBySystemd is about a unit that failed by the result oom-kill: with OOMPolicy=continue there is no such result.
func stoppedBySystemd(unit string) say.Message {
	return say.M("systemd stopped {unit} because one of its processes was killed (OOMPolicy=stop is the default). "+
		"Unless Restart= is set for the unit, the server is down until it is started again.", "unit", unit)
}

// noLaterStart says that a log has no start of a server after an entry; nothing if it has one.
func (c *oomCase) noLaterStart(entry int) say.Message {
	if slices.ContainsFunc(c.log.Server[entry+1:], func(e Event) bool {
		return e.Kind == pglog.Starting || e.Kind == pglog.Ready
	}) {
		return say.Message{}
	}
	return say.M("The log has no later start.")
}

// serverKilled reports whether a process of a server was among those that were killed: of a whole group, the first need
// not be one.
func (c *oomCase) serverKilled() bool {
	return slices.ContainsFunc(c.report.Victims, func(v kernlog.Victim) bool { return host.IsServerName(v.Name) })
}

// started reports whether a server was started again whose postmaster is gone, from an entry of its log on: what
// happened, and what is true until then.
func (c *oomCase) started(from int, gone, still say.Message) {
	a := &c.kill.After
	for i := max(from, 0); i < len(c.log.Server); i++ {
		e := &c.log.Server[i]
		if e.Kind != pglog.Ready {
			continue
		}
		d, ok := time.Duration(0), false
		if c.death != nil {
			d, ok = e.since(c.death)
		} else if at, known := oomWall(c.report.Victims[0].At, c.facts); known && !e.At.Wall.IsZero() {
			d, ok = e.At.Wall.Sub(at), true
			if d < 0 {
				continue
			}
		} else {
			continue // nothing reports whether it is of before the kill
		}
		if ok && d >= 0 {
			a.Seconds = oomPtr(seconds(d))
		}
		a.State, a.Text = oomRestarted, say.All(" ", gone, say.M("Then the server was started again."), lost())
		return
	}
	a.State, a.Text = oomStopped, say.All(" ", gone, still, lost())
}

// wholeGroup is about a group all of whose processes are killed: none is left there to restart a server, unless it was
// protected.
func (c *oomCase) wholeGroup() {
	c.started(0, say.M("The kernel killed the whole cgroup (memory.oom.group = 1), except processes with "+
		"oom_score_adj -1000."),
		say.M("Unless its postmaster was such a process, the server accepts no connections until systemd, a cluster "+
			"manager or an administrator starts it."))
}

// silent reports whether the server's log ends before the kill, with when.
func (c *oomCase) silent() (end say.Message, ok bool) {
	last, v := c.log.Last, &c.report.Victims[0]
	died, known := oomWall(v.At, c.facts)
	at, both := oomWall(last, c.facts)
	if !known || !both || at.After(died) {
		return say.Message{}, false
	}
	return oomTime(last, c.facts), true
}

// unitFailed is the unit that systemd took down, if it is that of the victim or
// the only one.
func (c *oomCase) unitFailed() string {
	unit := oomUnit(c.report.TaskGroup)
	for _, o := range c.log.Other {
		if o.Kind == kernlog.UnitFailed && (o.Name == unit || unit == "" && strings.Contains(o.Name, "postgres")) {
			return o.Name
		}
	}
	return ""
}

// seconds is a time in seconds, to the thousandth.
func seconds(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }

func oomAfterWords(text, words string) string {
	_, s, _ := strings.Cut(text, words)
	s, _, _ = strings.Cut(strings.TrimSpace(s), " ")
	return s
}
