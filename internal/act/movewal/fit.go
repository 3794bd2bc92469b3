package movewal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/walmove"
)

const (
	// margin is what is asked for beyond what is needed: max_wal_size is a soft
	// limit, which a checkpoint that comes late oversteps, and a filesystem that
	// is full of WAL stops the server.
	margin = 0.1
)

// refusal is a move that is not to be made.
func refusal(message, detail, hint say.Message) error {
	return &say.Problem{Message: message, Detail: detail, Hint: hint, Code: say.CodeRefused}
}

// Fit looks whether the WAL of an instance can be moved to a directory, and changes nothing.
func (w *Mover) Fit(ctx context.Context, in *snapshot.Instance, asked string, o walmove.Options) (*walmove.Plan,
	error) {
	f := &walmove.Plan{Asked: asked, Options: o, Label: in.Label()}
	if !path.IsAbs(asked) || strings.ContainsAny(asked, "\n\r\x00") {
		return f, &say.Problem{Message: say.M("{asked} is not an absolute path", "asked", say.Quoted(asked)),
			Hint: say.M("write the absolute path: the link in the data directory will contain it"),
			Code: say.CodeUsage}
	}
	dir, err := w.DataDir(in)
	if err != nil {
		return f, target.NoAccess("the data directory", err)
	}
	if err := w.owned(in, dir, f); err != nil {
		return f, err
	}
	here, err := w.Place(dir)
	if err != nil {
		return f, target.NoAccess(path.Join(dir, Name), err)
	}
	f.From = here.Path
	if f.To, err = w.resolved(asked); err != nil {
		return f, err
	}
	if n, err := w.record(dir); err != nil {
		return f, err
	} else if n != nil {
		return f, refusal(say.M("a move of the WAL from {path} to {path2} is not finished", "path", n.From.Path,
			"path2", n.To.Path),
			say.M("{dir} says so", "dir", path.Join(dir, recordName)),
			say.M("finish it with 'pgfettle apply --resume', or take it back with "+
				"'pgfettle undo --max-effect restart'"))
	}
	if f.Here = f.To == f.From; f.Here {
		return f, nil
	}
	if err := w.refusePlace(dir, f); err != nil {
		return f, err
	}
	if err := w.emptyFolder(dir, Place{Path: f.To, Link: f.To}); err != nil {
		return f, err
	}
	if err := w.reachable(dir, f.To); err != nil {
		return f, err
	}
	if err := w.refuseLedPath(dir, f); err != nil {
		return f, err
	}
	if err := w.server(ctx, in, dir, f); err != nil {
		return f, err
	}
	return f, w.enoughSpace(in, dir, f)
}

// resolved is a directory with every link followed; its last part need not exist.
func (w *Mover) resolved(asked string) (string, error) {
	at := path.Clean(asked)
	real, err := w.Target.Resolve(at)
	if err == nil {
		return real, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", target.NoAccess(at, err)
	}
	if to, e := w.Target.Readlink(at); e == nil {
		return "", refusal(say.M("{at} is a symbolic link to {to}, which is not there", "at", at, "to", to),
			say.Message{}, say.M("choose a directory, or mount its filesystem"))
	}
	up, err := w.Target.Resolve(path.Dir(at))
	if errors.Is(err, fs.ErrNotExist) {
		return "", refusal(say.M("{at} is not there", "at", path.Dir(at)),
			say.M("the WAL directory itself is created, its parent directories are not"),
			say.M("mount its filesystem, or create the directory"))
	}
	if err != nil {
		return "", target.NoAccess(path.Dir(at), err)
	}
	return path.Join(up, path.Base(at)), nil
}

