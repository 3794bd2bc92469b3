package paste

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// ps, with its head or rows alone.
var (
	rePsHead = regex.New(
		`^(?:USER|UID|PID|F\s+S\s+UID|F\s+UID|S\s+UID|PPID|%MEM|RSS|COMMAND)\s+(?:[%A-Z]+\S*\s+)*(?:CMD|COMMAND|` +
			`ARGS|RSS|PID|VSZ)(?:\s|$)`)
	rePsAux = regex.New(
		`^([\w+.-]{1,32})\s+(\d{1,10})\s+([\d.]+)\s+([\d.]+)\s+(\d{1,15})\s+(\d{1,15})\s+(\S{1,8})\s+([RSDTZXIWt` +
			`L][\w<+]{0,5})\s+(\S{4,8})\s+(\d{1,6}:\d\d(?:\.\d\d)?)\s+(\S.*)$`)
	rePsEf = regex.New(
		`^([\w+.-]{1,32})\s+(\d{1,10})\s+(\d{1,10})\s+(\d{1,3})\s+(\S{4,8})\s+(\?|pts/\d+|tty\S*|-)\s+(\d[\d:-]*` +
			`)\s+(\S.*)$`)
	// with a few columns, of servers
	rePsFew = regex.New(`^([\w+.-]{1,32})\s+(\d{1,10})\s+(\d{1,3}\.\d)\s+(\d{1,3}\.\d)\s+` +
		`((?:/\S*/)?(?:postgres|postmaster)(?::|\s).*)$`)
	rePsShort = regex.New(`^postgres\s+\d{1,10}\s+\S`)
	// with scheduling and sizes in pages: ps -elf
	rePsElf = regex.New(`^\d\s+[RSDTZXIWtL]\s+([\w+.-]{1,32})\s+(\d{1,10})\s+(\d{1,10})\s+\d{1,3}\s+` +
		`(?:-?\d{1,3}|-)\s+(?:-?\d{1,3}|-)\s+\S+\s+\d{1,15}\s+\S{1,16}\s+` +
		`\S{4,8}\s+(?:\?|pts/\d+|tty\S*|-)\s+\d[\d:-]*\s+(\S.*)$`)
	// ps v
	rePsV = regex.New(`^(\d{1,10})\s+(?:\?|pts/\d+|tty\S*)\s+[RSDTZXIWtL][\w<+]{0,5}\s+\d{1,6}:\d\d\s+` +
		`\d{1,10}\s+\d{1,15}\s+\d{1,15}\s+(\d{1,15})\s+\d{1,3}\.\d\s+(\S.*)$`)
	rePsStat = regex.New(`^(\d{1,10})\s+[RSDTZXIWtL][\w<+]{0,5}\s+((?:/\S*/)?(?:postgres|postmaster)(?::|\s).*)$`)
	// pstree of the BSDs and macOS
	rePsTree = regex.New(`^[ |\\]*-[-+]{1,2}[=-] 0{0,9}(\d{1,10}) \S{1,32} (\S.*)$`)
	rePsAx   = regex.New(
		`^(\d{1,10})\s+(\?|pts/\d+|tty\S*)\s+([RSDTZXIWtL][\w<+]{0,5})\s+(\d{1,6}:\d\d)\s+(\S.*)$`)
)

