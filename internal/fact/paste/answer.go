package paste

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// A bare value that only the command before it explains.
var (
	reBareNumber  = regex.New(`^-?\d{1,19}$`)
	reBareRelease = regex.New(`^\d+\.\d+\.\d+[\w.+~-]*$`)
	reUlimitOne   = regex.New(`^ulimit\s+(?:-[SH]\s+)?-[SH]?([a-z])$`)
	reLoadAvg     = regex.New(`^(\d+\.\d\d) (\d+\.\d\d) (\d+\.\d\d) \d+/\d+ \d+$`)
	reBareMajor   = regex.New(`^\d{1,2}(?:\.\d{1,2})?$`)
	reBareKB      = regex.New(`^(\d{1,15})(?: kB)?$`)
	reDate        = regex.New(`\b\d\d:\d\d:\d\d\b.{0,20}\b\d{4}\b|\b\d{4}\b.{0,20}\b\d\d:\d\d:\d\d\b`)
	reShown       = regex.New(`(?i)\bshow\s+"?([a-z_][\w.]*)"?\s*;?\s*["']?(?:\s.*)?$`)
	reCurrent     = regex.New(`(?i)\bcurrent_setting\(\s*'([\w.]+)'`)
	reOfSettings  = regex.New(`(?i)\bselect\s+setting\s+from\s+pg_settings\s+where\s+name\s*=\s*'+([\w.]+)'`)
	rePostgresC   = regex.New(`\s-C\s*([a-z_]\w*)`)
	reClient      = regex.New(`^psql \(PostgreSQL\) (\d+(?:\.\d+)*)`)
)

// Answer is the kind of such a value.
func readAnswer(w *window) (f found) {
	if w.command == "" {
		return
	}
	for i, c := range commandsOf(w.command) {
		if f = answerOf(w, inner(c)); f.n > 0 {
			f.answered = i + 1
			return f
		}
	}
	return found{}
}

func answerOf(w *window, c string) (f found) {
	t := w.t(0)
	words := strings.Fields(c)
	if len(words) == 0 {
		return
	}
	one := func(k Kind, facts ...Fact) found {
		return found{n: 1, kind: k, facts: facts}
	}
	switch {
	case words[0] == "uname" && strings.Contains(c, "-r") && reBareRelease.MatchString(t):
		return one(Uname, word("kernel.release", "", t))
	case words[0] == "getconf" && strings.Contains(c, "NPROCESSORS") && reBareNumber.MatchString(t),
		words[0] == "nproc" && reBareNumber.MatchString(t):
		n, _ := whole(t)
		return one(Answer, count("cpu.logical", "", n))
	case words[0] == "hostname" && len(words) == 1 && reHostName.MatchString(t):
		x := one(Answer, word("host.name", "", t))
		x.host = t
		return x
	case words[0] == "arch" && len(words) == 1:
		return one(Answer, word("cpu.architecture", "", t))
	case strings.Contains(c, "MemTotal") && strings.Contains(c, "/proc/meminfo") && !reMemLine.MatchString(t):
		if m := reBareKB.FindStringSubmatch(t); m != nil {
			if n, ok := kilobytes(m[1]); ok {
				x := one(Meminfo, exact("memory.total", "", n))
				x.body = []string{"MemTotal: " + m[1] + " kB"}
				return x
			}
		}
	case strings.Contains(c, "grep -c") && strings.Contains(c, "processor") && strings.Contains(c, "/proc/cpuinfo"):
		if n, ok := whole(t); ok {
			return one(Answer, count("cpu.logical", "", n))
		}
	case words[0] == "getconf" && reBareNumber.MatchString(t) && (strings.HasSuffix(c, "PAGESIZE") ||
		strings.HasSuffix(c, "PAGE_SIZE")):
		n, _ := whole(t)
		return one(Answer, exact("page.size", "", n))
	case reUlimitOne.MatchString(c) && (reBareNumber.MatchString(t) || t == "unlimited"):
		return ulimitAnswer(c, t)
	case words[0] == "date" && reDate.MatchString(t):
		return one(Answer, word("host.time", "", t))
	case reShown.MatchString(c) || reCurrent.MatchString(c) || reOfSettings.MatchString(c) || words[0] == "postgres" ||
		strings.HasSuffix(words[0], "/postgres"):
		return settingAnswer(w, c)
	case strings.HasPrefix(words[0], "psql") && reClient.MatchString(t):
		return one(Answer, word("client.version", "", reClient.FindStringSubmatch(t)[1]))
	case words[0] == "cat" && len(words) == 2 && strings.HasSuffix(words[1], "/PG_VERSION") &&
		reBareMajor.MatchString(t):
		return one(Version, word("server.major", "", t))
	case words[0] == "cat" && len(words) == 2 && strings.HasSuffix(words[1], "/postmaster.pid"):
		return pidFile(w)
	case words[0] == "cat" && len(words) == 2 && words[1] == "/etc/debian_version" && reBareMajor.MatchString(t):
		x := one(OSRelease, word("os.name", "", "Debian "+t))
		x.body = []string{"Debian " + t}
		return x
	case words[0] == "cat" && strings.HasSuffix(c,
		"/oom_score_adj") && reBareNumber.MatchString(t):
		n, _ := strconv.ParseInt(t, 10, 64)
		return one(Answer, count("process.oom_score_adj", pidOf(c), n))
	case words[0] == "cat" && len(words) == 2 && rePoolFile.MatchString(words[1]):
		return poolAnswer(words[1], t)
	case words[0] == "cat" && len(words) == 2 && strings.HasPrefix(words[1], "/sys/"):
		return sysAnswer(w, words[1])
	case strings.HasPrefix(c, "sysctl -n ") && len(words) > 2:
		return sysctlValues(w, words[2:])
	case words[0] == "cat" && len(words) == 2 && strings.HasPrefix(words[1], "/proc/sys/"):
		name := strings.ReplaceAll(strings.TrimPrefix(words[1], "/proc/sys/"), "/", ".")
		x := one(Sysctl, word("sysctl", name, t))
		x.body = []string{name + " = " + t}
		return x
	case words[0] == "cat" && len(words) == 2 && strings.HasPrefix(words[1], "/sys/fs/cgroup"):
		return readCgroup(w)
	case words[0] == "tuned-adm" && strings.HasPrefix(t, "Current active profile: "):
		return one(Tuned, word("tuned.profile", "", strings.TrimPrefix(t, "Current active profile: ")))
	case words[0] == "cat" && strings.HasSuffix(c, "tuned/active_profile"):
		return one(Tuned, word("tuned.profile", "", t))
	}
	return
}

