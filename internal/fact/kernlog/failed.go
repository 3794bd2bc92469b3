package kernlog

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// reCache is the cache of the kernel that could not grow, and the cgroup that it belongs to: «cache: TCP, object size:
// 1728, …», «cache: kmalloc-1024(1793:c8ed…), object size: 1024, …».
var reCache = regex.New(`^cache: ([^\s,()]{1,128})(?:\((?:\d{1,10}:)?([^()\s]{1,255})\))?, object size: \d`)

// allocation reads that an allocation of the kernel failed, which kills nothing. The state of the memory stands behind
// it, and behind that which cache could not grow.
func (p *Reader) allocation(l line) bool {
	s := l.text
	switch {
	case strings.HasPrefix(s, "SLUB: Unable to allocate memory on "),
		strings.HasPrefix(s, "SLAB: Unable to allocate memory on "):
		if p.at != nil && !p.at.Called && (!p.at.Shown || p.at.failed) {
			p.at.Shown, p.at.failed = true, true // what stands above is the state of memory at this allocation
			p.close()
		}
		p.shown, p.slub = p.log.Lines, p.log.Lines
		p.add(Other{At: l.at, Kind: AllocFail, Text: s})
		return true
	case strings.HasPrefix(s, "cache: ") && p.lately(p.slub, 1):
		n := len(p.log.Other)
		if m := reCache.FindStringSubmatch(s); m != nil && n > 0 && p.log.Other[n-1].Kind == AllocFail {
			p.log.Other[n-1].Cache, p.log.Other[n-1].CacheOf = m[1], m[2]
		}
		return true
	case strings.Contains(s, ": page allocation failure: order:"):
		m := reAlloc.FindStringSubmatch(s)
		if p.at == nil || len(p.at.Victims) > 0 || p.at.Shown { // else it stands within the report of a kill
			r := p.open(l.at)
			r.Shown, r.failed = true, true
			if m != nil {
				r.Asker.Name = m[1]
				r.Asker.Order, _ = strconv.Atoi(m[2])
			}
		}
		p.shown = p.log.Lines
		if m != nil {
			p.add(Other{At: l.at, Kind: AllocFail, Name: m[1], Text: s})
		}
		return true
	}
	return false
}

// reContainer is a container by the name of its cpuset: its id alone, or behind what its runtime is called.
var reContainer = regex.New(`(?:^|/|(?:docker|cri-containerd|crio|libpod)-)([0-9a-f]{64})(?:\.scope)?$`)

// containerIn is the container that a cpuset is of; "": of none.
func containerIn(cpuset string) string {
	if m := reContainer.FindStringSubmatch(cpuset); m != nil {
		return m[1]
	}
	return ""
}
