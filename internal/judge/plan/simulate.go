package plan

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Simulate returns the snapshot that would be taken after the plan was applied. The
// given one is not changed. The program needs it for what a plan does not resolve
// (Leaves: check runs on the result), docs/plans.md for the settings that it compares,
// and the tests for the promises of the planner.
func Simulate(s *snapshot.Snapshot, p *Plan) *snapshot.Snapshot {
	t := *s
	t.Host.Sysctls = maps.Clone(s.Host.Sysctls)
	t.Instances = append([]snapshot.Instance(nil), s.Instances...)
	for i := range t.Instances {
		in := &t.Instances[i]
		in.Server.Settings = known.Map(in.Server.Settings, func(m pg.Settings) pg.Settings { return maps.Clone(m) })
	}
	for i := range p.Changes {
		simulate(&t, &p.Changes[i])
	}
	for _, sh := range p.Shared {
		simulateShared(&t, sh)
	}
	t.Host.Memory = known.Map(t.Host.Memory, func(m host.Memory) host.Memory { return commitAfter(&t, m) })
	return &t
}

func simulate(t *snapshot.Snapshot, c *Change) {
	switch c.Address.Prefix() {
	case "pg":
		if m, ok := t.Instance(c.Key).Server.Settings.Get(); ok {
			set := m[c.Address.Name()]
			set.Value, set.Source = c.ToBase, "configuration file"
			m[c.Address.Name()] = set
		}
	case "tablespace":
		in := t.Instance(c.Key)
		in.Server.Tablespaces = known.Map(in.Server.Tablespaces, func(list []pg.Tablespace) []pg.Tablespace {
			return withOption(list, c)
		})
	case "sysctl":
		t.Host.Sysctls[c.Address.Name()] = known.Is(c.ToBase)
		switch c.Address.Name() {
		case "vm.nr_hugepages":
			t.Host.HugePages = known.Map(t.Host.HugePages, func(p []host.Pool) []host.Pool {
				return poolsOf(p, t.Host.Memory, c.ToBase)
			})
			t.Host.Memory = known.Map(t.Host.Memory, func(m host.Memory) host.Memory { return poolOf(m, c.ToBase) })
		case "vm.overcommit_kbytes": // the kernel zeroes the other of the pair
			if c.ToBase != "0" {
				t.Host.Sysctls["vm.overcommit_ratio"] = known.Is("0")
			}
		case "vm.dirty_bytes":
			t.Host.Sysctls["vm.dirty_ratio"] = known.Is("0")
		case "vm.dirty_background_bytes":
			t.Host.Sysctls["vm.dirty_background_ratio"] = known.Is("0")
		}
	case "thp":
		switch c.Address.Name() {
		case "enabled":
			t.Host.THP.Enabled = known.Is(c.ToBase)
		case "defrag":
			t.Host.THP.Defrag = known.Is(c.ToBase)
		case "shmem_enabled":
			t.Host.THP.ShmemEnabled = known.Is(c.ToBase)
		}
	case "block":
		t.Host.Blocks = known.Map(t.Host.Blocks, func(list []host.Block) []host.Block { return queueOf(list, c) })
	case "mount":
		t.Host.Mounts = known.Map(t.Host.Mounts, func(list []host.Mount) []host.Mount { return remounted(list, c) })
		t.Host.Fstab = known.Map(t.Host.Fstab, func(list []host.FstabLine) []host.FstabLine {
			list = slices.Clone(list)
			for i := range list {
				if list[i].Point == c.Address.Subject() {
					list[i].Options = c.ToBase
				}
			}
			return list
		})
	case "boot":
		t.Host.CmdLine = known.Map(t.Host.CmdLine, func(words []string) []string {
			return append(slices.Clone(words), c.Address.Name()+"="+c.ToBase)
		})
	case "unit":
		for i := range t.Instances {
			t.Instances[i].Unit = known.Map(t.Instances[i].Unit, func(u host.Unit) host.Unit {
				u.Properties = maps.Clone(u.Properties)
				for _, a := range host.Assignments(c.Address.Name(), c.ToBase) {
					u.Properties[a[0]] = a[1]
				}
				if c.Address == knob.Address("unit:OOMPolicy") {
					u.OOMPolicy = c.ToBase
				}
				return u
			})
		}
	}
}

// withOption returns the tablespaces with an option of one of them changed.
func withOption(list []pg.Tablespace, c *Change) []pg.Tablespace {
	name, option, _ := c.Address.Tablespace()
	list = slices.Clone(list)
	for i := range list {
		if list[i].Name != name {
			continue
		}
		list[i].Options = slices.DeleteFunc(slices.Clone(list[i].Options),
			func(o string) bool { return strings.HasPrefix(o, option+"=") })
		if c.ToBase != knob.Unset {
			list[i].Options = append(list[i].Options, option+"="+c.ToBase)
		}
	}
	return list
}

// queueOf returns the devices with one attribute of a queue changed.
func queueOf(list []host.Block, c *Change) []host.Block {
	list = slices.Clone(list)
	for i := range list {
		if rule.SubjectOf(list[i]) != c.Address.Subject() {
			continue
		}
		switch c.Address.Family() {
		case "block:*/scheduler":
			list[i].Scheduler = known.Is(c.ToBase)
		case "block:*/read_ahead_kb":
			if kb, err := strconv.ParseInt(c.ToBase, 10, 64); err == nil {
				list[i].ReadAhead = known.Is(unit.Bytes(kb) * unit.KB)
			}
		}
	}
	return list
}

