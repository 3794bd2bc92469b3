package evidence

import (
	"fmt"
	"slices"
	"strings"
)

// orderedDirs are the directories whose files are read in the order of their names, over all directories of
// sysctl.d(5), or of logind.conf.d, together: the last assignment counts.
var orderedDirs = set(`etc/sysctl.d run/sysctl.d usr/local/lib/sysctl.d usr/lib/sysctl.d lib/sysctl.d etc/sysctl.conf.d
	etc/systemd/logind.conf.d run/systemd/logind.conf.d usr/local/lib/systemd/logind.conf.d ` +
	`usr/lib/systemd/logind.conf.d`)

// orderedDigits are as many as there may be files, so that names sort as numbers.
const orderedDigits = 5

// orderFiles gives the files of such directories names that sort as theirs do. What is common to all systems stays, and
// so does the number in front, which says the place.
func (r *redactor) orderFiles(a *Archive) {
	all := map[string]bool{}
	see := func(name string) {
		if i := strings.LastIndexByte(name, '/'); i > 0 && orderedDirs[name[:i]] {
			all[name[i+1:]] = true
		}
	}
	for n := range a.files {
		see(n)
	}
	for n := range a.missing {
		see(n)
	}
	list := make([]string, 0, len(all))
	for n := range all {
		list = append(list, n)
	}
	slices.Sort(list)
	stays := make([]string, len(list)+1) // by place, the first one from there on that stays as it is
	for i, n := range slices.Backward(list) {
		stays[i] = stays[i+1]
		if r.path(n) == n {
			stays[i] = n
		}
	}
	last := ""
	for i, n := range list {
		if stays[i] == n {
			last = n
			continue
		}
		next := stays[i]
		ext := ""
		if strings.HasSuffix(n, ".conf") {
			ext = ".conf"
		}
		place := ""
		if digits := n[:len(n)-len(strings.TrimLeft(n, "0123456789"))]; digits != "" && len(digits) <= 6 {
			place = digits + "-"
		}
		for {
			r.table.Names++
			p := fmt.Sprintf("%s%0*d%s", word, orderedDigits, r.table.Names, ext)
			if place+p > last && (next == "" || place+p < next) {
				p = place + p
			} else if last != "" {
				p = last + "-" + p // whatever follows the last one, but is no word of its, comes after this
			} else {
				p = "-" + p
			}
			if !all[p] {
				r.files[n], last = p, p
				break
			}
		}
	}
}

func (r *redactor) orderedFile(n string) string {
	if p, ok := r.files[n]; ok {
		return p
	}
	return r.path(n)
}

// publicSystems are the first words of the names of distributions; an image may have a custom name.
var publicSystems = set(
	`debian ubuntu red rocky almalinux centos fedora suse opensuse sles oracle amazon alpine arch astra alt gentoo ` +
		`nixos linux raspbian kali openeuler photon flatcar`)

// releaseLine keeps of os-release what judgment reads: the distribution and its version.
func releaseLine(l string) string {
	k, v, _ := strings.Cut(l, "=")
	switch k {
	case "ID", "ID_LIKE", "VERSION_ID", "VERSION_CODENAME":
		return l
	case "PRETTY_NAME":
		if first, _, _ := strings.Cut(strings.Trim(v, `"`), " "); publicSystems[strings.ToLower(first)] {
			return l
		}
		return k + "=" + Redacted
	}
	return ""
}
