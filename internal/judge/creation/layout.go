package creation

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/upgrade"
)

// firstPort is where ports are looked for, as pg_createcluster does, and lastPort the end of it.
const firstPort, lastPort = 5432, 5532

// Layout is where an instance will lie, and who makes it.
type Layout struct {
	Order     Order
	Programs  Programs
	Hand      newcluster.Hand
	Major     int
	Name      string
	Owner     newcluster.Account
	Data      string
	WAL       string // "": pg_wal of the data directory
	Config    string
	Socket    string
	Port      int
	Unit      string // systemd's; "": systemd does not start it
	UnitFile  string // the file that is written for it; "": the packages have one
	Log       string // file that pg_ctl appends to; "": the unit's journal, or Debian's own
	Locale    Locale
	Start     Start
	Firewall  Firewall
	SELinux   bool          // the server may only start once its directories have a context
	Enforcing bool          // SELinux enforces its policy
	Twin      *upgrade.Twin // whose settings it takes over; nil: none
	Spaces    []Folder      // of the tablespaces of a copy, in the order of the mappings
	Swap      *Swap         // the swap file that is made; nil: none
	Note      say.Message   // of the swap file that is not
	Idle      []string      // Site.Idle
}

func refuse(message, detail, hint say.Message) error {
	return &say.Problem{Message: message, Detail: detail, Hint: hint, Code: say.CodeRefused}
}

// Lay decides what an order leaves open. The error is a *say.Problem.
func Lay(o Order, at Site) (Layout, error) {
	l := Layout{Order: o, Name: o.Name, Start: o.Start, Firewall: o.Firewall}
	if l.Name == "" {
		l.Name = "main"
	}
	if !newcluster.ValidName(l.Name) {
		return l, say.Usage(say.M("{name} is not a name for a cluster", "name", say.Quoted(l.Name)),
			say.M("Use letters, digits, _ and . only: systemd and postgresql-common read a dash as the end of the "+
				"version."))
	}
	if l.Start == "" {
		l.Start = Auto
	}
	if err := l.programs(at); err != nil {
		return l, err
	}
	if err := l.hand(at); err != nil {
		return l, err
	}
	if err := l.owner(at); err != nil {
		return l, err
	}
	if err := l.directories(at); err != nil {
		return l, err
	}
	if err := l.port(at); err != nil {
		return l, err
	}
	if err := l.languages(at); err != nil {
		return l, err
	}
	return l, l.network(at)
}

// languages decides the locale: a standby has that of its primary.
func (l *Layout) languages(at Site) error {
	if l.Order.Primary != nil {
		return l.follow(at)
	}
	return l.locale(at)
}

func (l *Layout) programs(at Site) error {
	if p := l.Order.Primary; p != nil {
		if m := l.Order.Major; m != 0 && m != p.Version.Major() {
			return refuse(say.M("PostgreSQL {major} cannot be a standby of {version}", "major", m, "version",
				p.Version.String()), say.M("a standby has the major version of its primary"),
				say.M("omit the version, "+
					"or write {major}/{name}", "major", p.Version.Major(), "name", l.Name))
		}
		l.Order.Major = p.Version.Major()
	}
	majors := params.Majors()
	supported := func(m int) bool { return m >= majors[0] && m <= majors[len(majors)-1] }
	unsupported := func(m int) error {
		return refuse(say.M("PostgreSQL {major} is not supported", "major", m), say.M("parameters are known of "+
			"{first} to {last}", "first", majors[0], "last", majors[len(majors)-1]), say.Message{})
	}
	if m := l.Order.Major; m != 0 && !supported(m) {
		return unsupported(m)
	}
	var have []string
	for _, p := range at.Programs {
		if l.Order.Bin != "" && path.Clean(l.Order.Bin) != p.Bin {
			continue
		}
		m := p.Version.Major()
		if l.Order.Bin != "" && !supported(m) {
			return unsupported(m)
		}
		if supported(m) && (l.Order.Major == 0 && !l.Order.beyond(m) || l.Order.Major == m) {
			l.Programs, l.Major = p, m
			return nil
		}
		if v := strconv.Itoa(m); !slices.Contains(have, v) {
			have = append(have, v)
		}
	}
	return noPrograms(l.Order, at, have)
}

// lastOneC is the last major version that the platform of 1C works with: it needs standard_conforming_strings = off,
// which later ones refuse (page standard-conforming-strings).
const lastOneC = 18

// beyond reports whether a version is chosen only if it is named: 1C does not work with it.
func (o Order) beyond(major int) bool {
	return o.Profile == rule.OneC && o.Bin == "" && major > lastOneC
}

