package rule

import "github.com/pgfettle/pgfettle/internal/base/knob"

// commitSpare: a twentieth of what may be committed has to be left now, as below
// that one sort or a few sessions are refused.
const commitSpare = 20

var overcommitMemory = Rule{
	Address: knob.Sysctl("vm.overcommit_memory"),
	Title:   "whether the kernel promises more memory than it has",
	Why: "With the default, 0, a session that asks for too much gets it, and when the promise falls due the OOM killer ends a process of the server, with which all sessions of the instance end. " +
		"With 2 the kernel refuses at a limit, and one query fails with «out of memory». But a limit that is too low keeps sessions from starting, and every program of the host is under it: " +
		"that is why it is only for hosts that serve nothing but PostgreSQL, and only with a limit that was computed. 1 promises everything and is for nobody here.",
	Formula: "2 where the host is dedicated, runs no containers and no ZFS (whose cache is kernel memory that no limit counts), and the limit of 80 % of the memory (huge pages and swap taken off) leaves, after the reserves of root and user, " +
		"enough for what may be committed: shared memory on ordinary pages, 10 MB for each session and process, the work of the profile's sessions or of a mixed load where that is more: temp_buffers of those that use temporary tables, work_mem × claims, maintenance, and other programs; " +
		"and a twentieth beside what is committed now. Else 0, or as it is on a shared host and on a desktop.",
	Sources: []string{"pg-overcommit", "linux-commit-limit", "linux-vm", "dalibo-j1"},
	Needs:   append(after(sizedBefore, knob.PG("max_connections"), knob.PG("shared_buffers"), knob.PG("work_mem"), knob.PG("huge_pages")), knob.Sysctl("vm.nr_hugepages")),
	Effect:  knob.Now,
	Risk:    knob.High,
	Decide: func(c *Case) {
		if !c.kernel() {
			return
		}
		mounts, known := c.Snapshot.Host.Mounts.Get()
		zfs := known && zfsMounted(mounts)
		if zfs && len(c.Snapshot.Instances) > 0 {
			c.warnARC()
		}
		have, ok := c.sysctl()
		if !ok {
			return
		}
		if c.among() {
			if have == 2 {
				c.Keep("it is strict already, and other programs of this host may count on it")
				return
			}
			c.Keep("other programs run on this host: many reserve far more than they use and would not start under strict overcommit")
			return
		}
		if len(c.Snapshot.Instances) == 0 {
			return
		}
		if _, ok := Need(c, c.Snapshot.Host.Mounts); !ok {
			return
		}
		if zfs {
			if have == 2 {
				c.Keep("it is strict already; no other limit is reckoned here, as the cache of ZFS (the ARC) is kernel memory that the limit does not count")
				return
			}
			c.lenient("ZFS is mounted: its cache (the ARC) is kernel memory that a commit limit does not count, so no limit can be reckoned that keeps its promise")
			return
		}
		if containersHere(mounts) {
			c.lenient("containers run on this host, and programs in them do not expect to be refused memory")
			return
		}
		s, ok := c.strictCommit()
		if !ok {
			return
		}
		switch {
		case s.limit == 0:
			c.lenient("swap ({swap}) and huge pages ({huge}) come to more than 80 % of the memory ({memory}): no limit is left to set", "swap", s.commit.Swap, "huge", s.commit.Hugetlb, "memory", s.commit.Total)
		case s.usable < s.need:
			beside := ""
			if s.commit.Hugetlb > 0 {
				beside = " beside {huge} of huge pages"
			}
			c.lenient("strict overcommit at 80 % of {memory} would leave {usable} to commit"+beside+", and the instances and other programs may need {need}",
				"memory", s.commit.Total, "usable", s.usable, "huge", s.commit.Hugetlb, "need", s.need)
		case s.usable-s.now < s.usable/commitSpare:
			c.lenient("strict overcommit would leave {usable} to commit, and {now} are committed now: new sessions would be refused at once. Plan again when the server runs on huge pages",
				"usable", s.usable, "now", s.now)
		default:
			c.Set("2", "the limit of {limit} leaves {usable} after the reserves, and at the peak {need} may be committed ({now} are now): a query that asks for too much fails alone, instead of the OOM killer ending every session",
				"limit", s.limit, "usable", s.usable, "need", s.need, "now", s.now)
		}
	},
}

// lenient decides for the kernel's default, and says what is wrong with 2.
func (c *Case) lenient(text string, pairs ...any) {
	switch c.now() {
	case 1:
		text += "; 1 promises everything to everybody until the OOM killer collects"
	case 2:
		text += "; a limit that is too low keeps sessions from starting"
	}
	c.Set("0", text, pairs...)
}
