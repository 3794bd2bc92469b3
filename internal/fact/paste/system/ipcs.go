package system

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// ipcs, its limits and its segments.
var (
	reIpcsTitle = regex.New(`^-{4,} (?:Messages:? Limits|Shared Memory (?:Limits|Segments|Status)|Semaphore (?:L` +
		`imits|Arrays|Status)|` +
		`Message Queues) -{4,}$`)
	reIpcsLimit = regex.New(`^([a-z][a-z ]{4,40}?)(?: \(([a-z]+)\))? = (\d{1,20})(?:\s.*)?$`)
	reIpcsHead  = regex.New(`^key\s+(?:shmid|semid|msqid)\s+owner\s+perms\s`)
	reIpcsRow   = regex.New(`^0x[0-9a-f]{8}\s+(\d{1,19})\s+(\S+)\s+(\d{3})\s+(\d{1,19})(?:\s+(\d{1,9}))?`)
)

// ReadIpcs reads ipcs.
func ReadIpcs(w *part.Window) (f part.Found) {
	if !reIpcsTitle.MatchString(w.Text(0)) && !reIpcsHead.MatchString(w.Text(0)) {
		return
	}
	for i := range w.Lines {
		t := w.Text(i)
		if m := reIpcsLimit.FindStringSubmatch(t); m != nil {
			x := part.Fact{Name: "ipc.limit", Of: strings.ReplaceAll(m[1], " ", "_"), Value: m[3]}
			if n, ok := amount.Whole(m[3]); ok {
				x.Value = n
				switch {
				case m[2] == "kbytes" && n < amount.Max/amount.KB:
					x.Value, x.Unit = n*amount.KB, "bytes"
				case m[2] == "kbytes":
					x.Value = "unlimited"
				case m[2] == "bytes":
					x.Unit = "bytes"
				}
			}
			f.Add(x)
		} else if m := reIpcsRow.FindStringSubmatch(t); m != nil {
			if n, ok := amount.Whole(m[4]); ok && m[5] != "" {
				f.Add(part.Bytes("ipc.segment", m[1], n))
			}
		} else if w.Lines[i].Is != part.Blank && !reIpcsTitle.MatchString(t) && !reIpcsHead.MatchString(t) {
			break
		} else if w.Lines[i].Is == part.Blank {
			continue
		}
		f.N = i + 1
	}
	return f
}
