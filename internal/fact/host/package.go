package host

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// The package managers that are asked.
const (
	Apt = "apt"
	DNF = "dnf"
)

// Package is what the host's package manager has of the package that a server's program belongs to, according to the
// lists that it fetched last.
type Package struct {
	Manager string `json:"manager"` // apt or dnf
	Name    string `json:"name"`
	// the PostgreSQL release of what is installed; 0: it is not installed, or its version is no release of PostgreSQL
	Installed unit.Version `json:"installed"`
	// the release that the manager would install now, of the same package; 0: it has none, or it is no release
	Candidate unit.Version `json:"candidate"`
	Lists     int64        `json:"lists"` // time of the newest of its lists, seconds since the epoch; 0: unknown
}

// Evidence of what the package managers answered: the time of the newest list in a line of its own (see ListsLine),
// then the output as it was printed.
const (
	AptPolicy = "cmd/apt-cache-policy" // apt-cache policy PACKAGE …
	DNFList   = "cmd/dnf-list"         // dnf --quiet --cacheonly list PACKAGE …
)

// PackageFile returns the evidence of a package manager's answer.
func PackageFile(manager string) string {
	if manager == DNF {
		return DNFList
	}
	return AptPolicy
}

const listsOf = "# lists of "

// ListsLine is the first line of the evidence, with the time of the newest list; "" if that is unknown.
func ListsLine(newest time.Time) string {
	if newest.Unix() <= 0 {
		return ""
	}
	return listsOf + newest.UTC().Format(time.RFC3339) + "\n"
}

var (
	debianPlace = regex.New(`^/usr/lib/postgresql/([1-9][0-9]?)/bin$`)
	redHatPlace = regex.New(`^/usr/pgsql-([1-9][0-9]?)/bin$`)
	// serverRelease is a version of a package of PostgreSQL itself: the release, then the packagers' own number.
	serverRelease = regex.New(`^(?:[0-9]{1,3}:)?([1-9][0-9]?)\.([0-9]{1,3})(?:[-+~](.*))?$`)
	unfinished    = regex.New(`^(?i)(alpha|beta|rc|devel)`)
)

// ServerPackage returns the package that installs a server's program into a directory: those of Debian's family and of
// apt.postgresql.org, of yum.postgresql.org, and of Red Hat's family. ok is false for any other directory. Whether this
// package is what is installed there, only its manager knows.
func ServerPackage(binDir string) (name string, ok bool) {
	if m := debianPlace.FindStringSubmatch(binDir); m != nil {
		return "postgresql-" + m[1], true
	}
	if m := redHatPlace.FindStringSubmatch(binDir); m != nil {
		return "postgresql" + m[1] + "-server", true
	}
	return "postgresql-server", binDir == "/usr/bin"
}

// ManagerOf returns the manager of a package that ServerPackage names.
func ManagerOf(name string) string {
	if strings.HasSuffix(name, "-server") {
		return DNF
	}
	return Apt
}

// ReadPackage reads what the manager of a package that ServerPackage names answered about it.
func ReadPackage(fsys fs.FS, name string) known.Fact[Package] {
	manager, parse := ManagerOf(name), ParseAptPolicy
	if manager == DNF {
		parse = ParseDNFList
	}
	file := PackageFile(manager)
	f := evidence.Read(fsys, file, parse)
	list, ok := f.Get()
	if !ok {
		return known.Without[Package](f.State(), f.Gap())
	}
	for _, p := range list {
		if p.Name == name {
			return known.Is(p)
		}
	}
	return known.None[Package](known.Gap{Fact: file, Reason: "the package manager does not know the package"})
}

// maxPackages bounds the list: a host has a few major versions.
const maxPackages = 1000

