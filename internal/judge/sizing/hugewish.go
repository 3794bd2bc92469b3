package sizing

import (
	"math"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// hugeFrom is the shared_buffers from which huge pages are wanted whatever the number of connections: the page tables
// of each process for 1 GB take 2 MB, and a hundred of them 200 MB.
const hugeFrom = limits.HugeFrom

// hugeTables is what makes them wanted for less: as much as a hundred sessions
// take for 1 GB.
const hugeTables = 200 * unit.MB

// hugePays reports whether huge pages are worth a pool for shared_buffers of this size. It only turns to yes with more
// memory and more connections, never back.
func HugePays(c *rule.Case, buffers unit.Bytes, conns int) bool {
	tables := memory.PageTables(buffers, memory.BasePage(c.Snapshot)) * unit.Bytes(conns)
	return buffers >= hugeFrom || tables >= hugeTables
}

// hugeRoom is how much shared memory can be in huge pages.
type hugeRoom struct {
	Most unit.Bytes  // 0: none at all
	Pool bool        // the pool's size is ours to decide
	Why  say.Message // why there is none, or what bounds it; zero if nothing does
}

const unbounded = unit.Bytes(math.MaxInt64)

// hugeRoom returns the room for the instance's shared memory in huge pages. It depends on nothing that the plan
// changes.
func HugeRoom(c *rule.Case) hugeRoom {
	none := func(text say.Template, pairs ...any) hugeRoom {
		return hugeRoom{Why: say.M(text, pairs...)}
	}
	if c.Options.Pins["pg:huge_pages"] == "off" {
		return none("huge_pages is pinned to off")
	}
	desktop := c.Desktop() && c.Options.Pins["pg:huge_pages"] != "on" // then the user has asked for the pool
	if kind, ok := c.Text("pg:shared_memory_type"); ok && kind != "mmap" {
		return none("shared_memory_type is {kind}, and only mmap supports huge pages", "kind", kind)
	}
	mem, ok := c.Snapshot.Host.Memory.Get()
	if !ok || !c.Snapshot.HostSeen {
		return none("the memory of the host is unknown")
	}
	page := rule.HugePageSize(c.Snapshot, c.Instance)
	if mem.HugePageSize == 0 && !mem.Told("Committed_AS").Known() {
		return none("the huge page values of /proc/meminfo are unavailable")
	}
	if mem.HugePageSize == 0 || page == 0 {
		return none("this kernel has no huge pages")
	}
	room := hugeRoom{Most: unbounded, Pool: true}
	bound := func(most unit.Bytes, text say.Template, pairs ...any) {
		if most < room.Most {
			room.Most, room.Why = max(most, 0), say.M(text, pairs...)
		}
	}
	if page != mem.HugePageSize {
		room.Pool = false
		pools, _ := c.Snapshot.Host.HugePages.Get()
		have := unit.Bytes(memory.PoolOf(pools, page).Total) * page
		bound(have, "huge_page_size requests pages of {page}, and {have} of them is reserved at boot", "page",
			page, "have", have)
	} else if !c.HostIsOurs() {
		room.Pool = false
		have := unit.Bytes(mem.HugeTotal-rule.ForeignPages(c.Snapshot, mem)) * page
		if have <= 0 {
			bound(0,
				"the huge page pool belongs to the container's host, and it has no free pages")
		} else {
			bound(have,
				"the huge page pool belongs to the container's host, and {have} of it is available",
				"have", have)
		}
	}
	if desktop && room.Pool {
		room.Pool = false
		have := unit.Bytes(mem.HugeTotal-rule.ForeignPages(c.Snapshot, mem)) * page
		if have <= 0 {
			bound(0, "on a desktop, no memory is reserved in huge pages, because other programs need it")
		} else {
			bound(have,
				"on a desktop, no more huge pages are reserved, because other programs need the memory; {have} is in "+
					"place",
				"have", have)
		}
	}
	cg, _ := c.Instance.CGroup.Get()
	if limit, ok := cg.Hugetlb[int64(page/unit.KB)]; ok {
		if most, ok := limit.Get(); ok {
			bound(most, "the cgroup limit for huge pages is {limit}", "limit", most)
		}
	}
	b, ok := rule.BasisOf(c.Snapshot, c.Instance, c.Options, c.Outcome)
	if ok && room.Pool && c.Options.Shared && b.Measured > b.Total/2 {
		return none("other programs use {others} of {memory}, and memory in huge pages is not available to them",
			"others",
			b.Measured, "memory", b.Total)
	}
	if room.Most == 0 {
		room.Pool = false
	}
	return room
}

// wantsHuge reports whether the instance should run on huge pages with the shared_buffers that were decided. An
// instance for which they do not matter is counted if another one gets a pool: with huge_pages = try it would take the
// pages that were meant for the other.
func WantsHuge(c *rule.Case) bool {
	if hugeOfItself(c) {
		return true
	}
	if asked, _ := c.Text("pg:huge_pages"); asked == "off" || !HugeRoom(c).Pool {
		return false
	}
	for i := range c.Snapshot.Instances {
		other := &c.Snapshot.Instances[i]
		if other != c.Instance && other.Server.Settings.Known() && hugeOfItself(c.ForInstance(other)) {
			return hugeFits(c)
		}
	}
	return false
}

// hugeOfItself reports whether the instance should run on huge pages for its own sake: because its shared memory is
// large, or because it does so now or must (huge_pages = on).
func hugeOfItself(c *rule.Case) bool {
	room := HugeRoom(c)
	sb, ok := c.Bytes("pg:shared_buffers")
	if !ok || room.Most == 0 {
		return false
	}
	wanted := sb
	if d := c.Outcome.Of(c.Instance.Key, "pg:shared_buffers"); d != nil {
		// A present value a little below 1 GB that is as good as 1 GB counts as that.
		wanted, _ = size(d.Want)
	}
	conns, _ := c.Int("pg:max_connections")
	if !HugePays(c, wanted, conns) && !insistsOnHuge(c) {
		return false
	}
	return hugeFits(c)
}

// hugeFits reports whether the planned shared memory fits the room for it in huge pages, and the memory at all, which a
// pinned shared_buffers may not.
func hugeFits(c *rule.Case) bool {
	sb, ok1 := c.Bytes("pg:shared_buffers")
	conns, ok2 := c.Int("pg:max_connections")
	b, ok3 := rule.BasisOf(c.Snapshot, c.Instance, c.Options, c.Outcome)
	if !ok1 || !ok2 || !ok3 {
		return false
	}
	need, ok := estimate(c, sb, conns)
	need = need.RoundUp(rule.HugePageSize(c.Snapshot, c.Instance))
	most := b.Total - b.Reserve
	if OutsideLimit(c, b) {
		most = b.Host.Most
	}
	return ok && need <= HugeRoom(c).Most && need <= most
}

// insistsOnHuge reports whether huge pages are used, or asked for without a way back, though the shared memory is too
// small for them to matter: taking the pool away would slow the server down or keep it from starting.
func insistsOnHuge(c *rule.Case) bool {
	if pin := c.Options.Pins["pg:huge_pages"]; pin != "" {
		return pin != "off"
	}
	set, _ := c.Instance.Server.Settings.Get()
	asked, _ := set.Text("huge_pages")
	return asked == "on" && !c.Desktop() || asked != "off" && rule.OnHugePages(c.Instance)
}
