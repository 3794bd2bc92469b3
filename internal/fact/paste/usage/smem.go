package usage

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

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

// ReadSmem reads smem and pmap.
func ReadSmem(w *part.Window) (f part.Found) {
	if m := rePmapSum.FindStringSubmatch(w.Text(0)); m != nil {
		pid := ""
		if p := rePmap.FindStringSubmatch(w.Command); p != nil {
			pid = p[1]
		} else if !strings.HasPrefix(w.Text(0), "total kB ") || m[3] == "" {
			return
		}
		for k, name := range []string{"process.virtual", "process.resident", "process.dirty"} {
			if n, ok := amount.Kilobytes(m[1+k]); ok {
				f.Add(part.Bytes(name, pid, n))
			}
		}
		f.N, f.Kind = 1, part.Pmap
		return f
	}
	if !reSmemHead.MatchString(w.Text(0)) {
		return
	}
	servers := int64(0)
	for f.N = 1; f.N < len(w.Lines); f.N++ {
		t := w.Text(f.N)
		if w.Lines[f.N].Is == part.Rule || reSmemSum.MatchString(t) {
			continue
		}
		m := reSmemRow.FindStringSubmatch(t)
		if m == nil {
			break
		}
		f.Add(part.Word("process.command", m[1], m[3]))
		if isServer(m[3]) {
			servers++
		}
		for k, name := range []string{"process.swap", "process.unique", "process.proportional", "process.resident"} {
			if a, ok := amount.Of(m[4+k], amount.KB); ok {
				f.Add(a.Fact(name, m[1]))
			}
		}
	}
	if f.N == 1 {
		return part.Found{}
	}
	if servers > 0 {
		f.Add(part.Count("processes.postgres", "", servers))
	}
	return f
}
