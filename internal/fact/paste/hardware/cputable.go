package hardware

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// lscpu -e and -p: a row for each CPU.
var (
	reCPUTable  = regex.New(`^CPU(?:\s+[A-Z][\w:%]*)*\s+(?:CORE|SOCKET)\b`)
	reCPUParsed = regex.New(`^# ?CPU,(?:[\w-]*,)*(?:Core|Socket)\b`)
)

// ReadCPUTable reads lscpu -e and -p.
func ReadCPUTable(w *part.Window) (f part.Found) {
	cells := strings.Fields
	at := 0
	for at < len(w.Lines) && at < 8 && strings.HasPrefix(w.Text(at), "# ") && !reCPUParsed.MatchString(w.Text(at)) {
		at++ // what lscpu -p says of its form
	}
	head := strings.ToUpper(w.Text(at))
	if reCPUParsed.MatchString(w.Text(at)) {
		head = strings.TrimLeft(head, "# ")
		cells = func(s string) []string { return strings.Split(s, ",") }
	} else if at > 0 || !reCPUTable.MatchString(w.Text(0)) {
		return
	}
	names := cells(head)
	cpus, cores, places := 0, map[string]bool{}, map[string]map[string]bool{"NODE": {}, "SOCKET": {}}
	first := true
	for f.N = at + 1; f.N < len(w.Lines); f.N++ {
		c := cells(w.Text(f.N))
		if len(c) < len(names) || !amount.Digits(c[0]) {
			break
		}
		if first && c[0] != "0" { // the rows before it were cut
			return part.Found{}
		}
		first = false
		if k := slices.Index(names, "ONLINE"); k >= 0 && c[k] == "no" {
			continue
		}
		cpus++
		core := ""
		for k, name := range names {
			if (name == "SOCKET" || name == "CORE") && c[k] != "-" && c[k] != "" {
				core += c[k] + "/"
			}
			if seen := places[name]; seen != nil && amount.Digits(c[k]) {
				seen[c[k]] = true
			}
		}
		cores[core] = true
	}
	if cpus == 0 {
		return part.Found{}
	}
	f.Body = []string{}
	if strings.Contains(w.Command, "head") ||
		f.N < len(w.Lines) && (w.Lines[f.N].Is == part.Elided || dots(w.Text(f.N))) {
		f.Notes = append(f.Notes, "lines are missing in the input: there may be more CPUs")
		return f
	}
	f.Add(part.Count("cpu.logical", "", int64(cpus)))
	if slices.Index(names, "CORE") >= 0 {
		f.Add(part.Count("cpu.cores", "", int64(len(cores))))
	}
	for _, x := range [][2]string{{"SOCKET", "cpu.sockets"}, {"NODE", "numa.nodes"}} {
		if n := len(places[x[0]]); n > 0 {
			f.Add(part.Count(x[1], "", int64(n)))
		}
	}
	return f
}

// dots says whether a line, or what a remark has of it, stands for rows that were left out.
func dots(s string) bool {
	s = strings.TrimLeft(s, "# \t")
	return s != "" && strings.Trim(s, ". …") == ""
}
