package memory

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// verdict is the one line that a person in an emergency reads first.
func (r *Report) verdict() {
	r.Level = Unknown
	switch {
	case len(r.Instances) == 0 && r.Host == nil:
		r.Verdict = say.M("Neither the memory of the host nor an instance could be read.")
		return
	case len(r.Instances) == 0 && r.Host.PageTables == nil:
		r.Level = Fine
		r.Verdict = say.M("No instance was found. The size of the page tables is unknown.")
		return
	case len(r.Instances) == 0:
		r.Level = Fine
		r.Verdict = say.M("No instance was found. Page tables of all programs use {size} ({percent} of {total} of "+
			"RAM).",
			"size", *r.Host.PageTables, "percent", percent(*r.Host.PageTables, r.Host.Total), "total", r.Host.Total)
		return
	}
	worst, at := -1, 0
	for i := range r.Instances {
		if rank := memoryRank(&r.Instances[i]); rank > worst {
			worst, at = rank, i
		}
	}
	in := &r.Instances[at]
	r.Level = []string{Unknown, Fine, Notice, Warning, Critical}[worst]
	r.Verdict = memoryVerdict(in)
	if len(r.Instances) > 1 {
		r.Verdict = say.M("{instance}: {verdict}", "instance", in.Label, "verdict", r.Verdict)
	}
}

// memoryRank is the place of an instance's level, the worst highest. Only what
// is measured is more than a notice.
func memoryRank(in *Instance) int {
	base, reckoned := memoryOptionOf(in, AsItIs)
	switch {
	case in.Limit <= 0 || in.Sum.Processes == 0 && !reckoned:
		return 0
	case 100*in.Sum.PageTables >= limits.TablesTooMuch*in.Limit:
		return 4
	case 100*in.Sum.PageTables >= limits.TablesMuch*in.Limit:
		return 3
	case reckoned && 100*base.PageTables >= limits.TablesTooMuch*in.Limit:
		return 2
	}
	return 1
}

func memoryVerdict(in *Instance) say.Message {
	base, reckoned := memoryOptionOf(in, AsItIs)
	var now, worst, huge say.Message
	switch {
	case in.Sum.Processes > 0 && in.Limit > 0:
		now = tablesNow(in)
	case in.Sum.Processes > 0:
		now = say.N(in.Sum.Processes, "Page tables use {size} in {n} process.", "Page tables use {size} in {n} "+
			"processes.",
			"size", in.Sum.PageTables)
	case reckoned:
		now = say.M("The processes could not be read.")
	default:
		return say.M("Neither the processes nor the settings of the instance could be read.")
	}
	if reckoned && base.PageTables > in.Sum.PageTables {
		worst = say.N(base.Processes, "The worst case is {size}, if {n} process has touched all {shared} of shared "+
			"memory.",
			"The worst case is {size}, if all {n} processes have touched all {shared} of shared memory.", "size",
			base.PageTables, "shared", base.Shared)
	}
	if h, ok := memoryOptionOf(in, OnHuge); ok && memoryRank(in) > 1 {
		huge = say.M("With huge pages, the worst case is {size}.", "size", h.PageTables)
	}
	return say.All(" ", now, worst, huge)
}

func tablesNow(in *Instance) say.Message {
	share := percent(in.Sum.PageTables, in.Limit)
	if in.LimitedBy != "" {
		return say.N(in.Sum.Processes,
			"Page tables use {size} in {n} process ({percent} of the cgroup limit of {total}).",
			"Page tables use {size} in {n} processes ({percent} of the cgroup limit of {total}).", "size",
			in.Sum.PageTables, "percent", share, "total", in.Limit)
	}
	return say.N(in.Sum.Processes, "Page tables use {size} in {n} process ({percent} of {total} of RAM).",
		"Page tables use {size} in {n} processes ({percent} of {total} of RAM).", "size", in.Sum.PageTables, "percent",
		share, "total", in.Limit)
}

// percent spells a share with one digit behind the point below 10 %.
func percent(b, total unit.Bytes) any {
	if total <= 0 {
		return "?"
	}
	share := 100 * float64(b) / float64(total)
	switch {
	case share < 0.05:
		return say.M("less than {percent}", "percent", say.Number("0.1%"))
	case share < 10:
		return say.Number(fmt.Sprintf("%.1f%%", share))
	}
	return say.Number(fmt.Sprintf("%.0f%%", share))
}