// owned refuses an instance that another program or the engine of a container
// runs, and one that we have no right to.
func (w *Mover) owned(in *snapshot.Instance, dir string, f *walmove.Plan) error {
	switch m, _ := in.Manager.Get(); m {
	case "":
	case "ansible":
		f.Notes = append(f.Notes,
			"Ansible writes the configuration of this instance: set the new path in its role, or a rebuild puts "+
				"pg_wal back into the data directory")
	case "patroni":
		return refusal(say.M("Patroni runs {label}", "label", in.Label()),
			say.M("it would treat the stop as a failure, and recreates members without a link"),
			say.M("set waldir under postgresql.basebackup and bootstrap.initdb in its configuration, and recreate "+
				"the member with 'patronictl reinit'"))
	case "cloudnative-pg":
		return refusal(say.M("CloudNativePG runs {label}", "label", in.Label()), say.M("its pods come and go with "+
			"their volumes"),
			say.M("add spec.walStorage to the Cluster resource: the operator moves the WAL itself"))
	default:
		return refusal(say.M("{value} runs {label}", "value", m, "label", in.Label()), say.M("it would take the stop "+
			"for a failure"), say.M("move the WAL as {value} does it", "value", m))
	}
	if Contained(w.Target, w.view(dir), in, dir) {
		return &say.Problem{Message: say.M("the server of {label} runs in a container", "label", in.Label()),
			Detail: say.M("the right that is missing is that to stop and start the container, which its engine has"),
			Code:   say.CodeNoAccess,
			Hint: say.M("give the container a volume for its WAL: POSTGRES_INITDB_WALDIR in the official image " +
				"when the cluster is made; or stop it and run pgfettle where its volumes are mounted")}
	}
	st, err := w.Target.Stat(dir)
	if err != nil {
		return target.NoAccess(dir, err)
	}
	if us := w.Target.UID(); us != 0 && us != st.UID {
		return &say.Problem{Message: say.M("the WAL of {label} may be moved by root or its owner alone", "label",
			in.Label()),
			Detail: say.M("its data directory is user {uid}'s, and this is user {us}", "uid", fmt.Sprint(st.UID), "us",
				fmt.Sprint(us)),
			Code: say.CodeNoAccess,
			Hint: say.M("run pgfettle as root or as the owner of the data directory")}
	}
	return nil
}

// Contained reports whether a server is the first process of a container that we are in, or one of a container that we
// see into.
func Contained(t, view target.Target, in *snapshot.Instance, dir string) bool {
	b, err := view.ReadFile(path.Join(dir, "postmaster.pid"), target.MaxConfigFile)
	if err != nil {
		return false
	}
	line, _, _ := strings.Cut(string(b), "\n")
	pid := strings.TrimSpace(line)
	if pid == "1" {
		return true
	}
	if _, err := strconv.Atoi(pid); err != nil {
		return false
	}
	if pm, ok := in.Postmaster().Get(); ok {
		pid = strconv.Itoa(pm.PID)
	}
	theirs, err1 := t.Stat("/proc/" + pid + "/root")
	ours, err2 := t.Stat("/")
	return err1 == nil && err2 == nil && (theirs.Dev != ours.Dev || theirs.Inode != ours.Inode)
}

