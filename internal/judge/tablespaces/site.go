package tablespaces

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// Site is a directory that is to become a tablespace, as it was found.
type Site struct {
	Asked  string // as the user wrote it
	To     string // links resolved
	Parent string // the directory that it is or will be in

	Exists    bool
	Directory bool     // it is one
	Entries   []string // what is in it
	UID, GID  int      // of one that exists

	Mount, DataMount host.Mount // of the filesystems that it and the data directory are on
	Device           string     // major:minor of what it is on, as that of a snapshot.Place
	SameFilesystem   bool       // as the data directory
	MountPoint       bool       // it is the root of a filesystem
	Unmounted        string     // a mount point of fstab above it that nothing is mounted on
	InFstab          bool       // its filesystem is mounted at boot
	Changeable       string     // how another account could put another directory in its place; "": none could
	Closed           string     // why the server's account cannot get there; "": it can
	Free             unit.Bytes
}

// Server is what the instance of a new tablespace is, as far as that decides.
type Server struct {
	Label   string
	Data    string // data directory, links resolved
	WAL     string // what pg_wal leads to
	UID     int    // that the server runs as
	Major   int
	Manager string // "", patroni, cloudnative-pg, …
	// Contained says that the server is in a container that we look into from outside.
	Contained bool

	Role        string // that we are logged in as
	Super       bool
	Standby     bool
	Spaces      []Place
	NoOwner     bool // the role that is to own the tablespace does not exist
	Temp        string
	Replicas    []string // names of the standbys that are connected
	IdleSlots   []string // physical slots that no standby is connected to
	Unreadable  bool     // the role may not see who is connected
	ClusterWide bool     // temp_tablespaces is set in the configuration, not for the role alone
}

// Place is a tablespace that exists.
type Place struct{ Name, Dir string }

func refused(message, detail, hint say.Message) error {
	return &say.Problem{Message: message, Detail: detail, Hint: hint, Code: say.CodeRefused}
}

// below reports whether a path is another or below it.
func below(at, top string) bool {
	return at == top || top == "/" || strings.HasPrefix(at, top+"/")
}

// suggested is a directory beside or in another one, for hints.
func suggested(dir, name string) string { return strings.TrimSuffix(dir, "/") + "/" + name }

// refuse says why a directory is not to become a tablespace of a server; nil where nothing is against it.
func (s *Site) refuse(v *Server, name string, sameFilesystem bool) error {
	for _, why := range []func(*Server) error{s.mounted, s.nested, s.kept, s.occupied} {
		if err := why(v); err != nil {
			return err
		}
	}
	switch {
	case s.SameFilesystem && !sameFilesystem:
		return refused(say.M("{to} is on the filesystem of the data directory", "to", s.To),
			say.M("both are on {point} ({source}): a tablespace there gains nothing, and backups and upgrades get "+
				"harder",
				"point", s.Mount.Point, "source", s.Mount.Source),
			say.M("choose a directory on another filesystem, use a schema to separate objects, or pass "+
				"--same-filesystem if it is another disk"))
	case s.Changeable != "":
		return refused(say.M("another account could replace {to} with another directory", "to", s.To),
			say.Text(s.Changeable),
			say.M("choose a directory below directories that only root or the server's account can change"))
	case s.Closed != "":
		return refused(say.M("the server, which runs as user {uid}, cannot reach {at}", "uid", strconv.Itoa(v.UID),
			"at", s.Parent), say.Text(s.Closed), say.M("allow search in the directories above it: chmod o+x"))
	}
	return nil
}

// nested refuses a directory in what the server has already.
func (s *Site) nested(v *Server) error {
	switch {
	case below(s.To, v.Data):
		return refused(say.M("{to} is in the data directory", "to", s.To),
			say.M("tools that copy the data directory would copy the tablespace twice, and removing one removes the "+
				"other"),
			say.M("choose a directory outside {dir}", "dir", v.Data))
	case below(s.To, v.WAL):
		return refused(say.M("{to} is in the WAL of this server", "to", s.To), say.Message{},
			say.M("choose a directory outside {from}", "from", v.WAL))
	case below(v.Data, s.To), below(v.WAL, s.To):
		return refused(say.M("the data directory or its WAL is in {to}", "to", s.To), say.Message{},
			say.M("choose a separate directory"))
	}
	for _, p := range v.Spaces {
		if p.Dir != "" && (below(s.To, p.Dir) || below(p.Dir, s.To)) {
			return refused(say.M("{to} overlaps with the directory of tablespace {name}", "to", s.To, "name",
				say.Quoted(p.Name)),
				say.M("its directory is {dir}", "dir", p.Dir), say.M("choose a separate directory"))
		}
	}
	return nil
}

