package paste

import (
	"path"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// uname, whole or with its host left out.
var reUname = regex.New(
	`^Linux (?:([\w.-]{1,255}) )?(\d+\.\d+[\w.+~-]*) (#\S+.*?)(?: (x86_64|aarch64|ppc64le|s390x|riscv64|armv7l|i` +
		`686|loongarch64)\b.*)?$`)

// reLabelled is a label of a person before what a program printed: "Kernel (of the server): Linux …".
var reLabelled = regex.New("^(?:[-*•] +)?[*_`]{0,2}\\p{L}[^:`]{1,60}[*_`]{0,2}:[*_`]{0,2} +[`\"']?(.*?)[`\"']?$")

func readUname(w *window) (f found) {
	t := w.t(0)
	if l := reLabelled.FindStringSubmatch(t); l != nil && strings.Contains(l[1], "Linux ") {
		t = l[1]
	}
	m := reUname.FindStringSubmatch(t)
	if m == nil && strings.HasSuffix(t, "GNU/Linux") {
		m = reUname.FindStringSubmatch("Linux " + t) // without its beginning
	}
	if m == nil {
		return
	}
	f.n = 1
	f.add(word("kernel.release", "", m[2]))
	if m[1] != "" {
		f.add(word("host.name", "", m[1]))
		if strings.HasPrefix(w.command, "uname") && !w.at {
			f.host = m[1]
		}
	}
	if m[4] != "" {
		f.add(word("cpu.architecture", "", m[4]))
	}
	return f
}

// /etc/os-release, /etc/redhat-release, /etc/issue, lsb_release.
var (
	reOSRelease = regex.New(
		`^(NAME|VERSION|ID|ID_LIKE|PRETTY_NAME|VERSION_ID|[A-Z][A-Z0-9_]*(?:_URL|_CODENAME|_NAME|_COLOR|_VERSION` +
			`|_ID)|ANSI_COLOR|PLATFORM_ID|LOGO|VARIANT)=(.*)$`)
	reDistro = regex.New(
		`^(?:CentOS|Red Hat|Rocky Linux|AlmaLinux|Oracle Linux|Fedora|Amazon Linux|SUSE|openSUSE|Scientific Linu` +
			`x|Debian GNU/Linux|Ubuntu|ROSA|Astra Linux|ALT|RED OS)[\w ./()+-]{0,80}\d[\w .()+-]{0,60}$`)
	reLSBFile = regex.New(`^DISTRIB_(?:ID|RELEASE|CODENAME|DESCRIPTION)=`)
	reLSB     = regex.New(`^(?:No LSB modules|LSB Version:|Distributor ID:|Description:|Release:|Codename:)`)
	reHostctl = regex.New(
		`^(Static hostname|Icon name|Chassis|Machine ID|Boot ID|Virtualization|Operating System|CPE OS Name|Kern` +
			`el|Architecture|Hardware Vendor|Hardware Model|Firmware Version|Firmware Date|Firmware Age): (.*)$`)
)

func readOSRelease(w *window) (f found) {
	t := w.t(0)
	switch {
	case reLSBFile.MatchString(t):
		for f.n < len(w.lines) && reLSBFile.MatchString(w.t(f.n)) {
			if v, ok := strings.CutPrefix(w.t(f.n), "DISTRIB_DESCRIPTION="); ok {
				f.add(word("os.name", "", strings.Trim(v, `"'`)))
			}
			f.n++
		}
		if len(f.facts) == 0 {
			return found{}
		}
	case reOSRelease.MatchString(t):
		name, pretty, version := "", "", ""
		for f.n < len(w.lines) {
			if w.lines[f.n].is == blank && reOSRelease.MatchString(w.t(f.n+1)) {
				f.n++
				continue
			}
			m := reOSRelease.FindStringSubmatch(w.t(f.n))
			if m == nil {
				break
			}
			v := strings.Trim(m[2], `"'`)
			switch m[1] {
			case "NAME":
				name = v
			case "PRETTY_NAME":
				pretty = v
			case "VERSION":
				version = v
			}
			f.n++
		}
		if pretty == "" {
			pretty = strings.TrimSpace(name + " " + version)
		}
		if pretty == "" {
			return found{}
		}
		f.add(word("os.name", "", pretty))
	case reLSB.MatchString(t):
		for f.n < len(w.lines) && reLSB.MatchString(w.t(f.n)) {
			if v, ok := strings.CutPrefix(w.t(f.n), "Description:"); ok {
				f.add(word("os.name", "", strings.TrimSpace(v)))
			}
			f.n++
		}
		if len(f.facts) == 0 {
			return found{}
		}
	case reHostctl.MatchString(t) && strings.Contains(w.command, "hostnamectl") ||
		strings.HasPrefix(t, "Static hostname: "):
		for f.n < len(w.lines) {
			m := reHostctl.FindStringSubmatch(w.t(f.n))
			if m == nil {
				break
			}
			switch v := strings.TrimSpace(m[2]); m[1] {
			case "Static hostname":
				f.host = v
			case "Operating System":
				f.add(word("os.name", "", v))
			case "Kernel":
				f.add(word("kernel.release", "", strings.TrimPrefix(v, "Linux ")))
			case "Architecture":
				f.add(word("cpu.architecture", "", v))
			case "Virtualization":
				f.add(word("cpu.hypervisor", "", v))
			}
			f.n++
		}
	case reDistro.MatchString(t) && (strings.Contains(w.command, "/etc/") || strings.Contains(t, " release ")):
		f.n = 1
		f.add(word("os.name", "", t))
		if strings.HasPrefix(w.t(1), `Kernel \r`) { // of /etc/issue
			f.n = 2
		}
	}
	return f
}

// sysctl as the command prints it, and files of sysctl.d.
var (
	reSysctl = regex.New(
		`^((?:vm|kernel|fs|net|dev|user|abi|crypto|debug|sunrpc)\.[\w.*/-]+)( = |\s*=\s*|: )(.*)$`)
	reSysctlTalk = regex.New(`^sysctl: (?:reading key|permission denied|cannot stat|error|unable)`)
	reSysctlConf = regex.New(`^\* Applying (/\S+)`)
)

func readSysctl(w *window) (f found) {
	i := 0
	for i < len(w.lines) && i < 100 && reSysctlTalk.MatchString(w.t(i)) {
		i++
	}
	first := reSysctl.FindStringSubmatch(w.t(i))
	comment := false
	if first == nil { // a file that begins with remarks
		if i > 0 || !strings.HasPrefix(w.t(0), "#") || !sysctlFollows(w) {
			return
		}
		comment = true
	}
	spaced := true
	rows := 0
	for i := range w.lines {
		t := w.t(i)
		switch {
		case w.lines[i].is == blank, w.lines[i].is == elided:
			continue
		case reSysctlTalk.MatchString(t), reSysctlConf.MatchString(t):
			f.n = i + 1
			continue
		case strings.HasPrefix(t, "#"), strings.HasPrefix(t, ";"):
			if rows > 0 && !sysctlFollows(&window{lines: w.lines[i:]}) {
				goto end
			}
			comment = true
			f.n = i + 1
			f.body = append(f.body, t)
			continue
		}
		m := reSysctl.FindStringSubmatch(strings.TrimPrefix(t, "-"))
		if m == nil {
			break
		}
		rows++
		spaced = spaced && m[2] == " = "
		v := strings.Join(strings.Fields(bare(" "+m[3])), " ")
		f.add(word("sysctl", strings.ReplaceAll(m[1], "/", "."), v))
		f.body = append(f.body, m[1]+" = "+v)
		f.n = i + 1
	}
end:
	if rows == 0 {
		return found{}
	}
	file := strings.Contains(w.command, "/sysctl.") || strings.Contains(w.command, "sysctl.d") ||
		w.whole && (strings.Contains(w.name, "sysctl.conf") || strings.Contains(w.name, "sysctl.d"))
	if file || (comment || !spaced) && !strings.HasPrefix(strings.TrimPrefix(w.command, "sudo "), "sysctl") {
		f.kind = SysctlConf
		f.of = confName(w.command)
		if !file {
			f.sure = Likely
		}
	}
	return f
}

// confName is the file that a command shows.
func confName(command string) string {
	for _, c := range strings.Fields(command) {
		if strings.HasPrefix(c, "/") && strings.Contains(c, ".") {
			return c
		}
	}
	return ""
}

func sysctlFollows(w *window) bool {
	for i := 1; i < len(w.lines) && i < 40; i++ {
		t := strings.TrimPrefix(w.t(i), "-")
		if m := reSysctl.FindStringSubmatch(t); m != nil && m[2] != ": " {
			return true
		}
		if t != "" && !strings.HasPrefix(t, "#") && !strings.HasPrefix(t, ";") {
			return false
		}
	}
	return false
}

// What the kernel says in one line.
var (
	reTHP = regex.New(
		`^(?:(/sys/\S+):)?((?:always|\[always\]|defer|defer\+madvise|within_size|advise|deny|force|madvise|never` +
			`|\[[\w+]+\])(?: (?:always|defer|defer\+madvise|within_size|advise|deny|force|madvise|never|\[[\w+]+` +
			`\])){2,6})$`)
	reTHPFile = regex.New(`^/sys/kernel/mm/transparent_hugepage/(khugepaged/\w+|use_zero_page|hpage_pmd_size):(\d+)$`)
	reChosen  = regex.New(`\[([\w+]+)\]`)
	reCmdline = regex.New(`^(?:BOOT_IMAGE=\S+|root=\S+ |ro root=|initrd=\S+ )`)
)

func readTHP(w *window) (f found) {
	if m := reTHPFile.FindStringSubmatch(w.t(0)); m != nil {
		for f.n < len(w.lines) {
			if m = reTHPFile.FindStringSubmatch(w.t(f.n)); m == nil {
				break
			}
			f.add(word("thp.setting", m[1], m[2]))
			f.n++
		}
		f.body = []string{}
		return f
	}
	m := reTHP.FindStringSubmatch(w.t(0))
	if m == nil {
		return
	}
	chosen := reChosen.FindStringSubmatch(m[2])
	if chosen == nil {
		return
	}
	path := m[1]
	if path == "" {
		path = confPath(w.command)
	}
	name := "thp.enabled"
	switch {
	case strings.HasSuffix(path, "/defrag") || strings.Contains(m[2], "defer"):
		name = "thp.defrag"
	case strings.HasSuffix(path, "shmem_enabled") || strings.Contains(m[2], "within_size"):
		name = "thp.shmem_enabled"
	}
	f.n = 1
	f.add(word(name, "", chosen[1]))
	f.body = []string{m[2]}
	f.of = name
	return f
}

func confPath(command string) string {
	for _, c := range strings.Fields(command) {
		if strings.HasPrefix(c, "/sys/") || strings.HasPrefix(c, "/proc/") {
			return strings.TrimRight(c, ";|")
		}
	}
	return ""
}

func readCmdline(w *window) (f found) {
	if !reCmdline.MatchString(w.t(0)) {
		return
	}
	f.n = 1
	seen := map[string]int{}
	for _, o := range strings.Fields(w.t(0)) {
		k, v, _ := strings.Cut(o, "=")
		if at, ok := seen[k]; ok { // the last one counts
			f.facts[at].Value = v
			continue
		}
		seen[k] = len(f.facts)
		f.add(word("boot.option", k, v))
	}
	return f
}

var reHostName = regex.New(`^[a-zA-Z0-9][\w.-]{0,254}$`)

// Files of control groups: one value, or memory.stat.
var (
	reCgroupPath = regex.New(`^((?:/sys/fs/cgroup/\S+?/|\./)?(?:memory|cpu|pids|cpuset|io)\.[\w.]+)\s?[:=]\s?(ma` +
		`x|\d+.*)$`)
	reCgroupFile = regex.New(`(?:^|/)(?:memory|cpu|pids|cpuset|io)\.[\w.]+$`)
	reCgroupCat  = regex.New(`\bcat\s+((?:\./)?(?:memory|cpu|pids)\.[\w.]+)$`)
	reStatRow    = regex.New(`^([a-z_]{2,40}) (\d{1,19})$`)
	statNames    = map[string]string{"anon": "cgroup.anonymous", "file": "cgroup.file", "shmem": "cgroup.shared",
		"rss":   "cgroup.anonymous",
		"cache": "cgroup.file", "slab": "cgroup.slab", "file_dirty": "cgroup.dirty", "pagetables": "cgroup.page_tables",
		"hierarchical_memory_limit": "cgroup.memory_limit", "kernel_stack": "cgroup.kernel_stack"}
	cgroupNames = map[string]string{"memory.max": "cgroup.memory_limit", "memory.limit_in_bytes": "cgroup.memory_limit",
		"memory.current": "cgroup.memory", "memory.usage_in_bytes": "cgroup.memory",
		"memory.high":     "cgroup.memory_high",
		"memory.swap.max": "cgroup.swap_limit", "memory.peak": "cgroup.memory_peak",
		"memory.max_usage_in_bytes": "cgroup.memory_peak",
		"cpu.max":                   "cgroup.cpu_max", "pids.max": "cgroup.pids_max",
		"memory.swap.current": "cgroup.swap"}
)

// cgroupFact is what a file of a control group says; ok is false where it can be no value of it.
func cgroupFact(path, val string) (Fact, bool) {
	file := path[strings.LastIndexByte(path, '/')+1:]
	name := cgroupNames[file]
	v := Fact{Name: name, Of: path, Value: val}
	if n, ok := whole(val); ok && !strings.HasPrefix(file, "pids") {
		v.Value, v.Unit = n, "bytes"
		if n >= 1<<62 { // version 1 says so that there is no limit
			v.Value, v.Unit = "max", ""
		}
	} else if val != "max" && !strings.Contains(val, " ") {
		return v, false
	}
	return v, name != ""
}

func readCgroup(w *window) (f found) {
	for f.n < len(w.lines) { // as grep shows several files
		m := reCgroupPath.FindStringSubmatch(w.t(f.n))
		if m == nil {
			break
		}
		v, ok := cgroupFact(m[1], m[2])
		if !ok && (f.n == 0 || !reCgroupFile.MatchString(m[1])) {
			break
		}
		if ok {
			f.add(v)
			f.body = append(f.body, m[2])
		}
		f.of = m[1]
		f.n++
	}
	if f.n > 0 {
		if len(f.facts) == 0 {
			return found{}
		}
		return f
	}
	path := ""
	if p := confPath(w.command); strings.HasPrefix(p, "/sys/fs/cgroup") {
		path = p
	} else if m := reCgroupCat.FindStringSubmatch(w.command); m != nil {
		path = m[1]
	}
	file := path[strings.LastIndexByte(path, '/')+1:]
	if cgroupNames[file] != "" {
		v, ok := cgroupFact(path, w.t(0))
		if !ok {
			return
		}
		f.n, f.of, f.body = 1, path, []string{w.t(0)}
		f.add(v)
		return f
	}
	if file != "memory.stat" && !statNear(w) {
		return
	}
	for f.n < len(w.lines) {
		m := reStatRow.FindStringSubmatch(w.t(f.n))
		if m == nil {
			break
		}
		if n, ok := whole(m[2]); ok && statNames[m[1]] != "" {
			f.add(exact(statNames[m[1]], path, n))
		}
		f.n++
	}
	f.of = path
	return f
}

// statNear says whether rows of memory.stat follow.
func statNear(w *window) bool {
	n := 0
	for i := 0; i < len(w.lines) && i < 5; i++ {
		if m := reStatRow.FindStringSubmatch(w.t(i)); m != nil && (statNames[m[1]] != "" || m[1] == "rss_huge" ||
			m[1] == "mapped_file") {
			n++
		}
	}
	return n >= 3
}

// Units of systemd and profiles of tuned, which have one form.
var (
	reSection = regex.New(`^\[([A-Za-z_]\w*)\]$`)
	reINI     = regex.New(`^[A-Za-z_/][\w./*-]*\s*=`)
	unitParts = map[string]bool{"Unit": true, "Service": true, "Install": true, "Slice": true, "Socket": true,
		"Timer": true, "Mount": true}
	tunedPart = map[string]bool{"main": true, "sysctl": true, "vm": true, "cpu": true, "disk": true, "variables": true,
		"bootloader": true,
		"script":     true, "sysfs": true, "scheduler": true, "sysctl_thp": true}
	unitFacts = map[string]bool{"ExecStart": true, "User": true, "OOMScoreAdjust": true, "OOMPolicy": true,
		"MemoryMax":  true,
		"MemoryHigh": true, "MemoryLimit": true, "LimitNOFILE": true, "LimitMEMLOCK": true, "LimitCORE": true,
		"LimitNPROC": true,
		"LimitAS":    true, "TasksMax": true, "CPUQuota": true, "Type": true, "TimeoutSec": true,
		"TimeoutStopSec": true,
		"KillMode":       true,
		"Restart":        true, "Environment": true, "CPUAffinity": true, "NUMAPolicy": true, "MemorySwapMax": true}
)

func readUnit(w *window) (f found) {
	m := reSection.FindStringSubmatch(w.t(0))
	remark := strings.HasPrefix(w.t(0), "# /") && strings.Contains(w.t(0), "systemd/")
	if remark {
		m = reSection.FindStringSubmatch(w.t(1))
		f.of = strings.TrimPrefix(w.t(0), "# ")
	}
	if m == nil || !unitParts[m[1]] && !tunedPart[m[1]] {
		return found{}
	}
	unit := unitParts[m[1]]
	section, rows := "", 0
	goes := false
	for i := range w.lines {
		t := w.t(i)
		s := reSection.FindStringSubmatch(t)
		switch {
		case w.lines[i].is == blank, w.lines[i].is == elided:
			continue
		case goes:
			goes = strings.HasSuffix(t, `\`)
		case s != nil:
			if unitParts[s[1]] != unit && tunedPart[s[1]] == unit {
				goto end
			}
			section = s[1]
		case strings.HasPrefix(t, "#"), strings.HasPrefix(t, ";"):
		case reINI.MatchString(t):
			rows++
			goes = strings.HasSuffix(t, `\`)
			k, v, _ := strings.Cut(t, "=")
			k, v = strings.TrimSpace(k), strings.TrimSpace(v)
			switch {
			case unit && unitFacts[k] && len(v) <= maxShown:
				f.add(word("unit.setting", k, v))
			case !unit && section == "sysctl":
				f.add(word("sysctl", k, bare(" "+v)))
			case !unit && len(v) <= maxShown:
				f.add(word("tuned.setting", section+"."+k, v))
			}
		default:
			goto end
		}
		f.n = i + 1
	}
end:
	if rows == 0 {
		return found{}
	}
	if !unit {
		f.kind = Tuned
	}
	if f.of == "" {
		f.of = confName(w.command)
	}
	return f
}

// systemctl status, without the lines of the journal at its end.
var (
	reUnitHead = regex.New(`^([●○×*↻] )?([\w@.\\:-]+\.(?:service|slice|scope))(?: - .*)?$`)
	reUnitLine = regex.New(
		`^(Loaded|Active|Process|Main PID|Tasks|Memory|CPU|CGroup|Docs|Status|Drop-In|IO|IP|TriggeredBy|Invocati` +
			`on|Until|Transient|Warning|Mem peak|FD Store|Error)[:]? *(.*)$`)
	reUnitLabel = regex.New(`^[A-Z][A-Za-z() ]{1,20}: \S`)
	reUnitTree  = regex.New("^[│ ]*[├└|`][─-]+ *(\\d{1,10}) (.*)$")
	rePeak      = regex.New(`\bpeak: ([\d.]+[BKMGT])`)
	reLimitIs   = regex.New(`\b(?:limit|max): ([\d.]+[BKMGT])`)
)

// headless says whether the status of a unit begins here whose first line was cut off.
func headless(w *window) bool {
	if !strings.HasPrefix(w.t(0), "Active: ") && !strings.HasPrefix(w.t(0), "Loaded: ") {
		return false
	}
	active, more := false, false
	for i := range min(len(w.lines), 10) {
		active = active || strings.HasPrefix(w.t(i), "Active: ")
		more = more || strings.HasPrefix(w.t(i), "Main PID: ") || strings.HasPrefix(w.t(i), "CGroup: ")
	}
	return active && more
}

func readUnitStatus(w *window) (f found) {
	m := reUnitHead.FindStringSubmatch(w.t(0))
	name := ""
	switch {
	case m != nil && (m[1] != "" || strings.HasPrefix(w.t(1), "Loaded: ")): // before systemd 209, and where it was lost
		name, f.n = m[2], 1
		f.add(word("unit.name", "", name))
	case headless(w):
	default:
		return
	}
	processes := int64(0)
	for ; f.n < len(w.lines); f.n++ {
		t := w.t(f.n)
		if p := reUnitTree.FindStringSubmatch(t); p != nil {
			processes++
			f.add(word("process.command", p[1], strings.Trim(p[2], `" `)))
			if dir := dataDirectory(p[2]); dir != "" {
				f.add(word("unit.data_directory", "", dir))
			}
			continue
		}
		p := reUnitLine.FindStringSubmatch(t)
		if p == nil {
			if l := w.lines[f.n]; l.text != l.t && reUnitLabel.MatchString(t) { // of a later version
				continue
			}
			if strings.HasPrefix(t, "└─") || strings.HasPrefix(t, "├─") ||
				strings.HasPrefix(t, "/") && strings.HasSuffix(t, ".d") {
				continue
			}
			break
		}
		switch v := p[2]; p[1] {
		case "Active":
			state, _, _ := strings.Cut(v, " since ")
			state, _, _ = strings.Cut(state, ";")
			f.add(word("unit.state", "", strings.TrimSpace(state)))
		case "Main PID":
			pid, _, _ := strings.Cut(v, " ")
			if n, ok := whole(pid); ok {
				f.add(count("unit.main_pid", "", n))
			}
		case "Memory":
			size, _, _ := strings.Cut(v, " ")
			if a, ok := amountOf(size, 1); ok {
				f.add(a.fact("unit.memory", ""))
			}
			for _, x := range []struct {
				re   *regex.Regex
				name string
			}{{rePeak, "unit.memory_peak"}, {reLimitIs, "unit.memory_limit"}} {
				if s := x.re.FindStringSubmatch(v); s != nil {
					if a, ok := amountOf(s[1], 1); ok {
						f.add(a.fact(x.name, ""))
					}
				}
			}
		case "CGroup":
			f.add(word("unit.cgroup", "", v))
			if own := path.Base(v); name == "" && strings.HasSuffix(own, ".service") {
				name = own
				f.add(word("unit.name", "", name))
			}
		}
	}
	if processes > 0 {
		f.add(count("processes", "", processes))
	}
	return f
}
