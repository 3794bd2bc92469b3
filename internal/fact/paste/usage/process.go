package usage

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/prompt"
	"github.com/pgfettle/pgfettle/internal/fact/paste/setting"
	"github.com/pgfettle/pgfettle/internal/fact/paste/table"
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

// ReadPs reads ps, with its head or rows alone.
func ReadPs(w *part.Window) part.Found {
	apart, glued := ungluedRows(w)
	f := readPs(apart)
	rows := f.N
	for _, i := range glued {
		if i < rows {
			f.N--
		}
	}
	return f
}

// rePsGlued is a row of ps within the command of the one before, behind the name of its user.
var rePsGlued = regex.New(`(\d{1,10})\s+\d{1,3}\.\d\s+\d{1,3}\.\d\s+\d{1,15}\s+\d{1,15}\s+(?:\?|pts/\d+|tty\S*)\s+` +
	`[RSDTZXIWtL][\w<+]{0,5}\s+\S{4,8}\s+\d{1,6}:\d\d\s+\S`)

const leastGlued = 100 // bytes of a line that holds two rows of ps aux

// ungluedRows parts the lines that hold two rows, where a page lost the end of a line that was cut at the edge of a
// terminal. glued are the places of the second of them.
func ungluedRows(w *part.Window) (apart *part.Window, glued []int) {
	var lines []part.Line
	from := 0 // of the lines of the window that are not yet among those
	for i, l := range w.Lines {
		m := rePsAux.FindStringSubmatch(l.Text)
		if m == nil {
			if i > 0 {
				break
			}
			continue // the head
		}
		if len(l.Text) < leastGlued {
			continue
		}
		at := rePsGlued.FindStringIndex(m[11])
		if at == nil {
			continue
		}
		first, is := strings.CutSuffix(strings.TrimRight(m[11][:at[0]], " "), m[1])
		if !is {
			continue
		}
		one, two := l, l
		one.Text = strings.TrimSuffix(l.Text, m[11]) + first
		two.Text = m[1] + " " + m[11][at[0]:]
		one.Indented, two.Indented = one.Text, two.Text
		lines = append(append(lines, w.Lines[from:i]...), one, two)
		glued = append(glued, len(lines)-1)
		from = i + 1
	}
	if glued == nil {
		return w, nil
	}
	p := *w
	p.Lines = append(lines, w.Lines[from:]...)
	return &p, glued
}

func readPs(w *part.Window) (f part.Found) {
	var head table.Columns
	switch {
	case rePsHead.MatchString(w.Text(0)):
		head = table.ColumnsOf(w.Text(0))
		f.N = 1
	case rePsElf.MatchString(w.Text(0)), rePsV.MatchString(w.Text(0)),
		rePsAux.MatchString(w.Text(0)), rePsEf.MatchString(w.Text(0)), rePsAx.MatchString(w.Text(0)),
		strings.Contains(w.Text(0), "post") && (prompt.PsRow.MatchString(w.Text(0)) || rePsStat.MatchString(w.Text(0))),
		strings.Contains(w.Text(0), "= ") && rePsTree.MatchString(w.Text(0)):
		f.Sure = part.Likely
	default:
		if head = psColumns(w.Command); head.At("PID") < 0 {
			return
		}
		f.Sure = part.Likely
	}
	rows, servers := int64(0), int64(0)
	last, once, seen := "", true, map[string]bool{}
	var versions []part.Fact
	for f.N < len(w.Lines) {
		if w.Lines[f.N].Is == part.Elided {
			f.N++
			continue
		}
		t := w.Text(f.N)
		if w.Lines[f.N].Is != part.Content {
			break
		}
		pid, cmd := "", ""
		if m := rePsElf.FindStringSubmatch(t); m != nil {
			pid, cmd = m[2], m[4]
			if n, ok := amount.Whole(m[3]); ok {
				f.Add(part.Count("process.parent", pid, n))
			}
		} else if m := rePsV.FindStringSubmatch(t); m != nil {
			pid, cmd = m[1], m[3]
			if n, ok := amount.Kilobytes(m[2]); ok {
				f.Add(part.Bytes("process.resident", pid, n))
			}
		} else if m := rePsAux.FindStringSubmatch(t); m != nil {
			pid, cmd = m[2], m[11]
			sizes(&f, pid, m[5], m[6])
		} else if m := rePsEf.FindStringSubmatch(t); m != nil {
			pid, cmd = m[2], m[8]
			if n, ok := amount.Whole(m[3]); ok {
				f.Add(part.Count("process.parent", pid, n))
			}
		} else if m := rePsAx.FindStringSubmatch(t); m != nil && head.At("PID") < 0 {
			pid, cmd = m[1], m[5]
		} else if m := prompt.PsRow.FindStringSubmatch(t); m != nil && head.At("PID") < 0 {
			pid, cmd = m[2], m[5]
		} else if m := rePsStat.FindStringSubmatch(t); m != nil && head.At("PID") < 0 {
			pid, cmd = m[1], m[2]
		} else if m := rePsTree.FindStringSubmatch(t); m != nil {
			pid, cmd = m[1], m[2]
		} else {
			c := started(strings.Fields(t), head.At("STARTED"))
			at := head.At("PID")
			if at < 0 || at >= len(c) || len(c) < len(head.Names)-1 {
				break
			}
			if k := head.At("PPID"); k >= 0 && k < len(c) {
				if n, ok := amount.Whole(c[k]); ok {
					f.Add(part.Count("process.parent", c[at], n))
				}
			}
			if _, ok := amount.Whole(c[at]); !ok {
				break
			}
			pid = c[at]
			cell := func(k int) string {
				if k < 0 || k >= len(c) {
					return ""
				}
				return c[k]
			}
			sizes(&f, pid, cell(head.At("VSZ")), cell(max(head.At("RSS"), head.At("RSZ"))))
			if k := max(head.At("CMD"), head.At("COMMAND"), head.At("ARGS")); k >= 0 && k == len(head.Names)-1 &&
				k < len(c) {
				cmd = strings.Join(c[k:], " ")
			}
		}
		rows++
		once = once && (last == "" || last == pid)
		last = pid
		cmd = strings.TrimSpace(table.CommandTree.ReplaceAllString(cmd, ""))
		if cmd != "" {
			f.Add(part.Word("process.command", pid, cmd))
			if isServer(cmd) {
				if !seen[pid] {
					servers++
				}
				if dir := DataDirectory(cmd); dir != "" {
					f.Add(part.Word("data_directory", pid, dir))
				}
				if v, ok := ProgramVersion(cmd); ok {
					versions = append(versions, v)
					startedWith(&f, cmd, len(t))
				}
			}
		}
		seen[pid] = true
		f.N++
	}
	if rows == 0 {
		return part.Found{}
	}
	f.Add(part.Count("processes", "", int64(len(seen))))
	if servers > 0 {
		f.Add(part.Count("processes.postgres", "", servers))
	}
	f.AddAgreed(versions)
	if rows > 1 && once {
		f.Notes = append(f.Notes, "all rows show the same process at different times")
	}
	return f
}

