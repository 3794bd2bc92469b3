package system

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// systemctl show and prlimit.
var (
	reProperty  = regex.New(`^([A-Z][A-Za-z]{2,40})=(.{0,200})$`)
	rePrlimHead = regex.New(`^RESOURCE\s+DESCRIPTION\s+SOFT\s+HARD\s+UNITS$`)
	rePrlimRow  = regex.New(`^([A-Z]+)\s+(\S.*?)\s{2,}(\d{1,20}|unlimited)\s+(\d{1,20}|unlimited)(?:\s+(\w+))?$`)
	prlimNames  = map[string]string{"NOFILE": "open_files", "MEMLOCK": "max_locked_memory",
		"NPROC": "max_user_processes",
		"STACK": "stack_size", "AS": "virtual_memory", "CORE": "core_file_size", "RSS": "max_memory_size",
		"DATA": "data_seg_size"}
)

// ReadProperties reads systemctl show and prlimit.
func ReadProperties(w *part.Window) (f part.Found) {
	if rePrlimHead.MatchString(w.Text(0)) {
		for f.N = 1; f.N < len(w.Lines); f.N++ {
			m := rePrlimRow.FindStringSubmatch(w.Text(f.N))
			if m == nil {
				break
			}
			name := prlimNames[m[1]]
			if name == "" {
				name = strings.ToLower(m[1])
			}
			v := part.Fact{Name: "limit", Of: name, Value: m[3]}
			if n, ok := amount.Whole(m[3]); ok {
				v.Value = n
				if m[5] == "bytes" {
					v.Unit = "bytes"
				}
			}
			f.Add(v)
		}
		f.Kind = part.Limits
		return f
	}
	if !strings.Contains(w.Command, "systemctl show") || !reProperty.MatchString(w.Text(0)) {
		return
	}
	for f.N < len(w.Lines) {
		m := reProperty.FindStringSubmatch(w.Text(f.N))
		if m == nil {
			break
		}
		f.N++
		n, isNumber := amount.Whole(m[2])
		switch {
		case m[1] == "MainPID" && isNumber:
			f.Add(part.Count("unit.main_pid", "", n))
		case m[1] == "ActiveState":
			f.Add(part.Word("unit.state", "", m[2]))
		case m[1] == "Id":
			f.Add(part.Word("unit.name", "", m[2]))
		case m[1] == "MemoryCurrent" && isNumber && n < amount.Max:
			f.Add(part.Bytes("unit.memory", "", n))
		case m[1] == "MemoryPeak" && isNumber && n < amount.Max:
			f.Add(part.Bytes("unit.memory_peak", "", n))
		case unitFacts[m[1]] || strings.HasPrefix(m[1], "Limit"):
			f.Add(part.Word("unit.setting", m[1], m[2]))
		}
	}
	f.Kind = part.Unit
	return f
}
