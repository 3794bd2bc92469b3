package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// OOMNever is the oom_score_adj of a process that the OOM killer skips.
const OOMNever = -1000

// OOMPoints returns what the OOM killer ranks a process by (oom_badness of mm/oom_kill.c, the same from 4.19 to 6.18),
// in bytes instead of pages: all that is resident, the shared memory in full, the swap, the page tables, and
// oom_score_adj in thousandths of the memory that the choice is about: memory and swap of the host, or the limit of the
// cgroup. Huge pages are not resident in this sense. The process with the most is killed.
func OOMPoints(p host.Process, adj int, total, page unit.Bytes) unit.Bytes {
	return p.RSS + p.Swap + p.PageTables + OOMAdjustment(adj, total, page)
}

// OOMAdjustment is the part of oom_score_adj. The kernel divides before it
// multiplies, in whole pages.
func OOMAdjustment(adj int, total, page unit.Bytes) unit.Bytes {
	if page <= 0 {
		return 0
	}
	return unit.Bytes(adj) * (total / page / 1000) * page
}
