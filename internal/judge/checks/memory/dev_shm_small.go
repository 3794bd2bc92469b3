package memory

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// DevShmSmall reads the limit from the mount options: without one a tmpfs may
// use half of RAM, which is always enough.
var DevShmSmall = check.Check{
	ID:       "dev_shm_small",
	Area:     check.Memory,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "/dev/shm is too small for parallel queries",
	Why: "With dynamic_shared_memory_type = posix, parallel workers share memory in /dev/shm, above all the " +
		"hash table of a parallel hash join. Container runtimes limit /dev/shm to 64 MB by default. A larger " +
		"hash join then fails with \"could not resize shared memory segment … No space left on device\", " +
		"however much memory is free.",
	Do: "In a container, enlarge /dev/shm (docker run --shm-size; in Kubernetes an emptyDir of medium Memory " +
		"mounted at /dev/shm). It counts against the memory limit of the container, and only used pages take " +
		"memory.\n" +
		"On a host, raise the option size= of /dev/shm in /etc/fstab, then run: mount -o remount /dev/shm",
	Commands: []check.Command{check.Shell("mount -o remount /dev/shm")},
	Sources:  []string{"pg-config-resource", "pg-kernel-resources"},
	Judge: func(c *check.Case) {
		mounts, ok := check.Need(c, c.Snapshot.Host.Mounts)
		if !ok {
			return
		}
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		if kind, ok := set.Text("dynamic_shared_memory_type"); !ok || kind != "posix" {
			return
		}
		work, ok1 := set.Bytes("work_mem")
		factor, ok2 := set.Float("hash_mem_multiplier")
		workers, ok3 := set.Int("max_parallel_workers_per_gather")
		if !ok1 || !ok2 || !ok3 || workers == 0 {
			return
		}
		for _, m := range mounts {
			if m.Point != "/dev/shm" || m.FSType != "tmpfs" {
				continue
			}
			limit, ok := tmpfsSize(m.Options)
			// One parallel hash join: its table may take hash_mem for the leader and each worker (nodeHash.c).
			need := work.Scale(factor * float64(workers+1)).RoundUp(unit.MB)
			if ok && limit < need {
				c.That(check.Warning, say.M(c.Remedy()), say.N(workers,
					"/dev/shm is limited to {limit}; one parallel hash join may need {need} (work_mem = {work}, "+
						"hash_mem_multiplier = {factor}, {workers} worker and the leader).",
					"/dev/shm is limited to {limit}; one parallel hash join may need {need} (work_mem = {work}, "+
						"hash_mem_multiplier = {factor}, {workers} workers and the leader).",
					"limit", limit, "need", need, "work", work.GUC(), "factor", factor, "workers", workers))
			}
			return
		}
	},
}

// tmpfsSize returns the option size= of a tmpfs; the kernel shows it in kB.
func tmpfsSize(options []string) (unit.Bytes, bool) {
	for _, o := range options {
		v, ok := strings.CutPrefix(o, "size=")
		if !ok {
			continue
		}
		kb, err := unit.ParseGUC(strings.TrimSuffix(v, "k"), "kB")
		if err != nil || !strings.HasSuffix(v, "k") {
			return 0, false
		}
		return unit.Bytes(kb) * unit.KB, true
	}
	return 0, false
}