// emptyFolder refuses a place that holds anything, or that is not the server's.
func (w *Mover) emptyFolder(dir string, place Place) error {
	if _, err := w.Target.Readlink(path.Join(dir, otherName)); err == nil {
		return leftover(dir)
	} else if _, err := w.Target.Stat(path.Join(dir, otherName)); err == nil {
		return leftover(dir)
	}
	to := place.Path
	st, err := w.Target.Stat(to)
	switch {
	case place.inside(), errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return target.NoAccess(to, err)
	case path.Base(to) == "lost+found":
		return refusal(say.M("{to} is what fsck puts lost files into", "to", to), say.Message{},
			say.M("choose a directory next to it: {to}", "to", path.Join(path.Dir(to), path.Base(dir)+"-wal")))
	}
	if !st.Mode.IsDir() {
		return refusal(say.M("{to} is not a directory", "to", to), say.Message{}, say.M("name a directory that does "+
			"not exist yet, or an empty one"))
	}
	names, err := w.view(dir).ReadDir(to)
	if err != nil {
		return target.NoAccess(to, err)
	}
	if len(names) > 0 {
		what := say.M("it holds {name}", "name", say.Quoted(names[0]))
		if len(names) > 1 {
			what = say.M("it holds {name} and {n} more", "name", say.Quoted(names[0]), "n", len(names)-1)
		}
		for _, n := range names {
			if len(n) == 24 && strings.Trim(n, "0123456789ABCDEF") == "" {
				what = say.All("; ", what, say.M("it looks like the WAL of a server"))
				break
			}
		}
		return refusal(say.M("{to} is not empty", "to", to), what, say.M("choose a directory that does not exist "+
			"yet, such as {to}", "to", path.Join(to, path.Base(dir)+"-wal")))
	}
	owner, err := w.Target.Stat(dir)
	if err != nil {
		return err
	}
	if st.UID != owner.UID {
		return refusal(say.M("{to} is user {owner}'s, and the server runs as user {server}", "to", to, "owner",
			fmt.Sprint(st.UID), "server", fmt.Sprint(owner.UID)),
			say.M("the server could not write there"),
			say.M("chown {uid}:{gid} {to}; or remove the empty directory, and it is created with the right owner",
				"uid", fmt.Sprint(owner.UID), "gid", fmt.Sprint(owner.GID), "to", to))
	}
	was, err := w.Target.Stat(path.Join(dir, Name))
	if err != nil {
		return err
	}
	if most := was.Mode.Perm() | 0o700; st.Mode.Perm()&^most != 0 || st.Mode.Perm()&0o700 != 0o700 {
		why := say.M("anyone who can read the WAL can read the data")
		if st.Mode.Perm()&^most == 0 {
			why = say.M("the server could not write there")
		}
		return refusal(say.M("{to} has the mode {mode}, and pg_wal has {wanted}", "to", to, "mode", fmt.Sprintf("%04o",
			st.Mode.Perm()), "wanted", fmt.Sprintf("%04o", was.Mode.Perm())),
			why,
			say.M("chmod {perm} {to}", "perm", fmt.Sprintf("%04o", was.Mode.Perm()), "to", to))
	}
	return nil
}

func leftover(dir string) error {
	at := path.Join(dir, otherName)
	return refusal(say.M("{at} exists", "at", at), say.M("an earlier move left it, and no move is under way"),
		say.M("look at it; when the server runs without it, remove it"))
}

// reachable refuses a place that the server's owner cannot reach, or that others could replace.
func (w *Mover) reachable(dir, to string) error {
	owner, err := w.Target.Stat(dir)
	if err != nil {
		return err
	}
	for at := path.Dir(to); ; at = path.Dir(at) {
		st, err := w.Target.Stat(at)
		if err != nil {
			return target.NoAccess(at, err)
		}
		sticky := st.Mode&fs.ModeSticky != 0
		who := ""
		switch {
		case st.UID != 0 && st.UID != owner.UID:
			who = fmt.Sprintf("user %d, who owns that directory,", st.UID)
		case sticky:
		case st.Mode.Perm()&0o002 != 0:
			who = "every user"
		case st.Mode.Perm()&0o020 != 0 && st.GID != 0 && st.GID != owner.GID:
			who = fmt.Sprintf("group %d", st.GID)
		}
		if who != "" {
			return refusal(say.M("{who} could replace {to} with another directory", "who", who, "to", to),
				say.M("{at} has the mode {perm} and is of user {uid}, group {gid}", "at", at, "perm",
					fmt.Sprintf("%04o", st.Mode.Perm()), "uid", fmt.Sprint(st.UID), "gid", fmt.Sprint(st.GID)),
				say.M("choose a directory below directories of root or of the server's owner"))
		}
		if at == "/" {
			break
		}
	}
	at, within := to, path.Join(to, "archive_status") // an existing directory is written to, a missing one is created
	if _, err := w.Target.Stat(to); err != nil {
		at, within = path.Dir(to), to
	}
	if err := w.folders(dir).Enter(at); err != nil {
		return refusal(say.M("the server, which runs as user {uid}, cannot get to {at}", "uid", fmt.Sprint(owner.UID),
			"at", at), say.OfError(err),
			say.M("allow search in the directories above it: chmod o+x"))
	}
	if err := w.Target.Writable(within); err != nil {
		return target.NoAccess(to, err)
	}
	return nil
}

