package pgctl

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// sharedMemoryLimits is what decides whether this machine can hold a server's shared memory.
type sharedMemoryLimits struct {
	memory unit.Bytes // of the machine
	limit  unit.Bytes // of the cgroup; 0: none below memory
	size   unit.Bytes // of the huge pages that the server would take; 0: the kernel has none
	pool   int64      // such pages that will be there when it starts, without surplus
	others int64      // what others use or were promised, of the pool or beyond it
	more   int64      // pages that the kernel may add to the pool when asked (nr_overcommit_hugepages)
}

// refuses names the setting that would keep the server from starting, or from living long, and says why; "" if there is
// room.
func (r sharedMemoryLimits) refuses(hugePages string, need scratch.SharedMemory) (name, why string) {
	if strings.EqualFold(hugePages, "on") {
		if r.size == 0 {
			return "huge_pages", "huge_pages=on: this kernel has no huge pages of that size"
		}
		pages := need.Pages
		if pages == 0 {
			pages = need.Bytes.Pages(r.size)
		}
		if free := max(r.pool+r.more-r.others, 0); pages > free {
			return "huge_pages",
				fmt.Sprintf("huge_pages=on: the server asks for %d huge pages of %s, and %d of a pool of %d can be had",
					pages, r.size, free, r.pool)
		}
	}
	if need.Bytes > r.memory && r.memory > 0 {
		return "shared_buffers", fmt.Sprintf("the server requests %s of shared memory, and the host has %s",
			need.Bytes, r.memory)
	}
	if r.limit > 0 && need.Bytes > r.limit {
		return "shared_buffers",
			fmt.Sprintf("the server requests %s of shared memory, and its cgroup is limited to %s",
				need.Bytes, r.limit)
	}
	return "", ""
}

// sharedMemoryLimits reads what there is now. Pages of the server that runs count as free: it
// gives them back before the new one starts.
func (p *Server) sharedMemoryLimits(in *snapshot.Instance, settings map[string]string) (sharedMemoryLimits, error) {
	var r sharedMemoryLimits
	b, err := p.Target.ReadFile("/proc/meminfo", target.MaxConfigFile)
	if err != nil {
		return r, err
	}
	mem, err := host.ParseMemory(b)
	if err != nil {
		return r, say.Named("/proc/meminfo", err)
	}
	r.memory, r.size = mem.Total, mem.HugePageSize
	if cg, ok := in.CGroup.Get(); ok {
		if limit, ok := cg.Memory.Get(); ok && limit < mem.Total {
			r.limit = limit
		}
	}
	standard := true
	if v, ok := settings["huge_page_size"]; ok {
		kb, err := unit.ParseGUC(v, "kB")
		if err != nil {
			return r, say.Named("huge_page_size", err)
		}
		if size := unit.Bytes(kb) * unit.KB; size > 0 && size != r.size {
			r.size, standard = size, false
		}
	}
	if r.size == 0 {
		return r, nil
	}
	folder := fmt.Sprintf("/sys/kernel/mm/hugepages/hugepages-%dkB", r.size/unit.KB)
	if _, err := p.Target.Stat(folder); err != nil {
		r.size = 0
		return r, nil
	}
	var free, reserved, surplus int64
	for _, f := range []struct {
		name string
		to   *int64
	}{{"nr_hugepages", &r.pool}, {"free_hugepages", &free}, {"resv_hugepages", &reserved},
		{"surplus_hugepages", &surplus}, {"nr_overcommit_hugepages", &r.more}} {
		b, err := p.Target.ReadFile(path.Join(folder, f.name), target.MaxConfigFile)
		if err == nil {
			*f.to, err = host.ParsePages(b)
		}
		if err != nil {
			return r, say.Named(folder+"/"+f.name, err)
		}
	}
	// the count of the pool has the surplus in it, which stays no longer than it is used
	r.others = max(r.pool-free+reserved-p.held(in, r.size), 0)
	r.pool -= surplus
	if standard && p.Pool > 0 {
		r.pool = p.Pool
	}
	return r, nil
}

// held returns the huge pages that the running server has mapped, touched or only promised; 0 if that cannot be seen,
// which errs to the safe side.
func (p *Server) held(in *snapshot.Instance, size unit.Bytes) int64 {
	dir, ok := in.DataDirectory.Get()
	if !ok {
		return 0
	}
	pm, up, err := p.postmaster(dir)
	if err != nil || !up {
		return 0
	}
	b, err := readMaps(p.Target, pm.PID)
	if err != nil {
		return 0
	}
	return int64(hugeMapped(string(b)) / size)
}

func readMaps(t target.Target, pid int) ([]byte, error) {
	return t.ReadFile("/proc/"+strconv.Itoa(pid)+"/maps", target.MaxConfigFile)
}

// hugeMapped adds up the mappings of anonymous shared memory on huge pages in
// /proc/PID/maps.
func hugeMapped(maps string) unit.Bytes {
	var sum unit.Bytes
	for line := range strings.Lines(maps) {
		f := strings.Fields(line)
		if len(f) < 6 || !strings.HasPrefix(f[5], "/anon_hugepage") {
			continue
		}
		lo, hi, ok := strings.Cut(f[0], "-")
		a, err1 := strconv.ParseUint(lo, 16, 63)
		b, err2 := strconv.ParseUint(hi, 16, 63)
		if ok && err1 == nil && err2 == nil && b > a {
			sum += unit.Bytes(b - a)
		}
	}
	return sum
}
