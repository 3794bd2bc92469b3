package creation

import (
	"path"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// inMemory are filesystems that a reboot empties, and remote those that come from another host.
var (
	inMemory = []string{"tmpfs", "ramfs", "devtmpfs", "hugetlbfs"}
	remote   = []string{"nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p"}
)

// Refuse looks at the directories that a layout needs, before anything is touched. wal is nil if the WAL stays in the
// data directory. The error is a *say.Problem.
func Refuse(l Layout, data, socket Folder, wal *Folder) error {
	switch {
	case socket.Exists && !socket.Is:
		return refuse(say.M("{path} is not a directory", "path", socket.Path), say.Message{}, say.M("name another "+
			"one with "+
			"--socket-dir"))
	case socket.Shut != "":
		return refuse(say.M("{owner} cannot make a socket in {path}", "owner", l.Owner.Name, "path", socket.Path),
			say.Text(socket.Shut), say.M("give it to {owner}, or name another directory with --socket-dir", "owner",
				l.Owner.Name))
	}
	if socket.Led != "" && !socket.Shared { // who can put another directory there takes the clients
		return led(l, socket)
	}
	if err := refuseFolder(l, "--datadir", data); err != nil {
		return err
	}
	if wal == nil {
		return nil
	}
	if err := refuseFolder(l, "--waldir", *wal); err != nil {
		return err
	}
	if wal.Device != "" && wal.Device == data.Device {
		return refuse(say.M("{wal} is on the filesystem of the data directory", "wal", wal.Path),
			say.M("a separate directory for the WAL then separates nothing, and is one more thing to back up"),
			say.M("mount another device, or omit --waldir"))
	}
	return nil
}

// ConfigApart reports whether the configuration is in another directory than the data, as Debian has it.
func (l Layout) ConfigApart() bool { return l.Config != l.Data }

// RefuseConfig refuses a configuration directory that is there already, without a cluster: pg_dropcluster leaves what
// it does not know, such as the files in conf.d, and what is in it would become part of the new configuration.
func RefuseConfig(l Layout, config Folder) error {
	if !config.Exists {
		return nil
	}
	detail := say.M("pg_dropcluster leaves files that it does not know")
	if len(config.Holds) > 0 {
		detail = say.M("it holds {name}; pg_dropcluster leaves files that it does not know", "name",
			say.Names(config.Holds, 3))
	}
	return refuse(say.M("the configuration directory {path} exists already", "path", config.Path), detail,
		say.M("move it away, or choose another name for the cluster; 'pgfettle undo' removes what an interrupted "+
			"create has left"))
}

// led refuses a directory that others could replace.
func led(l Layout, f Folder) error {
	return refuse(say.M("{path} could be replaced by others", "path", f.Path), say.Text(f.Led), say.M("use a path "+
		"whose directories only root and {owner} can change", "owner", l.Owner.Name))
}

func refuseFolder(l Layout, flag string, f Folder) error {
	switch {
	case f.Exists && !f.Is:
		return refuse(say.M("{path} is not a directory", "path", f.Path), say.Message{}, say.M("name another one with "+
			"{flag}", "flag", flag))
	case f.Mount:
		return refuse(say.M("{path} is a mount point", "path", f.Path), say.M("if the mount is missing after a boot, "+
			"the "+
			"empty directory below it takes its place"), say.M("use a directory below it: {flag} {below}", "flag", flag,
			"below", path.Join(f.Path, path.Base(l.Data))))
	case slices.Contains(f.Holds, "PG_VERSION"):
		return refuse(say.M("{path} holds a database cluster", "path", f.Path), say.Message{}, say.M("name another "+
			"directory with {flag}; 'pgfettle check {path}' examines what is there", "flag", flag, "path", f.Path))
	case len(f.Holds) > 0:
		return refuse(say.M("{path} is not empty", "path", f.Path), say.M("it holds {name}", "name",
			say.Names(f.Holds, 3)), say.M("name another directory with {flag}", "flag", flag))
	case slices.Contains(inMemory, f.Type):
		return refuse(say.M("{path} is on {type}, which a reboot empties", "path", f.Path, "type", f.Type),
			say.Message{},
			say.M("name a directory on a disk with {flag}", "flag", flag))
	case slices.Contains(remote, f.Type) && slices.ContainsFunc(f.Options, func(o string) bool { return o == "soft" }):
		return refuse(say.M("{path} is on {type}, mounted with the option soft", "path", f.Path, "type", f.Type),
			say.M("after a timeout writes are lost with an error that the server may see too late"),
			say.M("mount it with hard, or name a directory on a disk with {flag}", "flag", flag))
	case f.Led != "":
		return led(l, f)
	case f.Exists && f.UID != l.Owner.UID:
		return refuse(say.M("{path} belongs to user {uid}, not to {owner}", "path", f.Path, "uid", f.UID, "owner",
			l.Owner.Name), say.Message{}, say.M("remove the empty directory, and it is created with the right owner; "+
			"or "+
			"name another one with {flag}", "flag", flag))
	case f.Closed != "":
		return refuse(say.M("{owner} cannot get to {path}", "owner", l.Owner.Name, "path", f.Path), say.Text(f.Closed),
			say.M("allow search in the directories above it: chmod o+x"))
	case strings.HasPrefix(f.Path, "/etc/") || strings.HasPrefix(f.Path, "/usr/") || strings.HasPrefix(f.Path,
		"/proc/") ||
		strings.HasPrefix(f.Path, "/sys/") || strings.HasPrefix(f.Path, "/dev/"):
		return refuse(say.M("{path} is no place for data", "path", f.Path), say.Message{}, say.M("name a directory "+
			"such "+
			"as /var/lib/postgresql/17/main or one on a mounted disk with {flag}", "flag", flag))
	}
	return nil
}

// Room refuses filesystems that are too small for what the server may write: twice max_wal_size where the WAL lies, as
// max_wal_size is a soft limit, and 1 GB beside it for the data.
// The layout may be of a standby, which copies its primary.
func (l Layout) Room(data Folder, wal *Folder, maxWAL unit.Bytes) error {
	if p := l.Order.Primary; p != nil {
		if err := l.spaceRoom(data); err != nil {
			return err
		}
		size, ok := p.Bytes.Get()
		if size = max(size-l.elsewhere(data), 0); ok && data.Total > 0 && data.Free < size+leastData {
			return refuse(say.M("the filesystem of {path} has {free} free, and {need} are needed", "path", data.Path,
				"free", data.Free, "need", size+leastData), say.M("the databases of the primary have {size}", "size",
				size),
				say.M("name a directory on a larger filesystem with {flag}", "flag", "--datadir"))
		}
	}
	need := func(f Folder, least unit.Bytes, flag string) error {
		if f.Total == 0 || f.Free >= least {
			return nil // of an unknown size nothing is said
		}
		return refuse(say.M("the filesystem of {path} has {free} free, and {need} are needed", "path", f.Path, "free",
			f.Free, "need", least), say.M("max_wal_size is {size}, which is a soft limit", "size", maxWAL),
			say.M("name a directory on a larger filesystem with {flag}", "flag", flag))
	}
	if wal != nil {
		if err := need(*wal, 2*maxWAL, "--waldir"); err != nil {
			return err
		}
		return need(data, leastData, "--datadir")
	}
	return need(data, 2*maxWAL+leastData, "--datadir")
}

// leastData is what a new cluster and its first tables take.
const leastData = unit.GB
