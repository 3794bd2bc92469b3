// Package system recognizes the system of a host and how it is set: kernel, distribution, sysctl, units,
// control groups, limits, packages; and bare values that the command before them explains.
package system

import (
	"path"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/setting"
	"github.com/pgfettle/pgfettle/internal/fact/paste/usage"
)

// uname, whole or with its host left out.
var reUname = regex.New(
	`^Linux (?:([\w.-]{1,255}) )?(\d+\.\d+[\w.+~-]*) (#\S+.*?)(?: (x86_64|aarch64|ppc64le|s390x|riscv64|armv7l|i` +
		`686|loongarch64)\b.*)?$`)

// reLabelled is a label of a person before what a program printed: "Kernel (of the server): Linux …".
var reLabelled = regex.New("^(?:[-*•] +)?[*_`]{0,2}\\p{L}[^:`]{1,60}[*_`]{0,2}:[*_`]{0,2} +[`\"']?(.*?)[`\"']?$")

// ReadUname reads uname, whole or with its host left out.
func ReadUname(w *part.Window) (f part.Found) {
	t := w.Text(0)
	if rest, ok := strings.CutPrefix(t, "uname:"); ok { // of a report of the Java VM
		t = strings.TrimLeft(rest, " ")
	}
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
	f.N = 1
	f.Add(part.Word("kernel.release", "", m[2]))
	if m[1] != "" {
		f.Add(part.Word("host.name", "", m[1]))
		if !w.Named && (w.Command == "" || strings.HasPrefix(w.Command, "uname")) {
			f.Host = m[1]
		}
	}
	if m[4] != "" {
		f.Add(part.Word("cpu.architecture", "", m[4]))
	}
	if of := builtFor(m[2], m[3]); of != "" {
		f.Add(part.Word("kernel.distribution", "", of))
	}
	return f
}

var (
	reKernelOf = []struct {
		re   *regex.Regex
		name string
	}{
		{regex.New(`\.el(\d{1,2})(?:[._]|$)`), "Enterprise Linux"}, {regex.New(`\.fc(\d\d)(?:\.|$)`), "Fedora"},
		{regex.New(`\.amzn(\d{1,4})(?:\.|$)`), "Amazon Linux"},
	}
	reUbuntuHWE = regex.New(`^#\d[\d.]*~(\d\d\.\d\d)[\d.]*-Ubuntu\b`)
)

// builtFor is the distribution that a kernel was built for, by its release and version. A container has the kernel of
// its host, so it is not that of the files; "": unknown.
func builtFor(release, version string) string {
	for _, x := range reKernelOf {
		if m := x.re.FindStringSubmatch(release); m != nil {
			return x.name + " " + m[1]
		}
	}
	if m := reUbuntuHWE.FindStringSubmatch(version); m != nil {
		return "Ubuntu " + m[1]
	}
	return ""
}

// /etc/os-release, /etc/redhat-release, /etc/issue, lsb_release.
var (
	reOSRelease = regex.New(
		`^(NAME|VERSION|ID|ID_LIKE|PRETTY_NAME|VERSION_ID|[A-Z][A-Z0-9_]*(?:_URL|_CODENAME|_NAME|_COLOR|_VERSION` +
			`|_ID|_PRODUCT|_RELEASE|_TYPE)|ANSI_COLOR|PLATFORM_ID|LOGO|VARIANT|SUPPORT_END|DEFAULT_HOSTNAME)=(.*)$`)
	reDistro = regex.New(
		`^(?:CentOS|Red Hat|Rocky Linux|AlmaLinux|Oracle Linux|Fedora|Amazon Linux|SUSE|openSUSE|Scientific Linu` +
			`x|Debian GNU/Linux|Ubuntu|ROSA|Astra Linux|ALT|RED OS)[\w ./()+-]{0,80}\d[\w .()+-]{0,60}$`)
	reLSBFile = regex.New(`^DISTRIB_(?:ID|RELEASE|CODENAME|DESCRIPTION)=`)
	reLSB     = regex.New(`^(?:No LSB modules|LSB Version:|Distributor ID:|Description:|Release:|Codename:)`)
	reHostctl = regex.New(
		`^(Static hostname|Icon name|Chassis|Machine ID|Boot ID|Virtualization|Operating System|CPE OS Name|Kern` +
			`el|Architecture|Hardware Vendor|Hardware Model|Firmware Version|Firmware Date|Firmware Age): (.*)$`)
)

