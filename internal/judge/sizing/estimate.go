package sizing

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// decided returns the value that a setting is planned to have, if the plan changes it.
func decided(c *rule.Case, name string) (string, bool) {
	d := c.Outcome.Of(c.Instance.Key, knob.PG(name))
	if d == nil || !d.Changes() {
		return "", false
	}
	return d.Effective.Setting, true
}

// shape is what the shared memory of the decided settings depends on, read once
// for the many sizes that are tried.
type shape struct {
	at     int // decisions made when it was read; more of them may change it
	major  int
	params memory.SharedParams
	ok     bool // the version and the settings are known
}

// shape returns the shape of the case's instance.
func shapeOf(c *rule.Case) shape {
	s, seen := rule.Noted[shape](c.Outcome, c.Instance.Key)
	if seen && s.at == len(c.Outcome.Decisions) {
		return s
	}
	s = shape{at: len(c.Outcome.Decisions)}
	version, ok1 := c.Instance.Server.Version.Get()
	set, ok2 := c.Instance.Server.Settings.Get()
	if ok1 && ok2 {
		s.major = version.Major()
		s.params, s.ok = memory.SharedOf(set, func(name string) (string, bool) { return decided(c, name) })
	}
	rule.Note(c.Outcome, c.Instance.Key, s)
	return s
}

// estimate returns the shared memory of the decided settings with this much
// shared_buffers and so many connections. Sizes are decided with it and not
// with what a server says, so that they do not move when one has said it.
func estimate(c *rule.Case, buffers unit.Bytes, conns int) (unit.Bytes, bool) {
	s := shapeOf(c)
	s.params.SharedBuffers, s.params.Connections = buffers, conns
	return memory.EstimateShared(s.major, s.params), s.ok
}

// estimatePlanned estimates the shared memory of the decided settings for the
// pool of huge pages: with what the running server takes beyond its own
// estimate, as an extension that asks for memory goes on asking.
func estimatePlanned(c *rule.Case) (unit.Bytes, bool) {
	set, _ := c.Instance.Server.Settings.Get()
	now, ok := memory.SharedOf(set, nil)
	planned := shapeOf(c)
	actual := unit.Bytes(0)
	if seg, ok := memory.SegmentOf(c.Instance).Get(); ok && seg.Exact() {
		actual = seg.Size
	}
	return memory.EstimatePlanned(planned.major, now, actual, planned.params), ok && planned.ok
}

// preloaded lists the libraries of shared_preload_libraries.
func Preloaded(c *rule.Case) []string {
	text, _ := c.Text("pg:shared_preload_libraries")
	var out []string
	for _, lib := range strings.Split(text, ",") {
		lib = strings.Trim(strings.TrimSpace(lib), `"`)
		if lib = lib[strings.LastIndexByte(lib, '/')+1:]; lib != "" {
			out = append(out, lib)
		}
	}
	return out
}

// Listed writes names as a list.
func Listed(names []string) string { return strings.Join(names, ", ") }
