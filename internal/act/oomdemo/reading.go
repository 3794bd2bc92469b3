package oomdemo

import (
	"path"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/serverlog"
)

// Reading is what a command of diagnosis makes of the logs of a round, in short.
// The logs themselves are gone when the exercise is over.
type Reading struct {
	Command   string    `json:"command"`   // oom or log, of pgfettle diagnose
	PID       int       `json:"pid"`       // of the process that was killed or refused; 0: not told
	Role      string    `json:"role"`      // of that process in the instance
	Statement string    `json:"statement"` // that it was running
	Cause     string    `json:"cause"`     // of a kill
	After     string    `json:"after"`     // what became of the server: restarted, recovering, …
	Held      []Context `json:"held"`      // memory contexts that held the most, of a refusal: ExecutorState with all below it first
}

// Context is a memory context, with those below it.
type Context struct {
	Name string     `json:"name"`
	Size unit.Bytes `json:"size"`
}

// maxHeld is how many contexts are told: the tree of the query, the largest
// single one, and the one that was asked for more.
const maxHeld = 3

// readings reads the logs of a round with the readers of the commands. group is the
// folder of our control group: kills in others are somebody else's.
func readings(kernel, server, group string) []Reading {
	out := []Reading{}
	r := oom.NewReader()
	for _, text := range []string{kernel, server} {
		if r.Add(strings.NewReader(text)) != nil {
			return out // of a reader that reads from memory
		}
	}
	d := oom.Diagnose(r.Log(), oom.Facts{})
	for _, k := range d.Kills {
		if path.Base(k.Group) != path.Base(group) || k.Victim == nil {
			continue
		}
		out = append(out, Reading{Command: "oom", PID: k.Victim.PID, Role: k.Victim.Role, Statement: k.Victim.Statement, Cause: k.Cause.Text, After: k.After.State, Held: []Context{}})
	}
	c := serverlog.NewCollector(serverlog.Options{})
	if _, err := pglog.Read(strings.NewReader(server), pglog.Options{}, c); err != nil {
		return out
	}
	for _, m := range c.Report().Memory.Dumps {
		if m.Asked {
			continue
		}
		r := Reading{Command: "log", PID: m.PID, Statement: m.Statement, Held: []Context{}}
		for _, x := range m.Subtrees {
			if x.Name == "ExecutorState" {
				r.Held = append(r.Held, Context{x.Name, x.Bytes})
				break
			}
		}
		for _, x := range m.Largest {
			if len(r.Held) < maxHeld && x.Bytes >= m.TotalBytes/10 && (len(r.Held) == 0 || r.Held[0].Name != x.Name) {
				r.Held = append(r.Held, Context{x.Name, x.Bytes})
			}
		}
		out = append(out, r)
		break // the largest comes first
	}
	return out
}
