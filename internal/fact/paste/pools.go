package paste

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// zfs get, zfs list, and zpool list.
var (
	reZfsGet  = regex.New(`^NAME\s+PROPERTY\s+VALUE\s+SOURCE$`)
	reZfsProp = regex.New(`^([\w./@:-]{1,255})\s+([a-z][\w:.-]{1,62})\s+(\S.*?)\s+(-|default|local|received|tem` +
		`porary|inherited from \S+)$`)
	reZpoolTop = regex.New(`^NAME\s+SIZE\s+ALLOC\s+FREE\s`)
	reZfsList  = regex.New(`^NAME\s+USED\s+AVAIL\s+REFER\s+MOUNTPOINT$`)
)

func readZfs(w *window) (f found) {
	switch t := w.t(0); {
	case reZfsGet.MatchString(t):
		for f.n = 1; f.n < len(w.lines); f.n++ {
			m := reZfsProp.FindStringSubmatch(w.t(f.n))
			if m == nil {
				break
			}
			f.add(word("zfs."+m[2], m[1], m[3]))
		}
	case reZpoolTop.MatchString(t):
		head := strings.Fields(t)
		for f.n = 1; f.n < len(w.lines); f.n++ {
			c := strings.Fields(w.t(f.n))
			if len(c) != len(head) {
				break
			}
			for k, x := range map[string]string{"SIZE": "pool.size", "ALLOC": "pool.used", "FREE": "pool.free"} {
				if a, ok := amountOf(c[index(head, k)], 1); ok {
					f.add(a.fact(x, c[0]))
				}
			}
			for _, k := range []string{"CAP", "FRAG"} {
				if at := index(head, k); at >= 0 {
					if v, ok := decimal(c[at]); ok {
						f.add(share("pool."+strings.ToLower(k), c[0], v))
					}
				}
			}
			if at := index(head, "HEALTH"); at >= 0 {
				f.add(word("pool.health", c[0], c[at]))
			}
		}
	case reZfsList.MatchString(t):
		for f.n = 1; f.n < len(w.lines); f.n++ {
			c := strings.Fields(w.t(f.n))
			if len(c) != 5 {
				break
			}
			for k, x := range []string{"zfs.used", "zfs.available", "zfs.referenced"} {
				if a, ok := amountOf(c[1+k], 1); ok {
					f.add(a.fact(x, c[0]))
				}
			}
			f.add(word("zfs.mountpoint", c[0], c[4]))
		}
	}
	if f.n < 2 {
		return found{}
	}
	return f
}

// smem and pmap, which say how much of its memory a process shares.
var (
	reSmemHead = regex.New(`^PID\s+User\s+Command\s+Swap\s+USS\s+PSS\s+RSS$`)
	reSmemRow  = regex.New(
		`^(\d{1,10})\s+(\S+)\s+(\S.*?)\s+(\d[\d.]*[KMGT]?)\s+(\d[\d.]*[KMGT]?)\s+(\d[\d.]*[KMGT]?)\s+(\d[\d.]*[K` +
			`MGT]?)$`)
	reSmemSum = regex.New(`^\d{1,7}\s+\d{1,5}(?:\s+\d[\d.]*[KMGT]?){4}$`)
	rePmapSum = regex.New(`^total(?: kB)?\s+(\d{1,15})K?(?:\s+(\d{1,15})(?:\s+(\d{1,15}))?)?$`)
	rePmap    = regex.New(`\bpmap\s+(?:-\w+\s+)*(\d{1,10})`)
)

func readSmem(w *window) (f found) {
	if m := rePmapSum.FindStringSubmatch(w.t(0)); m != nil {
		pid := ""
		if p := rePmap.FindStringSubmatch(w.command); p != nil {
			pid = p[1]
		} else if !strings.HasPrefix(w.t(0), "total kB ") || m[3] == "" {
			return
		}
		for k, name := range []string{"process.virtual", "process.resident", "process.dirty"} {
			if n, ok := kilobytes(m[1+k]); ok {
				f.add(exact(name, pid, n))
			}
		}
		f.n, f.kind = 1, Pmap
		return f
	}
	if !reSmemHead.MatchString(w.t(0)) {
		return
	}
	servers := int64(0)
	for f.n = 1; f.n < len(w.lines); f.n++ {
		t := w.t(f.n)
		if w.lines[f.n].is == rule || reSmemSum.MatchString(t) {
			continue
		}
		m := reSmemRow.FindStringSubmatch(t)
		if m == nil {
			break
		}
		f.add(word("process.command", m[1], m[3]))
		if isServer(m[3]) {
			servers++
		}
		for k, name := range []string{"process.swap", "process.unique", "process.proportional", "process.resident"} {
			if a, ok := amountOf(m[4+k], kb); ok {
				f.add(a.fact(name, m[1]))
			}
		}
	}
	if f.n == 1 {
		return found{}
	}
	if servers > 0 {
		f.add(count("processes.postgres", "", servers))
	}
	return f
}
