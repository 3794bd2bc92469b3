package evidence

import (
	"strconv"
	"strings"
)

// cgroupLine redacts a line of /proc/PID/cgroup: the path behind the second colon.
func (r *redactor) cgroupLine(l string) string {
	f := strings.SplitN(l, ":", 3)
	if len(f) != 3 {
		return Redacted
	}
	return f[0] + ":" + f[1] + ":" + r.path(f[2])
}

// mountLine redacts a line of mountinfo: root, mount point, source, and the
// values of options that are not words of the filesystem.
func (r *redactor) mountLine(l string) string {
	front, back, ok := strings.Cut(l, " - ")
	f, b := strings.Split(front, " "), strings.SplitN(back, " ", 3)
	if !ok || len(f) < 6 || len(b) != 3 {
		return Redacted
	}
	f[3], f[4], b[1] = r.escapedPath(f[3]), r.escapedPath(f[4]), r.escapedPath(b[1])
	f[5], b[2] = r.options(f[5]), r.options(b[2])
	return strings.Join(f, " ") + " - " + strings.Join(b, " ")
}

// fstabLine redacts a line of fstab: what is mounted is a device, a label or a
// UUID of this host alone; the place and the options are as those of mountinfo.
func (r *redactor) fstabLine(l string) string {
	f := strings.Fields(l)
	if len(f) < 4 || strings.HasPrefix(f[0], "#") {
		return ""
	}
	if !localFS[f[2]] {
		f[2] = Redacted
	}
	return strings.Join([]string{Redacted, r.escapedPath(f[1]), f[2], r.options(f[3])}, " ")
}

// localFS are the types of filesystems whose lines a collector keeps.
var localFS = set(`auto ext2 ext3 ext4 xfs btrfs`)

// escapedPath redacts a path whose blanks the kernel wrote as \040, so that it
// gets the pseudonym of the path without escapes.
func (r *redactor) escapedPath(s string) string {
	plain := octal.Replace(s)
	return unoctal.Replace(r.path(plain))
}

