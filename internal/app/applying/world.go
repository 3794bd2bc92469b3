package applying

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/creation"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/linux"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/pgsetting"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/relation"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/tablespace"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/wal"
	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/movewal"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// world builds the one place where all that apply, undo, resume and status
// need comes together. l is the target as it was just collected. The second
// result is the kind of server settings, for what else it can be asked.
func (p *Place) world(l *app.Session, restart Restart) (*apply.System, *pgctl.Server, error) {
	if err := restart.check(); err != nil {
		return nil, nil, err
	}
	files, err := p.Files()
	if err != nil {
		return nil, nil, err
	}
	w := &apply.System{Target: files, Now: files.Now, Tool: p.Host.Tool(), Root: p.Root, Hostname: p.Host.Hostname(),
		Suffix: suffix(), Holder: fmt.Sprintf("process %d (pgfettle)", os.Getpid()), Tell: p.Tell}
	if w.Tell == nil {
		w.Tell = func(string) {}
	}
	if w.Dir, err = p.Journals(); err != nil {
		return nil, nil, err
	}
	host := linux.Host{Files: files}
	server := &pgctl.Server{Target: files, RestartCommand: restart.Command, StopCommand: restart.Stop,
		StartCommand: restart.Start}
	server.Tell = w.Tell
	if p.Root == "" {
		host.Kernel = files
		reach(server, l)
		byKey := func(key string) (*snapshot.Instance, error) {
			if in := l.Snapshot.Instance(key); in != nil {
				return in, nil
			}
			return nil, say.Err("instance {key} is not in the snapshot", "key", key)
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
				w.Tell("settings of " + in.Label() + " were not tested: its programs are on another host")
				return nil
			}
			settings := slices.DeleteFunc(slices.Clone(changes), func(c plan.Change) bool {
				return c.Address.Prefix() != "pg"
			})
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
	w.Kinds["tablespace"] = &tablespace.Kind{Server: server, Folders: foldersOf(files), Tell: w.Tell}
	w.Kinds["relation"] = &relation.Kind{Server: server, Tell: w.Tell}
	w.Kinds["wal"] = p.newWal(w, server)
	maps.Copy(w.Kinds, p.creation(w).Kinds())
	return w, server, nil
}

// creation is where 'pgfettle create' makes things.
func (p *Place) creation(w *apply.System) creation.Host {
	return creation.Host{Target: w.Target, Folders: foldersOf(w.Target), Verifier: p.Verifier,
		Password: p.Password}
}

// reach says how the server of a session is reached: as the user named it.
func reach(server *pgctl.Server, l *app.Session) {
	if l.Collected != nil && l.Collected.Kind == collect.Conninfo {
		server.Conninfo, server.Environment = l.Collected.Value, l.Collected.Value == ""
	}
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

// newWal is the kind of the place of the WAL.
func (p *Place) newWal(w *apply.System, server *pgctl.Server) *wal.Kind {
	k := &wal.Kind{Mover: &movewal.Mover{Target: w.Target, Server: server, Tell: w.Tell,
		Folders: foldersOf(w.Target)}}
	tell, done := p.Host.Steps()
	percent := int64(-1)
	k.Progress = func(what string, n, whole int64) {
		if whole <= 0 || n*100/whole == percent {
			return
		}
		if percent = n * 100 / whole; percent >= 100 {
			done()
			return
		}
		tell(fmt.Sprintf("  %s: %d%%", what, percent))
	}
	return k
}