// remounted returns the mounts with the access times of one as its new options ask
// for them, and as mountinfo shows them: strictatime is not shown.
func remounted(list []host.Mount, c *Change) []host.Mount {
	list = slices.Clone(list)
	for i := range list {
		if list[i].Point != c.Address.Subject() {
			continue
		}
		list[i].Options = slices.DeleteFunc(slices.Clone(list[i].Options),
			func(w string) bool { return w == "noatime" || w == "relatime" })
		if atime := host.WantedFlags(strings.Split(c.ToBase, ",")).Atime; atime != "strictatime" {
			list[i].Options = append(list[i].Options, atime)
		}
	}
	return list
}

// poolOf returns the memory with a pool of n huge pages of the default size, all of it free: their use is not
// simulated.
func poolOf(m host.Memory, n string) host.Memory {
	pages, err := strconv.ParseInt(n, 10, 64)
	if err != nil {
		return m
	}
	delta := unit.Bytes(pages-m.HugeTotal) * m.HugePageSize
	m.Lines = maps.Clone(m.Lines)
	if h, ok := m.Lines["Hugetlb"]; ok {
		m.Lines["Hugetlb"] = h + delta
	}
	m.HugeFree += pages - m.HugeTotal
	m.HugeTotal = pages
	m.Free = max(m.Free-delta, 0)
	m.Available = max(m.Available-delta, 0)
	return m
}

// poolsOf is the same for the pools of /sys/kernel/mm/hugepages.
func poolsOf(pools []host.Pool, memory known.Fact[host.Memory], n string) []host.Pool {
	pages, err := strconv.ParseInt(n, 10, 64)
	m, ok := memory.Get()
	if err != nil || !ok {
		return pools
	}
	pools = slices.Clone(pools)
	at := slices.IndexFunc(pools, func(p host.Pool) bool { return p.Size == m.HugePageSize })
	if at < 0 {
		return pools
	}
	pools[at].Free += pages - pools[at].Total
	pools[at].Total = pages
	return pools
}

// simulateShared makes the server say what it would say of its shared memory.
func simulateShared(t *snapshot.Snapshot, sh Shared) {
	in := t.Instance(sh.Key)
	m, ok := in.Server.Settings.Get()
	if !ok {
		return
	}
	page, _ := memory.HugePageSize(t, in).Get()
	held := memory.HugePagesHeld(t, in)
	was, _ := memory.HugeNeedOf(in, page)
	// A server on huge pages takes as many as its memory needs then: what others
	// use stays what it is.
	defer func() {
		more := memory.HugePagesHeld(t, in) - held
		t.Host.HugePages = known.Map(t.Host.HugePages, func(p []host.Pool) []host.Pool {
			return lessFree(p, page, more)
		})
		t.Host.Memory = known.Map(t.Host.Memory, func(m host.Memory) host.Memory { m.HugeFree -= more; return m })
	}()
	if v, ok := m["shared_memory_size"]; ok {
		v.Value = strconv.FormatInt(sh.Bytes.Pages(unit.MB), 10)
		m["shared_memory_size"] = v
		v = m["shared_memory_size_in_huge_pages"]
		v.Value = strconv.FormatInt(sh.Bytes.Pages(page), 10)
		m["shared_memory_size_in_huge_pages"] = v
	} else {
		in.Server.Shmem = known.Is([]pg.ShmemPart{{Name: "<simulated>", Size: sh.Bytes}})
	}
	restartOnHugePages(t, in, m, sh.Bytes, unit.Bytes(was.Pages)*page, page, held)
}

// restartOnHugePages predicts for a server seen on regular or on huge pages which it uses after a restart: huge pages
// if it asks for them and the free ones, with its own, suffice. Nothing is assumed about a server that was not seen.
// Memory in regular pages is committed, what was there before no longer is.
func restartOnHugePages(t *snapshot.Snapshot, in *snapshot.Instance, m pg.Settings, size, was, page unit.Bytes,
	held int64) {
	mem, ok := t.Host.Memory.Get()
	had, seen := memory.OnHugePages(in).Get()
	if !ok || page <= 0 || page != mem.HugePageSize || !seen {
		return
	}
	takes := m["huge_pages"].Value != "off" && mem.HugeFree-mem.HugeRsvd+held >= size.Pages(page)
	if s, ok := m["huge_pages_status"]; ok {
		s.Value = map[bool]string{true: "on", false: "off"}[takes]
		m["huge_pages_status"] = s
	}
	if !had {
		mem.CommittedAS = max(mem.CommittedAS-was, 0)
	}
	if !takes {
		mem.CommittedAS += size
	}
	t.Host.Memory = known.Is(mem)
	in.Processes = known.Map(in.Processes, func(list []host.Process) []host.Process {
		list = slices.Clone(list)
		for i := range list {
			if list[i].Kind != "postmaster" {
				continue
			}
			list[i].Huge = 0
			if takes {
				list[i].Huge = unit.Bytes(size.Pages(page)) * page
			}
		}
		return list
	})
}

func lessFree(pools []host.Pool, size unit.Bytes, pages int64) []host.Pool {
	pools = slices.Clone(pools)
	for i := range pools {
		if pools[i].Size == size {
			pools[i].Free -= pages
		}
	}
	return pools
}

func commitAfter(t *snapshot.Snapshot, m host.Memory) host.Memory {
	ratio, ok1 := t.Host.Sysctls.Int("vm.overcommit_ratio").Get()
	kbytes, ok2 := t.Host.Sysctls.Int("vm.overcommit_kbytes").Get()
	if ok1 && ok2 {
		m.CommitLimit = commitLimit(m, ratio, unit.Bytes(kbytes)*unit.KB)
	}
	return m
}

func commitLimit(m host.Memory, ratio int64, kbytes unit.Bytes) unit.Bytes {
	return memory.Commit{Total: m.Total, Hugetlb: m.Hugetlb(), Swap: m.SwapTotal, Ratio: ratio, KBytes: kbytes}.Limit()
}
