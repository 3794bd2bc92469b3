package hugepages

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// HugePagesRefused looks at the hugetlb limits of the cgroup and its ancestors.
// The server can get no page although the pool of the host is large enough.
var HugePagesRefused = check.Check{
	ID:       "huge_pages_refused",
	Area:     check.HugePages,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "cgroup hugetlb limit blocks huge pages",
	Why: "A cgroup limit on reserved huge pages (hugetlb.SIZE.rsvd.max) makes the request fail: with " +
		"huge_pages = on the server does not start, with try it falls back silently. A limit on used pages " +
		"(hugetlb.SIZE.max) is worse. The request succeeds, but the process that touches the first page " +
		"beyond the limit is killed by SIGBUS, and all sessions are disconnected.",
	Do:      "Raise the limit of the cgroup above the need, or set huge_pages = off for this instance.",
	Sources: []string{"linux-cgroup-v2", "linux-hugetlb", "pg-huge-pages"},
	Judge: func(c *check.Case) {
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		mode, _ := set.Text("huge_pages")
		if mode != "on" && mode != "try" {
			return
		}
		cg, ok := check.Need(c, c.Instance.CGroup)
		if !ok {
			return
		}
		size, ok := check.Need(c, memory.HugePageSize(c.Snapshot, c.Instance))
		if !ok || size == 0 {
			return
		}
		f, listed := cg.Hugetlb[int64(size/unit.KB)]
		if !listed {
			return
		}
		limit, ok := check.Need(c, f)
		if !ok {
			return
		}
		need, ok := memory.HugeNeedOf(c.Instance, size)
		if !ok || limit >= unit.Bytes(need.Least)*size {
			return
		}
		want := unit.Bytes(need.Pages) * size
		// With try and no pool the request never reaches the cgroup.
		using, _ := memory.OnHugePages(c.Instance).Get()
		if pools, ok := c.Snapshot.Host.HugePages.Get(); ok && mode == "try" && !using {
			if p := memory.PoolOf(pools, size); p.Total+p.Overcommit == 0 {
				return
			}
		}
		sev := check.Warning
		if mode == "on" || using {
			sev = check.Critical
		}
		by := cg.LimitedBy[fmt.Sprintf("hugetlb.%dkB", size/unit.KB)]
		if by == "" {
			by = cg.Path
		}
		c.That(sev, say.M("Raise {name}.max and {name}.rsvd.max of the cgroup to at least {want} (in Kubernetes: "+
			"request huge pages in the resources of the pod). Or set huge_pages = off for this instance.",
			"name", "hugetlb."+size.GUC(), "want", want),
			say.All(" ", say.N(need.Pages,
				"huge_pages = {mode}: the server requests {pages} page of {size} ({want}); cgroup {path} allows "+
					"{limit}.",
				"huge_pages = {mode}: the server requests {pages} pages of {size} ({want}); cgroup {path} allows "+
					"{limit}.",
				"mode", mode, "pages", need.Pages, "size", size, "want", want, "limit", limit, "path", by),
				estimated(need)))
	},
}