func readPs(w *window) (f found) {
	var head columns
	switch {
	case rePsHead.MatchString(w.t(0)):
		head = columnsOf(w.t(0))
		f.n = 1
	case rePsElf.MatchString(w.t(0)), rePsV.MatchString(w.t(0)),
		rePsAux.MatchString(w.t(0)), rePsEf.MatchString(w.t(0)), rePsAx.MatchString(w.t(0)),
		strings.Contains(w.t(0), "post") && (rePsFew.MatchString(w.t(0)) || rePsStat.MatchString(w.t(0))),
		strings.Contains(w.t(0), "= ") && rePsTree.MatchString(w.t(0)):
		f.sure = Likely
	default:
		if head = psColumns(w.command); head.at("PID") < 0 {
			return
		}
		f.sure = Likely
	}
	rows, servers := int64(0), int64(0)
	last, once, seen := "", true, map[string]bool{}
	for f.n < len(w.lines) {
		if w.lines[f.n].is == elided {
			f.n++
			continue
		}
		t := w.t(f.n)
		if w.lines[f.n].is != content {
			break
		}
		pid, cmd := "", ""
		if m := rePsElf.FindStringSubmatch(t); m != nil {
			pid, cmd = m[2], m[4]
			if n, ok := whole(m[3]); ok {
				f.add(count("process.parent", pid, n))
			}
		} else if m := rePsV.FindStringSubmatch(t); m != nil {
			pid, cmd = m[1], m[3]
			if n, ok := kilobytes(m[2]); ok {
				f.add(exact("process.resident", pid, n))
			}
		} else if m := rePsAux.FindStringSubmatch(t); m != nil {
			pid, cmd = m[2], m[11]
			if n, ok := kilobytes(m[6]); ok {
				f.add(exact("process.resident", pid, n))
			}
		} else if m := rePsEf.FindStringSubmatch(t); m != nil {
			pid, cmd = m[2], m[8]
			if n, ok := whole(m[3]); ok {
				f.add(count("process.parent", pid, n))
			}
		} else if m := rePsAx.FindStringSubmatch(t); m != nil && head.at("PID") < 0 {
			pid, cmd = m[1], m[5]
		} else if m := rePsFew.FindStringSubmatch(t); m != nil && head.at("PID") < 0 {
			pid, cmd = m[2], m[5]
		} else if m := rePsStat.FindStringSubmatch(t); m != nil && head.at("PID") < 0 {
			pid, cmd = m[1], m[2]
		} else if m := rePsTree.FindStringSubmatch(t); m != nil {
			pid, cmd = m[1], m[2]
		} else {
			c := started(strings.Fields(t), head.at("STARTED"))
			at := head.at("PID")
			if at < 0 || at >= len(c) || len(c) < len(head.names)-1 {
				break
			}
			if k := head.at("PPID"); k >= 0 && k < len(c) {
				if n, ok := whole(c[k]); ok {
					f.add(count("process.parent", c[at], n))
				}
			}
			if _, ok := whole(c[at]); !ok {
				break
			}
			pid = c[at]
			if k := max(head.at("RSS"), head.at("RSZ")); k >= 0 && k < len(c) {
				if n, ok := kilobytes(c[k]); ok {
					f.add(exact("process.resident", pid, n))
				}
			}
			if k := max(head.at("CMD"), head.at("COMMAND"), head.at("ARGS")); k >= 0 && k == len(head.names)-1 &&
				k < len(c) {
				cmd = strings.Join(c[k:], " ")
			}
		}
		rows++
		once = once && (last == "" || last == pid)
		last = pid
		cmd = strings.TrimSpace(reTree.ReplaceAllString(cmd, ""))
		if cmd != "" {
			f.add(word("process.command", pid, cmd))
			if isServer(cmd) {
				if !seen[pid] {
					servers++
				}
				if dir := dataDirectory(cmd); dir != "" {
					f.add(word("data_directory", pid, dir))
				}
			}
		}
		seen[pid] = true
		f.n++
	}
	if rows == 0 {
		return found{}
	}
	f.add(count("processes", "", int64(len(seen))))
	if servers > 0 {
		f.add(count("processes.postgres", "", servers))
	}
	if rows > 1 && once {
		f.notes = append(f.notes, "all rows show the same process at different times")
	}
	return f
}

var (
	reYear = regex.New(`^\d{4}$`)
	reTime = regex.New(`^\d\d:\d\d:\d\d$`)
)

var (
	rePsOptions = regex.New(
		`\bps\s+(?:[^|;]*?\s)?(?:-[a-zA-Z]*[oO]\s*=?|[aexwT]{1,4}o\s)\s*` +
			`([a-z%][\w%=:]*(?:,[\w%=:]*)*(?:\s+-o\s*[\w%=:,]+)*)`)
	rePgrep = regex.New(`\bpgrep\s+(?:.*\s)?-\w*a`)
	psNames = map[string]string{"pid": "PID", "ppid": "PPID", "rss": "RSS", "rssize": "RSS", "rsz": "RSS",
		"args": "COMMAND", "cmd": "COMMAND", "command": "COMMAND", "comm": "COMMAND", "ucomm": "COMMAND",
		"lstart": "STARTED", "vsz": "VSZ", "vsize": "VSZ"}
)