// ofJVM is what a report of the Java VM puts before the first line of os-release.
const ofJVM = "OS:"

// ReadOSRelease reads os-release and its kin, lsb_release and hostnamectl.
func ReadOSRelease(w *part.Window) (f part.Found) {
	t := strings.TrimPrefix(w.Text(0), ofJVM)
	switch {
	case reLSBFile.MatchString(t):
		for f.N < len(w.Lines) && reLSBFile.MatchString(w.Text(f.N)) {
			if v, ok := strings.CutPrefix(w.Text(f.N), "DISTRIB_DESCRIPTION="); ok {
				f.Add(part.Word("os.name", "", strings.Trim(v, `"'`)))
			}
			f.N++
		}
		if len(f.Facts) == 0 {
			return part.Found{}
		}
	case reOSRelease.MatchString(t):
		name, pretty, version := "", "", ""
		for f.N < len(w.Lines) {
			if w.Lines[f.N].Is == part.Blank && reOSRelease.MatchString(w.Text(f.N+1)) {
				f.N++
				continue
			}
			m := reOSRelease.FindStringSubmatch(strings.TrimPrefix(w.Text(f.N), ofJVM))
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
			f.N++
		}
		if pretty == "" {
			pretty = strings.TrimSpace(name + " " + version)
		}
		if pretty == "" {
			return part.Found{}
		}
		f.Add(part.Word("os.name", "", pretty))
	case reLSB.MatchString(t):
		for f.N < len(w.Lines) && reLSB.MatchString(w.Text(f.N)) {
			if v, ok := strings.CutPrefix(w.Text(f.N), "Description:"); ok {
				f.Add(part.Word("os.name", "", strings.TrimSpace(v)))
			}
			f.N++
		}
		if len(f.Facts) == 0 {
			return part.Found{}
		}
	case reHostctl.MatchString(t) && strings.Contains(w.Command, "hostnamectl") ||
		strings.HasPrefix(t, "Static hostname: "):
		for f.N < len(w.Lines) {
			m := reHostctl.FindStringSubmatch(w.Text(f.N))
			if m == nil {
				break
			}
			switch v := strings.TrimSpace(m[2]); m[1] {
			case "Static hostname":
				f.Host = v
			case "Operating System":
				f.Add(part.Word("os.name", "", v))
			case "Kernel":
				f.Add(part.Word("kernel.release", "", strings.TrimPrefix(v, "Linux ")))
			case "Architecture":
				f.Add(part.Word("cpu.architecture", "", v))
			case "Virtualization":
				f.Add(part.Word("cpu.hypervisor", "", v))
			}
			f.N++
		}
	case reDistro.MatchString(t) && (strings.Contains(w.Command, "/etc/") || strings.Contains(t, " release ")):
		f.N = 1
		f.Add(part.Word("os.name", "", t))
		if strings.HasPrefix(w.Text(1), `Kernel \r`) { // of /etc/issue
			f.N = 2
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

var (
	// reNumberAndRemark is a number with a remark in parentheses behind it: 10 (default is 60).
	reNumberAndRemark = regex.New(`^(-?\d{1,20})[ \t]*\([^()]{1,100}\)$`)
	// reNoNumber is a value that a person gives in words: 3% of the memory. Those of vm are numbers.
	reNoNumber = regex.New(`^\d[\d.]*[ \t]*%`)
)

// ReadSysctl reads what sysctl prints, and files of sysctl.d.
func ReadSysctl(w *part.Window) (f part.Found) {
	i := 0
	for i < len(w.Lines) && i < 100 && reSysctlTalk.MatchString(w.Text(i)) {
		i++
	}
	first := reSysctl.FindStringSubmatch(w.Text(i))
	comment := false
	if first == nil { // a file that begins with remarks
		if i > 0 || !strings.HasPrefix(w.Text(0), "#") || !sysctlFollows(w) {
			return
		}
		comment = true
	}
	spaced := true
	rows := 0
	for i := range w.Lines {
		t := w.Text(i)
		switch {
		case w.Lines[i].Is == part.Blank, w.Lines[i].Is == part.Elided:
			continue
		case reSysctlTalk.MatchString(t), reSysctlConf.MatchString(t):
			f.N = i + 1
			continue
		case strings.HasPrefix(t, "#"), strings.HasPrefix(t, ";"):
			if rows > 0 && !sysctlFollows(&part.Window{Lines: w.Lines[i:]}) {
				goto end
			}
			comment = true
			f.N = i + 1
			f.Body = append(f.Body, t)
			continue
		}
		m := reSysctl.FindStringSubmatch(strings.TrimPrefix(t, "-"))
		if m == nil {
			break
		}
		rows++
		spaced = spaced && m[2] == " = "
		f.N = i + 1
		v := sysctlValue(m[3])
		if strings.HasPrefix(m[1], "vm.") && reNoNumber.MatchString(v) { // words of a person
			continue
		}
		f.Add(part.Word("sysctl", strings.ReplaceAll(m[1], "/", "."), v))
		f.Body = append(f.Body, m[1]+" = "+v)
	}
end:
	if rows == 0 {
		return part.Found{}
	}
	file := strings.Contains(w.Command, "/sysctl.") || strings.Contains(w.Command, "sysctl.d") ||
		w.Whole && (strings.Contains(w.Name, "sysctl.conf") || strings.Contains(w.Name, "sysctl.d"))
	if file || (comment || !spaced) && !strings.HasPrefix(strings.TrimPrefix(w.Command, "sudo "), "sysctl") {
		f.Kind = part.SysctlConf
		f.Of = confName(w.Command)
		if !file {
			f.Sure = part.Likely
		}
	}
	return f
}

// sysctlValue is a value without what its author wrote behind it. That of kernel.version begins with #.
func sysctlValue(s string) string {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "# ") {
		return ""
	}
	if m := reNumberAndRemark.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return strings.Join(strings.Fields(part.Bare(s)), " ")
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

func sysctlFollows(w *part.Window) bool {
	for i := 1; i < len(w.Lines) && i < 40; i++ {
		t := strings.TrimPrefix(w.Text(i), "-")
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
	reTHPNamed = regex.New(`(?i)^[*_` + "`" + `]{0,2}([a-z][a-z _./-]{0,80}?)[*_` + "`" + `]{0,2}\s*[:=]\s*([` +
		`\[a-z].*)$`)
	reTHPName = regex.New(`(?i)thp|huge[ _]?page`)
	reTHPFile = regex.New(`^/sys/kernel/mm/transparent_hugepage/(khugepaged/\w+|use_zero_page|hpage_pmd_size):(\d+)$`)
	reChosen  = regex.New(`\[([\w+]+)\]`)
	reCmdline = regex.New(`^(?:BOOT_IMAGE=\S+|root=\S+ |ro root=|initrd=\S+ )`)
)

// ReadTHP reads files of transparent huge pages.
func ReadTHP(w *part.Window) (f part.Found) {
	if m := reTHPFile.FindStringSubmatch(w.Text(0)); m != nil {
		for f.N < len(w.Lines) {
			if m = reTHPFile.FindStringSubmatch(w.Text(f.N)); m == nil {
				break
			}
			f.Add(part.Word("thp.setting", m[1], m[2]))
			f.N++
		}
		f.Body = []string{}
		return f
	}
	t, label := w.Text(0), ""
	m := reTHP.FindStringSubmatch(t)
	if m == nil && len(t) < 200 {
		if l := reTHPNamed.FindStringSubmatch(t); l != nil && reTHPName.MatchString(l[1]) {
			label = strings.ToLower(l[1])
			m = reTHP.FindStringSubmatch(strings.Trim(l[2], "`*_ "))
		}
	}
	if m == nil {
		return
	}
	chosen := reChosen.FindStringSubmatch(m[2])
	if chosen == nil {
		return
	}
	path := m[1]
	if path == "" {
		path = confPath(w.Command)
	}
	name := "thp.enabled"
	switch {
	case strings.HasSuffix(path, "/defrag") || strings.Contains(m[2], "defer") || strings.Contains(label, "defrag"):
		name = "thp.defrag"
	case strings.HasSuffix(path, "shmem_enabled") || strings.Contains(m[2], "within_size") ||
		strings.Contains(label, "shmem"):
		name = "thp.shmem_enabled"
	}
	f.N = 1
	f.Add(part.Word(name, "", chosen[1]))
	f.Body = []string{m[2]}
	f.Of = name
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

// ReadCmdline reads /proc/cmdline.
func ReadCmdline(w *part.Window) (f part.Found) {
	if !reCmdline.MatchString(w.Text(0)) {
		return
	}
	f.N = 1
	seen := map[string]int{}
	for _, o := range strings.Fields(w.Text(0)) {
		k, v, _ := strings.Cut(o, "=")
		if at, ok := seen[k]; ok { // the last one counts
			f.Facts[at].Value = v
			continue
		}
		seen[k] = len(f.Facts)
		f.Add(part.Word("boot.option", k, v))
	}
	return f
}

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
func cgroupFact(path, val string) (part.Fact, bool) {
	file := path[strings.LastIndexByte(path, '/')+1:]
	name := cgroupNames[file]
	v := part.Fact{Name: name, Of: path, Value: val}
	if n, ok := amount.Whole(val); ok && !strings.HasPrefix(file, "pids") {
		v.Value, v.Unit = n, "bytes"
		if n >= 1<<62 { // version 1 says so that there is no limit
			v.Value, v.Unit = "max", ""
		}
	} else if val != "max" && !strings.Contains(val, " ") {
		return v, false
	}
	return v, name != ""
}

// ReadCgroup reads files of control groups: one value, or memory.stat.
func ReadCgroup(w *part.Window) (f part.Found) {
	for f.N < len(w.Lines) { // as grep shows several files
		m := reCgroupPath.FindStringSubmatch(w.Text(f.N))
		if m == nil {
			break
		}
		v, ok := cgroupFact(m[1], m[2])
		if !ok && (f.N == 0 || !reCgroupFile.MatchString(m[1])) {
			break
		}
		if ok {
			f.Add(v)
			f.Body = append(f.Body, m[2])
		}
		f.Of = m[1]
		f.N++
	}
	if f.N > 0 {
		if len(f.Facts) == 0 {
			return part.Found{}
		}
		return f
	}
	path := ""
	if p := confPath(w.Command); strings.HasPrefix(p, "/sys/fs/cgroup") {
		path = p
	} else if m := reCgroupCat.FindStringSubmatch(w.Command); m != nil {
		path = m[1]
	}
	file := path[strings.LastIndexByte(path, '/')+1:]
	if cgroupNames[file] != "" {
		v, ok := cgroupFact(path, w.Text(0))
		if !ok {
			return
		}
		f.N, f.Of, f.Body = 1, path, []string{w.Text(0)}
		f.Add(v)
		return f
	}
	if file != "memory.stat" && !statNear(w) {
		return
	}
	for f.N < len(w.Lines) {
		m := reStatRow.FindStringSubmatch(w.Text(f.N))
		if m == nil {
			break
		}
		if n, ok := amount.Whole(m[2]); ok && statNames[m[1]] != "" {
			f.Add(part.Bytes(statNames[m[1]], path, n))
		}
		f.N++
	}
	f.Of = path
	return f
}

// statNear says whether rows of memory.stat follow.
func statNear(w *part.Window) bool {
	n := 0
	for i := 0; i < len(w.Lines) && i < 5; i++ {
		if m := reStatRow.FindStringSubmatch(w.Text(i)); m != nil && (statNames[m[1]] != "" || m[1] == "rss_huge" ||
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

// sectionBelow is the first section below the remarks at the head of a file.
func sectionBelow(w *part.Window) []string {
	if !strings.HasPrefix(w.Text(0), "#") && !strings.HasPrefix(w.Text(0), ";") {
		return nil
	}
	for i := 1; i < len(w.Lines) && i < part.MostHeads; i++ {
		t := w.Text(i)
		if w.Lines[i].Is == part.Blank || strings.HasPrefix(t, "#") || strings.HasPrefix(t, ";") {
			continue
		}
		return reSection.FindStringSubmatch(t)
	}
	return nil
}

// ReadUnit reads units of systemd and profiles of TuneD, which have one form.
func ReadUnit(w *part.Window) (f part.Found) {
	m := reSection.FindStringSubmatch(w.Text(0))
	remark := strings.HasPrefix(w.Text(0), "# /") && strings.Contains(w.Text(0), "systemd/")
	if remark {
		m = reSection.FindStringSubmatch(w.Text(1))
		f.Of = strings.TrimPrefix(w.Text(0), "# ")
	}
	if m == nil && !remark {
		m = sectionBelow(w)
	}
	if m == nil || !unitParts[m[1]] && !tunedPart[m[1]] {
		return part.Found{}
	}
	unit := unitParts[m[1]]
	section, rows := "", 0
	goes := false
	for i := range w.Lines {
		t := w.Text(i)
		s := reSection.FindStringSubmatch(t)
		switch {
		case w.Lines[i].Is == part.Blank, w.Lines[i].Is == part.Elided:
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
			case unit && unitFacts[k] && len(v) <= part.MaxShown:
				f.Add(part.Word("unit.setting", k, v))
			case !unit && section == "sysctl":
				f.Add(part.Word("sysctl", k, sysctlValue(v)))
			case !unit && len(v) <= part.MaxShown:
				f.Add(part.Word("tuned.setting", section+"."+k, v))
			}
		default:
			goto end
		}
		f.N = i + 1
	}
end:
	if rows == 0 {
		return part.Found{}
	}
	if !unit {
		f.Kind = part.Tuned
	}
	if f.Of == "" {
		f.Of = confName(w.Command)
	}
	return f
}

// systemctl status, without the lines of the journal at its end.
var (
	reUnitHead = regex.New(`^(?:\[[\d:./ -]{8,30}\] )?([●○×*↻] )?([\w@.\\:-]+\.(?:service|slice|scope))(?: - .*)?$`)
	// reUnitMajor is the major version in the name of a unit: postgresql@16-main, postgresql-16.
	reUnitMajor = regex.New(`^postgresql(?:@(\d{1,2}(?:\.\d)?)-|-(\d{1,2}(?:\.\d)?)\.service$)`)
	reTasks     = regex.New(`^(\d{1,9})(?: \(limit: (\d{1,9})\))?$`)
	reUnitLine  = regex.New(
		`^(Loaded|Active|Process|Main PID|Tasks|Memory|CPU|CGroup|Docs|Status|Drop-In|IO|IP|TriggeredBy|Invocati` +
			`on|Until|Transient|Warning|Mem peak|FD Store|Error)[:]? *(.*)$`)
	reExecStart = regex.New(`\bExecStart=(/\S+)`)
	reUnitLabel = regex.New(`^[A-Z][A-Za-z() ]{1,20}: \S`)
	reUnitTree  = regex.New("^[│ ]*[├└|`][─-]+ *(\\d{1,10}) (.*)$")
	rePeak      = regex.New(`\bpeak: ([\d.]+[BKMGT])`)
	reLimitIs   = regex.New(`\b(?:limit|max): ([\d.]+[BKMGT])`)
)

const mainEnded = "the main process of the unit has ended"

// headless says whether the status of a unit begins here whose first line was cut off.
func headless(w *part.Window) bool {
	if !strings.HasPrefix(w.Text(0), "Active: ") && !strings.HasPrefix(w.Text(0), "Loaded: ") {
		return false
	}
	active, more := false, false
	for i := range min(len(w.Lines), 10) {
		active = active || strings.HasPrefix(w.Text(i), "Active: ")
		more = more || strings.HasPrefix(w.Text(i), "Main PID: ") || strings.HasPrefix(w.Text(i), "CGroup: ")
	}
	return active && more
}

// ReadUnitStatus reads systemctl status, without the lines of the journal at its end.
func ReadUnitStatus(w *part.Window) (f part.Found) {
	m := reUnitHead.FindStringSubmatch(w.Text(0))
	name := ""
	switch {
	case m != nil && (m[1] != "" ||
		strings.HasPrefix(w.Text(1), "Loaded: ")): // before systemd 209, and where it was lost
		name, f.N = m[2], 1
		f.Add(part.Word("unit.name", "", name))
	case headless(w):
	default:
		return
	}
	processes, version := int64(0), part.Fact{}
	for ; f.N < len(w.Lines); f.N++ {
		t := w.Text(f.N)
		if p := reUnitTree.FindStringSubmatch(t); p != nil {
			processes++
			f.Add(part.Word("process.command", p[1], strings.Trim(p[2], `" `)))
			if dir := usage.DataDirectory(p[2]); dir != "" {
				f.Add(part.Word("unit.data_directory", "", dir))
			}
			if x, ok := usage.ProgramVersion(strings.Trim(p[2], `" `)); ok {
				version = x
			}
			continue
		}
		p := reUnitLine.FindStringSubmatch(t)
		if p == nil {
			if l := w.Lines[f.N]; l.Indented != l.Text && reUnitLabel.MatchString(t) { // of a later version
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
			state, since, _ := strings.Cut(v, " since ")
			state, _, _ = strings.Cut(state, ";")
			f.Add(part.Word("unit.state", "", strings.TrimSpace(state)))
			if since, _, _ = strings.Cut(since, ";"); since != "" {
				f.Add(part.Word("unit.since", "", strings.TrimSpace(since)))
			}
		case "Main PID":
			pid, rest, _ := strings.Cut(v, " ")
			if n, ok := amount.Whole(pid); ok && strings.HasPrefix(rest, "(code=") {
				f.Add(part.Count("unit.main_pid", "", n), part.Word("unit.exit", "", strings.Trim(rest, "()")))
				f.Notes = append(f.Notes, mainEnded)
			} else if ok {
				f.Add(part.Count("unit.main_pid", "", n))
			}
		case "Process":
			if m := reExecStart.FindStringSubmatch(v); m != nil {
				if x, ok := usage.ProgramVersion(m[1]); ok {
					version = x
				}
			}
		case "Mem peak":
			size, _, _ := strings.Cut(v, " ")
			if a, ok := amount.Of(size, 1); ok {
				f.Add(a.Fact("unit.memory_peak", ""))
			}
		case "Memory":
			size, _, _ := strings.Cut(v, " ")
			if a, ok := amount.Of(size, 1); ok {
				f.Add(a.Fact("unit.memory", ""))
			}
			for _, x := range []struct {
				re   *regex.Regex
				name string
			}{{rePeak, "unit.memory_peak"}, {reLimitIs, "unit.memory_limit"}} {
				if s := x.re.FindStringSubmatch(v); s != nil {
					if a, ok := amount.Of(s[1], 1); ok {
						f.Add(a.Fact(x.name, ""))
					}
				}
			}
		case "Tasks":
			if m := reTasks.FindStringSubmatch(v); m != nil {
				n, _ := amount.Whole(m[1])
				f.Add(part.Count("unit.tasks", "", n))
				if most, ok := amount.Whole(m[2]); ok {
					f.Add(part.Count("unit.tasks_limit", "", most))
				}
			}
		case "CGroup":
			f.Add(part.Word("unit.cgroup", "", v))
			if own := path.Base(v); name == "" && strings.HasSuffix(own, ".service") {
				name = own
				f.Add(part.Word("unit.name", "", name))
			}
		}
	}
	if processes > 0 {
		f.Add(part.Count("processes", "", processes))
	}
	if m := reUnitMajor.FindStringSubmatch(name); m != nil && version.Name == "" {
		if x, ok := setting.Version(m[1] + m[2]); ok {
			version = x
		}
	}
	if version.Name != "" {
		f.Add(version)
	}
	return f
}