// refuseLedPath refuses a place that does not exist yet if only root could create it and others can influence where the
// path leads, such as by a link.
func (w *Mover) refuseLedPath(dir string, f *walmove.Plan) error {
	if w.Target.UID() != 0 || w.Target.Reach("/") != "/" {
		return nil
	}
	if _, err := w.Target.Stat(f.To); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := w.view(dir).Writable(f.To); err == nil {
		return nil
	}
	err := target.RootsOwn(w.Target, path.Dir(path.Clean(f.Asked)))
	if err == nil {
		return nil
	}
	return refusal(say.M("{to} is root's, and the way to it is not", "to", path.Dir(f.To)), say.OfError(err),
		say.M("create the directory yourself and give it to the server's account, or use a path whose directories "+
			"only root can change"))
}

// server refuses what the state of the server prevents, and notes what to know.
func (w *Mover) server(ctx context.Context, in *snapshot.Instance, dir string, f *walmove.Plan) error {
	var err error
	if f.Running, err = w.Server.Runs(in); err != nil {
		return err
	}
	if err := w.quiet(ctx, in, dir, f); err != nil {
		return err
	}
	if f.Running {
		if f.Stop, f.Start, err = w.Server.Commands(ctx, in); err != nil {
			return err
		}
	} else {
		b, err := w.controlFile(dir)
		if err != nil {
			return target.NoAccess("pg_control", err)
		}
		c, err := pg.ParseControlFile(b)
		if err != nil {
			return err
		}
		if !c.State.Clean() {
			return refusal(say.M("the server of {label} was not shut down cleanly", "label", in.Label()),
				say.M("pg_control says {state}", "state", say.Quoted(fmt.Sprint(c.State))),
				say.M("start it, so that it replays its WAL; then move the WAL, or stop it first"))
		}
	}
	f.Size, err = w.folders(dir).Measure(f.From)
	var odd *target.OddEntry
	if errors.As(err, &odd) {
		return refusal(say.M("{error}, which could not be moved as it is", "error", odd),
			say.Message{}, say.M("put what it leads to in its place, or remove it"))
	}
	if err != nil {
		return target.NoAccess(f.From, err)
	}
	f.Notes = append(f.Notes, w.remarks(in, dir, f)...)
	return nil
}

// quiet refuses while a base backup is taken: to stop the server would end it.
func (w *Mover) quiet(ctx context.Context, in *snapshot.Instance, dir string, f *walmove.Plan) error {
	if _, err := w.Target.Stat(path.Join(dir, "backup_label")); err == nil {
		detail, hint := say.M("a backup in exclusive mode is under way"), say.M("wait until it has ended")
		if !f.Running {
			detail, hint = say.M("this is a base backup that was not started yet"), say.M("start it, and let it "+
				"become consistent")
		}
		return refusal(say.M("{dir} exists", "dir", path.Join(dir, "backup_label")), detail, hint)
	}
	if !f.Running {
		return nil
	}
	why, err := w.Server.Busy(ctx, in)
	if err != nil {
		f.Notes = append(f.Notes, "whether a base backup is taken could not be asked, and the stop would end one: "+
			err.Error())
		return nil
	}
	if why != "" {
		return refusal(say.M("a base backup is taken of {label}", "label", in.Label()), say.Text(why),
			say.M("wait until it has ended: the stop would end it"))
	}
	return nil
}

// remarks are what to know about the server that prevents nothing.
func (w *Mover) remarks(in *snapshot.Instance, dir string, f *walmove.Plan) (out []string) {
	standby := in.Server.Recovery
	if up, ok := standby.Get(); ok && up {
		out = append(out,
			"this is a standby: while it is down it replays nothing, its slot keeps WAL on the primary, and commits "+
				"that wait for it wait on")
	} else if _, err := w.Target.Stat(path.Join(dir, "standby.signal")); err == nil {
		out = append(out, "this is a standby: it catches up with its primary after the start")
	}
	if r, ok := in.Server.Replicas.Get(); ok && len(r) > 0 {
		out = append(out,
			fmt.Sprintf(
				"replicas and receivers of WAL that are connected: %d; the stop waits until they have all of it, "+
					"and they connect again after the start", len(r)))
	}
	if names, err := w.view(dir).ReadDir(path.Join(f.From, "archive_status")); err == nil {
		ready := 0
		for _, n := range names {
			if strings.HasSuffix(n, ".ready") {
				ready++
			}
		}
		if ready > 0 {
			out = append(out,
				fmt.Sprintf(
					"segments that wait to be archived: %d; they move along, and archiving goes on after the start",
					ready))
		}
	}
	if b, err := w.Target.ReadFile("/sys/fs/selinux/enforce", 16); err == nil && strings.TrimSpace(string(b)) == "1" {
		out = append(out,
			"SELinux enforces: files keep their labels; so that a relabelling keeps them too: semanage fcontext -a "+
				"-t postgresql_db_t '"+f.To+"(/.*)?'")
	}
	return out
}