// noPrograms names the package to install.
func noPrograms(o Order, at Site, have []string) error {
	major := o.Major
	if major == 0 {
		major = params.Newest()
	}
	if o.Major == 0 && o.beyond(major) {
		major = lastOneC
	}
	if o.Bin != "" {
		return say.Usage(say.M("{dir} does not hold the programs of PostgreSQL{version}", "dir", o.Bin, "version",
			versionOf(o.Major)), say.M("Name the directory of initdb and postgres, such as "+
			"/usr/lib/postgresql/17/bin."))
	}
	message := say.M("the programs of PostgreSQL {major} are not installed", "major", major)
	detail := say.M("no server programs were found")
	if len(have) > 0 {
		detail = say.M("installed: {versions}", "versions", say.Names(have, 0))
	}
	if o.Major == 0 && slices.ContainsFunc(at.Programs, func(p Programs) bool { return o.beyond(p.Version.Major()) }) {
		detail = say.M("installed: {versions}; 1C supports {last} and earlier, and a later version has to be named",
			"versions", say.Names(have, 0), "last", lastOneC)
	}
	n := strconv.Itoa(major)
	hint := say.M("install the package, for example: {command}; 'pgfettle explain packages' has the repositories",
		"command", map[bool]string{true: "dnf install postgresql" + n + "-server postgresql" + n + "-contrib",
			false: "apt install postgresql-" + n}[redHat(at)])
	if at.Distro == "sles" || strings.HasPrefix(at.Distro, "opensuse") {
		hint = say.M("install the package, for example: {command}; 'pgfettle explain packages' has the repositories",
			"command", "zypper install postgresql"+n+"-server postgresql"+n+"-contrib")
	}
	return refuse(message, detail, hint)
}

func versionOf(major int) string {
	if major == 0 {
		return ""
	}
	return " " + strconv.Itoa(major)
}

// redHat reports whether the host is of RHEL's family.
func redHat(at Site) bool {
	switch at.Distro {
	case "rhel", "centos", "rocky", "almalinux", "ol", "fedora", "redos", "rels", "rosa":
		return true
	}
	return at.RedHat
}

// hand decides who makes the cluster: the tools of the distribution for its own programs, else initdb.
func (l *Layout) hand(at Site) error {
	packaged := l.Programs.Bin == "/usr/lib/postgresql/"+strconv.Itoa(l.Major)+"/bin"
	rpm := l.Programs.Bin == "/usr/pgsql-"+strconv.Itoa(l.Major)+"/bin"
	switch l.Hand = l.Order.Hand; l.Hand {
	case "":
		l.Hand = newcluster.InitDB
		if at.Tool && packaged && at.Root {
			l.Hand = newcluster.Debian
		} else if rpm {
			l.Hand = newcluster.RPM
		}
	case newcluster.Debian:
		if !at.Tool || !packaged {
			return refuse(say.M("pg_createcluster cannot make this cluster"), say.M("postgresql-common is not "+
				"installed, or the programs in {dir} are not those of a package", "dir", l.Programs.Bin),
				say.M("install postgresql-common and postgresql-{major}, or use --via initdb", "major", l.Major))
		}
		if !at.Root {
			return &say.Problem{Message: say.M("only root can create a cluster with pg_createcluster"),
				Code: say.CodeNoAccess,
				Hint: say.M("run pgfettle as root, or use --via initdb")}
		}
	case newcluster.RPM:
		if !rpm {
			return refuse(say.M("{dir} does not hold the programs of a PGDG package for RHEL", "dir", l.Programs.Bin),
				say.Message{}, say.M("use --via initdb"))
		}
	}
	return nil
}

// OwnerOf is the account that the instance of an order will run as. The error is a *say.Problem.
func OwnerOf(o Order, at Site) (newcluster.Account, error) {
	l := Layout{Order: o}
	err := l.owner(at)
	return l.Owner, err
}

func (l *Layout) owner(at Site) error {
	name := l.Order.Owner
	if name == "" {
		name = "postgres"
	}
	acc, ok := at.Accounts[name]
	switch {
	case !ok && l.Order.Owner == "" && !at.Root:
		for _, only := range at.Accounts {
			acc, ok = only, true // who is not root makes instances of their own
		}
	}
	switch {
	case !ok:
		return refuse(say.M("the account {name} does not exist", "name", say.Quoted(name)), say.Message{},
			say.M("create it with 'useradd --system --user-group --home-dir /var/lib/pgsql {name}', or name another "+
				"one with --owner", "name", name))
	case acc.UID == 0:
		return refuse(say.M("PostgreSQL does not run as root"), say.Message{}, say.M("name another account with "+
			"--owner"))
	}
	l.Owner = acc
	return nil
}

