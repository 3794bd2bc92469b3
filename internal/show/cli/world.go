package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/linux"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/pgsetting"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/tablespace"
	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
	"github.com/spf13/cobra"
)

// placeOptions say where things are changed and where that is noted: flags of
// every command that reads or writes journals.
type placeOptions struct {
	root string // --root
	dir  string // --journal
}

const placeHelp = `Journals lie in /var/lib/pgfettle/journal, for an ordinary user in
$XDG_STATE_HOME/pgfettle/journal (~/.local/state where that is not set), or where
--journal says; with --root below that folder.`

func (o *placeOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.root, "root", "", "the tree of files in `DIR` instead of this host: files only, no live values")
	f.StringVar(&o.dir, "journal", "", "the folder of the journals, `DIR`")
}

// files is the target that the files of the host are on: the host, or --root.
func (o *placeOptions) files(env *Env) (target.Target, error) {
	if o.root == "" {
		return env.Target, nil
	}
	abs, err := filepath.Abs(o.root)
	if err != nil {
		return nil, fmt.Errorf("--root: %w", err)
	}
	o.root = abs
	if abs == "/" {
		return nil, usage("--root: / is this host itself", "leave --root out to change this host")
	}
	t, err := env.Target.Sub(abs)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, &say.Problem{Message: fmt.Sprintf("--root: %q: permission denied", o.root), Hint: "run pgfettle as its owner", Code: exitNoAccess}
	case err != nil:
		return nil, usage(fmt.Sprintf("--root: %q is no folder", o.root), "name the folder that holds etc, usr and the rest of an image")
	}
	return t, nil
}

// journals is the folder of the journals on that target. Root does not go by what
// somebody else could have written there, nor writes where he could lead it.
func (o *placeOptions) journals(env *Env) (string, error) {
	dir, err := o.journalDir(env)
	if err != nil || o.root != "" || env.Target.UID() != 0 {
		return dir, err
	}
	err = target.RootsOwn(env.Target, dir)
	if c, ok := errors.AsType[*target.Changeable](err); ok {
		return "", &say.Problem{Message: "the journals in " + dir + " are not trusted", Detail: c.Path + " " + c.Why, Code: exitRefused,
			Hint: "find out who made it; then chown root: and chmod go-w it, or name another folder with --journal"}
	}
	return dir, err
}

func (o *placeOptions) journalDir(env *Env) (string, error) {
	switch {
	case o.dir != "" && o.root == "":
		return filepath.Abs(o.dir)
	case o.dir != "":
		return filepath.Clean("/" + o.dir), nil
	case o.root != "" || env.Target.UID() == 0:
		return journalfile.Dir, nil
	}
	state, ok := env.host().StateHome()
	if !ok {
		return "", usage("there is no folder for journals: HOME is not set", "name one with --journal DIR")
	}
	return filepath.Join(state, "pgfettle", "journal"), nil
}

// restartOptions say how servers are restarted, stopped and started.
type restartOptions struct{ command, stop, start string }

func (o *restartOptions) flags(cmd *cobra.Command) {
	o.stopFlags(cmd)
	cmd.Flags().StringVar(&o.command, "restart-command", "", "restart a server with the shell line `CMD` (default: through what runs it: systemd, pg_ctlcluster, pg_ctl)")
}

func (o *restartOptions) stopFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.stop, "stop-command", "", "stop a server with the shell line `CMD`, and start it with --start-command (default: through what runs it)")
	f.StringVar(&o.start, "start-command", "", "start a server with the shell line `CMD`; it returns when the server is up")
}

func (o *restartOptions) check() error {
	if (o.stop == "") != (o.start == "") {
		return usage("--stop-command and --start-command go together", "give both")
	}
	return nil
}