// psColumns are the columns that a command asks for, where no head names them.
func psColumns(command string) (c columns) {
	if rePgrep.MatchString(command) {
		c.names = []string{"PID", "COMMAND"}
		return c
	}
	m := rePsOptions.FindStringSubmatch(command)
	if m == nil {
		return
	}
	for _, n := range strings.FieldsFunc(m[1], func(r rune) bool { return r == ',' || r == ' ' }) {
		n, _, _ = strings.Cut(strings.TrimPrefix(n, "-o"), "=")
		n, _, _ = strings.Cut(n, ":")
		switch {
		case psNames[n] != "":
			c.names = append(c.names, psNames[n])
		case n != "":
			c.names = append(c.names, strings.ToUpper(n))
		}
	}
	return c
}

// started makes one word of the five of the column lstart: Tue Nov 4 03:10:22 2025.
func started(c []string, at int) []string {
	if at < 0 || at+4 >= len(c) || !reTime.MatchString(c[at+3]) || !reYear.MatchString(c[at+4]) {
		return c
	}
	out := append(slices.Clone(c[:at]), strings.Join(c[at:at+5], " "))
	return append(out, c[at+5:]...)
}

var reDataDir = regex.New(`(?:^|\s)-D\s*"?(/[^\s"]+)`)

func dataDirectory(cmd string) string {
	if strings.HasSuffix(cmd, "+") { // top cut it
		return ""
	}
	if m := reDataDir.FindStringSubmatch(cmd); m != nil {
		return strings.TrimRight(m[1], "/")
	}
	return ""
}

// readStatus reads /proc/PID/status.
var (
	reStatusLine = regex.New(`^([A-Za-z]\w*):\s*(.*)$`)
	statusFacts  = map[string]string{"VmPeak": "process.virtual_peak", "VmSize": "process.virtual",
		"VmHWM": "process.peak",
		"VmRSS": "process.resident", "RssAnon": "process.anonymous", "RssFile": "process.file",
		"RssShmem": "process.shared",
		"VmPTE":    "process.page_tables", "VmSwap": "process.swap", "HugetlbPages": "process.huge_pages",
		"VmLck": "process.locked"}
)

func readStatus(w *window) (f found) {
	m := reStatusLine.FindStringSubmatch(w.t(0))
	if m == nil || m[1] != "Name" && statusFacts[m[1]] == "" {
		return
	}
	pid := pidOf(w.command)
	if m[1] == "Name" {
		for i := 1; i < len(w.lines) && i < 12; i++ {
			if p := reStatusLine.FindStringSubmatch(w.t(i)); p != nil && p[1] == "Pid" {
				pid = p[2]
			}
		}
		if pid == "" {
			return
		}
		f.add(word("process.name", pid, m[2]))
	} else {
		f.sure = Likely
	}
	for f.n < len(w.lines) && w.lines[f.n].is != blank {
		if w.lines[f.n].is == elided {
			f.n++
			continue
		}
		m := reStatusLine.FindStringSubmatch(w.t(f.n))
		if m == nil {
			break
		}
		if name := statusFacts[m[1]]; name != "" {
			if n, ok := kilobytes(strings.TrimSpace(strings.TrimSuffix(m[2], "kB"))); ok {
				f.add(exact(name, pid, n))
			}
		}
		f.n++
	}
	f.of = pid
	return f
}

var rePID = regex.New(`/proc/(\d{1,10})/`)

func pidOf(command string) string {
	if m := rePID.FindStringSubmatch(command); m != nil {
		return m[1]
	}
	return ""
}

// readSmaps reads /proc/PID/smaps and smaps_rollup: the sums of the mappings that are
// shown, which are not all of them where it was cut.
var (
	reMapping = regex.New(
		`^[0-9a-f]{6,16}-[0-9a-f]{6,16} [rwxps-]{4} [0-9a-f]{8,16} [0-9a-f]{2,3}:[0-9a-f]{2,5} \d+`)
	reSmapsLine = regex.New(`^([A-Z]\w*):\s+(\d{1,18}) kB$`)
	smapsFacts  = map[string]string{"Rss": "process.resident", "Pss": "process.proportional", "Swap": "process.swap",
		"Shared_Hugetlb": "process.shared_huge_pages", "Private_Hugetlb": "process.private_huge_pages",
		"Anonymous": "process.anonymous", "AnonHugePages": "process.transparent_huge_pages",
		"Private_Dirty": "process.private_dirty"}
)

