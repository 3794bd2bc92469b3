package system

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/prompt"
	"github.com/pgfettle/pgfettle/internal/fact/paste/setting"
	"github.com/pgfettle/pgfettle/internal/fact/paste/usage"
)

// A bare value that only the command before it explains.
var (
	reBareNumber = regex.New(`^-?\d{1,19}$`)
	reMachine    = regex.New(`^(?:x86_64|amd64|i[3-6]86|aarch64|arm64|armv\w{1,4}|ppc64(?:le)?|s390x|riscv64|` +
		`loongarch64|mips\w{0,6})$`)
	reUlimitOne  = regex.New(`^ulimit\s+(?:-[SH]\s+)?-[SH]?([a-z])$`)
	reLoadAvg    = regex.New(`^(\d+\.\d\d) (\d+\.\d\d) (\d+\.\d\d) \d+/\d+ \d+$`)
	reLoadJVM    = regex.New(`^load average: ?(\d+\.\d\d) (\d+\.\d\d) (\d+\.\d\d)$`)
	reBareMajor  = regex.New(`^\d{1,2}(?:\.\d{1,2})?$`)
	reBareKB     = regex.New(`^(\d{1,15})(?: kB)?$`)
	reDate       = regex.New(`\b\d\d:\d\d:\d\d\b.{0,20}\b\d{4}\b|\b\d{4}\b.{0,20}\b\d\d:\d\d:\d\d\b`)
	reShown      = regex.New(`(?i)\bshow\s+"?([a-z_][\w.]*)"?\s*;?\s*["']?(?:\s.*)?$`)
	reOfSettings = regex.New(`(?i)\bselect\s+setting\s+from\s+pg_settings\s+where\s+name\s*=\s*'+([\w.]+)'`)
	rePostgresC  = regex.New(`\s-C\s*([a-z_]\w*)`)
	// lines of /proc/cpuinfo that are counted, one for each CPU or each socket
	reCountCPUs = regex.New(`grep\b[^|]*\b(?:processor|model name)\b[^|]*\|\s*wc\s+-l|grep\s+-c\b[^|]*\b` +
		`(?:processor|model name)\b`)
	reCountSockets = regex.New(`grep\b[^|]*\bphysical id\b[^|]*\|.*\buniq\b[^|]*\|\s*wc\s+-l`)
	reClient       = regex.New(`^psql \(PostgreSQL\) (\d+(?:\.\d+)*)`)
)

// ReadAnswer reads a value that only the command before it explains.
func ReadAnswer(w *part.Window) (f part.Found) {
	if w.Command == "" {
		return
	}
	for i, c := range prompt.Commands(w.Command) {
		if f = answerOf(w, prompt.Inner(c)); f.N > 0 {
			f.Answered = i + 1
			return f
		}
	}
	return part.Found{}
}

