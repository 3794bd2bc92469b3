package version

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg/releases"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// severalBehind: minor releases come every quarter, so two of them are half a
// year of known and published holes.
const severalBehind = 2

// What is added to the remedy if the host's package manager knows the package.
const (
	readNotes = "Read the release notes in between for required steps (sometimes REINDEX). "
	noDump    = "Neither a dump nor pg_upgrade is needed."

	upgradeApt = readNotes + "Then update the package, on standbys first. This usually restarts the server:\n" +
		"apt-get install --only-upgrade {package}\n" + noDump
	upgradeDNF = readNotes + "Then update the package, on standbys first. This usually restarts the server:\n" +
		"dnf upgrade {package}\n" + noDump
	restartUnit = readNotes + "Then restart the server, standbys first:\n" +
		"systemctl restart {unit}\n" + noDump
	restartServer = readNotes + "Then restart the server, standbys first. " + noDump
	listsOldApt   = "Fetch the current package lists, then check again:\napt-get update"
	listsOldDNF   = "Fetch the current package lists, then check again:\ndnf makecache"
	listsCurrent  = "The repositories of this host do not have the release yet. Wait for its packages, or add the " +
		"repository of the PostgreSQL project."
)

// MinorBehind believes what runs and what is installed, then the package manager's lists, then the table of the day on
// which this program was built; it names the day of each. It reports nothing for a version that is newer than all.
var MinorBehind = check.Check{
	ID:       "minor_behind",
	Area:     check.Version,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Minor updates are missing",
	Why: "Minor releases contain only fixes: security, crashes, wrong results, corrupt indexes. They never " +
		"change the file format. Not updating is the greater risk, because security bugs are published with " +
		"the release that fixes them.",
	Do: readNotes + "Install the new packages and restart the server, standbys first. " + noDump,
	Commands: []check.Command{
		check.Shell("apt-get install --only-upgrade {package}"), check.Shell("dnf upgrade {package}"),
		check.Shell("systemctl restart {unit}"), check.Shell("apt-get update"), check.Shell("dnf makecache"),
	},
	Sources: []string{"pg-versioning", "pg-release-notes"},
	Judge: func(c *check.Case) {
		v, ok := check.Need(c, c.Instance.Server.Version)
		if !ok || !c.Community() {
			return
		}
		if v.Minor() == 0 && (c.Stopped() || c.Instance.MajorOnly()) {
			return // PG_VERSION and a person's words have only the major version, and the program was not run
		}
		latest := unit.Version(0) // of the table; 0: not known
		if r, ok := releases.Of(v.Major()); ok && !old(c) {
			latest = r.Latest
		}
		if p, ok := packageOf(c, v); ok {
			byPackage(c, p, v, latest)
		} else if latest > v {
			c.That(severity(v, latest), say.M(c.Remedy()), ofTable(v, latest))
		}
	},
}

// packageOf returns what the package manager has of the server's package, as long as that is a package of the same
// major version: other vendors have their own numbers, and a candidate of another major version is no minor update.
func packageOf(c *check.Case, v unit.Version) (host.Package, bool) {
	p, ok := check.Need(c, c.Instance.Package)
	if p.Candidate.Major() != v.Major() {
		p.Candidate = 0
	}
	return p, ok && p.Installed.Major() == v.Major()
}

func byPackage(c *check.Case, p host.Package, v, latest unit.Version) {
	switch {
	case p.Installed > v:
		newest := max(p.Installed, p.Candidate, latest)
		seen := []say.Message{say.M("PostgreSQL {version} is running, and {installed} is installed: the server was "+
			"not restarted since; missing minor releases: {behind}.", "version", v, "installed", p.Installed,
			"behind", newest.Minor()-v.Minor())}
		do := say.M(restartServer)
		if u, ok := c.Instance.Unit.Get(); ok {
			do = say.M(restartUnit, "unit", u.Name)
		}
		if p.Candidate > p.Installed {
			seen, do = append(seen, waiting(p)), say.M(byManager(p, upgradeApt, upgradeDNF), "package", p.Name)
		}
		if latest > max(p.Installed, p.Candidate) {
			seen = append(seen, tableHas(latest))
		}
		c.That(severity(v, newest), do, say.All(" ", seen...))
	case p.Candidate > v:
		newest := max(p.Candidate, latest)
		seen := []say.Message{say.M("PostgreSQL {version}; missing minor releases: {behind}.", "version", v, "behind",
			newest.Minor()-v.Minor()), waiting(p)}
		if latest > p.Candidate {
			seen = append(seen, tableHas(latest))
		}
		c.That(severity(v, newest), say.M(byManager(p, upgradeApt, upgradeDNF), "package", p.Name),
			say.All(" ", seen...))
	case latest > v:
		if p.Lists == 0 {
			c.That(severity(v, latest), say.M(c.Remedy()), ofTable(v, latest))
			return
		}
		do := say.All(" ", say.M(listsCurrent), say.M(c.Remedy()))
		if time.Unix(p.Lists, 0).Before(releases.Known()) {
			do = say.M(byManager(p, listsOldApt, listsOldDNF))
		}
		c.That(severity(v, latest), do, say.All(" ", ofTable(v, latest), say.M("The package lists of this host (of "+
			"{lists}) do not have it.", "lists", day(p.Lists))))
	}
}

func byManager(p host.Package, apt, dnf say.Template) say.Template {
	if p.Manager == host.DNF {
		return dnf
	}
	return apt
}

// waiting says what the lists have; they may be without a date.
func waiting(p host.Package) say.Message {
	if p.Lists == 0 {
		return say.M("{candidate} is waiting in this host's package lists.", "candidate", p.Candidate)
	}
	return say.M("{candidate} is waiting in this host's package lists (of {lists}).", "candidate", p.Candidate,
		"lists", day(p.Lists))
}

func day(seconds int64) string { return time.Unix(seconds, 0).UTC().Format(time.DateOnly) }

func tableHas(latest unit.Version) say.Message {
	return say.M("Latest minor release as of {date}: {latest}.", "date", releases.Known().Format(time.DateOnly),
		"latest", latest)
}

func ofTable(v, latest unit.Version) say.Message {
	return say.M("PostgreSQL {version}; latest minor release as of {date}: {latest}; missing minor releases: "+
		"{behind}.",
		"version", v, "date", releases.Known().Format(time.DateOnly), "latest", latest, "behind",
		latest.Minor()-v.Minor())
}

func severity(v, newest unit.Version) check.Severity {
	if newest.Minor()-v.Minor() >= severalBehind {
		return check.Warning
	}
	return check.Notice
}

// old reports whether the table is too old for a snapshot to say what the latest release is.
func old(c *check.Case) bool {
	return c.Snapshot.TakenAt > 0 && time.Unix(c.Snapshot.TakenAt, 0).Sub(releases.Known()) > releases.MaxAge
}
