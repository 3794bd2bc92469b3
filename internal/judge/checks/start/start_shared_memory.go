package start

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// StartSharedMemory fires only if the request certainly fails: an estimate counts with
// its lower bound. Huge pages are judged by start_huge_pages, and a cgroup limit applies
// only when the memory is used.
var StartSharedMemory = check.Check{
	ID:        "start_shared_memory",
	Area:      check.Startup,
	Severity:  check.Critical,
	Scope:     check.PerInstance,
	Title:     "Kernel refuses the shared memory of the server",
	DependsOn: []string{"start_config_error", "start_huge_pages"},
	Why: "At start the server requests its whole shared memory at once. With vm.overcommit_memory = 0 the " +
		"kernel refuses a request above RAM plus swap, with 2 one above what CommitLimit leaves. With " +
		"shared_memory_type = sysv it refuses one above kernel.shmmax or kernel.shmall. The server then stops " +
		"with \"could not map anonymous shared memory\" or \"could not create shared memory segment\".",
	Do: "1. Lower shared_buffers or another setting that requests shared memory (max_connections, " +
		"max_locks_per_transaction) until the request fits. pgfettle plan computes values for this host.\n2. Start " +
		"the server.",
	Sources: []string{"pg-kernel-resources", "pg-overcommit", "linux-commit-limit"},
	Judge: func(c *check.Case) {
		if !c.Stopped() {
			return
		}
		if shm, ok := check.Need(c, c.Instance.Start.Shm); ok {
			sharedMemoryFolder(c, shm.Fault, shm.Free)
		}
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		need, ok := c.SharedMemoryAsked()
		if !ok {
			return
		}
		if kind, _ := set.Text("shared_memory_type"); kind == "sysv" {
			sysv(c, need)
			return
		}
		if inHugePages(c, need) {
			return
		}
		mode, ok1 := check.Need(c, c.Snapshot.Host.Sysctls.Int("vm.overcommit_memory"))
		mem, ok2 := check.Need(c, c.Snapshot.Host.Memory)
		switch {
		case !ok1 || !ok2:
		case mode == 0 && need > mem.Total+mem.SwapTotal:
			if _, ok := check.Need(c, mem.Told("SwapTotal")); !ok {
				return
			}
			c.Found("The server requests {need} of shared memory; RAM plus swap is {all} (vm.overcommit_memory = 0).",
				"need", need, "all", mem.Total+mem.SwapTotal)
		case mode == 2:
			strict(c, need)
		}
	},
}

// strict judges vm.overcommit_memory = 2: Committed_AS counts, and the server cannot
// use vm.admin_reserve_kbytes.
func strict(c *check.Case, need unit.Bytes) {
	k, ok := check.CommitLimit(c)
	admin, ok2 := check.Need(c, c.Snapshot.Host.Sysctls.Int("vm.admin_reserve_kbytes"))
	if !ok || !ok2 {
		return
	}
	mem, _ := c.Snapshot.Host.Memory.Get()
	left := max(k.Usable(unit.Bytes(admin)*unit.KB, 0)-mem.CommittedAS, 0)
	if need <= left {
		return
	}
	c.FoundDo(check.Critical,
		"1. Raise vm.overcommit_kbytes or vm.overcommit_ratio, move the shared memory into huge pages (they do not "+
			"count), or lower shared_buffers.\n"+
			"2. Start the server.",
		"The server requests {need} of shared memory; of CommitLimit = {limit}, {left} is left "+
			"(vm.overcommit_memory = 2).", "need", need, "limit", k.Limit(), "left", left)
}

func sysv(c *check.Case, need unit.Bytes) {
	// the kernel defaults exceed 63 bits: no limits
	most, ok1 := c.Snapshot.Host.Sysctls.Int("kernel.shmmax").Get()
	all, ok2 := c.Snapshot.Host.Sysctls.Int("kernel.shmall").Get()
	page := memory.BasePage(c.Snapshot)
	do := say.Template("1. Set shared_memory_type = mmap, the default, to which these limits do not apply. Or raise " +
		"kernel.shmmax and kernel.shmall.\n" +
		"2. Start the server.")
	switch {
	case ok1 && most >= 0 && need > unit.Bytes(most):
		c.FoundDo(check.Critical, do,
			"The server requests {need} of shared memory; kernel.shmmax allows {most} per segment "+
				"(shared_memory_type = sysv).", "need", need, "most", unit.Bytes(most))
	case ok2 && all >= 0 && page > 0 && all < int64(need/page):
		c.FoundDo(check.Critical, do,
			"The server requests {need} of shared memory; kernel.shmall allows {all} in total (shared_memory_type = "+
				"sysv).", "need", need, "all", unit.Bytes(all)*page)
	}
}

// leastShm is what a server creates in /dev/shm at start: the control segment of its
// dynamic segments, some 24 bytes for each of a few hundred to some thousands.
const leastShm = 64 * unit.KB

func sharedMemoryFolder(c *check.Case, fault string, free unit.Bytes) {
	set, ok := c.Instance.Server.Settings.Get()
	if kind, _ := set.Text("dynamic_shared_memory_type"); !ok || kind != "posix" {
		return
	}
	do := say.Template("1. Mount a tmpfs at /dev/shm (mode 1777) and free space in it. Files /dev/shm/PostgreSQL.* " +
		"that no server has open are leftovers of a crash.\n" +
		"2. Start the server.")
	switch {
	case fault != "":
		c.FoundDo(check.Critical, do, "/dev/shm: {fault} (dynamic_shared_memory_type = posix).", "fault", fault)
	case free >= 0 && free < leastShm:
		c.FoundDo(check.Critical, do, "Free space in /dev/shm: {free} (dynamic_shared_memory_type = posix).", "free",
			free)
	}
}

// inHugePages reports whether the server would take its memory from the huge page pool, which does not count as
// committed.
func inHugePages(c *check.Case, need unit.Bytes) bool {
	set, _ := c.Instance.Server.Settings.Get()
	if mode, _ := set.Text("huge_pages"); mode != "on" && mode != "try" {
		return false
	}
	size, ok := memory.HugePageSize(c.Snapshot, c.Instance).Get()
	pools, ok2 := c.Snapshot.Host.HugePages.Get()
	if !ok || !ok2 || size == 0 {
		return false
	}
	return freePages(pools, size) >= need.Pages(size)
}