// ParseAptPolicy parses the output of «apt-cache policy PACKAGE …»: for each package that apt knows, its name and a
// colon at the start of a line, and below it, indented, what is installed, the candidate, and the table of versions.
func ParseAptPolicy(b []byte) ([]Package, error) {
	out := []Package{}
	lists, err := packageLines(b, func(line string) error {
		if name, ok := strings.CutSuffix(line, ":"); ok && name != "" && name[0] != ' ' && name[0] != ':' {
			if len(out) == maxPackages {
				return fmt.Errorf("more than %d packages", maxPackages)
			}
			name, _, _ = strings.Cut(name, ":") // postgresql-17:amd64 on a host of another architecture
			out = append(out, Package{Manager: Apt, Name: name})
			return nil
		}
		for field, at := range map[string]func(*Package) *unit.Version{
			"  Installed: ": func(p *Package) *unit.Version { return &p.Installed },
			"  Candidate: ": func(p *Package) *unit.Version { return &p.Candidate },
		} {
			version, ok := strings.CutPrefix(line, field)
			switch {
			case !ok:
			case len(out) == 0:
				return fmt.Errorf("%q comes before any package", Short(line))
			default:
				*at(&out[len(out)-1]) = releaseOf(version)
			}
		}
		return nil
	})
	return dated(out, lists), err
}

// ParseDNFList parses the output of «dnf list PACKAGE …», of dnf 4 and of dnf5: headings of what is installed and what
// is available, and below each for every package its name and architecture, its version, and the repository that it is
// from. What is too wide for a column goes on in the next line. Where a package is installed, what is available is only
// what is newer.
func ParseDNFList(b []byte) ([]Package, error) {
	out := []Package{}
	at := map[string]int{}
	heading := ""
	var words []string
	lists, err := packageLines(b, func(line string) error {
		switch low := strings.ToLower(strings.TrimSpace(line)); low {
		case "installed packages", "available packages", "available upgrades", "upgraded packages":
			heading, words = low, nil
			return nil
		}
		if heading == "" {
			return nil // what a plugin says
		}
		words = append(words, strings.Fields(line)...)
		if len(words) < 3 {
			return nil
		}
		dot := strings.LastIndexByte(words[0], '.')
		if len(words) > 3 || dot <= 0 {
			return fmt.Errorf("%q is not a line of dnf list", Short(strings.Join(words, " ")))
		}
		name, version := words[0][:dot], releaseOf(words[1])
		words = nil
		i, ok := at[name]
		if !ok {
			if len(out) == maxPackages {
				return fmt.Errorf("more than %d packages", maxPackages)
			}
			i = len(out)
			at[name] = i
			out = append(out, Package{Manager: DNF, Name: name})
		}
		if heading == "installed packages" {
			out[i].Installed = max(out[i].Installed, version)
		}
		out[i].Candidate = max(out[i].Candidate, version)
		return nil
	})
	if err == nil && len(words) > 0 {
		err = fmt.Errorf("%q is not a line of dnf list", Short(strings.Join(words, " ")))
	}
	return dated(out, lists), err
}

// packageLines reads lines, without the one of the time of the lists, which it returns.
func packageLines(b []byte, line func(string) error) (lists int64, err error) {
	err = Lines(b, func(_ int, text string) error {
		v, ok := strings.CutPrefix(text, listsOf)
		if !ok {
			return line(strings.TrimRight(text, " "))
		}
		t, err := time.Parse(time.RFC3339, v)
		if err != nil || t.Unix() <= 0 {
			return fmt.Errorf("%q is not a time", Short(v))
		}
		lists = t.Unix()
		return nil
	})
	return lists, err
}

func dated(list []Package, lists int64) []Package {
	for i := range list {
		list[i].Lists = lists
	}
	return list
}

// releaseOf returns the PostgreSQL release that a version of a package contains, such as 15.20 for 15.20-0+deb12u1;
// 0 for anything else: no version ("(none)"), a release candidate, another product's number.
func releaseOf(version string) unit.Version {
	m := serverRelease.FindStringSubmatch(version)
	if m == nil || unfinished.MatchString(m[3]) {
		return 0
	}
	major, err1 := strconv.Atoi(m[1])
	minor, err2 := strconv.Atoi(m[2])
	if err1 != nil || err2 != nil || major < 10 {
		return 0
	}
	return unit.MajorVersion(major) + unit.Version(minor)
}