func answerOf(w *part.Window, c string) (f part.Found) {
	t := w.Text(0)
	words := strings.Fields(c)
	if len(words) == 0 {
		return
	}
	one := func(k part.Kind, facts ...part.Fact) part.Found {
		return part.Found{N: 1, Kind: k, Facts: facts}
	}
	switch {
	case words[0] == "uname" && strings.Contains(c, "-r") && part.KernelRelease.MatchString(t):
		return one(part.Uname, part.Word("kernel.release", "", t))
	case words[0] == "uname" && len(words) == 2 && words[1] == "-v" && strings.HasPrefix(t, "#"):
		return one(part.Uname, part.Word("kernel.version", "", t))
	case words[0] == "uname" && len(words) == 2 && (words[1] == "-m" || words[1] == "-p" || words[1] == "-i") &&
		reMachine.MatchString(t):
		return one(part.Uname, part.Word("cpu.architecture", "", t))
	case words[0] == "getconf" && strings.Contains(c, "NPROCESSORS") && reBareNumber.MatchString(t),
		words[0] == "nproc" && reBareNumber.MatchString(t):
		n, _ := amount.Whole(t)
		return one(part.Answer, part.Count("cpu.logical", "", n))
	case words[0] == "hostname" && len(words) == 1 && part.HostName.MatchString(t):
		x := one(part.Answer, part.Word("host.name", "", t))
		x.Host = t
		return x
	case words[0] == "arch" && len(words) == 1:
		return one(part.Answer, part.Word("cpu.architecture", "", t))
	case strings.Contains(c, "MemTotal") && strings.Contains(c, "/proc/meminfo") && !usage.MemLine.MatchString(t):
		if m := reBareKB.FindStringSubmatch(t); m != nil {
			if n, ok := amount.Kilobytes(m[1]); ok {
				x := one(part.Meminfo, part.Bytes("memory.total", "", n))
				x.Body = []string{"MemTotal: " + m[1] + " kB"}
				return x
			}
		}
	case reCountCPUs.MatchString(c) && strings.Contains(c, "/proc/cpuinfo"):
		if n, ok := amount.Whole(t); ok && n > 0 && n <= 8192 {
			return one(part.Answer, part.Count("cpu.logical", "", n))
		}
	case reCountSockets.MatchString(c) && strings.Contains(c, "/proc/cpuinfo"):
		if n, ok := amount.Whole(t); ok && n > 0 && n <= 256 {
			return one(part.Answer, part.Count("cpu.sockets", "", n))
		}
	case (words[0] == "head" || words[0] == "sed") && strings.HasSuffix(c, "/postmaster.pid") &&
		reBareNumber.MatchString(t):
		if n, ok := amount.Whole(t); ok && n > 0 {
			return one(part.Answer, part.Count("process.postmaster", "", n))
		}
	case words[0] == "getconf" && reBareNumber.MatchString(t) && (strings.HasSuffix(c, "PAGESIZE") ||
		strings.HasSuffix(c, "PAGE_SIZE")):
		n, _ := amount.Whole(t)
		return one(part.Answer, part.Bytes("page.size", "", n))
	case reUlimitOne.MatchString(c) && (reBareNumber.MatchString(t) || t == "unlimited"):
		return ulimitAnswer(c, t)
	case words[0] == "date" && reDate.MatchString(t):
		return one(part.Answer, part.Word("host.time", "", t))
	case reShown.MatchString(c) || setting.Current.MatchString(c) || reOfSettings.MatchString(c) ||
		words[0] == "postgres" || strings.HasSuffix(words[0], "/postgres"):
		return settingAnswer(w, c)
	case strings.HasPrefix(words[0], "psql") && reClient.MatchString(t):
		return one(part.Answer, part.Word("client.version", "", reClient.FindStringSubmatch(t)[1]))
	case words[0] == "cat" && len(words) == 2 && strings.HasSuffix(words[1], "/PG_VERSION") &&
		reBareMajor.MatchString(t):
		return one(part.Version, part.Word("server.major", "", t))
	case words[0] == "cat" && len(words) == 2 && strings.HasSuffix(words[1], "/postmaster.pid"):
		return pidFile(w)
	case words[0] == "cat" && len(words) == 2 && words[1] == "/etc/debian_version" && reBareMajor.MatchString(t):
		x := one(part.OSRelease, part.Word("os.name", "", "Debian "+t))
		x.Body = []string{"Debian " + t}
		return x
	case words[0] == "cat" && strings.HasSuffix(c,
		"/oom_score_adj") && reBareNumber.MatchString(t):
		n, _ := strconv.ParseInt(t, 10, 64)
		return one(part.Answer, part.Count("process.oom_score_adj", usage.PID(c), n))
	case words[0] == "cat" && len(words) == 2 && rePoolFile.MatchString(words[1]):
		return poolAnswer(words[1], t)
	case words[0] == "cat" && len(words) == 2 && strings.HasPrefix(words[1], "/sys/"):
		return sysAnswer(w, words[1])
	case strings.HasPrefix(c, "sysctl -n ") && len(words) > 2:
		return sysctlValues(w, words[2:])
	case words[0] == "cat" && len(words) == 2 && strings.HasPrefix(words[1], "/proc/sys/"):
		name := strings.ReplaceAll(strings.TrimPrefix(words[1], "/proc/sys/"), "/", ".")
		x := one(part.Sysctl, part.Word("sysctl", name, t))
		x.Body = []string{name + " = " + t}
		return x
	case words[0] == "cat" && len(words) == 2 && strings.HasPrefix(words[1], "/sys/fs/cgroup"):
		return ReadCgroup(w)
	case words[0] == "tuned-adm" && strings.HasPrefix(t, "Current active profile: "):
		return one(part.Tuned, part.Word("tuned.profile", "", strings.TrimPrefix(t, "Current active profile: ")))
	case words[0] == "cat" && strings.HasSuffix(c, "tuned/active_profile"):
		return one(part.Tuned, part.Word("tuned.profile", "", t))
	}
	return
}

// settingAnswer reads the one value that psql -At prints of a setting, and postgres -C.
func settingAnswer(w *part.Window, c string) (f part.Found) {
	t := w.Text(0)
	name, shown := "", true
	if m := reShown.FindStringSubmatch(c); m != nil {
		name = m[1]
	} else if m := setting.Current.FindStringSubmatch(c); m != nil {
		name = m[1]
	} else if m := reOfSettings.FindStringSubmatch(c); m != nil {
		name, shown = m[1], false
	} else if m := rePostgresC.FindStringSubmatch(c); m != nil {
		name, shown = m[1], false
	}
	if !setting.Known(name) || !setting.Plausible(name, t) || strings.EqualFold(t, name) ||
		part.TableRule.MatchString(w.Text(1)) {
		return
	}
	p := setting.Params()[strings.ToLower(name)]
	if p.Type == "string" && (strings.Contains(t, "  ") || strings.HasPrefix(t, "ERROR:") ||
		strings.HasPrefix(t, "psql:") || reSentence.MatchString(t) || rePathName.MatchString(name) &&
		strings.Contains(t, " ") && !rePathStart.MatchString(t)) {
		return
	}
	f.N, f.Kind = 1, part.Show
	if name == "server_version" {
		v, _, _ := strings.Cut(t, " ")
		if _, ok := setting.VersionNumber(v); !ok {
			return part.Found{}
		}
		f.Add(part.Word("server.version", "", v))
	}
	f.Add(setting.Row(name, t, "", shown))
	return f
}