// fitNow is what has to hold at the moment a move is begun, be it forth or back.
func (m *move) fitNow(ctx context.Context, from, to Place) error {
	up, err := m.Server.Runs(m.in)
	if err != nil {
		return err
	}
	f := &walmove.Plan{From: from.Path, To: to.Path, Running: up}
	if err := m.quiet(ctx, m.in, m.dir, f); err != nil {
		return err
	}
	if err := m.emptyFolder(m.dir, to); err != nil {
		return err
	}
	if f.Size, err = m.f.Measure(from.Path); err != nil {
		return err
	}
	return m.enoughSpace(m.in, m.dir, f)
}

// enoughSpace refuses a filesystem that is too small: what there is now, what the server
// lets come to it until a checkpoint recycles, and a margin.
func (w *Mover) enoughSpace(in *snapshot.Instance, dir string, f *walmove.Plan) error {
	at := f.To
	if _, err := w.Target.Stat(at); err != nil || f.To == path.Join(dir, Name) {
		at = path.Dir(at)
	}
	space, err := w.Target.Statfs(at)
	if err != nil {
		return target.NoAccess(at, err)
	}
	f.MaxWAL = w.maxWAL(in, dir)
	f.Free = unit.Bytes(space.Free)
	f.Need = (unit.Bytes(f.Size.Bytes) + f.MaxWAL).Scale(1 + margin)
	if f.Need > f.Free {
		return refusal(say.M("{at} has {free} free, and {need} are needed", "at", at, "free", f.Free, "need", f.Need),
			say.M("current WAL {bytes} + max_wal_size {maxWAL} + 10%, as max_wal_size is a soft limit: a "+
				"filesystem full of WAL stops the server", "bytes", unit.Bytes(f.Size.Bytes), "maxWAL",
				f.MaxWAL),
			say.M("name a larger filesystem, or lower max_wal_size first"))
	}
	if files := int64(f.Size.Files) * 2; space.Files > 0 && space.FFree < files {
		return refusal(say.M("{at} has {ffree} free inodes, and {files} files must be moved", "at", at, "ffree",
			fmt.Sprint(space.FFree), "files", fmt.Sprint(f.Size.Files)), say.Message{}, say.M("name a filesystem "+
			"with more inodes"))
	}
	return nil
}

// maxWAL is max_wal_size, as the server or its files say.
func (w *Mover) maxWAL(in *snapshot.Instance, dir string) unit.Bytes {
	if set, ok := in.Server.Settings.Get(); ok {
		if b, ok := set.Bytes("max_wal_size"); ok {
			return b
		}
	}
	p := &pgctl.Server{Target: w.Target}
	files, err := p.Files(dir)
	if err != nil {
		return unit.GB
	}
	values := conf.Resolve(target.ConfigFiles{Target: files}, p.ConfigFile(in, nil), dir).Values()
	if mb, err := unit.ParseGUC(values["max_wal_size"], "MB"); err == nil && mb > 0 {
		return unit.Bytes(mb) * unit.MB
	}
	return unit.GB // the default of every version since 9.5
}

// mounts reads the mounts of this moment.
func (w *Mover) mounts() (*snapshot.Snapshot, error) {
	b, err := w.Target.ReadFile("/proc/self/mountinfo", 64<<20) // fs.mount-max is 100,000 lines
	if err != nil {
		return nil, err
	}
	list, err := host.ParseMounts(b)
	if err != nil {
		return nil, err
	}
	return &snapshot.Snapshot{Host: host.Host{Mounts: known.Is(list)}}, nil
}