// world builds the one place where all that apply, undo, resume and status
// need comes together. l is the target as it was just collected. The second
// result is the kind of server settings, for what else it can be asked.
func world(env *Env, l *loaded, place *placeOptions, restart restartOptions) (*apply.System, *pgctl.Server, error) {
	if err := restart.check(); err != nil {
		return nil, nil, err
	}
	files, err := place.files(env)
	if err != nil {
		return nil, nil, err
	}
	w := &apply.System{Target: files, Now: files.Now, Tool: "pgfettle " + Version, Root: place.root, Hostname: env.host().Hostname(),
		Suffix: suffix(), Holder: fmt.Sprintf("process %d (pgfettle)", os.Getpid()), Tell: func(s string) { fmt.Fprintln(env.Stderr, "  "+typeset.Line(s)) }}
	if w.Dir, err = place.journals(env); err != nil {
		return nil, nil, err
	}
	host := linux.Host{Files: files}
	server := &pgctl.Server{Target: files, RestartCommand: restart.command, StopCommand: restart.stop, StartCommand: restart.start}
	server.Tell = w.Tell
	if place.root == "" {
		host.Kernel = files
		if l.Collected != nil && l.Collected.Kind == collect.Conninfo {
			server.Conninfo, server.Environment = l.Collected.Value, l.Collected.Value == ""
		}
		byKey := func(key string) (*snapshot.Instance, error) {
			if in := l.Snapshot.Instance(key); in != nil {
				return in, nil
			}
			return nil, fmt.Errorf("instance %s: it is not in the snapshot", key)
		}
		w.Activate = func(ctx context.Context, key string, e knob.Effect) error {
			in, err := byKey(key)
			if err != nil {
				return err
			}
			return server.Activate(ctx, in, e)
		}
		w.Verify = func(ctx context.Context, key string, changes []plan.Change) error {
			in, err := byKey(key)
			if err != nil {
				return err
			}
			if !l.Snapshot.HostSeen {
				w.Tell("the settings of " + in.Label() + " could not be tried before: its programs are on another host")
				return nil
			}
			settings := slices.DeleteFunc(slices.Clone(changes), func(c plan.Change) bool { return c.Address.Prefix() != "pg" })
			if len(settings) == 0 {
				return nil // nothing that a start could fail of
			}
			found, err := server.Try(ctx, in, settings)
			if err != nil {
				return err
			}
			return pgctl.Refusal(in, found)
		}
	}
	host.Service = onlyUnit(l.Snapshot)
	w.Kinds = host.Kinds()
	w.Kinds["pg"] = pgsetting.Kind{Server: server}
	w.Kinds["tablespace"] = tablespace.Kind{Server: server}
	w.Kinds["wal"] = newWal(env, w, server)
	return w, server, nil
}

// units are the systemd units that run instances, with the first instance of each.
func units(s *snapshot.Snapshot) (names []string, of map[string]*snapshot.Instance) {
	of = map[string]*snapshot.Instance{}
	for i := range s.Instances {
		if u, ok := s.Instances[i].Unit.Get(); ok && u.Name != "" && of[u.Name] == nil {
			names = append(names, u.Name)
			of[u.Name] = &s.Instances[i]
		}
	}
	return names, of
}

func onlyUnit(s *snapshot.Snapshot) string {
	if names, _ := units(s); len(names) == 1 {
		return names[0]
	}
	return ""
}

// suffix keeps two applies of one second apart.
func suffix() string { return strings.ToLower(rand.Text()[:6]) }

// loadJournalled looks at the instances that a journal is about: those found
// running, or by their data directories, as one may have been stopped since. gone is one that is
// not looked for.
func loadJournalled(ctx context.Context, env *Env, place *placeOptions, j *journal.Journal, gone string) (*loaded, error) {
	labels := slices.DeleteFunc(labelsOf(j), func(l string) bool { return l == gone })
	if place.root != "" {
		return inTree(labels), nil
	}
	all := len(labels) > 0
	for _, label := range labels {
		all = all && filepath.IsAbs(label)
	}
	if !all {
		return load(ctx, env, "", false)
	}
	var out *loaded
	for i, label := range labels {
		if _, err := os.Stat(label); errors.Is(err, fs.ErrNotExist) {
			continue // an instance that is gone; what is about it will say so
		}
		l, err := load(ctx, env, label, false)
		if no, ok := errors.AsType[*say.Problem](err); ok && no.Code == exitNoAccess {
			// a superuser whom the folder does not let in reaches the server as
			// he did when he applied: by PG* variables, or by its socket
			return load(ctx, env, "", false)
		}
		if err != nil {
			return nil, err
		}
		for n := range l.Snapshot.Instances {
			l.Snapshot.Instances[n].Key = strconv.Itoa(i + 1)
		}
		if out == nil {
			out = l
			continue
		}
		out.Snapshot.Instances = append(out.Snapshot.Instances, l.Snapshot.Instances...)
	}
	if out == nil {
		return load(ctx, env, "", false)
	}
	return out, nil
}

func labelsOf(j *journal.Journal) []string {
	var labels []string
	seen := map[string]bool{"": true}
	if j == nil {
		return nil
	}
	add := func(label string) {
		if !seen[label] {
			seen[label] = true
			labels = append(labels, label)
		}
	}
	for _, c := range j.Changes {
		add(c.Instance)
	}
	if j.Damage != nil {
		for _, u := range j.Damage.Unknown {
			add(u.Instance)
		}
	}
	return labels
}

// inTree is what is known of a tree of files: the instances that somebody
// named, by their data directories.
func inTree(labels []string) *loaded {
	s := &snapshot.Snapshot{Schema: snapshot.Schema, HostSeen: true}
	for i, label := range labels {
		s.Instances = append(s.Instances, snapshot.Instance{Key: strconv.Itoa(i + 1), DataDirectory: known.Is(label)})
	}
	return &loaded{Snapshot: s}
}
