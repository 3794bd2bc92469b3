package kernlog

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

var (
	// What a line with sums of the host begins with, whole or broken.
	reSums = regex.New(`^(?:unevictable|slab_(?:un)?reclaimable|mapped|shmem|pagetables|dirty|writeback|free|Active):`)
	rePair = regex.New(`\b([a-z_]+):(\d{1,18})\b`)
	reHuge = regex.New(
		`^Node (\d{1,5}) hugepages_total=(\d{1,15}) hugepages_free=(\d{1,15}) hugepages_surp=\d{1,15} ` +
			`hugepages_size=(\d{1,12})kB`)
	reSwap  = regex.New(`^(Free|Total) swap\s*[=:]\s*(-?\d{1,15})kB`)
	rePages = regex.New(`^(\d{1,15}) (?:pages (?:of )?(RAM|reserved|in swap cache)|(reserved) pages)\b`)
	reBuddy = regex.New(`^(?:Node \d+ )?\w+: \d+\*(\d{1,4})kB`)
	// The sums of a node, in kB, as since 4.8.
	reNode     = regex.New(`^Node (\d{1,5}) active_anon:\d+kB `)
	reNodePart = regex.New(`\b([a-z_]+):(\d{1,15})kB`)
	// Where there is one node alone, its zones are without it.
	reZone = regex.New(`^(?:Node (\d{1,5}) )?([A-Z]\w{1,15}) free:(\d{1,15})kB (?:boost:\d{1,15}kB )?` +
		`min:(\d{1,15})kB .{0,64}?\bhigh:(\d{1,15})kB`)
	reUsage = regex.New(`^(memory|memory\+swap|swap|kmem): usage (\d{1,16})kB, limit (\d{1,16})kB` +
		`(?:, failcnt (\d{1,15}))?`)
	reStat    = regex.New(`^([a-z][a-z0-9_]{1,40}) (\d{1,18})$`)
	reStatOne = regex.New(`([a-z_]+):(\d{1,15})KB`)
	reStatRow = regex.New(`^(?:[a-z_]{2,40}:\d{1,15}KB ?)+$`)
	reSlab    = regex.New(`^(\S{1,64})\s+(\d{1,15})KB\s+(\d{1,15})KB$`)
	reTaskIn  = regex.New(`^Task in (\S+) killed as a result of limit of (\S+)`)
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
	// The first of the list of free blocks is one page.
	if m := reBuddy.FindStringSubmatch(text); m != nil {
		if b := kilobytes(m[1]); r.PageSize == 0 && b != nil && *b >= 4*unit.KB {
			r.PageSize = *b
		}
		return true
	}
	if strings.HasPrefix(text, "Node ") {
		if m := reHuge.FindStringSubmatch(text); m != nil {
			node, _ := strconv.Atoi(m[1])
			total, free, size := number(m[2]), number(m[3]), kilobytes(m[4])
			if size != nil && *total >= *free && *total < 1<<40 && len(r.mem().Huge) < 1024 {
				r.mem().Huge = append(r.mem().Huge, HugePool{Node: node, Total: *total, Free: *free, Size: *size})
			}
			return true
		}
		if m := reNode.FindStringSubmatch(text); m != nil {
			r.node(m[1], text)
		}
		r.zone(text)
		return true
	}
	if m := reSwap.FindStringSubmatch(text); m != nil {
		switch b := kilobytes(m[2]); {
		case b != nil && *b < 0:
			r.mem().SwapOff = m[1] == "Free"
		case m[1] == "Free":
			r.mem().SwapFree = b
		default:
			r.mem().SwapTotal = b
		}
		return true
	}
	if m := rePages.FindStringSubmatch(text); m != nil {
		switch n := number(m[1]); m[2] + m[3] {
		case "RAM":
			r.mem().RAM = n
		case "reserved":
			r.mem().Reserved = n
		default:
			r.mem().SwapCache = n
		}
		return true
	}
	if strings.Contains(text, " free:") && strings.Contains(text, "kB ") && r.zone(text) {
		return true
	}
	if !strings.Contains(text, "_anon:") && !strings.Contains(text, "active_file:") && !reSums.MatchString(text) {
		return false
	}
	if strings.HasPrefix(text, "Active_anon:") { // as 2.6.28 to 2.6.30 have it, and patches of later ones
		text = "a" + text[1:]
	}
	hit := false
	i := r.mem()
	for _, m := range rePair.FindAllStringSubmatch(text, 16) {
		if at := i.part(m[1]); at != nil {
			*at, hit = number(m[2]), true
		}
	}
	return hit
}