// kept refuses a filesystem that does not keep what is written.
func (s *Site) kept(*Server) error {
	volatile := slices.Contains([]string{"tmpfs", "ramfs", "devtmpfs", "hugetlbfs"}, s.Mount.FSType) ||
		strings.HasPrefix(s.Mount.Source, "/dev/ram") || strings.HasPrefix(s.Mount.Source, "/dev/zram")
	if !volatile {
		return nil
	}
	return refused(say.M("{point} is in memory ({fstype})", "point", s.Mount.Point, "fstype", s.Mount.FSType),
		say.M("it is empty after a reboot: the server then reports errors for the tablespace, and what was in it "+
			"is lost; memory is better used by work_mem and the page cache"),
		say.M("choose a directory on a disk"))
}

// mounted refuses a filesystem that is not there, and the top of one.
func (s *Site) mounted(*Server) error {
	switch {
	case s.Unmounted != "":
		return refused(say.M("nothing is mounted on {at}", "at", s.Unmounted),
			say.M("/etc/fstab has a filesystem for it, which would cover what is written there now"),
			say.M("mount {at}", "at", s.Unmounted))
	case s.MountPoint:
		return refused(say.M("{to} is a mount point", "to", s.To),
			say.M("it contains lost+found and usually belongs to root; and while it is not mounted the server would "+
				"find an empty directory"),
			say.M("choose a directory inside it, which does not exist while it is not mounted: {to}", "to",
				suggested(s.To, "pgdata")))
	}
	return nil
}

// occupied refuses a directory that is not empty, or not the server's.
func (s *Site) occupied(v *Server) error {
	switch {
	case !s.Exists:
		return nil
	case strings.HasSuffix(s.To, "/lost+found"):
		return refused(say.M("{to} is what fsck puts lost files into", "to", s.To), say.Message{},
			say.M("choose a directory next to it: {to}", "to", suggested(s.Parent, "pgdata")))
	case !s.Directory:
		return refused(say.M("{to} is not a directory", "to", s.To), say.Message{},
			say.M("name a directory that does not exist yet, or an empty one"))
	case len(s.Entries) > 0:
		what := say.M("it contains {name}", "name", say.Quoted(s.Entries[0]))
		if n := len(s.Entries) - 1; n > 0 {
			what = say.M("it contains {name} and {n} more", "name", say.Quoted(s.Entries[0]), "n", n)
		}
		return refused(say.M("{to} is not empty", "to", s.To), what,
			say.M("choose a directory that does not exist yet, such as {to}", "to", suggested(s.To, "pgdata")))
	case s.UID != v.UID:
		return refused(say.M("{to} belongs to user {owner}, and the server runs as user {server}", "to", s.To, "owner",
			strconv.Itoa(s.UID), "server", strconv.Itoa(v.UID)), say.Message{},
			say.M("remove the empty directory: it is created with the right owner; or give it to the server with "+
				"chown"))
	}
	return nil
}

// overNetwork are filesystems that are on another host.
var overNetwork = []string{"nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "lustre", "gpfs", "beegfs", "afs", "9p",
	"virtiofs", "ocfs2", "gfs2"}

// notes are what to know of a directory that prevents nothing.
func (s *Site) notes(v *Server) (out []say.Message) {
	m := s.Mount
	switch {
	case slices.Contains(overNetwork, m.FSType):
		out = append(out, say.M("{dir} is on a network filesystem ({type}): when it is gone, the server reports "+
			"errors for what is in it, and a checkpoint cannot complete", "dir", s.To, "type", m.FSType))
	case strings.HasPrefix(m.FSType, "fuse"):
		out = append(out, say.M("{dir} is on a FUSE filesystem ({type}): whether fsync reaches a disk depends on its "+
			"program", "dir", s.To, "type", m.FSType))
	case m.FSType == "overlay":
		out = append(out, say.M("{dir} is in the layer of a container: it is deleted with the container", "dir", s.To))
	}
	if m.Point != "/" && m.FSType != "zfs" && !s.InFstab {
		out = append(out, say.M("{point} is not in /etc/fstab: make sure that it is mounted before the server starts",
			"point", m.Point))
	}
	if m.Point != s.DataMount.Point && strings.HasPrefix(m.Source, "/dev/loop") {
		out = append(out, say.M("{source} is a file on another filesystem, and no faster than that", "source",
			m.Source))
	}
	digits := strings.FieldsFunc(s.To, func(r rune) bool { return r < '0' || r > '9' })
	if slices.Contains(digits, strconv.Itoa(v.Major)) {
		out = append(out, say.M("the path contains the version {major}: after pg_upgrade it is wrong. The server "+
			"creates a subdirectory for each version itself", "major", v.Major))
	}
	return out
}
