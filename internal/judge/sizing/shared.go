package sizing

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// SharedMemory is the main shared memory segment of an instance as planned.
type SharedMemory struct {
	Bytes unit.Bytes
	Pages int64 // huge pages that hold it, of the size the instance asks for; 0 if the kernel has none
	Exact bool  // the server or its installed binary said so; false: estimated, never below the truth
}

// segment is the planned shared memory of an instance as of so many decisions.
type segment struct {
	at     int
	shared SharedMemory
	ok     bool
}

// SharedMemory returns the shared memory that the decided settings make. If they are the present ones, the running
// server has reported it; otherwise the installed binary may have answered; otherwise it is estimated, and the question
// is noted.
func SharedMemoryOf(c *rule.Case) (SharedMemory, bool) {
	s, seen := rule.Noted[segment](c.Outcome, c.Instance.Key)
	if !seen || s.at != len(c.Outcome.Decisions) {
		s.at = len(c.Outcome.Decisions)
		s.shared, s.ok = sharedMemory(c)
		rule.Note(c.Outcome, c.Instance.Key, s)
	}
	return s.shared, s.ok
}

func sharedMemory(c *rule.Case) (SharedMemory, bool) {
	q := snapshot.ShmemQuestion{Instance: c.Instance.Key, Settings: sharedDifference(c)}
	page := rule.HugePageSize(c.Snapshot, c.Instance)
	sized := func(b unit.Bytes, exact bool) (SharedMemory, bool) {
		return SharedMemory{Bytes: b, Pages: b.Pages(page), Exact: exact}, true
	}
	if len(q.Settings) == 0 {
		if seg, ok := memory.SegmentOf(c.Instance).Get(); ok && seg.Exact() {
			return sized(seg.Size, true)
		}
	}
	for _, a := range c.Instance.Answers {
		if a.Question.Instance == q.Instance && slices.Equal(a.Question.Settings, q.Settings) && a.Bytes > 0 {
			return sized(a.Bytes, true)
		}
	}
	estimate, ok := estimatePlanned(c)
	if !ok {
		return SharedMemory{}, false
	}
	ask(c, q)
	return sized(estimate, false)
}

// sharedDifference lists the decided settings that shape the shared memory and
// are not the present ones.
func sharedDifference(c *rule.Case) []snapshot.NamedValue {
	var out []snapshot.NamedValue
	for _, name := range memory.SharedSettings {
		d := c.Outcome.Of(c.Instance.Key, knob.PG(name))
		if d != nil && d.Changes() {
			out = append(out, snapshot.NamedValue{Name: name, Value: d.Effective.Setting})
		}
	}
	slices.SortFunc(out, func(a, b snapshot.NamedValue) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return out
}

// ask notes a question once.
func ask(c *rule.Case, q snapshot.ShmemQuestion) {
	for _, old := range c.Outcome.Questions {
		if old.Instance == q.Instance && slices.Equal(old.Settings, q.Settings) {
			return
		}
	}
	c.Outcome.Questions = append(c.Outcome.Questions, q)
}
