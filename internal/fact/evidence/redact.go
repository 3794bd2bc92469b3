package evidence

import (
	"encoding/json"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
)

// Redacted replaces a text that was removed.
const Redacted = "(redacted)"

// Redact returns a copy in which names are replaced by pseudonyms: databases, roles, tablespaces, schemas, relations,
// slots, applications and hosts become db1, role2, …; words of paths, cgroups and units that are not common to all
// systems become name3, name4, …. One name has one number in the whole archive, so that what belonged together still
// does. Numbers are given in the order in which names appear and say nothing else of them: there is no key that could
// be lost, and two redactions of one archive are the same. An address becomes one of the same reach (see reach), as
// judgment asks for it. Sizes, counts, states and kernel parameters stay as they are. What is judged of the copy is
// what is judged of the original.
//
// What is kept is what is known to be harmless; a text of which that is not
// known becomes "(redacted)", and an entry of unknown form is taken out. A
// redacted archive that is redacted once more stays as it is.
func (a *Archive) Redact() *Archive {
	r := newRedactor(a)
	r.archive(a) // to learn all names
	r.number()
	r.orderFiles(a)
	out := r.archive(a)
	if b, err := json.Marshal(r.table); err == nil {
		_ = out.Add(tableEntry, append(b, '\n')) // a name that Add takes, and some hundred bytes
	}
	return out
}

func (r *redactor) archive(a *Archive) *Archive {
	out := New()
	for _, name := range a.Names() {
		if name == tableEntry {
			continue
		}
		to := r.entryName(name)
		data, ok := r.entry(name, a.files[name], a)
		if ok && out.Add(to, data) == nil {
			continue
		}
		out.AddMissing(Missing{Name: to, State: known.Unread, Reason: "taken out by redaction"})
	}
	for _, m := range a.MissingFiles() {
		out.AddMissing(Missing{Name: r.entryName(m.Name), State: m.State, Reason: r.prose(m.Reason),
			Reveal: r.prose(m.Reveal), Cause: causeWord(m.Cause)})
	}
	return out
}

// fixedNames are entries outside proc, pg and sys that every host has.
var fixedNames = set(
	`evidence.json host.json programs.json residents.json servers.json blocks.json statfs.json instances.json ` +
		`strangers.json ` +
		`.dockerenv run/.containerenv run/systemd/container
	run/host/container-manager etc/os-release usr/lib/os-release etc/sysctl.conf etc/crontab etc/fstab ` +
		`etc/login.defs etc/systemd/logind.conf
	run/systemd/logind.conf usr/local/lib/systemd/logind.conf usr/lib/systemd/logind.conf measured/probe.json ` +
		`history/peaks.json paste/server.log etc/tuned/active_profile etc/tuned/tuned-main.conf`)

// entryName redacts the name of an entry. Most are the kernel's or ours; a person's words are in those of cgroups,
// units, configuration files and in paths that could not be read. Files of sysctl.d are loaded in the order of their
// names: the number in front of one, which says its place, stays.
func (r *redactor) entryName(name string) string {
	dir, file := "", name
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		dir, file = name[:i], name[i:]
	}
	switch {
	case orderedDirs[dir]:
		return dir + "/" + r.orderedFile(file[1:])
	case fixedNames[name], commandLines[name] != nil, strings.HasPrefix(name, "proc/"), strings.HasPrefix(name, "pg/"):
		return name
	case strings.HasSuffix(file, "/tuned.conf"): // whose directory is the name of the profile
		return r.path(dir) + file
	case strings.HasPrefix(name, "sys/fs/cgroup/"): // the file is the kernel's, the directories are not
		return r.path(dir) + file
	case strings.HasPrefix(name, "sys/block/"):
		parts := strings.Split(name, "/")
		for i := 2; i < len(parts); i++ {
			switch parts[i] {
			case "queue", "dm", "md", "device", "bcache", "cache_type":
				return strings.Join(parts, "/")
			}
			parts[i] = r.path(parts[i])
		}
		return strings.Join(parts, "/")
	case strings.HasPrefix(name, "sys/"):
		return name
	}
	return r.path(name)
}

