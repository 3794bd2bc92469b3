package paste

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// Parameters that a server is started with: -c name=value in a command, and in the lists of
// compose files and manifests.
var (
	reFlag = regex.New(`(?:^|[\s"',\[=])(?:-c[\s"',]*|--)([a-zA-Z_][\w.-]{1,62})\s?=\s?("[^"]{0,200}"` +
		`|'[^']{0,200}'|[^\s"',\]]+)`)
	reFlagAlone = regex.New(`^- ["']?-c["']?,?$|^["']-c["'],?$`)
	reFlagValue = regex.New(`^(?:- )?["']?([a-zA-Z_][\w.]{1,62})\s?=\s?([^"',\]]+)["']?,?$`)
	reFlagsHead = regex.New(`^(?:- )?["']?(?:command|args|cmd|entrypoint)["']?\s?:\s*(?:[>|\[]-?)?$`)
	reFlagsName = regex.New(`^(?:- )?["']?(?:docker-entrypoint\.sh|/usr/\S+/postgres|postgres)["']?,?$`)
	reStarts    = regex.New(`\b(?:docker|podman)\s+run\b|\bpostgres(?:ql)?\b|\bpg_ctl\b|\bPOSTGRES_INITDB_ARGS\b`)
)

// flags adds the parameters that a line sets, and says how many.
func (f *found) flags(t string) int {
	n := 0
	for _, m := range reFlag.FindAllStringSubmatch(t, 100) {
		if f.flag(strings.ReplaceAll(m[1], "-", "_"), strings.Trim(m[2], `"'`)) {
			n++
		}
	}
	return n
}

func (f *found) flag(name, value string) bool {
	if !isParam(name) || !plausible(name, value) {
		return false
	}
	f.add(setting(name, value, ""))
	f.body = append(f.body, name+" = '"+strings.ReplaceAll(value, "'", "''")+"'")
	return true
}

// mostHeads is how many lines of a head are read before what it is of.
const mostHeads = 50

const ofStart = "these parameters are on the command line that starts a server"

// readFlags reads such a list, or lines that have them.
func readFlags(w *window) (f found) {
	t := w.t(0)
	if f = glued(t); f.n > 0 {
		return f
	}
	if !strings.Contains(t, "-c") && !reFlagsHead.MatchString(t) && !reFlagsName.MatchString(t) {
		return
	}
	f.body = []string{}
	for i := 0; i < len(w.lines) && w.lines[i].is == content; i++ {
		t := w.t(i)
		if len(f.facts) == 0 && i > mostHeads {
			return found{}
		}
		switch {
		case reFlagAlone.MatchString(t):
			m := reFlagValue.FindStringSubmatch(w.t(i + 1))
			if m == nil {
				return f.started()
			}
			if f.flag(m[1], strings.TrimSpace(m[2])) || strings.Contains(m[1], ".") || isParam(m[1]) {
				i++
				f.n = i + 1
				continue
			}
			return f.started()
		case strings.Contains(t, "-c") || strings.Contains(t, "--"):
			if f.flags(t) == 0 {
				return f.started()
			}
			if i == 0 {
				f.image(t)
			}
			f.n = i + 1
		case (reFlagsHead.MatchString(t) || reFlagsName.MatchString(t)) && len(f.facts) == 0:
		default:
			return f.started()
		}
	}
	return f.started()
}

func (f *found) started() found {
	if len(f.facts) == 0 {
		return found{}
	}
	f.sure, f.kind, f.notes = Likely, PostgresConf, []string{ofStart}
	return *f
}

// startedBy reads the parameters in a command that starts a server.
func startedBy(command string) (f found) {
	run := strings.Contains(command, " run ")
	if !run && !strings.Contains(command, "-c") || len(command) > maxCommand || !reStarts.MatchString(command) ||
		strings.HasPrefix(command, "psql") {
		return
	}
	f.body = []string{}
	n := f.flags(command)
	if run && f.image(command) {
		f.runFlags(command)
	}
	if len(f.facts) == 0 {
		return found{}
	}
	f.n = 1
	if n == 0 {
		f.kind, f.sure = Inspect, Likely
		return f
	}
	return f.started()
}

// typed is what a command itself says.
func typed(command string) (f found) {
	if v, ok := altered(command); ok {
		return found{n: 1, kind: AlterSystem, sure: Likely, facts: []Fact{v}, notes: []string{ofSets}}
	}
	if f = startedBy(command); f.n > 0 || !strings.Contains(command, "sysctl") && !strings.Contains(command, "echo") {
		return f
	}
	return sets(command)
}

