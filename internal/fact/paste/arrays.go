package paste

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// /proc/mdstat, and what vgs, lvs and pvs list.
var (
	reMdHead = regex.New(`^(md\w{1,32}) : (active|inactive)(?: \([\w-]{1,20}\))? (?:(raid\d{1,2}|linear|multipat` +
		`h) )?(\S.*)$`)
	reMdSize = regex.New(`^(\d{1,15}) blocks(?:\s.*?)?(?:\[(\d{1,3}/\d{1,3})\] \[([U_]{1,64})\])?$`)
	reMdRest = regex.New(`^(?:Personalities :|unused devices:|bitmap: |\[[=>.]+\]|resync=)`)
	reLVHead = regex.New(`^(?:VG\s+#PV\s|LV\s+VG\s+Attr\s|PV\s+VG\s+Fmt\s)`)
)

func readArrays(w *window) (f found) {
	if !strings.HasPrefix(w.t(0), "Personalities :") && !reMdHead.MatchString(w.t(0)) {
		return
	}
	of := ""
	for i := range w.lines {
		t := w.t(i)
		if m := reMdHead.FindStringSubmatch(t); m != nil {
			of = m[1]
			if m[3] != "" {
				f.add(word("raid.level", of, m[3]))
			}
		} else if m := reMdSize.FindStringSubmatch(t); m != nil && of != "" {
			if n, ok := kilobytes(m[1]); ok {
				f.add(exact("raid.size", of, n))
			}
			if m[3] != "" {
				f.add(word("raid.disks", of, m[3]))
				if strings.Contains(m[3], "_") {
					f.notes = append(f.notes, "the array "+of+" lacks a disk")
				}
			}
		} else if w.lines[i].is == blank {
			continue
		} else if !reMdRest.MatchString(t) || len(f.facts) == 0 && i > mostHeads {
			break
		}
		f.n = i + 1
	}
	if len(f.facts) == 0 {
		return found{}
	}
	return f
}

func readVolumes(w *window) (f found) {
	if !reLVHead.MatchString(w.t(0)) {
		return
	}
	head := strings.Fields(w.t(0))
	for f.n = 1; f.n < len(w.lines) && w.lines[f.n].is == content; f.n++ {
		c := strings.Fields(w.t(f.n))
		if len(c) < 4 || reLVHead.MatchString(w.t(f.n)) || len(c) < index(head, "LSize")+1 {
			break
		}
		get := func(name string) string {
			if at := index(head, name); at >= 0 && at < len(c) {
				return strings.TrimPrefix(c[at], "<")
			}
			return ""
		}
		of := c[0]
		if head[0] == "LV" {
			of = c[1] + "/" + c[0]
		}
		for _, x := range [][2]string{{"LSize", "volume.size"}, {"VSize", "group.size"}, {"VFree", "group.free"},
			{"PSize", "disk.size"}, {"PFree", "disk.unallocated"}} {
			if a, ok := amountOf(get(x[0]), 1); ok {
				f.add(a.fact(x[1], of))
			}
		}
	}
	if f.n == 1 || len(f.facts) == 0 {
		return found{}
	}
	return f
}