var (
	// reSentence is what a person wrote where an answer is looked for: some words and how a sentence ends.
	reSentence  = regex.New(`^\p{L}[\p{L}'’]*(?:,? [\p{L}'’()"-]+)+ ?[.:?!]$`)
	rePathName  = regex.New(`_(?:directory|directories|file)$`)
	rePathStart = regex.New(`^["']?(?:/|[A-Za-z]:[\\/])`)
)

// sysctlValues reads the values of sysctl -n, one for each name.
func sysctlValues(w *part.Window, names []string) (f part.Found) {
	for i, name := range names {
		t := w.Text(i)
		if !part.KernelParam.MatchString(name) || strings.Contains(name, "*") || i >= len(w.Lines) ||
			w.Lines[i].Is != part.Content || !reSysctlValue.MatchString(t) {
			return part.Found{}
		}
		f.Add(part.Word("sysctl", name, strings.Join(strings.Fields(t), " ")))
		f.Body = append(f.Body, name+" = "+t)
		f.N++
	}
	f.Kind = part.Sysctl
	return f
}

var (
	reSysctlValue = regex.New(`^(?:-?\d+(?:\s+-?\d+)*|[\w./|%-]{1,128}(?: [\w./|%-]{1,64}){0,8})$`)
	reSysBlock    = regex.New(`^/sys/block/([\w!.-]+)/queue/(\w+)$`)
	reModule      = regex.New(`^/sys/module/(\w+)/parameters/(\w+)$`)
	reGovernor    = regex.New(`/cpufreq/scaling_governor$`)
)

// sysAnswer reads a file of /sys that holds one value.
func sysAnswer(w *part.Window, path string) (f part.Found) {
	t := w.Text(0)
	switch m := reSysBlock.FindStringSubmatch(path); {
	case reModule.MatchString(path) && len(t) <= part.MaxShown:
		m := reModule.FindStringSubmatch(path)
		x := part.Word("module.parameter", m[1]+"."+m[2], t)
		if n, ok := amount.Whole(t); ok {
			x.Value = n
		}
		f.N, f.Facts = 1, []part.Fact{x}
	case m != nil && m[2] == "scheduler":
		if c := reChosen.FindStringSubmatch(t); c != nil {
			f.N, f.Facts = 1, []part.Fact{part.Word("disk.scheduler", m[1], c[1])}
		}
	case m != nil && m[2] == "rotational" && (t == "0" || t == "1"):
		f.N = 1
		f.Facts = []part.Fact{part.Word("disk.rotational", m[1], map[string]string{"0": "no", "1": "yes"}[t])}
	case m != nil && m[2] == "read_ahead_kb":
		if n, ok := amount.Kilobytes(t); ok {
			f.N, f.Facts = 1, []part.Fact{part.Bytes("disk.read_ahead", m[1], n)}
		}
	case strings.HasSuffix(path, "/current_clocksource") && part.HostName.MatchString(t):
		f.N, f.Facts = 1, []part.Fact{part.Word("clocksource", "", t)}
	case reGovernor.MatchString(path) && part.HostName.MatchString(t):
		f.N, f.Facts = 1, []part.Fact{part.Word("cpu.governor", "", t)}
	}
	f.Kind = part.Answer
	return f
}

// ReadLoad reads /proc/loadavg, whose form nothing else has.
func ReadLoad(w *part.Window) (f part.Found) {
	m := reLoadAvg.FindStringSubmatch(w.Text(0))
	if m == nil { // of a report of the Java VM
		m = reLoadJVM.FindStringSubmatch(w.Text(0))
	}
	if m == nil {
		return
	}
	f.N = 1
	for k, name := range []string{"load.1", "load.5", "load.15"} {
		if v, ok := amount.Decimal(m[1+k]); ok {
			f.Add(part.Fact{Name: name, Value: v})
		}
	}
	return f
}

// pidFile reads postmaster.pid, which the server keeps while it runs.
func pidFile(w *part.Window) (f part.Found) {
	pid, ok1 := amount.Whole(w.Text(0))
	port, ok2 := amount.Whole(w.Text(3))
	if !ok1 || !ok2 || !strings.HasPrefix(w.Text(1), "/") || port > 65535 {
		return
	}
	f.Add(part.Word("data_directory", w.Text(0), w.Text(1)), setting.Of("port", w.Text(3), ""),
		part.Count("process.postmaster", "", pid))
	for f.N = 4; f.N < len(w.Lines) && f.N < 9 && w.Lines[f.N].Is == part.Content; f.N++ {
	}
	f.Kind = part.Answer
	return f
}
