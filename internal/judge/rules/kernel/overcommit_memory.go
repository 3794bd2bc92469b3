package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

// commitSpare: a twentieth of what may be committed has to be left now, as below
// that one sort or a few sessions are refused.
const commitSpare = 20

var OvercommitMemory = rule.Rule{
	Address: knob.Sysctl("vm.overcommit_memory"),
	Title:   "Memory overcommit mode",
	Why: "With 0, the default, large allocations succeed, and if the memory is used later, the OOM killer kills a " +
		"server process and every session of the instance is terminated. With 2, the kernel refuses allocations " +
		"above the commit limit, and only that query fails (\"out of memory\"). A limit that is too low keeps " +
		"sessions from starting, and it applies to every program on the host. So 2 is planned only for dedicated " +
		"hosts and only with a computed limit. 1 never refuses an allocation.",
	Formula: "2 if the host is dedicated, runs no containers and no ZFS (its cache is not counted), and the commit " +
		"limit of 80% of RAM − huge pages suffices. After the reserves for root and users, the limit must cover " +
		"everything that can be committed. That is shared memory on regular pages, 10 MB per session and process, " +
		"and other programs. It is also the work of the profile's sessions, or of a mixed load if that is more: " +
		"temp_buffers, work_mem × nodes and maintenance. 5% must remain above what is committed now. Otherwise 0. " +
		"Unchanged on shared hosts and desktops, and 2 stays with ZFS.",
	Sources: []string{"pg-overcommit", "linux-commit-limit", "linux-vm", "dalibo-j1"},
	Needs: append(sizing.After(sizing.SizedBefore, knob.PG("max_connections"), knob.PG("shared_buffers"),
		knob.PG("work_mem"), knob.PG("huge_pages")), knob.Sysctl("vm.nr_hugepages")),
	Effect: knob.Now,
	Risk:   knob.High,
	Decide: func(c *rule.Case) {
		if !c.Kernel() {
			return
		}
		mounts, known := c.Snapshot.Host.Mounts.Get()
		zfs := known && rule.ZfsMounted(mounts)
		if zfs && len(c.Snapshot.Instances) > 0 {
			warnARC(c)
		}
		have, ok := c.Sysctl()
		if !ok {
			return
		}
		if c.Among() {
			if have == 2 {
				c.Keep("already strict; other programs on this host may rely on it")
				return
			}
			c.Keep(
				"other programs run on this host: many reserve far more memory than they use and do not start under " +
					"strict overcommit")
			return
		}
		if len(c.Snapshot.Instances) == 0 {
			return
		}
		if _, ok := rule.Need(c, c.Snapshot.Host.Mounts); !ok {
			return
		}
		if zfs {
			if have == 2 {
				c.Keep(
					"already strict; no limit is computed, because the ZFS cache (ARC) is kernel memory that the " +
						"limit does not count")
				return
			}
			lenient(c,
				"ZFS is mounted: its cache (ARC) is kernel memory that the commit limit does not count, so no "+
					"reliable limit can be computed")
			return
		}
		if sizing.ContainersHere(mounts) {
			lenient(c, "containers run on this host, and their programs do not expect allocations to fail")
			return
		}
		s, ok := sizing.StrictCommit(c)
		if !ok {
			return
		}
		switch {
		case s.Limit == 0:
			lenient(c,
				"swap ({swap}) and huge pages ({huge}) exceed 80% of {memory} RAM: no commit limit is left", "swap",
				s.Commit.Swap, "huge", s.Commit.Hugetlb, "memory", s.Commit.Total)
		case s.Usable < s.Need:
			text := say.Template("strict overcommit at 80% of {memory} RAM allows {usable}, but the instances and " +
				"other programs may commit {need}")
			if s.Commit.Hugetlb > 0 {
				text = "strict overcommit at 80% of {memory} RAM, {huge} of it in huge pages, allows {usable}, but " +
					"the instances and other programs may commit {need}"
			}
			lenient(c, text, "memory", s.Commit.Total, "usable", s.Usable, "huge", s.Commit.Hugetlb, "need", s.Need)
		case s.Usable-s.Now < s.Usable/commitSpare:
			lenient(c,
				"strict overcommit allows {usable}, and {now} is committed now: new sessions would be refused at "+
					"once. Plan again when the server runs on huge pages",
				"usable", s.Usable, "now", s.Now)
		default:
			c.Set("2",
				"the limit of {limit} allows {usable} after the reserves, and the peak commits at most {need} ({now} "+
					"now): a query that allocates too much fails alone, without OOM kills",
				"limit", s.Limit, "usable", s.Usable, "need", s.Need, "now", s.Now)
		}
	},
}

// lenient decides for the kernel's default, and says what is wrong with 2.
func lenient(c *rule.Case, text say.Template, pairs ...any) {
	var wrong say.Message
	switch c.Now() {
	case 1:
		wrong = say.M("with 1, the kernel never refuses an allocation")
	case 2:
		wrong = say.M("with 2, a limit that is too low keeps sessions from starting")
	}
	c.SetAs("0", say.All("; ", say.M(text, pairs...), wrong))
}

// warnARC says that the cache of ZFS is outside the budget, and how to bound it. c is a case of the host with
// everything about memory decided.
func warnARC(c *rule.Case) {
	b, ok := c.Basis()
	if ok {
		left := b.Total - b.Reserve - b.Others
		for i := range c.Snapshot.Instances {
			m, ok := sizing.PlannedMemory(c.Outcome, c.Snapshot, &c.Snapshot.Instances[i], c.Options)
			if !ok {
				left = 0
				break
			}
			left -= m.After.Parts().Sum()
		}
		_, unused := sizing.PoolUnused(c.Outcome, c.Snapshot, c.Options)
		if left -= unused; left > 0 {
			c.Warn("The ZFS cache (ARC) is kernel memory outside this budget, and by default it can take half of RAM "+
				"or more. Limit it to at most {left}, what the worst case leaves for it: set zfs_arc_max, in bytes, "+
				"in /etc/modprobe.d/zfs.conf (options zfs zfs_arc_max=BYTES), and at once in "+
				"/sys/module/zfs/parameters/zfs_arc_max.", "left", left)
			return
		}
	}
	c.Warn("The ZFS cache (ARC) is kernel memory outside this budget, and by default it can take half of RAM or " +
		"more. " +
		"Limit it: set zfs_arc_max, in bytes, in /etc/modprobe.d/zfs.conf (options zfs zfs_arc_max=BYTES), and at " +
		"once in /sys/module/zfs/parameters/zfs_arc_max.")
}
