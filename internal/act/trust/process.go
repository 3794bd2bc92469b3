package trust

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/target"
)

// maxStatus bounds /proc/PID/status: 2 kB, and some more for its groups.
const maxStatus = 1 << 20

// Process returns the account that a process runs as. One whose IDs differ is a set-user-ID program, and belongs to no
// account.
func Process(t target.Target, pid int) (Account, error) {
	b, err := t.ReadFile("/proc/"+strconv.Itoa(pid)+"/status", maxStatus)
	if err != nil {
		return Account{}, err
	}
	uid, err := oneID(string(b), "Uid:")
	if err != nil {
		return Account{}, err
	}
	gid, err := oneID(string(b), "Gid:")
	if err != nil {
		return Account{}, err
	}
	if uid == 0 {
		return Account{}, refuse("a server of PostgreSQL does not run as root", "the process runs as root")
	}
	a := Of(uid, gid)
	a.GID, a.Groups = gid, nil // those that it has, whatever the database says by now
	for line := range strings.Lines(string(b)) {
		list, ok := strings.CutPrefix(line, "Groups:")
		for _, g := range strings.Fields(list) {
			if n, err := strconv.Atoi(g); ok && err == nil && n != gid {
				a.Groups = append(a.Groups, n)
			}
		}
	}
	return a, nil
}

// oneID returns the id of a line of /proc/PID/status that has the real, effective,
// saved and filesystem one.
func oneID(status, name string) (int, error) {
	for line := range strings.Lines(status) {
		list, ok := strings.CutPrefix(line, name)
		if !ok {
			continue
		}
		ids := strings.Fields(list)
		if len(ids) != 4 {
			return 0, fmt.Errorf("%s %q: four ids are expected", name, strings.TrimSpace(list))
		}
		for _, id := range ids {
			if id != ids[0] {
				return 0, refuse("", "the process runs with the rights of two accounts")
			}
		}
		return strconv.Atoi(ids[0])
	}
	return 0, errors.New("no line " + name)
}

// DataDir reports whether a data directory is the account's, as the server sees it: view is the target that its paths
// hold in. Others may not write it.
func (a Account) DataDir(view target.Target, dir string) error {
	in, err := view.Stat(dir)
	switch {
	case err != nil:
		return err
	case !in.Mode.IsDir():
		return refuse("", "its data directory %s is not a directory", dir)
	case in.UID != a.UID:
		return refuse("", "it runs as %s, and its data directory %s belongs to %s", a, dir, Of(in.UID, in.GID))
	case in.Mode.Perm()&0o022 != 0:
		return refuse("chmod go-w "+dir, "others may write its data directory %s", dir)
	}
	return nil
}

// maxLock bounds postmaster.pid: eight short lines.
const maxLock = 4096

// Instance returns the account of a data directory: that of its postmaster if one runs as the owner, with its groups,
// otherwise the owner as found by Owner.
func Instance(t target.Target, dir string) (Account, error) {
	in, err := t.Stat(dir)
	if err != nil {
		return Account{}, err
	}
	a := Of(in.UID, in.GID)
	if in.UID == 0 {
		return a, refuse("chown it to the account that the server runs as",
			"%s belongs to root, as which no server runs", dir)
	}
	if err := a.DataDir(t, dir); err != nil {
		return a, err
	}
	b, err := t.As(a.User()).ReadFile(path.Join(dir, "postmaster.pid"), maxLock)
	if err != nil {
		return Owner(t, dir)
	}
	line, _, _ := strings.Cut(string(b), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || pid <= 1 {
		return Owner(t, dir)
	}
	runs, err := Process(t, pid)
	if err != nil || runs.UID != a.UID {
		return Owner(t, dir) // the file outlived its server, and another process wears the number
	}
	cwd, err := t.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	if err != nil {
		return Owner(t, dir)
	}
	if at, err := t.Resolve(dir); err != nil || at != cwd {
		return Owner(t, dir)
	}
	return runs, nil
}

// Owner returns the account of a data directory whose server does not run: its owner, if only root and that owner can
// change what its path leads to.
func Owner(t target.Target, dir string) (Account, error) {
	way, err := t.Way(dir)
	if err != nil {
		return Account{}, err
	}
	last := way[len(way)-1]
	a := Of(last.UID, last.GID)
	switch {
	case !last.Mode.IsDir():
		return a, refuse("", "%s is not a directory", dir)
	case last.UID == 0:
		return a, refuse("chown it to the account that the server runs as",
			"%s belongs to root, as which no server runs", dir)
	case last.Mode.Perm()&0o022 != 0:
		return a, refuse("chmod go-w "+dir, "others may write %s", dir)
	}
	var c *target.Changeable
	if err := target.Owned(way, a.User()); errors.As(err, &c) {
		return a, refuse("let root or "+a.Name+" own every parent directory, or start the server",
			"%s can be replaced by another account: %s %s", dir, c.Path, c.Why)
	}
	return a, nil
}

// Program reports whether a program may run as the account: it must be a regular file of root or the account, in
// directories that no one else can change. It returns its path with every link followed.
func (a Account) Program(t target.Target, name string) (string, error) {
	if !path.IsAbs(name) {
		return "", refuse("", "%s is no absolute path", name)
	}
	way, err := t.Way(name)
	if err != nil {
		return "", err
	}
	last := way[len(way)-1]
	if !last.Mode.IsRegular() {
		return "", refuse("", "%s is no regular file", name)
	}
	var c *target.Changeable
	if err := target.Owned(way, a.User()); errors.As(err, &c) {
		return "", refuse("make root the owner of it and of the directories above it", "%s is not run as %s: %s %s",
			name,
			a, c.Path, c.Why)
	}
	return last.Path, nil
}