// asIs lists entries without a name in them, by prefix or whole.
var asIs = []string{
	"proc/meminfo", "proc/cpuinfo", "proc/stat", "proc/vmstat", "proc/modules", "proc/pressure/", "proc/sys/",
	"host.json", ".dockerenv", "sys/",
	"measured/probe.json", // the collector omits the measured paths
}

// entry redacts the text of an entry; ok is false if its form is not known.
func (r *redactor) entry(name string, data []byte, a *Archive) (out []byte, ok bool) {
	s := string(data)
	last := name[strings.LastIndexByte(name, '/')+1:]
	switch {
	case name == "proc/sys/kernel/hostname":
		return r.eachLine(s, func(l string) string { return r.host(strings.TrimSpace(l)) }), true
	case name == "proc/swaps":
		return r.eachLine(s, r.swapLine), true
	case name == "proc/sys/kernel/core_pattern", strings.HasSuffix(name, "/dm/name"),
		strings.HasSuffix(name, "/dm/uuid"),
		name == "etc/tuned/active_profile", name == "run/systemd/container", name == "run/host/container-manager",
		name == "proc/1/comm":
		return r.eachLine(s, r.path), true
	case name == "proc/cmdline":
		return r.eachLine(s, r.bootLine), true
	case name == "proc/self/mountinfo":
		return r.eachLine(s, r.mountLine), true
	case name == "etc/os-release", name == "usr/lib/os-release":
		return r.eachLine(s, releaseLine), true
	case name == "etc/fstab":
		return r.eachLine(s, r.fstabLine), true
	case name == "run/.containerenv":
		return nil, true // its presence is the fact; it holds the names of container and image
	case strings.Contains(name, "sysctl.d/"), strings.HasPrefix(name, "etc/sysctl.conf"):
		return r.eachLine(s, r.sysctlLine), true
	case strings.Contains(name, "tuned/") && strings.HasSuffix(name, ".conf"):
		return r.eachLine(s, r.tunedLine), true
	case name == "etc/login.defs", strings.HasSuffix(name, "/systemd/logind.conf"),
		strings.Contains(name, "/systemd/logind.conf.d/"):
		return r.eachLine(s, loginLine), true
	case name == "etc/crontab", strings.HasPrefix(name, "etc/cron.d/"):
		return r.eachLine(s, r.cronLine), true
	case strings.HasPrefix(name, "cmd/systemctl-show-"):
		return r.eachLine(s, r.unitLine), true
	case commandLines[name] != nil:
		return r.eachLine(s, func(l string) string { return commandLines[name](r, l) }), true
	case strings.HasPrefix(name, "proc/") && strings.Count(name, "/") == 2:
		return r.processFile(last, s)
	case strings.HasPrefix(name, "pg/") && last == "pg_controldata":
		return r.eachLine(s, controlDataLine), true
	case strings.HasPrefix(name, "pg/") || strings.HasSuffix(name, ".json") && !strings.Contains(name, "/"),
		name == "history/peaks.json":
		return r.document(name, last, data, a)
	}
	for _, p := range asIs {
		if name == p || strings.HasSuffix(p, "/") && strings.HasPrefix(name, p) {
			return data, true
		}
	}
	return nil, false
}

func (r *redactor) processFile(file, s string) ([]byte, bool) {
	switch file {
	case "limits", "oom_score", "oom_score_adj", "smaps_rollup":
		return []byte(s), true
	case "cpu", "memory", "io": // of proc/pressure
		return []byte(s), true
	case "status":
		return r.eachLine(s, func(l string) string {
			if v, ok := strings.CutPrefix(l, "Name:\t"); ok {
				return "Name:\t" + r.path(v)
			}
			return l
		}), true
	case "cgroup":
		return r.eachLine(s, r.cgroupLine), true
	case "cmdline":
		return []byte(r.commandLine(s)), true
	case "environ":
		for v := range strings.SplitSeq(s, "\x00") {
			if strings.HasPrefix(v, "container=") {
				return []byte(r.path(v) + "\x00"), true
			}
		}
		return nil, true
	}
	return nil, false
}

// eachLine redacts a text line by line.
func (r *redactor) eachLine(s string, fn func(string) string) []byte {
	var b strings.Builder
	for line := range strings.Lines(s) {
		text := strings.TrimSuffix(line, "\n")
		b.WriteString(fn(text))
		b.WriteString(line[len(text):])
	}
	return []byte(b.String())
}