var (
	octal   = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`, `\043`, "#")
	unoctal = strings.NewReplacer(" ", `\040`, "\t", `\011`, "\n", `\012`, `\`, `\134`, "#", `\043`)
)

// swapLine redacts a line of /proc/swaps: the path in front.
func (r *redactor) swapLine(l string) string {
	i := strings.IndexAny(l, " \t")
	if i < 0 || strings.HasPrefix(l, "Filename") {
		return l
	}
	return r.escapedPath(l[:i]) + l[i:]
}

// mountValues are the options whose values are numbers and words of the
// filesystem.
var mountValues = set(
	`data errors sec proto mountproto local_lock vers nfsvers mountvers lookupcache barrier compress space_cache mode
	gid uid size nr_inodes nr_blocks commit stripe jqfmt rsize wsize timeo retrans namlen logbsize logbufs sunit ` +
		`swidth allocsize pagesize
	discard huge index metacopy redirect_dir xino cache access trans msize name resuid resgid user_id group_id ` +
		`ptmxmode fd pgrp timeout minproto maxproto
	subvolid memory_recursiveprot port mountport acregmin acregmax acdirmin acdirmax actimeo fsc max_read`)

func (r *redactor) options(list string) string {
	opts := strings.Split(list, ",")
	for i, o := range opts {
		if k, _, ok := strings.Cut(o, "="); ok && !mountValues[k] {
			opts[i] = k + "=redacted"
		}
	}
	return strings.Join(opts, ",")
}

// bootValues are the kernel's parameters that judgment reads, and those whose values are words of the kernel.
var bootValues = set(
	`transparent_hugepage transparent_hugepage_shmem thp_anon thp_shmem hugepages hugepagesz default_hugepagesz ` +
		`hugetlb_cma
	hugetlb_free_vmemmap numa numa_balancing elevator psi clocksource tsc mitigations isolcpus nohz nohz_full ` +
		`rcu_nocbs cgroup_disable
	cgroup_no_v1 swapaccount cgroup.memory systemd.unified_cgroup_hierarchy preempt intel_pstate amd_pstate ` +
		`processor.max_cstate
	intel_idle.max_cstate zswap.enabled mem memmap crashkernel lockdown audit selinux apparmor iommu intel_iommu ` +
		`rootfstype maxcpus nr_cpus`)

// bootKeys are parameters that most hosts have and whose values contain names.
var bootKeys = set(
	`BOOT_IMAGE root rootflags initrd resume console ip net.ifnames biosdevname rd.lvm.lv rd.luks.uuid consoleblank
	loglevel panic reboot fsck.mode ostree swap systemd.hostname`)

// bootLine redacts the kernel's command line. What follows "--" is for the
// first process and is taken out.
func (r *redactor) bootLine(l string) string {
	params := strings.Fields(l)
	ours := true
	for i, p := range params {
		if !ours {
			params[i] = Redacted
			continue
		}
		ours = p != "--"
		if k, _, ok := strings.Cut(p, "="); ok && !bootValues[k] {
			if !bootKeys[k] {
				k = r.path(k)
			}
			params[i] = k + "=" + Redacted
		} else if !ok {
			params[i] = r.bootFlag(p)
		}
	}
	return strings.Join(params, " ")
}

func (r *redactor) bootFlag(p string) string {
	switch p {
	case "--", "quiet", "splash", "ro", "rw", "debug", "nosmt", "nomodule", "nopti", "noautogroup", "nohugeiomap",
		"nokaslr":
		return p
	}
	return r.path(p)
}

// sysctlLine redacts a line of a sysctl file: comments are taken out, values
// that are no numbers become "(redacted)". The number of lines stays.
func (r *redactor) sysctlLine(l string) string {
	t := strings.TrimSpace(l)
	if t == "" {
		return ""
	}
	k, v, ok := strings.Cut(t, "=")
	if !ok || t[0] == '#' || t[0] == ';' {
		return "#"
	}
	k = r.sysctlName(k)
	for f := range strings.FieldsSeq(v) {
		if _, err := strconv.ParseInt(f, 10, 64); err != nil {
			return k + "= " + Redacted
		}
	}
	return k + "=" + v
}

// tunedLine redacts a line of a profile of TuneD: its sections, the profiles
// that it includes and plain values stay, as they say what is in force.
func (r *redactor) tunedLine(l string) string {
	t := strings.TrimSpace(l)
	k, v, ok := strings.Cut(t, "=")
	k, v = strings.TrimSpace(k), strings.TrimSpace(v)
	switch {
	case strings.HasPrefix(t, "["):
		return r.path(t)
	case !ok || t[0] == '#' || t[0] == ';':
		return "#"
	case k == "include":
		return "include=" + r.path(v)
	case v == "always" || v == "madvise" || v == "never", k == "reapply_sysctl" && boolean(strings.ToLower(v)):
		return r.path(k) + "=" + v
	case strings.ContainsAny(k+v, "$<>"): // computed when it is set: unknown here
		return r.sysctlName(k) + "=$"
	}
	return r.sysctlLine(t)
}

// sysctlName redacts the name of a parameter: that of an interface, which
// follows conf or neigh, is a person's choice.
func (r *redactor) sysctlName(k string) string {
	i := strings.IndexAny(k, "./")
	if i < 0 || !strings.HasPrefix(strings.TrimLeft(k, "- "), "net") {
		return k
	}
	sep := k[i : i+1]
	parts := strings.Split(k, sep)
	for i := 1; i < len(parts); i++ {
		if p := parts[i-1]; p == "conf" || p == "neigh" {
			switch parts[i] {
			case "all", "default", "lo", "*":
			default:
				parts[i] = r.name(word, parts[i])
			}
		}
	}
	return strings.Join(parts, sep)
}

// notUsers are the commands that people write in place of a crontab's user.
var notUsers = set(`echo printf sysctl tee sh bash cat test sudo exec nice ionice env`)

// cronLine redacts a line of a crontab that a collector kept. The times stay,
// and of the command the paths of kernel values; all else may be anything.
func (r *redactor) cronLine(l string) string {
	t := strings.TrimSpace(l)
	if t == "" {
		return ""
	}
	f := strings.Fields(t)
	times := 5
	if t[0] == '@' {
		times = 1
	}
	if len(f) <= times || !strings.ContainsAny(t[:1], "0123456789*@-~") || times == 1 && !cronWords[f[0]] {
		return "#"
	}
	for i := range f {
		switch w := f[i]; {
		case i < times && (times == 1 || strings.Trim(w, "0123456789*/,-~") == ""):
		case i < times:
			f[i] = "*" // names of days and months
		case notUsers[w], strings.Trim(w, "<>|&") == "":
		case i == times:
			f[i] = r.path(w)
		case strings.HasPrefix(w, "/sys/"), strings.HasPrefix(w, "/proc/sys/"), strings.HasPrefix(w, ">/sys/"),
			strings.HasPrefix(w, ">/proc/sys/"):
			f[i] = r.path(w)
		case strings.Contains(w, "sysctl"):
			f[i] = "sysctl"
		default:
			f[i] = Redacted
		}
	}
	return strings.Join(f, " ")
}

var cronWords = set(`@reboot @yearly @annually @monthly @weekly @daily @midnight @hourly`)

var controlSettings = set(`max_connections max_worker_processes max_wal_senders max_prepared_xacts max_locks_per_xact`)

// controlDataLine keeps a line of pg_controldata that judgment reads.
func controlDataLine(l string) string {
	name, value, _ := strings.Cut(l, " setting: ")
	if _, err := strconv.ParseUint(value, 10, 32); err == nil && controlSettings[name] {
		return l
	}
	return Redacted
}

// loginLine keeps of a line of logind.conf or login.defs what judgment reads: sections, whether IPC objects are
// removed, the largest id of a system user.
func loginLine(l string) string {
	t := strings.TrimSpace(l)
	if t == "[Login]" || t == "" {
		return t
	}
	if t[0] == '[' {
		return "[" + Redacted + "]"
	}
	if k, v, ok := strings.Cut(t, "="); ok && strings.TrimSpace(k) == "RemoveIPC" &&
		len(strings.TrimSpace(v)) <= len("false") {
		return "RemoveIPC=" + strings.TrimSpace(v)
	}
	if f := strings.Fields(t); len(f) > 1 && f[0] == "SYS_UID_MAX" {
		if _, err := strconv.Atoi(f[1]); err == nil {
			return f[0] + " " + f[1]
		}
	}
	return "#"
}
