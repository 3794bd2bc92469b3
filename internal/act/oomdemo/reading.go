package oomdemo

import (
	"path"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/oomresult"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/serverlog"
)

// maxHeld is how many contexts are reported: the tree of the query, the largest single one, and the one that was asked
// for more.
const maxHeld = 3

// readings reads the logs of a round with the readers of the commands. group is the directory of our cgroup: kills in
// others are not ours.
func readings(kernel, server, group string) []oomresult.Reading {
	out := []oomresult.Reading{}
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
		out = append(out, oomresult.Reading{Command: "oom", PID: k.Victim.PID, Role: k.Victim.Role,
			Statement: k.Victim.Statement, Cause: k.Cause.Text, After: k.After.State,
			Held: []oomresult.Context{}})
	}
	c := serverlog.NewCollector(serverlog.Options{})
	if _, err := pglog.Read(strings.NewReader(server), pglog.Options{}, c); err != nil {
		return out
	}
	for _, m := range c.Report().Memory.Dumps {
		if m.Asked {
			continue
		}
		r := oomresult.Reading{Command: "log", PID: m.PID, Statement: m.Statement, Held: []oomresult.Context{}}
		for _, x := range m.Subtrees {
			if x.Name == "ExecutorState" {
				r.Held = append(r.Held, oomresult.Context{Name: x.Name, Size: x.Bytes})
				break
			}
		}
		for _, x := range m.Largest {
			if len(r.Held) < maxHeld && x.Bytes >= m.TotalBytes/10 && (len(r.Held) == 0 || r.Held[0].Name != x.Name) {
				r.Held = append(r.Held, oomresult.Context{Name: x.Name, Size: x.Bytes})
			}
		}
		out = append(out, r)
		break // the largest comes first
	}
	return out
}