// settingAnswer reads the one value that psql -At prints of a setting, and postgres -C.
func settingAnswer(w *window, c string) (f found) {
	t := w.t(0)
	name, shown := "", true
	if m := reShown.FindStringSubmatch(c); m != nil {
		name = m[1]
	} else if m := reCurrent.FindStringSubmatch(c); m != nil {
		name = m[1]
	} else if m := reOfSettings.FindStringSubmatch(c); m != nil {
		name, shown = m[1], false
	} else if m := rePostgresC.FindStringSubmatch(c); m != nil {
		name, shown = m[1], false
	}
	if !isParam(name) || !plausible(name, t) || strings.EqualFold(t, name) || reTableRule.MatchString(w.t(1)) {
		return
	}
	p := paramsByName()[strings.ToLower(name)]
	if p.Type == "string" && (strings.Contains(t, "  ") || strings.HasPrefix(t, "ERROR:") ||
		strings.HasPrefix(t, "psql:") || reSentence.MatchString(t) || rePathName.MatchString(name) &&
		strings.Contains(t, " ") && !rePathStart.MatchString(t)) {
		return
	}
	f.n, f.kind = 1, Show
	if name == "server_version" {
		v, _, _ := strings.Cut(t, " ")
		if _, ok := versionNumber(v); !ok {
			return found{}
		}
		f.add(word("server.version", "", v))
	}
	f.add(settingOf(name, t, "", shown))
	return f
}

var (
	// reSentence is what a person wrote where an answer is looked for: some words and how a sentence ends.
	reSentence  = regex.New(`^\p{L}[\p{L}'’]*(?:,? [\p{L}'’()"-]+)+ ?[.:?!]$`)
	rePathName  = regex.New(`_(?:directory|directories|file)$`)
	rePathStart = regex.New(`^["']?(?:/|[A-Za-z]:[\\/])`)
)

// sysctlValues reads the values of sysctl -n, one for each name.
func sysctlValues(w *window, names []string) (f found) {
	for i, name := range names {
		t := w.t(i)
		if !reDotted.MatchString(name) || strings.Contains(name, "*") || i >= len(w.lines) ||
			w.lines[i].is != content || !reSysctlValue.MatchString(t) {
			return found{}
		}
		f.add(word("sysctl", name, strings.Join(strings.Fields(t), " ")))
		f.body = append(f.body, name+" = "+t)
		f.n++
	}
	f.kind = Sysctl
	return f
}

