package sizing

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

const (
	// AdminReserve is what root keeps for a login and a kill when nothing else
	// gets memory any more: about 128 MB under strict overcommit.
	AdminReserve = 128 * unit.MB
	// userReserve is the kernel's default of vm.user_reserve_kbytes.
	userReserve = 128 * unit.MB
)

// strict is what strict overcommit would come to on this host.
type strict struct {
	Commit memory.Commit
	Limit  unit.Bytes // CommitLimit that the kernel would show
	Usable unit.Bytes // of it by processes of ordinary users
	Need   unit.Bytes // by the instances and the other programs
	Now    unit.Bytes // Committed_AS
}

// strictCommit works strict overcommit out with the planned huge pages and instances. ok is false if a fact is missing,
// which is among the unknowns.
func StrictCommit(c *rule.Case) (s strict, ok bool) {
	m, ok := rule.Need(c, c.Snapshot.Host.Memory)
	if !ok {
		return s, false
	}
	_, ok1 := rule.Need(c, m.Told("SwapTotal"))
	if _, ok2 := rule.Need(c, m.Told("Committed_AS")); !ok1 || !ok2 {
		return s, false
	}
	s.Commit = memory.Commit{Total: m.Total, Swap: m.SwapTotal, Hugetlb: plannedHugetlb(c, m)}
	s.Commit.KBytes = s.Commit.KBytesFor()
	if s.Commit.KBytes > 0 {
		s.Limit = s.Commit.Limit()
	}
	if s.Limit > 0 {
		s.Usable = s.Commit.Usable(AdminReserve, userReserveOf(c))
	}
	b, ok := c.Basis()
	if !ok {
		return s, false
	}
	s.Need, s.Now = b.Others, m.CommittedAS
	for i := range c.Snapshot.Instances {
		in := &c.Snapshot.Instances[i]
		if running, ok := in.Running.Get(); ok && !running && !in.Server.Settings.Known() {
			continue
		}
		if _, ok := rule.Need(c, in.Server.Settings); !ok {
			return s, false
		}
		need, ok := committed(c.ForInstance(in))
		if !ok {
			return s, false
		}
		s.Need += need
	}
	return s, true
}

// userReserve is what the kernel keeps from a process of an ordinary user.
func userReserveOf(c *rule.Case) unit.Bytes {
	if kb, ok := c.Snapshot.Host.Sysctls.Int("vm.user_reserve_kbytes").Get(); ok && kb >= 0 && kb < 1<<40 {
		return unit.Bytes(kb) * unit.KB
	}
	return userReserve
}

// plannedHugetlb is the memory in huge pages of all sizes as planned.
func plannedHugetlb(c *rule.Case, m host.Memory) unit.Bytes {
	now := m.Hugetlb()
	if pages, ok := c.Int(knob.Sysctl("vm.nr_hugepages")); ok {
		return max(now-unit.Bytes(m.HugeTotal)*m.HugePageSize, 0) + unit.Bytes(pages)*m.HugePageSize
	}
	return now
}

// committed is what an instance may have committed with all connections at work.
func committed(c *rule.Case) (unit.Bytes, bool) {
	conns, ok1 := c.Int("pg:max_connections")
	sb, ok2 := c.Bytes("pg:shared_buffers")
	work, ok3 := c.Bytes("pg:work_mem")
	if !ok1 || !ok2 || !ok3 {
		return 0, false
	}
	m, ok := figures(c, conns)
	if !ok {
		return 0, false
	}
	huge := WantsHuge(c)
	if !huge {
		if m.Shared, ok = estimate(c, sb, conns); !ok {
			return 0, false
		}
	}
	m.WorkMem = work
	if exact, ok := Demanded(c, conns); ok {
		m.Active = int(exact)
	}
	sum := unit.Bytes(0)
	for _, d := range c.Prior().Demands(m) {
		sum = max(sum, d.Commits(!huge))
	}
	// A check of the host later knows nothing of the profile and expects a mixed
	// load: a limit that is too low for that one would be found at once.
	if cpus, known := c.CPUs(); known && c.Options.Active == 0 {
		part, _ := memory.PartOf(c.Snapshot, c.Instance).Get()
		m.Sorts, m.Hashes, m.TempTables = memory.Mixed.Sorts, memory.Mixed.Hashes,
			max(memory.Mixed.TempTables, m.TempTables)
		m.Active = memory.Mixed.Active(c.Instance, cpus, m.Connections, part)
		sum = max(sum, m.Commits(!huge))
	}
	return sum, true
}

// ContainersHere reports whether containers run on this host: their root filesystems are overlays, or are in the
// directories of the programs that run them.
func ContainersHere(mounts []host.Mount) bool {
	for _, m := range mounts {
		if m.FSType == "overlay" {
			return true
		}
		for _, dir := range []string{"/var/lib/docker/", "/var/lib/containers/", "/var/lib/containerd/",
			"/var/lib/kubelet/"} {
			if strings.HasPrefix(m.Point, dir) {
				return true
			}
		}
	}
	return false
}