func readSmaps(w *window) (f found) {
	if !reMapping.MatchString(w.t(0)) || !reSmapsLine.MatchString(w.t(1)) {
		return
	}
	sums, order := map[string]int64{}, []string{}
	maps, rollup := int64(0), false
	for f.n < len(w.lines) {
		t := w.t(f.n)
		if reMapping.MatchString(t) {
			maps++
			rollup = rollup || strings.HasSuffix(t, "[rollup]")
		} else if m := reSmapsLine.FindStringSubmatch(t); m != nil {
			n, ok := kilobytes(m[2])
			if name := smapsFacts[m[1]]; name != "" && ok {
				if _, seen := sums[name]; !seen {
					order = append(order, name)
				}
				sums[name] += n
			}
		} else if w.lines[f.n].is != elided && !reStatusLine.MatchString(t) {
			break
		}
		f.n++
	}
	f.of = pidOf(w.command)
	for _, name := range order {
		f.add(exact(name, f.of, sums[name]))
	}
	if !rollup {
		f.add(count("mappings", f.of, maps))
		f.notes = append(f.notes, "the sizes are the sums of the mappings in the input")
	}
	return f
}

// readUlimit reads ulimit -a, of bash and of dash.
var (
	reUlimit = regex.New(`^([a-zA-Z][a-zA-Z /-]{2,40}?)\s*\((?:(\d* ?[a-z]+)(?:, )?)?(?:-(\w))?\)\s+(\d\S*|unlim` +
		`ited|-1)`)
	// /proc/PID/limits
	reLimitsHead = regex.New(`^Limit\s+Soft Limit\s+Hard Limit`)
	reLimit      = regex.New(`^Max ([a-z -]+?)\s{2,}(\S+)\s+(\S+)(?:\s+(\w+))?$`)
)

const shellLimits = "these are the limits of the shell in which the command was run; those of a server are in " +
	"/proc/PID/limits"

// reUlimitZsh is a line of zsh, whose letter stands first.
var reUlimitZsh = regex.New(`^-(\w): ([a-z][a-z -]{2,40}?)(?: \((\d* ?[a-z]+)\))?\s{2,}(\S+)$`)

// limitName is the name that bash has for a limit.
func limitName(label, letter string) string {
	if letter != "" {
		if u, ok := ulimitNames[letter[0]]; ok {
			return u.name
		}
	}
	name := strings.ReplaceAll(strings.ToLower(label), " ", "_")
	if bash := dashLimits[name]; bash != "" {
		return bash
	}
	return name
}

// dashLimits are the names of dash.
var dashLimits = map[string]string{"nofiles": "open_files", "process": "max_user_processes",
	"locked_memory": "max_locked_memory", "stack": "stack_size", "vmemory": "virtual_memory",
	"memory": "max_memory_size",
	"data":   "data_seg_size"}

func readUlimit(w *window) (f found) {
	for f.n < len(w.lines) {
		m := reUlimit.FindStringSubmatch(bare(w.t(f.n)))
		if z := reUlimitZsh.FindStringSubmatch(w.t(f.n)); z != nil {
			m = []string{"", z[2], z[3], z[1], z[4]}
		}
		if m == nil || m[2] == "" && m[3] == "" {
			break
		}
		v := Fact{Name: "limit", Of: limitName(m[1], m[3]), Value: m[4]}
		if n, ok := whole(m[4]); ok {
			v.Value = n
			switch m[2] {
			case "kbytes":
				v.Value, v.Unit = n*kb, "bytes"
			case "512 bytes":
				v.Value, v.Unit = n*512, "bytes"
			case "blocks":
				if v.Unit = "blocks"; n == 0 {
					v.Unit = ""
				}
			case "bytes":
				v.Unit = "bytes"
			case "seconds":
				v.Unit = "s"
			}
		}
		f.add(v)
		f.n++
	}
	if f.n > 0 && f.n < 3 && !strings.Contains(w.command, "ulimit") {
		f.sure = Likely
	}
	if f.n > 0 {
		f.notes = append(f.notes, shellLimits)
	}
	return f
}

func readLimits(w *window) (f found) {
	if !reLimitsHead.MatchString(w.t(0)) {
		return
	}
	f.of = pidOf(w.command)
	f.n = 1
	for f.n < len(w.lines) {
		m := reLimit.FindStringSubmatch(w.t(f.n))
		if m == nil {
			break
		}
		v := Fact{Name: "limit", Of: strings.ReplaceAll(m[1], " ", "_"), Value: m[2]}
		if n, ok := whole(m[2]); ok {
			v.Value = n
			if m[4] == "bytes" {
				v.Unit = "bytes"
			}
		}
		f.add(v)
		f.n++
	}
	return f
}
