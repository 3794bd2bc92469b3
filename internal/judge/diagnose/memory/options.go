package memory

import (
	"fmt"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// Option is the worst case of an instance: every connection open, and
// every process having touched all of the shared memory; as it is, or with one
// thing changed.
type Option struct {
	ID         string     `json:"id"`                // as_it_is, huge_pages, fewer_connections, smaller_shared_buffers
	Title      string     `json:"title"`             // for a table
	PageTables unit.Bytes `json:"page_tables_bytes"` // of all processes
	Shared     unit.Bytes `json:"shared_bytes"`
	Private    unit.Bytes `json:"private_bytes"` // of all processes at rest, without work_mem
	Saves      unit.Bytes `json:"saves_bytes"`   // of the three together, against as_it_is
	Processes  int        `json:"processes"`
	// of huge_pages: what of the page tables that are there now would be left
	Now  unit.Bytes `json:"now_bytes,omitempty"`
	Do   []string   `json:"do"` // commands and settings
	Note string     `json:"note,omitempty"`
}

// The ids of the options.
const (
	AsItIs      = "as_it_is"
	OnHuge      = "huge_pages"
	Fewer       = "fewer_connections"
	SmallerPool = "smaller_shared_buffers"
)

// options reckons the worst case as it is and with one thing changed.
func (r *Report) options(s *snapshot.Snapshot, in *snapshot.Instance, out *Instance) {
	f := memory.AsItIs(s, in, memory.Mixed)
	m, ok := f.Get()
	if !ok {
		r.miss(f.Gap())
		return
	}
	base := memoryOption(AsItIs, "as it is", m, Option{})
	if out.Sum.PageTables > base.PageTables {
		base.Note = "the processes have more page tables now than are reckoned here: large libraries, such as LLVM " +
			"for JIT, have their own, which nothing of this saves"
	}
	out.Options = append(out.Options, base)
	set, _ := in.Server.Settings.Get()
	out.huge(s, in, m, base)
	r.fewer(s, in, m, base, set, out)
	out.smaller(in, m, base, set, r.plan)
}

// memoryOption lays an instance out; where base is not empty it says what is saved.
func memoryOption(id, title string, m memory.Instance, base Option) Option {
	parts := m.Parts()
	o := Option{ID: id, Title: title, PageTables: parts.PageTables, Shared: parts.Shared, Private: parts.Backends,
		Processes: m.Connections + m.Processes, Do: []string{}}
	if base.ID != "" {
		o.Saves = base.PageTables + base.Shared + base.Private - o.PageTables - o.Shared - o.Private
	}
	return o
}

// huge is the same shared memory in huge pages.
func (out *Instance) huge(s *snapshot.Snapshot, in *snapshot.Instance, m memory.Instance, base Option) {
	size, ok := memory.HugePageSize(s, in).Get()
	if !ok || size <= 0 || m.SharedPage >= size {
		return // there are none, or they are in use
	}
	h := m
	h.Shared, h.SharedPage = m.Shared.RoundUp(size), size
	o := memoryOption(OnHuge, "huge pages of "+size.String(), h, base)
	ps, _ := in.Processes.Get()
	for _, p := range ps {
		// What maps shared memory goes, what maps all else stays.
		o.Now += p.PageTables - min(memory.PageTables(p.Shmem, m.SharedPage), p.PageTables) +
			memory.PageTables(p.Shmem, size)
	}
	if need, ok := memory.HugeNeedOf(in, size); ok {
		held, _ := s.Host.Memory.Get()
		total := need.Pages
		if held.HugePageSize == size {
			total += held.HugeUsed() // those of other programs stay theirs
		}
		reserve := fmt.Sprintf("sysctl -w vm.nr_hugepages=%d", total)
		if size != held.HugePageSize {
			reserve = fmt.Sprintf("echo %d > /sys/kernel/mm/hugepages/hugepages-%dkB/nr_hugepages", need.Pages,
				size/unit.KB)
		}
		if v, ok := s.Host.Virt.Get(); ok && v.Container != "" {
			reserve += " on the host of the container, whose hugetlb controller must allow them"
		}
		// While the server runs, its own memory on ordinary pages is in the way.
		o.Do = append(o.Do, "huge_pages = on in postgresql.conf; stop the server", reserve, "start the server")
		o.Note = "pgfettle plan reckons the pages with everything else, and pgfettle apply makes them last"
		if !need.Exact() {
			o.Note = "the number of pages is estimated, as the server does not say it; " + o.Note
		}
	}
	out.Options = append(out.Options, o)
}

// fewer is a pooler before the server, with as many connections to it as
// sessions are at work at the peak and those kept for superusers: the others
// wait for a processor anyway.
func (r *Report) fewer(s *snapshot.Snapshot, in *snapshot.Instance, m memory.Instance, base Option, set pg.Settings,
	out *Instance) {
	peak := memory.AtPeak(s, in, memory.Mixed)
	p, ok := peak.Get()
	if !ok {
		r.miss(peak.Gap())
		return
	}
	n := p.Active
	for _, name := range []string{"superuser_reserved_connections", "reserved_connections"} {
		if kept, ok := set.Int(name); ok {
			n += int(kept)
		}
	}
	if n >= m.Connections {
		return
	}
	h := m
	h.Connections = n
	o := memoryOption(Fewer, fmt.Sprintf("%d connections for %d", n, m.Connections), h, base)
	o.Do = append(o.Do,
		fmt.Sprintf(
			"a pooler (PgBouncer, pool_mode = transaction) with %d connections to the server, then max_connections "+
				"= %d and a restart", p.Active, n))
	o.Note = fmt.Sprintf(
		"%d sessions at work at once is what is assumed at the peak where nothing higher was measured; the shared "+
			"memory shrinks a little too", p.Active)
	out.Options = append(out.Options, o)
}

// smaller is the shared_buffers of the plan where that is less; else half of it, to
// compare with: then it is no advice, which is the plan's alone.
func (out *Instance) smaller(in *snapshot.Instance, m memory.Instance, base Option, set pg.Settings, plan Plan) {
	setting := set["shared_buffers"]
	buffers, isMem := set.Bytes("shared_buffers")
	block, known1 := unit.MemoryUnit(setting.Unit)
	v, known2 := in.Server.Version.Get()
	// Half of a pool of less than 128 MB, the default, is no remedy for anything.
	if !isMem || !known1 || !known2 || block <= 0 || buffers < 256*unit.MB {
		return
	}
	less, known3 := plan[in.Key]
	advised := known3 && less < buffers
	if !advised {
		less = (buffers / 2).RoundDown(unit.MB)
	}
	present, ok1 := memory.SharedOf(set, nil)
	planned, ok2 := memory.SharedOf(set, func(name string) (string, bool) {
		if name == "shared_buffers" {
			return strconv.FormatInt(int64(less/block), 10), true
		}
		return "", false
	})
	if !ok1 || !ok2 {
		return
	}
	h := m
	h.Shared = memory.EstimatePlanned(v.Major(), present, m.Shared, planned)
	if huge := m.SharedPage; huge > 64*unit.KB {
		h.Shared = h.Shared.RoundUp(huge)
	}
	o := memoryOption(SmallerPool, "half of shared_buffers", h, base)
	switch {
	case advised:
		o.Title = "shared_buffers = " + less.GUC()
		o.Do = append(o.Do, o.Title+" in postgresql.conf, which pgfettle plan gives, then restart the server")
		o.Note = "the file cache of the kernel takes what is freed; whether the server reads as fast from there is " +
			"to be measured"
	case known3 && plan[in.Key] > buffers:
		o.Note = "to compare with; pgfettle plan gives " + plan[in.Key].GUC()
	case known3:
		o.Note = "to compare with; pgfettle plan leaves shared_buffers as it is"
	default:
		o.Note = "to compare with; pgfettle plan gives the value for this host"
	}
	out.Options = append(out.Options, o)
}

// memoryOptionOf finds an option by its id.
func memoryOptionOf(in *Instance, id string) (Option, bool) {
	for _, o := range in.Options {
		if o.ID == id {
			return o, true
		}
	}
	return Option{}, false
}

// verdict is the one line that a person in an emergency reads first.
func (r *Report) verdict(s *snapshot.Snapshot) {
	r.Level = Unknown
	switch {
	case len(r.Instances) == 0 && r.Host == nil:
		r.Verdict = "Nothing could be read: neither the memory of a host nor an instance."
		return
	case len(r.Instances) == 0 && r.Host.PageTables == nil:
		r.Level = Fine
		r.Verdict = "No instance was found; how much page tables take is not known."
		return
	case len(r.Instances) == 0:
		r.Level = Fine
		r.Verdict = fmt.Sprintf("No instance was found; page tables of all programs take %s, %s of the memory.",
			*r.Host.PageTables, percent(*r.Host.PageTables, r.Host.Total))
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
		r.Verdict = in.Label + ": " + r.Verdict
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

func memoryVerdict(in *Instance) string {
	base, reckoned := memoryOptionOf(in, AsItIs)
	of := "of the memory"
	if in.LimitedBy != "" {
		of = "of the limit of its control group"
	}
	text := ""
	switch {
	case in.Sum.Processes > 0 && in.Limit > 0:
		text = fmt.Sprintf("Page tables take %s in %d processes, %s %s (%s)", in.Sum.PageTables, in.Sum.Processes,
			percent(in.Sum.PageTables, in.Limit), of, in.Limit)
	case in.Sum.Processes > 0:
		text = fmt.Sprintf("Page tables take %s in %d processes", in.Sum.PageTables, in.Sum.Processes)
	case reckoned:
		text = "The processes could not be seen"
	default:
		return "Neither its processes nor its settings could be read."
	}
	if reckoned && base.PageTables > in.Sum.PageTables {
		text += fmt.Sprintf("; %s when all %d processes have touched all %s of shared memory", base.PageTables,
			base.Processes, base.Shared)
	}
	if h, ok := memoryOptionOf(in, OnHuge); ok && memoryRank(in) > 1 {
		text += fmt.Sprintf(", %s with huge pages", h.PageTables)
	}
	return text + "."
}

// percent spells a share with one digit behind the point below 10 %.
func percent(b, total unit.Bytes) string {
	if total <= 0 {
		return "?"
	}
	share := 100 * float64(b) / float64(total)
	if share < 0.05 {
		return "under 0.1 %"
	}
	if share < 10 {
		return fmt.Sprintf("%.1f %%", share)
	}
	return fmt.Sprintf("%.0f %%", share)
}
