package serverprogram

import (
	"context"
	"errors"
	"io/fs"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// AskSharedMemory asks the binary that is installed for an instance how much shared memory it would want with the
// settings of the question in place of its present ones. The running server, its data directory and its lock file are
// not touched; nothing stays behind. It takes 10 to 30 ms, and half a second more where the control file is not ours to
// read.
func AskSharedMemory(ctx context.Context, t target.Target, in *snapshot.Instance,
	q snapshot.ShmemQuestion) (snapshot.ShmemAnswer, error) {
	none := snapshot.ShmemAnswer{Question: q}
	if l, ok := t.(*target.Local); !ok || l.Root != "" && l.Root != "/" {
		return none, ofProgram(say.Err("no programs are run on this target"))
	}
	if err := sameRoot(t, in); err != nil {
		return none, err
	}
	set, ok := in.Server.Settings.Get()
	if !ok {
		return none, say.Err("settings of the server: {reason}",
			"reason", gapwords.Arg(in.Server.Settings.Gap().Reason))
	}
	conf, err := sharedConf(set, q)
	if err != nil {
		return none, err
	}
	v, ok := in.Server.Version.Get()
	if !ok {
		return none, say.Err("version of the server: {reason}",
			"reason", gapwords.Arg(in.Server.Version.Gap().Reason))
	}
	acc, err := accountOf(t, in)
	if err != nil {
		return none, err
	}
	b, err := binariesOf(ctx, in, v, acc)
	if err != nil {
		return none, err
	}
	s, err := shadowOf(ctx, in, b, acc, conf["wal_segment_size"])
	if err != nil {
		return none, err
	}
	a, err := s.Ask(ctx, conf)
	if err := errors.Join(err, s.Remove()); err != nil {
		return none, err
	}
	return snapshot.ShmemAnswer{Question: q, Bytes: a.Bytes, Pages: a.Pages, Method: a.Method}, nil
}

// sameRoot refuses a server of a container: what is under the path of its binary out here is another program.
func sameRoot(t target.Target, in *snapshot.Instance) error {
	p, ok := in.Postmaster().Get()
	if !ok {
		return nil
	}
	theirs, err1 := t.Stat("/proc/" + strconv.Itoa(p.PID) + "/root")
	ours, err2 := t.Stat("/")
	if err1 == nil && err2 == nil && (theirs.Dev != ours.Dev || theirs.Inode != ours.Inode) {
		return ofProgram(say.Err("it is in a container, and is not run outside of it"))
	}
	return nil
}

// sharedConf returns the settings to ask with: what was chosen for the running server, overlaid by the question.
// Defaults are the binary's own, and what the server computed from others is left to be computed again.
func sharedConf(set pg.Settings, q snapshot.ShmemQuestion) (map[string]string, error) {
	// Without pg_read_all_settings the server hides this one, and with it what
	// its libraries ask for: an answer would look exact and not be it.
	if _, ok := set["shared_preload_libraries"]; !ok {
		return nil, say.Named("shared_preload_libraries", say.Err("only shown to superusers and members of "+
			"pg_read_all_settings"))
	}
	conf := map[string]string{}
	for name, s := range set {
		switch s.Source {
		case "default", "override", "client", "session", "interactive", "test", "database", "user", "database user":
			continue
		}
		if memory.MattersForShared(name) {
			conf[name] = s.Value
		}
	}
	for _, nv := range q.Settings {
		if memory.MattersForShared(nv.Name) {
			conf[nv.Name] = nv.Value
		}
	}
	if size, ok := set.Text("wal_segment_size"); ok {
		conf["wal_segment_size"] = size
	}
	return conf, nil
}

// accountOf returns the account that an instance's programs are run as: if we are root, its own and no other. Its
// settings may name libraries, and their author would get the rights of another account.
func accountOf(t target.Target, in *snapshot.Instance) (scratch.Account, error) {
	if t.UID() != 0 {
		return scratch.Unprivileged()
	}
	dir, ok := in.DataDirectory.Get()
	if !ok {
		return scratch.Account{}, say.Err("data directory: {reason}",
			"reason", gapwords.Arg(in.DataDirectory.Gap().Reason))
	}
	a, err := trust.Instance(t, dir)
	if err != nil {
		return scratch.Account{}, say.Err("account of the instance: {reason}", "reason", err)
	}
	return scratch.Account{UID: a.UID, GID: a.GID, Switch: true}, nil
}

// binariesOf returns the binaries that run the instance, or where the path of
// them is closed to us any installed ones of the same major version.
func binariesOf(ctx context.Context, in *snapshot.Instance, v unit.Version, acc scratch.Account) (scratch.Binaries,
	error) {
	if dir, ok := in.BinDir.Get(); ok {
		b, err := scratch.AtAs(ctx, dir, acc)
		if err == nil && b.Version.Major() != v.Major() {
			err = say.Err("server binaries: {binaries}, but the server runs {version}", "binaries", b, "version", v)
		}
		return b, err
	}
	for _, b := range scratch.Find(ctx) {
		if b.Version.Major() == v.Major() {
			return b, nil
		}
	}
	return scratch.Binaries{}, say.Err("server binaries: none of PostgreSQL {major} found",
		"major", strconv.Itoa(v.Major()))
}

// shadowOf makes the shadow of the instance's data directory. Where who is not
// root may not read the control file it is that of a throwaway cluster, which
// differs in nothing that counts.
func shadowOf(ctx context.Context, in *snapshot.Instance, b scratch.Binaries, acc scratch.Account,
	segment string) (*scratch.Shadow, error) {
	if dir, ok := in.DataDirectory.Get(); ok {
		s, err := scratch.NewShadow(b, dir, acc)
		if err == nil || acc.Switch || !errors.Is(err, fs.ErrPermission) {
			return s, err
		}
	}
	return ofNewCluster(ctx, b, segment)
}

// ofProgram is an error about the program of a server.
func ofProgram(err error) error { return say.Err("server binary: {reason}", "reason", err) }
