package serve

import (
	"io/fs"
	"net"
	"os"
	"os/user"
	"strconv"
	"syscall"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// openSocket makes a socket that its owner may use, and the group that is named.
// One that a killed server left behind is replaced; one that answers, and what is
// no socket, is not.
func openSocket(name, group string) (net.Listener, error) {
	gid := -1
	if group != "" {
		var err error
		if gid, err = groupID(group); err != nil {
			return nil, err
		}
	}
	st, err := os.Lstat(name)
	switch {
	case err == nil && st.Mode().Type() != fs.ModeSocket:
		return nil, &say.Problem{Message: say.M("file {name} exists and is not a socket", "name", say.Quoted(name)),
			Hint: say.M("Choose another path."), Code: say.CodeUsage}
	case err == nil:
		if c, err := net.DialTimeout("unix", name, time.Second); err == nil {
			_ = c.Close()
			return nil, &say.Problem{Message: say.M("could not listen on {name}: socket in use", "name",
				say.Quoted(name)),
				Hint: say.M("Choose another path."), Code: say.CodeError}
		}
		if err := os.Remove(name); err != nil {
			return nil, say.Err("could not remove the old socket: {error}", "error", err)
		}
	}
	old := syscall.Umask(0o177) // it is never open to others, not for a moment
	n, err := net.Listen("unix", name)
	syscall.Umask(old)
	if err != nil {
		return nil, &say.Problem{Message: say.M("--listen: {error}", "error", err),
			Hint: say.M("Use an existing directory to which you can write."), Code: say.CodeError}
	}
	if gid < 0 {
		return n, nil
	}
	// First the group, then its right: no other group has it in between.
	if err = os.Lchown(name, -1, gid); err == nil {
		err = os.Chmod(name, 0o660)
	}
	if err != nil {
		_ = n.Close()
		return nil, &say.Problem{Message: say.M("could not change the group of the socket to {group}: {error}", "group",
			say.Quoted(group), "error", err), Hint: say.M("Name a group of the account that runs pgfettle."),
			Code: say.CodeNoAccess}
	}
	return n, nil
}

// groupID is the number of a group given by name or number.
func groupID(group string) (int, error) {
	id := group
	if g, err := user.LookupGroup(group); err == nil {
		id = g.Gid
	}
	n, err := strconv.ParseUint(id, 10, 31)
	if err != nil {
		return 0, &say.Problem{Message: say.M("group {group} does not exist", "group", say.Quoted(group)),
			Hint: say.M("List the groups: getent group"), Code: say.CodeUsage}
	}
	return int(n), nil
}