var (
	reSysctlValue = regex.New(`^(?:-?\d+(?:\s+-?\d+)*|[\w./|%-]{1,128}(?: [\w./|%-]{1,64}){0,8})$`)
	reSysBlock    = regex.New(`^/sys/block/([\w!.-]+)/queue/(\w+)$`)
	reModule      = regex.New(`^/sys/module/(\w+)/parameters/(\w+)$`)
	reGovernor    = regex.New(`/cpufreq/scaling_governor$`)
)

// sysAnswer reads a file of /sys that holds one value.
func sysAnswer(w *window, path string) (f found) {
	t := w.t(0)
	switch m := reSysBlock.FindStringSubmatch(path); {
	case reModule.MatchString(path) && len(t) <= maxShown:
		m := reModule.FindStringSubmatch(path)
		x := word("module.parameter", m[1]+"."+m[2], t)
		if n, ok := whole(t); ok {
			x.Value = n
		}
		f.n, f.facts = 1, []Fact{x}
	case m != nil && m[2] == "scheduler":
		if c := reChosen.FindStringSubmatch(t); c != nil {
			f.n, f.facts = 1, []Fact{word("disk.scheduler", m[1], c[1])}
		}
	case m != nil && m[2] == "rotational" && (t == "0" || t == "1"):
		f.n = 1
		f.facts = []Fact{word("disk.rotational", m[1], map[string]string{"0": "no", "1": "yes"}[t])}
	case m != nil && m[2] == "read_ahead_kb":
		if n, ok := kilobytes(t); ok {
			f.n, f.facts = 1, []Fact{exact("disk.read_ahead", m[1], n)}
		}
	case strings.HasSuffix(path, "/current_clocksource") && reHostName.MatchString(t):
		f.n, f.facts = 1, []Fact{word("clocksource", "", t)}
	case reGovernor.MatchString(path) && reHostName.MatchString(t):
		f.n, f.facts = 1, []Fact{word("cpu.governor", "", t)}
	}
	f.kind = Answer
	return f
}

// ulimitNames are limits by the letter that ulimit is asked with, and what it counts in.
var ulimitNames = map[byte]struct {
	name string
	unit int64 // bytes; 0: a count
}{'n': {"open_files", 0}, 'u': {"max_user_processes", 0}, 'l': {"max_locked_memory", kb}, 'v': {"virtual_memory", kb},
	's': {"stack_size", kb}, 'm': {"max_memory_size", kb}, 'd': {"data_seg_size", kb}}

func ulimitAnswer(c, t string) (f found) {
	u, ok := ulimitNames[reUlimitOne.FindStringSubmatch(c)[1][0]]
	if !ok {
		return
	}
	v := Fact{Name: "limit", Of: u.name, Value: t}
	if n, ok := whole(t); ok {
		v.Value = n
		if u.unit > 0 && n < maxAmount/u.unit {
			v.Value, v.Unit = n*u.unit, "bytes"
		}
	}
	return found{n: 1, kind: Answer, facts: []Fact{v}, notes: []string{shellLimits}}
}

// readLoad reads /proc/loadavg, whose form nothing else has.
func readLoad(w *window) (f found) {
	m := reLoadAvg.FindStringSubmatch(w.t(0))
	if m == nil {
		return
	}
	f.n = 1
	for k, name := range []string{"load.1", "load.5", "load.15"} {
		if v, ok := decimal(m[1+k]); ok {
			f.add(Fact{Name: name, Value: v})
		}
	}
	return f
}

// pidFile reads postmaster.pid, which the server keeps while it runs.
func pidFile(w *window) (f found) {
	pid, ok1 := whole(w.t(0))
	port, ok2 := whole(w.t(3))
	if !ok1 || !ok2 || !strings.HasPrefix(w.t(1), "/") || port > 65535 {
		return
	}
	f.add(word("data_directory", w.t(0), w.t(1)), setting("port", w.t(3), ""), count("process.postmaster", "", pid))
	for f.n = 4; f.n < len(w.lines) && f.n < 9 && w.lines[f.n].is == content; f.n++ {
	}
	f.kind = Answer
	return f
}