// leastCut is how wide a terminal is at least that cuts a row.
const leastCut = 79

// startedWith adds the parameters that a server was started with. The end of a long row may be cut.
func startedWith(f *part.Found, cmd string, width int) {
	if strings.HasSuffix(cmd, "+") {
		return
	}
	for _, x := range append(setting.Flags(cmd), setting.Switches(cmd)...) {
		cut := width >= leastCut && x[1] != "*" && strings.HasSuffix(cmd, x[1])
		if !cut && setting.Known(x[0]) && setting.Plausible(x[0], x[1]) {
			f.Add(setting.Of(x[0], x[1], ""))
		}
	}
}

// sizes adds what a process has mapped and what of it is in memory, in kB.
func sizes(f *part.Found, pid, virtual, resident string) {
	if n, ok := amount.Kilobytes(virtual); ok {
		f.Add(part.Bytes("process.virtual", pid, n))
	}
	if n, ok := amount.Kilobytes(resident); ok {
		f.Add(part.Bytes("process.resident", pid, n))
	}
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
func psColumns(command string) (c table.Columns) {
	if rePgrep.MatchString(command) {
		c.Names = []string{"PID", "COMMAND"}
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
			c.Names = append(c.Names, psNames[n])
		case n != "":
			c.Names = append(c.Names, strings.ToUpper(n))
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

var (
	reProgram = regex.New(`^\W{0,3}((?:/[^\s"]{0,300})?/(?:edb-)?(?:postgres|postmaster)(?:\.exe)?)` +
		`(?:["\s]|$)`)
	// where packages put a server: of Debian, of the PGDG, of EDB, of Nix, of Homebrew, of macOS
	reProgramOf = regex.New(`[/-](?:postgresql/|pgsql-|PostgreSQL/|postgresql@|edb/as|postgresql-(?:and-plugins-)?|` +
		`Versions/|pgpro/\w{1,10}-)(\d{1,2}(?:\.\d{1,2}){0,2})/bin/`)
)

// ProgramVersion is the version of a server that the path of its program names.
func ProgramVersion(cmd string) (part.Fact, bool) {
	m := reProgram.FindStringSubmatch(cmd)
	if m == nil {
		return part.Fact{}, false
	}
	v := reProgramOf.FindStringSubmatch(m[1])
	if v == nil {
		return part.Fact{}, false
	}
	return setting.Version(v[1])
}

var reDataDir = regex.New(`(?:^|\s)-D\s*"?(/[^\s"]+)`)

// DataDirectory is the directory that the command line of a server names; "": none.
func DataDirectory(cmd string) string {
	if strings.HasSuffix(cmd, "+") { // top cut it
		return ""
	}
	if m := reDataDir.FindStringSubmatch(cmd); m != nil {
		return strings.TrimRight(m[1], "/")
	}
	return ""
}

var (
	reStatusLine = regex.New(`^([A-Za-z]\w*):\s*(.*)$`)
	statusFacts  = map[string]string{"VmPeak": "process.virtual_peak", "VmSize": "process.virtual",
		"VmHWM": "process.peak",
		"VmRSS": "process.resident", "RssAnon": "process.anonymous", "RssFile": "process.file",
		"RssShmem": "process.shared",
		"VmPTE":    "process.page_tables", "VmSwap": "process.swap", "HugetlbPages": "process.huge_pages",
		"VmLck": "process.locked"}
)

// ReadStatus reads /proc/PID/status.
func ReadStatus(w *part.Window) (f part.Found) {
	m := reStatusLine.FindStringSubmatch(w.Text(0))
	next := reStatusLine.FindStringSubmatch(w.Text(1))
	numbered := m != nil && m[1] == "Pid" && next != nil && statusFacts[next[1]] != ""
	if m == nil || m[1] != "Name" && statusFacts[m[1]] == "" && !numbered {
		return
	}
	pid := PID(w.Command)
	if numbered {
		pid = m[2]
	}
	if m[1] == "Name" {
		for i := 1; i < len(w.Lines) && i < 12; i++ {
			if p := reStatusLine.FindStringSubmatch(w.Text(i)); p != nil && p[1] == "Pid" {
				pid = p[2]
			}
		}
		if pid == "" {
			return
		}
		f.Add(part.Word("process.name", pid, m[2]))
	} else {
		f.Sure = part.Likely
	}
	for f.N < len(w.Lines) && w.Lines[f.N].Is != part.Blank {
		if w.Lines[f.N].Is == part.Elided {
			f.N++
			continue
		}
		m := reStatusLine.FindStringSubmatch(w.Text(f.N))
		if m == nil {
			break
		}
		if name := statusFacts[m[1]]; name != "" {
			if n, ok := amount.Kilobytes(strings.TrimSpace(strings.TrimSuffix(m[2], "kB"))); ok {
				f.Add(part.Bytes(name, pid, n))
			}
		}
		f.N++
	}
	f.Of = pid
	return f
}

var rePID = regex.New(`/proc/(\d{1,10})/`)

// PID is the process whose file of /proc a command shows; "": none.
func PID(command string) string {
	if m := rePID.FindStringSubmatch(command); m != nil {
		return m[1]
	}
	return ""
}

var (
	reMapping = regex.New(
		`^[0-9a-f]{6,16}-[0-9a-f]{6,16} [rwxps-]{4} [0-9a-f]{8,16} [0-9a-f]{2,3}:[0-9a-f]{2,5} \d+`)
	reSmapsLine = regex.New(`^([A-Z]\w*):\s+(\d{1,18}) kB$`)
	smapsFacts  = map[string]string{"Rss": "process.resident", "Pss": "process.proportional", "Swap": "process.swap",
		"Shared_Hugetlb": "process.shared_huge_pages", "Private_Hugetlb": "process.private_huge_pages",
		"Anonymous": "process.anonymous", "AnonHugePages": "process.transparent_huge_pages",
		"Private_Dirty": "process.private_dirty"}
)

// ReadSmaps reads /proc/PID/smaps and smaps_rollup: the sums of the mappings that are
// shown, which are not all of them where it was cut.
func ReadSmaps(w *part.Window) (f part.Found) {
	if !reMapping.MatchString(w.Text(0)) || !reSmapsLine.MatchString(w.Text(1)) {
		return
	}
	sums, order := map[string]int64{}, []string{}
	maps, rollup := int64(0), false
	for f.N < len(w.Lines) {
		t := w.Text(f.N)
		if reMapping.MatchString(t) {
			maps++
			rollup = rollup || strings.HasSuffix(t, "[rollup]")
		} else if m := reSmapsLine.FindStringSubmatch(t); m != nil {
			n, ok := amount.Kilobytes(m[2])
			if name := smapsFacts[m[1]]; name != "" && ok {
				if _, seen := sums[name]; !seen {
					order = append(order, name)
				}
				sums[name] += n
			}
		} else if w.Lines[f.N].Is != part.Elided && !reStatusLine.MatchString(t) {
			break
		}
		f.N++
	}
	f.Of = PID(w.Command)
	for _, name := range order {
		f.Add(part.Bytes(name, f.Of, sums[name]))
	}
	if !rollup {
		f.Add(part.Count("mappings", f.Of, maps))
		f.Notes = append(f.Notes, "the sizes are the sums of the mappings in the input")
	}
	return f
}
