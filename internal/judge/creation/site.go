package creation

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
)

// Site is what was found on the host for a new instance, beside its snapshot.
type Site struct {
	Programs []Programs // of servers, the newest first
	Tool     bool       // pg_createcluster is installed
	RedHat   bool       // the layout of the PGDG packages for RHEL is there: /usr/pgsql-NN
	Systemd  bool       // systemd runs the host
	SELinux  bool       // SELinux enforces its policy
	Root     bool
	Accounts map[string]newcluster.Account // by name, those that were asked for and exist
	// Locales are those of 'locale -a'
	Locales known.Fact[[]string]
	Ports   map[int]string // in use, or configured by an instance that does not run, with by what
	// Clusters are those that a registry of the host has, by "VERSION/NAME"
	Clusters map[string]string // with their data directories
	// Idle are data directories whose servers neither run nor are started at boot: no memory is kept for them
	Idle      []string
	SocketDir string // the packages' directory of sockets, if it is there
	Firewalld bool   // it runs
	NFT       bool   // its program is installed
	Distro    string // ID of os-release: debian, ubuntu, rhel, …
}

// Programs is a directory of server programs.
type Programs struct {
	Bin     string
	Version unit.Version
	// Unfinished is how a program that is no release calls its version, such as 19rc1; "" for a release
	Unfinished string
	ICU        bool // built with ICU
	GSS        bool // with GSSAPI
	PAM        bool // with PAM
	// BaseBackup is the program pg_basebackup that copies a server of this version: that of the directory, or of a
	// later version; "": none is installed
	BaseBackup string
	Socket     string // where they look for sockets unless they are told otherwise; "": not known
}

// Folder is a directory that the instance is to have, as it was found.
type Folder struct {
	Path    string   // with every symbolic link of its parents followed
	Exists  bool     //
	Is      bool     // it is a directory
	Holds   []string // the first names in it
	UID     int
	Mode    fs.FileMode
	Mount   bool     // it is the root of a mount
	Missing []string // the directories that have to be made, the topmost first, itself included
	Type    string   // of the filesystem that it is or will be on
	Options []string // of its mount
	Point   string   // where that is mounted
	Device  string   // major:minor of it
	Free    unit.Bytes
	Total   unit.Bytes
	// Led says who could replace it: "user 1000 could write to /srv"; "": nobody but root and the owner
	Led string
	// Shared says that it is root's, and everybody may make something in it and nobody take another's away, as /tmp
	Shared bool
	// Owners says that the owner can change the way to it: what is missing of the way is made as that account
	Owners bool
	// Shut says why the owner could not make a file in it; "": it can, or it does not exist yet
	Shut string
	// Closed says why the owner cannot get to it; "": it can
	Closed string
}
