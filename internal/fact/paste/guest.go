package paste

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// What Proxmox lets a guest have: qm config and pct config, and their files.
var (
	reGuestLine = regex.New(`^([a-z][a-z_]*\d{0,2}): (\S.*)$`)
	reGuestOwn  = regex.New(`^(?:scsi|virtio|sata|ide|efidisk|net|rootfs|mp)\d{0,2}: \S+(?:[:,=]\S*)` +
		`|^ostype: \w+$|^balloon: \d+$`)
)

func readGuest(w *window) (f found) {
	if !reGuestLine.MatchString(w.t(0)) {
		return
	}
	own, cores, sockets := 0, int64(0), int64(1)
	for ; f.n < len(w.lines) && f.n < 200; f.n++ {
		m := reGuestLine.FindStringSubmatch(w.t(f.n))
		if m == nil {
			break
		}
		if reGuestOwn.MatchString(w.t(f.n)) {
			own++
		}
		n, ok := whole(m[2])
		switch {
		case (m[1] == "name" || m[1] == "hostname") && reHostName.MatchString(m[2]):
			f.add(word("guest.name", "", m[2]))
		case !ok || n > maxAmount/mb:
		case m[1] == "memory", m[1] == "balloon", m[1] == "swap":
			f.add(exact("guest."+m[1], "", n*mb))
		case m[1] == "cores":
			cores = n
		case m[1] == "sockets":
			sockets = n
		}
	}
	if own == 0 || own < 2 && !strings.Contains(w.command, "config") || len(f.facts) == 0 {
		return found{}
	}
	if cores > 0 && cores < 8192 && sockets < 64 {
		f.add(count("guest.cpus", "", cores*sockets))
	}
	return f
}

// Packages of PostgreSQL that are installed, and on which address it listens.
var (
	reDpkg = regex.New(`^(?:ii|hi|rc|iU|iF)\s+((?:lib)?(?:postgres|pg|patroni|timescaledb|citus|repmgr)[\w.+-]*)` +
		`(?::\w+)?\s+(\d\S*)(?:\s|$)`)
	reRpm = regex.New(`^((?:postgres|pg|patroni|timescaledb|citus|repmgr|edb-as)[\w+]*(?:-[a-z][\w+]*)*)-` +
		`(\d[\w.+~]*-[\w.+~]+)\.(?:x86_64|aarch64|noarch|i[3-6]86|ppc64le|s390x)$`)
	reApt = regex.New(`^((?:lib)?(?:postgres|pg|patroni|timescaledb|citus|repmgr)[\w.+-]*)/\S+ (\d\S*) \w+` +
		`(?: \[([^\]]{1,80})\])?$`)
	reListen = regex.New(`^(?:tcp6?\s+(?:LISTEN\s+)?|LISTEN\s+)\d+\s+\d+\s+(\S+):(\d{2,5})\s+\S+:(?:\*|\d+)(?:\s|$)`)
)

func readPackages(w *window) (f found) {
	for f.n < len(w.lines) {
		if m := reApt.FindStringSubmatch(w.t(f.n)); m != nil {
			f.n++
			if strings.HasPrefix(m[3], "installed") { // others could be
				f.add(word("package.version", m[1], m[2]))
			} else if at := strings.TrimPrefix(m[3], "upgradable from: "); at != m[3] {
				f.add(word("package.version", m[1], at))
			}
			continue
		}
		m := reDpkg.FindStringSubmatch(w.t(f.n))
		removed := m != nil && strings.HasPrefix(w.t(f.n), "rc")
		if m == nil {
			if m = reRpm.FindStringSubmatch(w.t(f.n)); m == nil {
				break
			}
		}
		f.n++
		if !removed { // of which only the configuration is left
			f.add(word("package.version", m[1], m[2]))
		}
	}
	return f
}

func readListen(w *window) (f found) {
	head := strings.HasPrefix(w.t(0), "State ") || strings.HasPrefix(w.t(0), "Netid ") ||
		strings.HasPrefix(w.t(0), "Proto Recv-Q") || strings.HasPrefix(w.t(0), "Active Internet connections")
	i := 0
	for head && i < 2 && i < len(w.lines) && !reListen.MatchString(w.t(i)) {
		i++
	}
	for ; i < len(w.lines); i++ {
		m := reListen.FindStringSubmatch(w.t(i))
		if m == nil || strings.HasPrefix(m[0], "tcp") && !strings.Contains(w.t(i), "LISTEN") {
			break
		}
		f.add(word("listen.address", m[2], strings.Trim(m[1], "[]")))
		f.n = i + 1
	}
	return f
}

// What Windows says of a host, and macOS of its version. Their memory is counted in other ways, and that of macOS is
// not read.
var (
	reWindows = regex.New(`^(Host Name|OS Name|OS Version|System Manufacturer|System Model|Total Physical Memory|` +
		`Available Physical Memory|Virtual Memory: (?:Max Size|Available|In Use)|Processor\(s\)|System Type|` +
		`[A-Z][\w ()]{2,40}):(?:\s+(\S.*)|)$`)
	reMegabytes = regex.New(`^(\d[\d,. \x{a0}\x{202f}]*) ?(?:MB|Mo|МБ)$`)
	reSwVers    = regex.New(`^ProductName:\s+(macOS|Mac OS X)$`)
	reSwVersion = regex.New(`^ProductVersion:\s+(\d[\d.]*)$`)
)

func readOther(w *window) (f found) {
	if m := reSwVers.FindStringSubmatch(w.t(0)); m != nil {
		if v := reSwVersion.FindStringSubmatch(w.t(1)); v != nil {
			f.n, f.kind, f.body = 2, OSRelease, []string{m[1] + " " + v[1]}
			if strings.HasPrefix(w.t(2), "BuildVersion:") {
				f.n = 3
			}
			f.add(word("os.name", "", m[1]+" "+v[1]))
		}
		return f
	}
	m := reWindows.FindStringSubmatch(w.t(0))
	if m == nil || m[1] != "Host Name" && !strings.HasSuffix(m[1], "Physical Memory") && m[1] != "OS Name" {
		return
	}
	for i := range w.lines {
		m := reWindows.FindStringSubmatch(w.t(i))
		if m == nil {
			if i > 0 && w.lines[i].text != w.t(i) { // a list that is set in
				continue
			}
			break
		}
		f.n = i + 1
		switch m[1] {
		case "Host Name":
			f.host = m[2]
			f.add(word("host.name", "", m[2]))
		case "OS Name":
			f.add(word("os.name", "", m[2]))
		case "Total Physical Memory", "Available Physical Memory":
			if a := reMegabytes.FindStringSubmatch(m[2]); a != nil {
				digits := strings.NewReplacer(",", "", ".", "", " ", "", "\u00a0", "", "\u202f", "").Replace(a[1])
				if n, ok := whole(digits); ok && n < maxAmount/mb {
					name := map[byte]string{'T': "memory.total", 'A': "memory.available"}[m[1][0]]
					f.add(amount{n * mb, mb}.fact(name, ""))
				}
			}
		}
	}
	return f
}
