package paste

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// lscpu -e and -p: a row for each CPU.
var (
	reCPUTable  = regex.New(`^CPU(?:\s+[A-Z][\w:%]*)*\s+(?:CORE|SOCKET)\b`)
	reCPUParsed = regex.New(`^# ?CPU,(?:[\w-]*,)*(?:Core|Socket)\b`)
)

func readCPUTable(w *window) (f found) {
	cells := strings.Fields
	at := 0
	for at < len(w.lines) && at < 8 && strings.HasPrefix(w.t(at), "# ") && !reCPUParsed.MatchString(w.t(at)) {
		at++ // what lscpu -p says of its form
	}
	head := strings.ToUpper(w.t(at))
	if reCPUParsed.MatchString(w.t(at)) {
		head = strings.TrimLeft(head, "# ")
		cells = func(s string) []string { return strings.Split(s, ",") }
	} else if at > 0 || !reCPUTable.MatchString(w.t(0)) {
		return
	}
	names := cells(head)
	cpus, cores, places := 0, map[string]bool{}, map[string]map[string]bool{"NODE": {}, "SOCKET": {}}
	first := true
	for f.n = at + 1; f.n < len(w.lines); f.n++ {
		c := cells(w.t(f.n))
		if len(c) < len(names) || !allDigits(c[0]) {
			break
		}
		if first && c[0] != "0" { // the rows before it were cut
			return found{}
		}
		first = false
		if k := index(names, "ONLINE"); k >= 0 && c[k] == "no" {
			continue
		}
		cpus++
		core := ""
		for k, name := range names {
			if (name == "SOCKET" || name == "CORE") && c[k] != "-" && c[k] != "" {
				core += c[k] + "/"
			}
			if seen := places[name]; seen != nil && allDigits(c[k]) {
				seen[c[k]] = true
			}
		}
		cores[core] = true
	}
	if cpus == 0 {
		return found{}
	}
	f.body = []string{}
	if strings.Contains(w.command, "head") || f.n < len(w.lines) && w.lines[f.n].is == elided {
		f.notes = append(f.notes, "lines are missing in the input: there may be more CPUs")
		return f
	}
	f.add(count("cpu.logical", "", int64(cpus)))
	if index(names, "CORE") >= 0 {
		f.add(count("cpu.cores", "", int64(len(cores))))
	}
	for _, x := range [][2]string{{"SOCKET", "cpu.sockets"}, {"NODE", "numa.nodes"}} {
		if n := len(places[x[0]]); n > 0 {
			f.add(count(x[1], "", int64(n)))
		}
	}
	return f
}
