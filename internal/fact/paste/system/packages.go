package system

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

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

// ReadPackages reads dpkg -l, apt list and rpm -qa, of packages of PostgreSQL.
func ReadPackages(w *part.Window) (f part.Found) {
	for f.N < len(w.Lines) {
		if m := reApt.FindStringSubmatch(w.Text(f.N)); m != nil {
			f.N++
			if strings.HasPrefix(m[3], "installed") { // others could be
				f.Add(part.Word("package.version", m[1], m[2]))
			} else if at := strings.TrimPrefix(m[3], "upgradable from: "); at != m[3] {
				f.Add(part.Word("package.version", m[1], at))
			}
			continue
		}
		m := reDpkg.FindStringSubmatch(w.Text(f.N))
		removed := m != nil && strings.HasPrefix(w.Text(f.N), "rc")
		if m == nil {
			if m = reRpm.FindStringSubmatch(w.Text(f.N)); m == nil {
				break
			}
		}
		f.N++
		if !removed { // of which only the configuration is left
			f.Add(part.Word("package.version", m[1], m[2]))
		}
	}
	return f
}

// ReadListen reads ss and netstat.
func ReadListen(w *part.Window) (f part.Found) {
	head := strings.HasPrefix(w.Text(0), "State ") || strings.HasPrefix(w.Text(0), "Netid ") ||
		strings.HasPrefix(w.Text(0), "Proto Recv-Q") || strings.HasPrefix(w.Text(0), "Active Internet connections")
	i := 0
	for head && i < 2 && i < len(w.Lines) && !reListen.MatchString(w.Text(i)) {
		i++
	}
	for ; i < len(w.Lines); i++ {
		m := reListen.FindStringSubmatch(w.Text(i))
		if m == nil || strings.HasPrefix(m[0], "tcp") && !strings.Contains(w.Text(i), "LISTEN") {
			break
		}
		f.Add(part.Word("listen.address", m[2], strings.Trim(m[1], "[]")))
		f.N = i + 1
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

// ReadOther reads systeminfo of Windows and sw_vers of macOS.
func ReadOther(w *part.Window) (f part.Found) {
	if m := reSwVers.FindStringSubmatch(w.Text(0)); m != nil {
		if v := reSwVersion.FindStringSubmatch(w.Text(1)); v != nil {
			f.N, f.Kind, f.Body = 2, part.OSRelease, []string{m[1] + " " + v[1]}
			if strings.HasPrefix(w.Text(2), "BuildVersion:") {
				f.N = 3
			}
			f.Add(part.Word("os.name", "", m[1]+" "+v[1]))
		}
		return f
	}
	m := reWindows.FindStringSubmatch(w.Text(0))
	if m == nil || m[1] != "Host Name" && !strings.HasSuffix(m[1], "Physical Memory") && m[1] != "OS Name" {
		return
	}
	for i := range w.Lines {
		m := reWindows.FindStringSubmatch(w.Text(i))
		if m == nil {
			if i > 0 && w.Lines[i].Indented != w.Text(i) { // a list that is set in
				continue
			}
			break
		}
		f.N = i + 1
		switch m[1] {
		case "Host Name":
			f.Host = m[2]
			f.Add(part.Word("host.name", "", m[2]))
		case "OS Name":
			f.Add(part.Word("os.name", "", m[2]))
		case "Total Physical Memory", "Available Physical Memory":
			if a := reMegabytes.FindStringSubmatch(m[2]); a != nil {
				digits := strings.NewReplacer(",", "", ".", "", " ", "", "\u00a0", "", "\u202f", "").Replace(a[1])
				if n, ok := amount.Whole(digits); ok && n < amount.Max/amount.MB {
					name := map[byte]string{'T': "memory.total", 'A': "memory.available"}[m[1][0]]
					f.Add(amount.Amount{Bytes: n * amount.MB, Step: amount.MB}.Fact(name, ""))
				}
			}
		}
	}
	return f
}
