package kernlog

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

var (
	rePair = regexp.MustCompile(`\b([a-z_]+):(\d{1,18})\b`)
	reHuge = regexp.MustCompile(
		`^Node (\d{1,5}) hugepages_total=(\d{1,15}) hugepages_free=(\d{1,15}) hugepages_surp=\d{1,15} ` +
			`hugepages_size=(\d{1,12})kB`)
	reSwap    = regexp.MustCompile(`^(Free|Total) swap\s*=\s*(\d{1,15})kB`)
	rePages   = regexp.MustCompile(`^(\d{1,15}) pages (RAM|reserved|in swap cache)\b`)
	reBuddy   = regexp.MustCompile(`^Node \d+ \w+: \d+\*(\d{1,4})kB`)
	reUsage   = regexp.MustCompile(`^(memory|memory\+swap|swap|kmem): usage (\d{1,16})kB, limit (\d{1,16})kB`)
	reStat    = regexp.MustCompile(`^([a-z][a-z0-9_]{1,40}) (\d{1,18})$`)
	reStatOne = regexp.MustCompile(`([a-z_]+):(\d{1,15})KB`)
	reSlab    = regexp.MustCompile(`^(\S{1,64})\s+(\d{1,15})KB\s+(\d{1,15})KB$`)
	reTaskIn  = regexp.MustCompile(`^Task in (\S+) killed as a result of limit of (\S+)`)
)

// unlimited is about what the kernel shows for «no limit»: 2^63 in pages, in kB.
const unlimited = int64(1) << 52

func number(s string) *int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

func kilobytes(s string) *unit.Bytes {
	n := number(s)
	if n == nil || *n >= unlimited {
		return nil
	}
	b := unit.Bytes(*n) * unit.KB
	return &b
}

// info takes a line of the host's state. Lines of nodes and zones are in kB and
// repeat what the sums in pages told.
func (r *Report) info(text string) bool {
	if strings.HasPrefix(text, "Node ") {
		if m := reHuge.FindStringSubmatch(text); m != nil {
			node, _ := strconv.Atoi(m[1])
			total, free, size := number(m[2]), number(m[3]), kilobytes(m[4])
			if size != nil && *total >= *free && *total < 1<<40 && len(r.mem().Huge) < 1024 {
				r.mem().Huge = append(r.mem().Huge, HugePool{Node: node, Total: *total, Free: *free, Size: *size})
			}
			return true
		}
		// The first of the list of free blocks is one page.
		if m := reBuddy.FindStringSubmatch(text); m != nil && r.PageSize == 0 {
			if b := kilobytes(m[1]); b != nil && *b >= 4*unit.KB {
				r.PageSize = *b
			}
		}
		return true
	}
	if m := reSwap.FindStringSubmatch(text); m != nil {
		if b := kilobytes(m[2]); m[1] == "Free" {
			r.mem().SwapFree = b
		} else {
			r.mem().SwapTotal = b
		}
		return true
	}
	if m := rePages.FindStringSubmatch(text); m != nil {
		switch n := number(m[1]); m[2] {
		case "RAM":
			r.mem().RAM = n
		case "reserved":
			r.mem().Reserved = n
		default:
			r.mem().SwapCache = n
		}
		return true
	}
	hit := false
	if !strings.Contains(text, "_anon:") && !strings.Contains(text, "active_file:") &&
		!strings.HasPrefix(text, "unevictable:") &&
		!strings.HasPrefix(text, "slab_reclaimable:") && !strings.HasPrefix(text, "mapped:") &&
		!strings.HasPrefix(text, "free:") {
		return false
	}
	for _, m := range rePair.FindAllStringSubmatch(text, 16) {
		at := map[string]**int64{}
		i := r.mem()
		for name, p := range map[string]**int64{"active_anon": &i.ActiveAnon, "inactive_anon": &i.InactiveAnon,
			"active_file": &i.ActiveFile, "inactive_file": &i.InactiveFile,
			"unevictable": &i.Unevictable, "slab_reclaimable": &i.SlabReclaimable,
			"slab_unreclaimable": &i.SlabUnreclaimable, "shmem": &i.Shmem, "pagetables": &i.PageTables,
			"free": &i.Free} {
			at[name] = p
		}
		if p, ok := at[m[1]]; ok {
			*p, hit = number(m[2]), true
		}
	}
	return hit
}

func (r *Report) mem() *MemInfo {
	if r.Info == nil {
		r.Info = &MemInfo{}
	}
	return r.Info
}

func (r *Report) cg() *MemcgInfo {
	if r.Memcg == nil {
		r.Memcg = &MemcgInfo{Stat: map[string]int64{}}
	}
	return r.Memcg
}

// memcg takes a line of the state of a control group.
func (r *Report) memcg(text string, inStat *bool) bool {
	if m := reUsage.FindStringSubmatch(text); m != nil {
		c, usage, limit := r.cg(), kilobytes(m[2]), kilobytes(m[3])
		switch m[1] {
		case "memory":
			c.Usage, c.Limit = usage, limit
		case "kmem":
			c.Kmem = usage
		default:
			c.SwapUsage, c.SwapLimit, c.SwapTogether = usage, limit, m[1] == "memory+swap"
		}
		return true
	}
	if m := reTaskIn.FindStringSubmatch(text); m != nil {
		r.TaskGroup, r.Group, r.Constraint = m[1], m[2], Memcg
		return true
	}
	if rest, ok := strings.CutPrefix(text, "Memory cgroup stats for "); ok {
		*inStat = true
		path, stats, _ := strings.Cut(rest, ":")
		if r.Group == "" {
			r.Group = path
		}
		// Before 5.x one line a group, the group of the limit and those below it.
		for _, m := range reStatOne.FindAllStringSubmatch(stats, 32) {
			if b := kilobytes(m[2]); b != nil {
				r.cg().Stat[m[1]] += int64(*b)
			}
		}
		return true
	}
	if *inStat && len(r.cg().Stat) < 200 {
		if m := reStat.FindStringSubmatch(text); m != nil {
			if n := number(m[2]); n != nil {
				r.cg().Stat[m[1]] = *n
			}
			return true
		}
	}
	return false
}

// slab takes a line of the kernel's largest caches.
func (r *Report) slab(text string) bool {
	m := reSlab.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	used := kilobytes(m[3]) // all of its pages, used or not
	if used == nil {
		return true
	}
	at := len(r.Slabs)
	for at > 0 && r.Slabs[at-1].Used < *used {
		at--
	}
	if at < maxSlabs {
		r.Slabs = append(r.Slabs[:at], append([]Slab{{m[1], *used}}, r.Slabs[at:]...)...)
		r.Slabs = r.Slabs[:min(len(r.Slabs), maxSlabs)]
	}
	return true
}
