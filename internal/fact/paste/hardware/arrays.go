package hardware

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// /proc/mdstat, and what vgs, lvs and pvs list.
var (
	reMdHead = regex.New(`^(md\w{1,32}) : (active|inactive)(?: \([\w-]{1,20}\))? (?:(raid\d{1,2}|linear|multipat` +
		`h) )?(\S.*)$`)
	reMdSize = regex.New(`^(\d{1,15}) blocks(?:\s.*?)?(?:\[(\d{1,3}/\d{1,3})\] \[([U_]{1,64})\])?$`)
	reMdRest = regex.New(`^(?:Personalities :|unused devices:|bitmap: |\[[=>.]+\]|resync=)`)
	reLVHead = regex.New(`^(?:VG\s+#PV\s|LV\s+VG\s+Attr\s|PV\s+VG\s+Fmt\s)`)
)

// ReadArrays reads /proc/mdstat.
func ReadArrays(w *part.Window) (f part.Found) {
	if !strings.HasPrefix(w.Text(0), "Personalities :") && !reMdHead.MatchString(w.Text(0)) {
		return
	}
	of := ""
	for i := range w.Lines {
		t := w.Text(i)
		if m := reMdHead.FindStringSubmatch(t); m != nil {
			of = m[1]
			if m[3] != "" {
				f.Add(part.Word("raid.level", of, m[3]))
			}
		} else if m := reMdSize.FindStringSubmatch(t); m != nil && of != "" {
			if n, ok := amount.Kilobytes(m[1]); ok {
				f.Add(part.Bytes("raid.size", of, n))
			}
			if m[3] != "" {
				f.Add(part.Word("raid.disks", of, m[3]))
				if strings.Contains(m[3], "_") {
					f.Notes = append(f.Notes, "the array "+of+" lacks a disk")
				}
			}
		} else if w.Lines[i].Is == part.Blank {
			continue
		} else if !reMdRest.MatchString(t) || len(f.Facts) == 0 && i > part.MostHeads {
			break
		}
		f.N = i + 1
	}
	if len(f.Facts) == 0 {
		return part.Found{}
	}
	return f
}

// ReadVolumes reads vgs, lvs and pvs.
func ReadVolumes(w *part.Window) (f part.Found) {
	if !reLVHead.MatchString(w.Text(0)) {
		return
	}
	head := strings.Fields(w.Text(0))
	for f.N = 1; f.N < len(w.Lines) && w.Lines[f.N].Is == part.Content; f.N++ {
		c := strings.Fields(w.Text(f.N))
		if len(c) < 4 || reLVHead.MatchString(w.Text(f.N)) || len(c) < slices.Index(head, "LSize")+1 {
			break
		}
		get := func(name string) string {
			if at := slices.Index(head, name); at >= 0 && at < len(c) {
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
			if a, ok := amount.Of(get(x[0]), 1); ok {
				f.Add(a.Fact(x[1], of))
			}
		}
	}
	if f.N == 1 || len(f.Facts) == 0 {
		return part.Found{}
	}
	return f
}
