package rule

import (
	"strconv"
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

// estimate returns the shared memory of the decided settings with this much
// shared_buffers and so many connections. Sizes are decided with it and not
// with what a server says, so that they do not move when one has said it.
func (c *Case) estimate(buffers unit.Bytes, conns int) (unit.Bytes, bool) {
	version, ok := c.Instance.Server.Version.Get()
	if !ok {
		return 0, false
	}
	set, ok := c.Instance.Server.Settings.Get()
	if !ok {
		return 0, false
	}
	block, isSize := unit.MemoryUnit(set["shared_buffers"].Unit)
	if !isSize {
		return 0, false
	}
	p, ok := memory.SharedOf(set, func(name string) (string, bool) {
		switch name {
		case "shared_buffers":
			return strconv.FormatInt(max(int64(buffers/block), 1), 10), true
		case "max_connections":
			return strconv.Itoa(conns), true
		}
		return c.decided(name)
	})
	return memory.EstimateShared(version.Major(), p), ok
}

// estimatePlanned estimates the shared memory of the decided settings for the
// pool of huge pages: with what the running server takes beyond its own
// estimate, as an extension that asks for memory goes on asking.
func (c *Case) estimatePlanned() (unit.Bytes, bool) {
	version, ok := c.Instance.Server.Version.Get()
	if !ok {
		return 0, false
	}
	set, ok := c.Instance.Server.Settings.Get()
	if !ok {
		return 0, false
	}
	now, ok1 := memory.SharedOf(set, nil)
	planned, ok2 := memory.SharedOf(set, c.decided)
	actual := unit.Bytes(0)
	if seg, ok := memory.SegmentOf(c.Instance).Get(); ok && seg.Exact() {
		actual = seg.Size
	}
	return memory.EstimatePlanned(version.Major(), now, actual, planned), ok1 && ok2
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
