package rule

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// sharedKnobs are the addresses of the settings that shape the shared memory,
// which a rule that asks for its size needs decided before.
func sharedKnobs(without ...string) []knob.Address {
	var out []knob.Address
next:
	for _, name := range memory.SharedSettings {
		for _, w := range without {
			if name == w {
				continue next
			}
		}
		out = append(out, knob.PG(name))
	}
	return out
}

// decided returns the value that a setting is planned to have, where the plan
// changes it.
func (c *Case) decided(name string) (string, bool) {
	d := c.out.Of(c.Instance.Key, knob.PG(name))
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
func (c *Case) shape() shape {
	s, seen := c.out.shapes[c.Instance.Key]
	if seen && s.at == len(c.out.Decisions) {
		return s
	}
	s = shape{at: len(c.out.Decisions)}
	version, ok1 := c.Instance.Server.Version.Get()
	set, ok2 := c.Instance.Server.Settings.Get()
	if ok1 && ok2 {
		s.major = version.Major()
		s.params, s.ok = memory.SharedOf(set, c.decided)
	}
	c.out.shapes[c.Instance.Key] = s
	return s
}

// estimate returns the shared memory of the decided settings with this much
// shared_buffers and so many connections. Sizes are decided with it and not
// with what a server says, so that they do not move when one has said it.
func (c *Case) estimate(buffers unit.Bytes, conns int) (unit.Bytes, bool) {
	s := c.shape()
	s.params.SharedBuffers, s.params.Connections = buffers, conns
	return memory.EstimateShared(s.major, s.params), s.ok
}

// estimatePlanned estimates the shared memory of the decided settings for the
// pool of huge pages: with what the running server takes beyond its own
// estimate, as an extension that asks for memory goes on asking.
func (c *Case) estimatePlanned() (unit.Bytes, bool) {
	set, _ := c.Instance.Server.Settings.Get()
	now, ok := memory.SharedOf(set, nil)
	planned := c.shape()
	actual := unit.Bytes(0)
	if seg, ok := memory.SegmentOf(c.Instance).Get(); ok && seg.Exact() {
		actual = seg.Size
	}
	return memory.EstimatePlanned(planned.major, now, actual, planned.params), ok && planned.ok
}

// preloaded lists the libraries of shared_preload_libraries.
func (c *Case) preloaded() []string {
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

// listed writes names as a list.
func listed(names []string) string { return strings.Join(names, ", ") }
