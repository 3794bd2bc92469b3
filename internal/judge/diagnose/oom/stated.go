package oom

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/fact/kernlog"
)

// statedOf is what the text states; nil if it states nothing.
func statedOf(s *kernlog.Stated, f Facts) *Stated {
	out := &Stated{RAM: s.RAM, Swap: s.Swap, Limit: s.Limit, Kills: s.Kills, Restarts: s.Restarts, Pod: s.Pod,
		Namespace: s.Namespace, Node: s.Node}
	if s.Exit != nil {
		out.Exit = &Exit{oomTime(s.Exit.At, &f), s.Exit.Reason}
	}
	if *out == (Stated{}) {
		return nil
	}
	return out
}

// oomMaxCaches bounds the caches that are named.
const oomMaxCaches = 16

// failedCache counts a cache that could not grow.
func (d *Report) failedCache(name, group string) {
	if name == "" {
		return
	}
	i := slices.IndexFunc(d.FailedCaches, func(c FailedCache) bool { return c.Name == name && c.Group == group })
	if i < 0 && len(d.FailedCaches) < oomMaxCaches {
		d.FailedCaches = append(d.FailedCaches, FailedCache{Name: name, Group: group})
		i = len(d.FailedCaches) - 1
	}
	if i >= 0 {
		d.FailedCaches[i].Times++
	}
}

// atFailure is the state of the memory when an allocation failed; nil if it is not in the logs.
func atFailure(log *Log, f *Facts) *Memory {
	if log.State == nil || log.State.Info == nil {
		return nil
	}
	k := Kill{}
	c := &oomCase{kill: &k, report: log.State, log: log, facts: f}
	c.page()
	c.memory()
	return &k.Memory
}