// part is where a sum of the whole host belongs, by its name; nil where it is none that is kept.
func (i *MemInfo) part(name string) **int64 {
	switch name {
	case "active_anon":
		return &i.ActiveAnon
	case "inactive_anon":
		return &i.InactiveAnon
	case "active_file":
		return &i.ActiveFile
	case "inactive_file":
		return &i.InactiveFile
	case "unevictable":
		return &i.Unevictable
	case "slab_reclaimable":
		return &i.SlabReclaimable
	case "slab_unreclaimable":
		return &i.SlabUnreclaimable
	case "shmem":
		return &i.Shmem
	case "pagetables":
		return &i.PageTables
	case "free":
		return &i.Free
	case "dirty":
		return &i.Dirty
	case "writeback":
		return &i.Writeback
	case "mapped":
		return &i.Mapped
	}
	return nil
}

// node adds the sums of one node, where the excerpt has all of them from the first on.
func (r *Report) node(id, text string) {
	if r.nodes == nil {
		if id != "0" {
			return
		}
		r.nodes = map[string]int64{}
	}
	for _, m := range reNodePart.FindAllStringSubmatch(text, 32) {
		if n := number(m[2]); n != nil && (&MemInfo{}).part(m[1]) != nil {
			r.nodes[m[1]] += *n
		}
	}
}

// zone notes what of a zone was free.
func (r *Report) zone(text string) bool {
	const most = 4096 // 1024 nodes of four zones
	m := reZone.FindStringSubmatch(text)
	if m == nil || len(r.Zones) >= most {
		return m != nil
	}
	node, _ := strconv.Atoi(m[1])
	free, least, high := kilobytes(m[3]), kilobytes(m[4]), kilobytes(m[5])
	if free != nil && least != nil && high != nil {
		r.Zones = append(r.Zones, Zone{Node: node, Name: m[2], Free: *free, Min: *least, High: *high})
	}
	return true
}

// inferPage works out the size of a page where the list of free blocks is cut off: a report has the same sums in pages
// and in kB, of the nodes and of the zones.
func (r *Report) inferPage() {
	if r.PageSize > 0 || r.Info == nil {
		return
	}
	const few = 8 // pages, of which a sum proves nothing
	votes := map[unit.Bytes]int{}
	for name, kb := range r.nodes {
		n := *r.Info.part(name)
		if n == nil || *n < few || kb%*n != 0 {
			continue
		}
		if s := unit.Bytes(kb / *n) * unit.KB; pageSize(s) {
			votes[s]++
		}
	}
	var free unit.Bytes
	for _, z := range r.Zones {
		free += z.Free
	}
	if n := r.Info.Free; n != nil && *n >= few && free%unit.Bytes(*n) == 0 && pageSize(free/unit.Bytes(*n)) {
		votes[free/unit.Bytes(*n)]++
	}
	if len(votes) == 1 { // two contradict each other
		for s, n := range votes {
			if n >= 2 || r.nodes == nil {
				r.PageSize = s
			}
		}
	}
}

// pageSize says whether an architecture has pages of a size.
func pageSize(s unit.Bytes) bool { return s >= 4*unit.KB && s <= 64*unit.KB && s&(s-1) == 0 }

// sumNodes takes what the nodes have together for the sums of the host, where those were cut off.
func (r *Report) sumNodes() {
	if len(r.nodes) == 0 || r.Info != nil && r.Info.ActiveAnon != nil {
		return
	}
	i, page := r.mem(), int64(r.tableSize()/unit.KB)
	for name, kb := range r.nodes {
		if at := i.part(name); *at == nil {
			n := kb / page
			*at = &n
		}
	}
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
		r.Called = true // it is only written for a kill
		switch m[1] {
		case "memory":
			c.Usage, c.Limit = usage, limit
			c.Fails, _ = strconv.ParseInt(m[4], 10, 64)
		case "kmem":
			c.Kmem = usage
		default:
			c.SwapUsage, c.SwapLimit, c.SwapTogether = usage, limit, m[1] == "memory+swap"
			c.SwapFails, _ = strconv.ParseInt(m[4], 10, 64)
		}
		return true
	}
	if m := reTaskIn.FindStringSubmatch(text); m != nil {
		r.TaskGroup, r.Group, r.Called = m[1], m[2], true
		if r.Constraint == Unclear {
			r.Constraint, r.From = Memcg, ByGroup
		}
		return true
	}
	if rest, ok := strings.CutPrefix(text, statsFor); ok {
		*inStat, r.Called = true, true
		r.cg()
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
	if *inStat && reStatRow.MatchString(text) { // the rest of that line
		for _, m := range reStatOne.FindAllStringSubmatch(text, 32) {
			if b := kilobytes(m[2]); b != nil {
				r.cg().Stat[m[1]] += int64(*b)
			}
		}
		return true
	}
	// Of what was left out a person keeps these, which are of no other list.
	told := r.Memcg != nil && (strings.HasPrefix(text, "file_dirty ") || strings.HasPrefix(text, "file_writeback "))
	if (*inStat || told) && len(r.cg().Stat) < 200 {
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
