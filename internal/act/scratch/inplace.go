package scratch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// ours begins what Reconfigure puts behind the postgresql.conf that initdb wrote.
const ours = "# Written by pgfettle for this start; all below is replaced at the next.\n"

// NewIn is New in a directory of the caller's choice, which must not be there yet: on the filesystem that is to be
// measured. The creator of the directory above it has to know about it in case we are killed. Its socket is in a
// private temporary directory, as a chosen path may be too long for one.
func NewIn(ctx context.Context, b Binaries, folder string, o Options) (*Instance, error) {
	acc, err := Unprivileged()
	if err != nil {
		return nil, err
	}
	if acc.Switch && !reachable(filepath.Dir(folder)) {
		return nil, say.Named(filepath.Dir(folder), say.Err("not open to the unprivileged user that the server "+
			"runs as"))
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, say.Err("directory of a cluster: {reason}", "reason", err)
	}
	i, err := makeIn(b, folder, acc)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	if err := i.place.own("."); err != nil {
		return nil, errors.Join(err, i.Remove())
	}
	if err := i.build(ctx, o); err != nil {
		return nil, errors.Join(err, i.Remove())
	}
	return i, nil
}

// OpenIn returns the cluster in a directory that NewIn made, or a copy of such a directory. Close gives it up and
// leaves it there.
func OpenIn(b Binaries, folder string) (*Instance, error) {
	acc, err := Unprivileged()
	if err != nil {
		return nil, err
	}
	return makeIn(b, folder, acc)
}

func makeIn(b Binaries, folder string, acc Account) (*Instance, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, say.Err("directory of a cluster: {reason}", "reason", err)
	}
	sock, err := newPlace(acc, "")
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	if err := sock.mkdir("s"); err != nil {
		return nil, errors.Join(say.Err("socket directory: {reason}", "reason", err), sock.remove(), root.Close())
	}
	return &Instance{Binaries: b, Folder: folder, DataDir: folder + "/data", Socket: sock.path + "/s", Port: 5432,
		Account: acc,
		place:   &place{path: folder, root: root, account: acc}, sock: sock}, nil
}

// Close stops the server and gives its directory up without removing it. Only what lies elsewhere, its socket, goes.
func (i *Instance) Close() error {
	if err := i.Stop(); err != nil {
		return err
	}
	err := i.place.root.Close()
	if i.sock != nil {
		err = errors.Join(err, i.sock.remove())
		i.sock = nil
	}
	return err
}

// mostConf bounds the postgresql.conf that initdb wrote: 30 kB.
const mostConf = 1 << 20

// Reconfigure sets the whole configuration of the next start: that of initdb,
// then these settings, then where this server lies, which nothing overrides.
// postgresql.auto.conf is emptied.
func (i *Instance) Reconfigure(settings map[string]string) error {
	text, err := confText(settings)
	if err != nil {
		return err
	}
	where, err := confText(map[string]string{
		"listen_addresses": "", "unix_socket_directories": i.Socket, "port": strconv.Itoa(i.Port),
		"logging_collector": "off", "log_destination": "stderr", // to the file that we read
	})
	if err != nil {
		return err
	}
	b, err := i.place.read("data/postgresql.conf", mostConf)
	if err != nil {
		return say.Err("settings of a scratch instance: {reason}", "reason", err)
	}
	base, _, _ := strings.Cut(string(b), ours)
	if base != "" && !strings.HasSuffix(base, "\n") {
		base += "\n"
	}
	if err := i.place.write("data/postgresql.conf", []byte(base+ours+text+where)); err != nil {
		return say.Err("settings of a scratch instance: {reason}", "reason", err)
	}
	if err := i.place.write("data/postgresql.auto.conf", nil); err != nil {
		return say.Err("settings of a scratch instance: {reason}", "reason", err)
	}
	return nil
}
