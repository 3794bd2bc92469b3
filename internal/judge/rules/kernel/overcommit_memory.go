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
	Title:   "whether the kernel promises more memory than it has",
	Why: "With the default, 0, a session that asks for too much gets it, and when the promise falls due the OOM " +
		"killer ends a process of the server, with which all sessions of the instance end. " +
		"With 2 the kernel refuses at a limit, and one query fails with «out of memory». But a limit that is too " +
		"low keeps sessions from starting, and every program of the host is under it: " +
		"that is why it is only for hosts that serve nothing but PostgreSQL, and only with a limit that was " +
		"computed. 1 promises everything and is for nobody here.",
	Formula: "2 where the host is dedicated, runs no containers and no ZFS (whose cache is kernel memory that no " +
		"limit counts), and the limit of 80 % of the memory (huge pages and swap taken off) leaves, after the " +
		"reserves of root and user, " +
		"enough for what may be committed: shared memory on ordinary pages, 10 MB for each session and process, the " +
		"work of the profile's sessions or of a mixed load where that is more: temp_buffers of those that use " +
		"temporary tables, work_mem × claims, maintenance, and other programs; " +
		"and a twentieth beside what is committed now. Else 0, or as it is on a shared host and on a desktop.",
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
				c.Keep("it is strict already, and other programs of this host may count on it")
				return
			}
			c.Keep(
				"other programs run on this host: many reserve far more than they use and would not start under " +
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
					"it is strict already; no other limit is reckoned here, as the cache of ZFS (the ARC) is kernel " +
						"memory that the limit does not count")
				return
			}
			lenient(c,
				"ZFS is mounted: its cache (the ARC) is kernel memory that a commit limit does not count, so no "+
					"limit can be reckoned that keeps its promise")
			return
		}
		if sizing.ContainersHere(mounts) {
			lenient(c, "containers run on this host, and programs in them do not expect to be refused memory")
			return
		}
		s, ok := sizing.StrictCommit(c)
		if !ok {
			return
		}
		switch {
		case s.Limit == 0:
			lenient(c,
				"swap ({swap}) and huge pages ({huge}) come to more than 80 % of the memory ({memory}): no limit is "+
					"left to set", "swap", s.Commit.Swap, "huge", s.Commit.Hugetlb, "memory", s.Commit.Total)
		case s.Usable < s.Need:
			text := say.Template("strict overcommit at 80 % of {memory} would leave {usable} to commit, and the " +
				"instances and other programs may need {need}")
			if s.Commit.Hugetlb > 0 {
				text = "strict overcommit at 80 % of {memory} would leave {usable} to commit beside {huge} of huge " +
					"pages, and the instances and other programs may need {need}"
			}
			lenient(c, text, "memory", s.Commit.Total, "usable", s.Usable, "huge", s.Commit.Hugetlb, "need", s.Need)
		case s.Usable-s.Now < s.Usable/commitSpare:
			lenient(c,
				"strict overcommit would leave {usable} to commit, and {now} are committed now: new sessions would "+
					"be refused at once. Plan again when the server runs on huge pages",
				"usable", s.Usable, "now", s.Now)
		default:
			c.Set("2",
				"the limit of {limit} leaves {usable} after the reserves, and at the peak {need} may be committed "+
					"({now} are now): a query that asks for too much fails alone, instead of the OOM killer ending "+
					"every session",
				"limit", s.Limit, "usable", s.Usable, "need", s.Need, "now", s.Now)
		}
	},
}

// lenient decides for the kernel's default, and says what is wrong with 2.
func lenient(c *rule.Case, text say.Template, pairs ...any) {
	var wrong say.Message
	switch c.Now() {
	case 1:
		wrong = say.M("1 promises everything to everybody until the OOM killer collects")
	case 2:
		wrong = say.M("a limit that is too low keeps sessions from starting")
	}
	c.SetAs("0", say.All("; ", say.M(text, pairs...), wrong))
}

// warnARC says that the cache of ZFS is outside of the budget, and how to bound
// it. c is a case of the host with everything about memory decided.
func warnARC(c *rule.Case) {
	const text = "ZFS keeps a cache of its own, the ARC, in kernel memory: it is not in this budget, and by default " +
		"it may take half of the memory or more. " +
		"Bound it by zfs_arc_max, in bytes (options zfs zfs_arc_max=… in /etc/modprobe.d/zfs.conf, and " +
		"/sys/module/zfs/parameters/zfs_arc_max for now)"
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
			c.Warn(text+": {left} are left for it in the worst case.", "left", left)
			return
		}
	}
	c.Warn(text + ".")
}
