package oom

import (
	"fmt"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/fact/kernlog"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// After is what became of the server.
type After struct {
	State   string   `json:"state"` // restarted, stopped, recovering, untouched, unknown
	Text    string   `json:"text"`
	Seconds *float64 `json:"seconds,omitempty"` // from the death to the readiness, where the log tells
}

// The states.
const (
	oomRestarted  = "restarted"  // all sessions were ended, and it takes connections again
	oomStopped    = "stopped"    // it is down
	oomRecovering = "recovering" // the log ends before it is ready
	oomUntouched  = "untouched"  // the victim was none of a server
	oomUnknown    = "unknown"
)

// oomLost is what a crash restart costs, whatever the server was doing.
const oomLost = "Every session was ended and every transaction that had not committed was rolled back; what had " +
	"committed was kept. Unlogged tables were emptied, and the cumulative statistics start anew."

// after follows the server's log from the death of the victim on.
func (c *oomCase) after() {
	a, v := &c.kill.After, c.kill.Victim
	a.State = oomUnknown
	switch {
	case c.report.Panic:
		a.State, a.Text = oomStopped,
			"A panic of the kernel takes the whole host down, and every server on it. What had "+
				"committed is kept: a server recovers when it is started again."
		return
	case c.report.NoVictim:
		a.State, a.Text = oomUntouched, "No process was killed by this run of the killer."
		return
	case v == nil:
		a.Text = "Who was killed is not known, so neither is what it did to a server."
		return
	case !oomServer(v.Name):
		a.State, a.Text = oomUntouched,
			"The victim was no process of a PostgreSQL server: no server was restarted by this kill."
		return
	}
	failed := c.unitFailed()
	if c.death == nil && c.report.WholeGroup {
		c.wholeGroup()
		return
	}
	if c.death == nil {
		a.Text = "A server ends all sessions and recovers when a child is killed (restart_after_crash = on, the " +
			"default)"
		if v.Role == "postmaster" {
			a.Text = "Without its postmaster a server takes no more connections; only systemd or a cluster manager " +
				"starts it again"
		}
		a.Text += "; whether it did so is in its log, which was not given."
		if end, ok := c.silent(); ok {
			a.Text = fmt.Sprintf(
				"The server's log ends at %s, before the kill, and reports no death. Either the postmaster itself was "+
					"killed, or the log is cut there.", end)
		}
		if failed != "" {
			a.State, a.Text = oomStopped, "systemd stopped "+failed+
				" because of the kill (OOMPolicy=stop, its default): the server stays down until somebody starts it. "+
				oomLost
		}
		return
	}
	if c.death.Orphaned {
		c.started(c.deathI+1, "The postmaster itself was gone: its other processes ended")
		return
	}
	var text []string
	reinit, from, to := false, "", ""
	state := oomRecovering
	asked := false
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
			state = oomRestarted
			if d, ok := e.since(c.death); ok && d >= 0 {
				a.Seconds = oomPtr(seconds(d))
			}
		case pglog.ShutdownAsked:
			asked = true
		case pglog.ShutDown:
			if state == oomRestarted && !asked {
				break loop
			}
			state = oomStopped
			break loop
		case pglog.Starting:
			break loop // somebody started it later
		}
	}
	a.State = state
	if failed != "" {
		a.State = oomStopped
	}
	if reinit || state == oomRestarted {
		text = append(text, oomLost)
	}
	switch {
	case from != "" && to != "":
		text = append(text, "WAL was replayed from "+from+" to "+to+".")
	case from != "":
		text = append(text, "WAL was replayed from "+from+".")
	}
	switch {
	case failed != "":
		text = append(text, "Then systemd stopped "+failed+
			" because a process of it had been killed (OOMPolicy=stop, its default): the server is down although it "+
			"had recovered.")
	case state == oomStopped && asked:
		text = append(text,
			"Soon after it was ready it was asked to shut down, and is down since: as systemd does with "+
				"OOMPolicy=stop, its default (journalctl -u UNIT says so).")
	case state == oomStopped:
		text = append(text, "It is down: the log has no start after it.")
	case state == oomRecovering && !reinit:
		text = append(text, "Its log does not tell how it went on: it ends, or is in another language than English.")
	case state == oomRecovering:
		text = append(text, "The log ends before it takes connections again.")
	}
	a.Text = strings.Join(text, " ")
}

// started says whether a server was started again whose postmaster is gone, from an entry of its log on.
func (c *oomCase) started(from int, gone string) {
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
			continue // nothing tells whether it is of before the kill
		}
		if ok && d >= 0 {
			a.Seconds = oomPtr(seconds(d))
		}
		a.State, a.Text = oomRestarted, gone+". Then it was started again. "+oomLost
		return
	}
	a.State, a.Text = oomStopped, gone+", and the server accepts no connections until systemd, a cluster manager or "+
		"an administrator starts it. "+oomLost
}

// wholeGroup is about a group all of whose processes are killed: nobody is left there to restart a server.
func (c *oomCase) wholeGroup() {
	c.started(0, "The whole control group was killed (memory.oom.group), so the postmaster in it does not restart the "+
		"server")
}

// silent says whether the server's log ends before the kill, with when.
func (c *oomCase) silent() (end string, ok bool) {
	last, v := c.log.Last, &c.report.Victims[0]
	died, known := oomWall(v.At, c.facts)
	at, both := oomWall(last, c.facts)
	if !known || !both || at.After(died) {
		return "", false
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
