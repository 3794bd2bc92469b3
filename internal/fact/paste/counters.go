package paste

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// /proc/pressure, /proc/vmstat, /sys/kernel/mm/hugepages, lsmem.
var (
	rePressure  = regex.New(`^(some|full) avg10=([\d.]+) avg60=([\d.]+) avg300=([\d.]+) total=(\d{1,19})$`)
	rePressured = regex.New(`(?:/proc/pressure/|\b)(cpu|memory|io|irq)(?:\.pressure)?$`)
	reCounter   = regex.New(`^([a-z][a-z0-9_]{3,48}) (\d{1,19})$`)
	rePool      = regex.New(
		`^(?:/sys/kernel/mm/hugepages/)?hugepages-(\d{1,9})kB/(nr|free|resv|surplus)_(?:overcommit_)?hugepage` +
			`s[:=]\s?(\d{1,12})$`)
	rePoolFile = regex.New(`^/sys/kernel/mm/hugepages/hugepages-(\d{1,9})kB/(nr|free|resv|surplus)_hugepages$`)
	poolNames  = map[string]string{"nr": "huge_pages.pool", "free": "huge_pages.pool_free",
		"resv":    "huge_pages.pool_reserved",
		"surplus": "huge_pages.pool_surplus"}
	reLsmem    = regex.New(`^RANGE\s+SIZE\s+STATE\s`)
	reLsmemRow = regex.New(`^0x[0-9a-f]{8,16}-0x[0-9a-f]{8,16}\s`)
	reLsmemSum = regex.New(`^(Memory block size|Total (?:online|offline) memory):\s+(\S+)$`)
)

func readCounters(w *window) (f found) {
	if m := rePressure.FindStringSubmatch(w.t(0)); m != nil {
		of := ""
		for _, c := range strings.Fields(w.command) {
			if p := rePressured.FindStringSubmatch(c); p != nil {
				of = p[1] + " "
			}
		}
		for f.n < len(w.lines) {
			m := rePressure.FindStringSubmatch(w.t(f.n))
			if m == nil {
				break
			}
			for k, name := range []string{"pressure.avg10", "pressure.avg60", "pressure.avg300"} {
				if v, ok := decimal(m[2+k]); ok {
					f.add(share(name, of+m[1], v))
				}
			}
			f.n++
		}
		f.kind = Pressure
		return f
	}
	if rePool.MatchString(w.t(0)) {
		for f.n < len(w.lines) {
			m := rePool.FindStringSubmatch(w.t(f.n))
			if m == nil {
				break
			}
			if n, ok := whole(m[3]); ok {
				f.add(count(poolNames[m[2]], m[1]+" kB", n))
			}
			f.n++
		}
		f.kind = HugePool
		return f
	}
	if reLsmem.MatchString(w.t(0)) {
		for i := 1; i < len(w.lines); i++ {
			t := w.t(i)
			if m := reLsmemSum.FindStringSubmatch(t); m != nil {
				if a, ok := amountOf(m[2], 1); ok && strings.HasPrefix(m[1], "Total online") {
					f.add(a.fact("memory.installed", ""))
				}
			} else if w.lines[i].is == blank {
				continue
			} else if !reLsmemRow.MatchString(t) {
				break
			}
			f.n = i + 1
		}
		f.kind = Lsmem
		return f
	}
	if !strings.Contains(w.command, "/proc/vmstat") {
		return
	}
	for f.n < len(w.lines) {
		m := reCounter.FindStringSubmatch(w.t(f.n))
		if m == nil {
			break
		}
		if n, ok := whole(m[2]); ok && m[1] == "oom_kill" {
			f.add(count("oom.kills", "", n))
		} else if ok {
			f.add(count("vmstat.counter", m[1], n))
		}
		f.n++
	}
	f.kind = ProcVmstat
	return f
}

// poolAnswer reads one file of a pool of huge pages.
func poolAnswer(path, t string) (f found) {
	m := rePoolFile.FindStringSubmatch(path)
	n, ok := whole(t)
	if m == nil || !ok {
		return
	}
	return found{n: 1, kind: HugePool, facts: []Fact{count(poolNames[m[2]], m[1]+" kB", n)}}
}

// Arrays of disks, volume groups, and the members of a cluster.
var (
	reMdHead = regex.New(`^(md\w{1,32}) : (active|inactive)(?: \([\w-]{1,20}\))? (?:(raid\d{1,2}|linear|multipat` +
		`h) )?(\S.*)$`)
	reMdSize = regex.New(`^(\d{1,15}) blocks(?:\s.*?)?(?:\[(\d{1,3}/\d{1,3})\] \[([U_]{1,64})\])?$`)
	reMdRest = regex.New(`^(?:Personalities :|unused devices:|bitmap: |\[[=>.]+\]|resync=)`)
	reLVHead = regex.New(`^(?:VG\s+#PV\s|LV\s+VG\s+Attr\s|PV\s+VG\s+Fmt\s)`)
	reListed = regex.New(`^\+ Cluster: ([\w.-]{1,63})(?: \((\d{10,20})\))? [-+]+$`)
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

// readMembers reads patronictl list.
func readMembers(w *window) (f found) {
	m := reListed.FindStringSubmatch(w.t(0))
	if m == nil || !strings.Contains(w.t(1), "Member") {
		return
	}
	f.add(word("cluster.name", "", m[1]))
	if m[2] != "" {
		f.add(word("control.system_identifier", "", m[2]))
	}
	var head []string
	for f.n = 1; f.n < len(w.lines); f.n++ {
		t := w.t(f.n)
		if strings.HasPrefix(t, "+-") {
			continue
		}
		if !strings.HasPrefix(t, "|") {
			break
		}
		c := cells(t, true)
		if head == nil {
			head = c
			continue
		}
		of := ""
		for k, v := range c {
			if k >= len(head) || v == "" {
				continue
			}
			switch head[k] {
			case "Member":
				of = v
			case "Host":
				f.add(word("member.host", of, v))
			case "Role":
				f.add(word("member.role", of, v))
			case "State":
				f.add(word("member.state", of, v))
			case "TL":
				if n, ok := whole(v); ok {
					f.add(count("member.timeline", of, n))
				}
			case "Lag in MB", "Replay Lag", "Receive Lag":
				if n, ok := whole(v); ok && n < maxAmount/mb {
					f.add(exact("member.lag", of, n*mb))
				}
			}
		}
	}
	return f
}

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
