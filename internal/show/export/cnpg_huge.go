package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// podPage is the page of the limit hugepages-2Mi: the default of x86 and of most
// kernels for ARM.
const podPage = 2 * unit.MB

// hugeNeed returns the memory in pages of 2 MB that a pod has to ask for: only if the pool, as it is or as planned, has
// them, and if the budget has the memory to request with them.
func hugeNeed(d carried, s *snapshot.Snapshot, key string) (unit.Bytes, bool) {
	in := s.Instance(key)
	need, ok := sharedMemory(d, s, key)
	if in == nil || !ok || !d.Budget.Known {
		return 0, false
	}
	if v, ok := wanted(d, s, key, hugePages.Name()); ok && v.Value == "off" {
		return 0, false
	}
	size := hugeSize(d, s, key)
	if mem, ok := s.Host.Memory.Get(); size == 0 && ok {
		size = mem.HugePageSize
	}
	if size != 0 && size != podPage {
		return 0, false
	}
	if grown, _ := d.poolPlanned(); !d.poolHolds(s, key, grown) {
		return 0, false
	}
	need = need.RoundUp(podPage)
	cg, _ := in.CGroup.Get()
	if limit, ok := cg.Hugetlb[int64(podPage/unit.KB)]; ok {
		if most, ok := limit.Get(); ok && most < need {
			return 0, false // the rules have planned without them
		}
	}
	return need, true
}

// withoutHuge has huge_pages = off among the settings of a pod that asks for none.
func withoutHuge(list []plan.Change, d carried, s *snapshot.Snapshot, key string) []plan.Change {
	const why = "no huge pages are planned for the pod, and with try a server without a limit for them that finds " +
		"some of the node is killed with SIGBUS when it touches the first"
	v, known := wanted(d, s, key, hugePages.Name())
	in := s.Instance(key)
	if known && v.Value == "off" || in == nil {
		return list
	}
	from := "try" // what an unconfigured server has
	if known {
		from = v.Value
	}
	list = slices.Clone(list)
	for i := range list {
		if c := &list[i]; c.Address == hugePages {
			c.To, c.ToBase, c.Reason = "off", "off", say.Text(why)
			return list
		}
	}
	return append(list, plan.Change{Address: hugePages, Instance: in.Label(), Key: key, Layer: knob.Instance,
		From: from, To: "off", FromBase: from, ToBase: "off",
		Effect: knob.Restart, Risk: knob.Low, Title: "huge pages", Reason: say.Text(why)})
}

// cnpgResources asks for the huge pages, and for the memory and the CPUs with which alone the API takes them
// ("HugePages require cpu or memory").
func cnpgResources(b *strings.Builder, d carried, s *snapshot.Snapshot, key string, huge unit.Bytes) {
	after := d.Budget.After
	need := after.PageTables + after.Backends + after.Work + after.Maintenance
	most := need + after.FileCache
	if v, ok := wanted(d, s, key, "shared_buffers"); ok {
		// Older operators refuse a request below shared_buffers even where these are in
		// huge pages.
		n, _ := pg.Settings{v.Name: v}.Bytes(v.Name)
		need = max(need, n)
	}
	most = max(most, need)
	mebi := func(n unit.Bytes) string { return fmt.Sprintf("%dMi", int64(n.RoundUp(unit.MB)/unit.MB)) }
	cpus, known := memory.Processors(s, s.Instance(key)).Get()
	asked := fmt.Sprintf("\"%d\"", cpus)
	if d.Budget.Limit != "cgroup" {
		// A node does not give all of its CPUs away: one is left to the kubelet and the node's other pods, and of a
		// single one the half.
		if asked = fmt.Sprintf("\"%d\"", cpus-1); cpus < 2 {
			asked = "500m"
		}
	}
	b.WriteString("  resources:\n    requests:\n")
	comment(b, "      #",
		"What sessions, autovacuum and maintenance may take at the worst, beside the huge pages; a node must have "+
			"it free.", commentWidth)
	b.WriteString("      memory: " + mebi(need) + "\n")
	if known {
		b.WriteString("      cpu: " + asked + "\n")
	}
	b.WriteString("      hugepages-2Mi: " + mebi(huge) + "\n    limits:\n")
	comment(b, "      #", "That, and the cache of files.", commentWidth)
	b.WriteString("      memory: " + mebi(most) + "\n")
	if known {
		fmt.Fprintf(b, "      cpu: \"%d\"\n", cpus)
	}
	comment(b, "      #",
		"The shared memory as pages of 2 MB. Without this limit a server that finds the node's pages is killed with "+
			"SIGBUS when it touches the first.", commentWidth)
	b.WriteString("      hugepages-2Mi: " + mebi(huge) + "\n")
}
