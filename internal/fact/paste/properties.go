package paste

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
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

func readProperties(w *window) (f found) {
	if rePrlimHead.MatchString(w.t(0)) {
		for f.n = 1; f.n < len(w.lines); f.n++ {
			m := rePrlimRow.FindStringSubmatch(w.t(f.n))
			if m == nil {
				break
			}
			name := prlimNames[m[1]]
			if name == "" {
				name = strings.ToLower(m[1])
			}
			v := Fact{Name: "limit", Of: name, Value: m[3]}
			if n, ok := whole(m[3]); ok {
				v.Value = n
				if m[5] == "bytes" {
					v.Unit = "bytes"
				}
			}
			f.add(v)
		}
		f.kind = Limits
		return f
	}
	if !strings.Contains(w.command, "systemctl show") || !reProperty.MatchString(w.t(0)) {
		return
	}
	for f.n < len(w.lines) {
		m := reProperty.FindStringSubmatch(w.t(f.n))
		if m == nil {
			break
		}
		f.n++
		n, isNumber := whole(m[2])
		switch {
		case m[1] == "MainPID" && isNumber:
			f.add(count("unit.main_pid", "", n))
		case m[1] == "ActiveState":
			f.add(word("unit.state", "", m[2]))
		case m[1] == "Id":
			f.add(word("unit.name", "", m[2]))
		case m[1] == "MemoryCurrent" && isNumber && n < maxAmount:
			f.add(exact("unit.memory", "", n))
		case m[1] == "MemoryPeak" && isNumber && n < maxAmount:
			f.add(exact("unit.memory_peak", "", n))
		case unitFacts[m[1]] || strings.HasPrefix(m[1], "Limit"):
			f.add(word("unit.setting", m[1], m[2]))
		}
	}
	f.kind = Unit
	return f
}
