package memory

import (
	"fmt"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// Option is the worst case of an instance: every connection open, and
// every process having touched all of the shared memory; as it is, or with one
// thing changed.
type Option struct {
	ID         string      `json:"id"`                // as_it_is, huge_pages, fewer_connections, smaller_shared_buffers
	Title      say.Message `json:"title"`             // for a table
	PageTables unit.Bytes  `json:"page_tables_bytes"` // of all processes
	Shared     unit.Bytes  `json:"shared_bytes"`
	Private    unit.Bytes  `json:"private_bytes"` // of all processes at rest, without work_mem
	Saves      unit.Bytes  `json:"saves_bytes"`   // of the three together, against as_it_is
	Processes  int         `json:"processes"`
	// of huge_pages: what of the page tables that are there now would be left
	Now  unit.Bytes    `json:"now_bytes,omitempty"`
	Do   []say.Message `json:"do"` // steps: commands and settings
	Note say.Message   `json:"note,omitzero"`
}

// The ids of the options.
const (
	AsItIs      = "as_it_is"
	OnHuge      = "huge_pages"
	Fewer       = "fewer_connections"
	SmallerPool = "smaller_shared_buffers"
)

// options computes the worst case as it is and with one thing changed.
func (r *Report) options(s *snapshot.Snapshot, in *snapshot.Instance, out *Instance) {
	f := memory.AsItIs(s, in, memory.Mixed)
	m, ok := f.Get()
	if !ok {
		r.miss(f.Gap())
		return
	}
	base := memoryOption(AsItIs, say.M("current settings"), m, Option{})
	if out.Sum.PageTables > base.PageTables {
		base.Note = say.M("The processes have more page tables now than estimated here. Other mapped files, such as " +
			"the LLVM library of JIT, need page tables too, which the estimate does not include.")
	}
	out.Options = append(out.Options, base)
	set, _ := in.Server.Settings.Get()
	out.huge(s, in, m, base)
	r.fewer(s, in, m, base, set, out)
	out.smaller(in, m, base, set, r.plan)
}

// memoryOption breaks down the memory of an instance; if base is not empty, it says what is saved.
func memoryOption(id string, title say.Message, m memory.Instance, base Option) Option {
	parts := m.Parts()
	o := Option{ID: id, Title: title, PageTables: parts.PageTables, Shared: parts.Shared, Private: parts.Backends,
		Processes: m.Connections + m.Processes, Do: []say.Message{}}
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
	o := memoryOption(OnHuge, say.M("huge pages of {size}", "size", size), h, base)
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
		command := fmt.Sprintf("sysctl -w vm.nr_hugepages=%d", total)
		if size != held.HugePageSize {
			command = fmt.Sprintf("echo %d > /sys/kernel/mm/hugepages/hugepages-%dkB/nr_hugepages", need.Pages,
				size/unit.KB)
		}
		reserve := say.Text(command)
		if v, ok := s.Host.Virt.Get(); ok && v.Container != "" {
			reserve = say.M("On the container's host (the hugetlb limit of the container must allow the pages): "+
				"{command}", "command", command)
		}
		// While the server runs, its own memory on regular pages is in the way.
		o.Do = append(o.Do, say.M("Set huge_pages = on in postgresql.conf, and stop the server"), reserve,
			say.M("Start the server"))
		o.Note = say.M("pgfettle plan computes the pages together with all other settings; pgfettle apply makes them " +
			"persistent.")
		if !need.Exact() {
			o.Note = say.All(" ", say.M("The number of pages is an estimate, because the server did not report it."),
				o.Note)
		}
	}
	out.Options = append(out.Options, o)
}

// fewer is a pooler before the server, with as many connections to it as sessions are at work at the peak and those
// kept for superusers: the others wait for a CPU anyway.
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
	o := memoryOption(Fewer, say.N(n, "{n} connection instead of {present}", "{n} connections instead of {present}",
		"present", m.Connections), h, base)
	o.Do = append(o.Do,
		say.N(p.Active, "Set up a connection pooler (PgBouncer, pool_mode = transaction) with {n} server connection",
			"Set up a connection pooler (PgBouncer, pool_mode = transaction) with {n} server connections"),
		say.M("Set max_connections = {value}, and restart the server", "value", n))
	o.Note = say.All(" ", say.N(p.Active, "{n} active session is the peak that is assumed if no higher one was "+
		"measured.",
		"{n} active sessions are the peak that is assumed if no higher one was measured."),
		say.M("The shared memory becomes slightly smaller too."))
	out.Options = append(out.Options, o)
}

// smaller is the shared_buffers of the plan if that is less; otherwise half of it, for comparison: then it is no
// advice, which only the plan gives.
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
	o := memoryOption(SmallerPool, say.M("half of shared_buffers"), h, base)
	switch {
	case advised:
		o.Title = say.M("shared_buffers = {value}", "value", less.GUC())
		o.Do = append(o.Do, say.M("Set shared_buffers = {value} in postgresql.conf (the value of pgfettle plan), and "+
			"restart the server", "value", less.GUC()))
		o.Note = say.M("The kernel can use the freed memory as page cache. Measure whether reads stay as fast.")
	case known3 && plan[in.Key] > buffers:
		o.Note = say.M("For comparison only: pgfettle plan recommends shared_buffers = {value}.", "value",
			plan[in.Key].GUC())
	case known3:
		o.Note = say.M("For comparison only: pgfettle plan keeps shared_buffers.")
	default:
		o.Note = say.M("For comparison only: pgfettle plan computes the value for this host.")
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
