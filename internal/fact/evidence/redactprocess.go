package evidence

import (
	"strconv"
	"strings"
)

// unitPrefixes are the properties of a unit whose values are numbers and words
// of systemd.
var unitPrefixes = []string{
	"OOM", "ManagedOOM", "Limit", "Memory", "DefaultMemory", "Tasks", "CPU", "IO", "NUMA", "Nice", "LoadState",
	"ActiveState", "SubState", "UnitFileState",
	"Type", "Restart", "NRestarts", "Timeout", "Kill", "Result", "RemainAfterExit", "SendSIG", "FinalKillSignal",
	"PrivateTmp", "Delegate", "AllowedCPUs",
	"AllowedMemoryNodes", "MainPID", "StartupMemory", "EffectiveMemory", "EffectiveTasks", "EffectiveCPUs",
	"EffectiveMemoryNodes", "ExecMainStatus", "ExecMainCode",
}

// unitPaths are those whose values are names of units and files.
var unitPaths = set(`Id Names FragmentPath DropInPaths SourcePath ControlGroup Slice`)

func (r *redactor) unitLine(l string) string {
	k, v, ok := strings.Cut(l, "=")
	if !ok {
		return ""
	}
	if unitPaths[k] {
		return k + "=" + r.path(v)
	}
	for _, p := range unitPrefixes {
		if strings.HasPrefix(k, p) {
			return l
		}
	}
	if strings.Contains(k, " ") || v == "" {
		return r.path(k) + "="
	}
	return k + "=" + Redacted
}

// commandLine redacts /proc/PID/cmdline: the arguments of a postmaster, or the
// title that a server process gave itself.
func (r *redactor) commandLine(s string) string {
	if title, ok := strings.CutPrefix(s, "postgres: "); ok {
		return "postgres: " + r.title(title)
	}
	args := strings.Split(s, "\x00")
	for i, a := range args {
		k, v, ok := strings.Cut(a, "=")
		switch {
		case !ok, strings.Contains(k, "/"): // a path with a sign of equality in it
			args[i] = r.path(a)
		case plainValue(v):
			args[i] = r.param(k) + "=" + v
		case strings.HasPrefix(v, "/"):
			args[i] = r.param(k) + "=" + r.path(v)
		default:
			args[i] = r.param(k) + "=" + Redacted
		}
	}
	return strings.Join(args, "\x00")
}

// title redacts a process title. A client's is USER DATABASE HOST(PORT) STATE, a cluster name with a colon may precede
// it. The padding stays.
func (r *redactor) title(s string) string {
	text := strings.TrimRight(s, "\x00")
	padding := s[len(text):]
	words := strings.Split(text, " ")
	host := -1
	for i, w := range words {
		if w == "[local]" || isHostPort(w) {
			host = i
			break
		}
	}
	for i, w := range words {
		switch {
		case i == host && isHostPort(w):
			open := strings.LastIndexByte(w, '(')
			words[i] = r.host(w[:open]) + w[open:]
		case host >= 2 && i == host-1 && words[host-2] == "walsender":
			words[i] = r.name(roleName, w)
		case host >= 2 && i == host-2 && w == "walsender":
		case host >= 2 && i == host-1:
			words[i] = r.name(dbName, w)
		case host >= 2 && i == host-2:
			words[i] = r.name(roleName, w)
		case i >= 2 && words[i-1] == "worker" && words[i-2] == "autovacuum":
			words[i] = r.name(dbName, w)
		case plainValue(w) || isWALFile(w):
		default:
			words[i] = r.path(w)
		}
	}
	return strings.Join(words, " ") + padding
}

// isHostPort reports whether a word of a title is HOST(PORT).
func isHostPort(w string) bool {
	open := strings.LastIndexByte(w, '(')
	if open <= 0 || !strings.HasSuffix(w, ")") {
		return false
	}
	_, err := strconv.ParseUint(w[open+1:len(w)-1], 10, 16)
	return err == nil
}

// isWALFile reports whether a word of a title is the name of a WAL file: timeline and number, 24 hexadecimal digits.
func isWALFile(w string) bool { return len(w) == 24 && strings.Trim(w, "0123456789ABCDEF") == "" }