// reGlued is /proc/PID/cmdline, whose words a terminal shows without what parts them.
var reGlued = regex.New(`^(?:/\S*/)?postgres(?:-D(/[^\s]*?))?((?:--[a-z][\w.-]{1,62}=[^\s]*)+)$`)

// glued reads it.
func glued(t string) (f found) {
	if strings.Count(t, "--") < 2 || len(t) > maxCommand {
		return
	}
	m := reGlued.FindStringSubmatch(t)
	if m == nil {
		return
	}
	f.body = []string{}
	for s := range strings.SplitSeq(m[2], "--") {
		name, value, _ := strings.Cut(s, "=")
		f.flag(strings.ReplaceAll(name, "-", "_"), value)
	}
	if m[1] != "" && len(f.facts) > 0 {
		f.add(word("data_directory", "", m[1]))
	}
	f.n = 1
	return f.started()
}

// limits.conf of pam_limits, what the boot loader is to give the kernel, and ipcs.
var (
	rePamLimit = regex.New(
		`^([@%]?[\w.*-]{1,64})\s+(soft|hard|-)\s+(nofile|memlock|nproc|stack|core|as|data|fsize|rss|cpu|priority` +
			`|nice|` +
			`rtprio|sigpending|msgqueue|locks|maxlogins)\s+(-?\d{1,19}|unlimited|infinity)(?:\s*#.*)?$`)
	reGrub      = regex.New(`^#?(GRUB_CMDLINE_LINUX(?:_DEFAULT)?)=["']?(.*?)["']?$`)
	reIpcsTitle = regex.New(`^-{4,} (?:Messages:? Limits|Shared Memory (?:Limits|Segments|Status)|Semaphore (?:L` +
		`imits|Arrays|Status)|` +
		`Message Queues) -{4,}$`)
	reIpcsLimit = regex.New(`^([a-z][a-z ]{4,40}?)(?: \(([a-z]+)\))? = (\d{1,20})(?:\s.*)?$`)
	reIpcsHead  = regex.New(`^key\s+(?:shmid|semid|msqid)\s+owner\s+perms\s`)
	reIpcsRow   = regex.New(`^0x[0-9a-f]{8}\s+(\d{1,19})\s+(\S+)\s+(\d{3})\s+(\d{1,19})(?:\s+(\d{1,9}))?`)
)

func readPamLimits(w *window) (f found) {
	for i := 0; i < len(w.lines); i++ {
		t := w.t(i)
		if f.n > 0 && (w.lines[i].is == blank || strings.HasPrefix(t, "#")) {
			continue
		}
		m := rePamLimit.FindStringSubmatch(t)
		if m == nil {
			break
		}
		f.add(word("limits.conf", m[1]+" "+m[2]+" "+m[3], m[4]))
		f.n = i + 1
	}
	return f
}

func readGrub(w *window) (f found) {
	for f.n < len(w.lines) {
		m := reGrub.FindStringSubmatch(w.t(f.n))
		if m == nil {
			break
		}
		f.n++
		if strings.HasPrefix(w.t(f.n-1), "#") {
			continue
		}
		for _, o := range strings.Fields(m[2]) {
			k, v, _ := strings.Cut(o, "=")
			f.add(word("boot.option", k, v))
		}
	}
	if f.n > 0 {
		f.notes = append(f.notes, "these options take effect after update-grub and a reboot")
	}
	return f
}

func readIpcs(w *window) (f found) {
	if !reIpcsTitle.MatchString(w.t(0)) && !reIpcsHead.MatchString(w.t(0)) {
		return
	}
	for i := range w.lines {
		t := w.t(i)
		if m := reIpcsLimit.FindStringSubmatch(t); m != nil {
			x := Fact{Name: "ipc.limit", Of: strings.ReplaceAll(m[1], " ", "_"), Value: m[3]}
			if n, ok := whole(m[3]); ok {
				x.Value = n
				switch {
				case m[2] == "kbytes" && n < maxAmount/kb:
					x.Value, x.Unit = n*kb, "bytes"
				case m[2] == "kbytes":
					x.Value = "unlimited"
				case m[2] == "bytes":
					x.Unit = "bytes"
				}
			}
			f.add(x)
		} else if m := reIpcsRow.FindStringSubmatch(t); m != nil {
			if n, ok := whole(m[4]); ok && m[5] != "" {
				f.add(exact("ipc.segment", m[1], n))
			}
		} else if w.lines[i].is != blank && !reIpcsTitle.MatchString(t) && !reIpcsHead.MatchString(t) {
			break
		} else if w.lines[i].is == blank {
			continue
		}
		f.n = i + 1
	}
	return f
}