func (l *Layout) directories(at Site) error {
	version := strconv.Itoa(l.Major)
	base := map[newcluster.Hand]string{newcluster.Debian: "/var/lib/postgresql", newcluster.RPM: "/var/lib/pgsql",
		newcluster.InitDB: "/var/lib/postgresql"}[l.Hand]
	if l.Hand == newcluster.InitDB && redHat(at) {
		base = "/var/lib/pgsql"
	}
	l.Data, l.WAL = l.Order.DataDir, l.Order.WALDir
	if l.Data == "" {
		l.Data = path.Join(base, version, l.Name)
	}
	for flag, p := range map[string]*string{"--datadir": &l.Data, "--waldir": &l.WAL} {
		if *p == "" {
			continue
		}
		if !path.IsAbs(*p) || strings.ContainsAny(*p, "\n\r\x00'%") || path.Clean(*p) == "/" {
			return say.Usage(say.M("{flag}: {path} is not an absolute path", "flag", flag, "path", say.Quoted(*p)),
				say.M("Write the absolute path, without quotes, percent signs and line breaks."))
		}
		*p = path.Clean(*p)
	}
	if l.WAL != "" && (within(l.WAL, l.Data) || within(l.Data, l.WAL)) {
		return refuse(say.M("the WAL directory {wal} and the data directory {data} contain each other", "wal", l.WAL,
			"data", l.Data), say.Message{}, say.M("use a directory on another device, or omit --waldir"))
	}
	l.Config = l.Data
	if l.Hand == newcluster.Debian {
		l.Config = path.Join("/etc/postgresql", version, l.Name)
	}
	if there, ok := at.Clusters[version+"/"+l.Name]; ok {
		return refuse(say.M("the cluster {version}/{name} exists", "version", version, "name", l.Name),
			say.M("its data directory is {dir}", "dir", there), say.M("choose another name; 'pgfettle create --list' "+
				"shows what is there"))
	}
	l.Socket = l.Order.Socket
	if l.Socket == "" {
		l.Socket = "/tmp"
		if at.SocketDir != "" {
			l.Socket = at.SocketDir
		}
	}
	l.Enforcing = at.SELinux
	l.Idle = at.Idle
	l.SELinux = at.SELinux && !within(l.Data, "/var/lib/pgsql")
	if len(l.Socket)+len("/.s.PGSQL.65535") > maxSocket {
		return say.Usage(say.M("--socket-dir: {path} is too long for a Unix socket", "path", say.Quoted(l.Socket)),
			say.M("Use a path of at most {n} bytes.", "n", maxSocket-len("/.s.PGSQL.65535")))
	}
	if at.Systemd && at.Root {
		l.Unit, l.UnitFile = "postgresql-"+version+"-"+l.Name+".service", ""
		if l.Hand == newcluster.Debian {
			l.Unit = "postgresql@" + version + "-" + l.Name + ".service"
		} else {
			l.UnitFile = "/etc/systemd/system/" + l.Unit
		}
	} else if l.Hand != newcluster.Debian {
		l.Log = path.Join(l.Data, "startup.log")
	}
	return nil
}

// maxSocket is sun_path of sockaddr_un with its end, on Linux.
const maxSocket = 107

func within(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }

func (l *Layout) port(at Site) error {
	if l.Port = l.Order.Port; l.Port != 0 {
		if by, used := at.Ports[l.Port]; used {
			return &say.Problem{Message: say.M("port {port} is in use", "port", strconv.Itoa(l.Port)),
				Detail: say.Text(by),
				Hint:   say.M("use --port auto, or another port"), Code: say.CodeRefused}
		}
		return nil
	}
	for p := firstPort; p < lastPort; p++ {
		if _, used := at.Ports[p]; !used {
			l.Port = p
			return nil
		}
	}
	return refuse(say.M("no port from {first} to {last} is free", "first", strconv.Itoa(firstPort), "last",
		strconv.Itoa(lastPort-1)), say.Message{}, say.M("name one with --port"))
}

// segmentFrom is the max_wal_size from which WAL segments of 64 MB are made: of 16 MB there would be 2,000 files and
// more, each of which is renamed, fsynced, archived.
const segmentFrom = 32 * unit.GB

// SegmentOf is the size of WAL segments for a max_wal_size.
func SegmentOf(o Order, maxWAL unit.Bytes) unit.Bytes {
	switch {
	case o.Segment != 0:
		return o.Segment
	case maxWAL >= segmentFrom:
		return 64 * unit.MB
	}
	return 16 * unit.MB
}

// Follow takes the directories as they were found, with the symbolic links of their parents followed: a unit and a
// journal name the place itself. wal is nil if the WAL stays in the data directory.
func (l *Layout) Follow(data Folder, wal *Folder) {
	if data.Path != "" {
		if l.Config == l.Data {
			l.Config = data.Path
		}
		if l.Log != "" {
			l.Log = path.Join(data.Path, path.Base(l.Log))
		}
		l.Data = data.Path
	}
	if wal != nil && wal.Path != "" {
		l.WAL = wal.Path
	}
}
