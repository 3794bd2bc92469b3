package pgctl

import (
	"context"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Runs reports whether any process of an instance runs: its postmaster, or a backend that has outlived it, or one that
// was started alone. Each of them is in the data directory.
func (p *Server) Runs(in *snapshot.Instance) (bool, error) {
	dir, ok := in.DataDirectory.Get()
	if !ok {
		return false, noDirectory(in)
	}
	if _, up, err := p.postmaster(dir); up || err != nil {
		return up, err
	}
	files, err := p.Files(dir)
	if err != nil {
		return false, err
	}
	real, err := files.Resolve(dir)
	if err != nil {
		return false, err
	}
	names, err := p.Target.ReadDir("/proc")
	if err != nil {
		return false, err
	}
	for _, n := range names {
		if _, err := strconv.Atoi(n); err != nil {
			continue
		}
		cwd, err := p.Target.Readlink("/proc/" + n + "/cwd")
		if err != nil || cwd != real {
			continue // it has ended, or is another user's, who may not write there
		}
		exe, err := p.Target.Readlink("/proc/" + n + "/exe")
		exe = strings.TrimSuffix(exe, " (deleted)") // by an upgrade of its package
		if err == nil && host.IsServerName(path.Base(exe)) {
			return true, nil
		}
	}
	return p.launched(names, dir), nil
}

// launched reports whether a pg_ctl is about to start the server of a data directory: one that outlived the process
// which called it.
func (p *Server) launched(pids []string, dir string) bool {
	for _, n := range pids {
		comm, err := p.Target.ReadFile("/proc/"+n+"/comm", 64)
		if err != nil || strings.TrimSpace(string(comm)) != "pg_ctl" {
			continue
		}
		b, err := p.Target.ReadFile("/proc/"+n+"/cmdline", target.MaxConfigFile)
		words := strings.Split(string(b), "\x00")
		if err == nil && slices.Contains(words, dir) && slices.Contains(words, "start") {
			return true
		}
	}
	return false
}

// Commands says how the server of an instance is stopped and started, for people. The error means that it is unknown
// how to stop it.
func (p *Server) Commands(ctx context.Context, in *snapshot.Instance) (stop, start string, err error) {
	m, err := p.stoppable(ctx, in)
	if err != nil {
		return "", "", err
	}
	spell := func(c *target.Command) string {
		if c.Argv[0] == "/bin/sh" {
			return c.Argv[2] // see shell
		}
		return strings.TrimRight(path.Base(c.Argv[0])+" "+c.Argv[1]+tellingArguments(c.Argv[2:]), " ")
	}
	return spell(m.stop), spell(m.start), nil
}

// tellingArguments is what distinguishes a command from another of its kind: the unit, the cluster, the directory.
func tellingArguments(words []string) string {
	if i := slices.Index(words, "-D"); i >= 0 && i+1 < len(words) {
		return " -D " + words[i+1]
	}
	return " " + strings.Join(words, " ")
}

func (p *Server) stoppable(ctx context.Context, in *snapshot.Instance) (service, error) {
	dir, ok := in.DataDirectory.Get()
	if !ok {
		return service{}, noDirectory(in)
	}
	pm, up, err := p.postmaster(dir)
	if err != nil {
		return service{}, err
	}
	m, err := p.serviceOf(ctx, in, pm, up)
	if err != nil {
		return m, err
	}
	switch {
	case m.stop == nil:
		return m, &say.Problem{Message: say.M("the server of {dir} must be stopped, changed and started, and "+
			"--restart-command does both at once", "dir", dir), Code: say.CodeRefused,
			Hint: say.M("give the commands that stop and start it with --stop-command and --start-command")}
	case m.unit != "" && p.Target.UID() != 0:
		return m, &say.Problem{Message: say.M("the server of {dir} is run by systemd ({unit}): only root can stop "+
			"and start it", "dir", dir, "unit", m.unit), Code: say.CodeNoAccess,
			Hint: say.M("run pgfettle as root, or give --stop-command and --start-command")}
	}
	return m, nil
}

// logOf is what pg_ctl appends the messages of a server to that is down.
func (p *Server) logOf(dir string) string {
	if at := p.logs[dir]; at != "" {
		return at
	}
	return "/dev/null"
}

// Log is the file that the messages of a running server go to, "" if none; UseLog passes it to a later process, which
// finds the server stopped.
func (p *Server) Log(ctx context.Context, in *snapshot.Instance) string {
	m, err := p.stoppable(ctx, in)
	if err != nil || m.passing || m.log == "/dev/null" {
		return ""
	}
	return m.log
}

// UseLog sets what a server is started with that this process has not seen run.
func (p *Server) UseLog(in *snapshot.Instance, at string) {
	dir, ok := in.DataDirectory.Get()
	if !ok || !path.IsAbs(at) {
		return
	}
	if p.logs == nil {
		p.logs = map[string]string{}
	}
	p.logs[dir] = at
}

// Checkpoint writes out what a shutdown would have to, while the server still
// works. It is done to be quick later, and where it cannot be, nothing is lost.
func (p *Server) Checkpoint(ctx context.Context, in *snapshot.Instance) {
	s, err := p.Session(ctx, in)
	if err != nil || s == nil {
		return
	}
	defer s.hangUp() // its time limit is off
	ctx, cancel := context.WithTimeout(ctx, p.wait())
	defer cancel()
	if _, err := s.conn.Exec(ctx, "SET statement_timeout = 0").ReadAll(); err == nil {
		_, _ = s.conn.Exec(ctx, "CHECKPOINT").ReadAll()
	}
}

// Stop stops a server through what runs it, and returns when no process of it is left. One that is already starting or
// stopping is waited for: the process that started or stopped it may have died meanwhile.
func (p *Server) Stop(ctx context.Context, in *snapshot.Instance) error {
	p.Close() // a smart shutdown would wait for it
	m, err := p.stoppable(ctx, in)
	if err != nil {
		return err
	}
	dir, _ := in.DataDirectory.Get()
	end := p.Target.Now().Add(p.wait())
	for {
		now, up, err := p.postmaster(dir)
		if err != nil {
			return err
		}
		if up && now.Status == "stopping" {
			return p.gone(ctx, in)
		}
		out, err := p.Target.Run(ctx, *m.stop)
		if err == nil && out.Code == 0 {
			return p.gone(ctx, in)
		}
		if err == nil {
			err = ended(out)
		}
		runs, e := p.Runs(in)
		if e == nil && !runs {
			return nil
		}
		now, up, _ = p.postmaster(dir)
		if between := !up || now.Status == "stopping" || now.Status == "starting"; !between || e != nil ||
			p.Target.Now().After(end) {
			return errors.Join(say.Err("stop of {instance}: {reason}", "instance", in.Label(), "reason", err), e)
		}
		if err := pause(ctx, poll); err != nil {
			return err
		}
	}
}

// gone waits until no process of an instance is left.
func (p *Server) gone(ctx context.Context, in *snapshot.Instance) error {
	end := p.Target.Now().Add(p.wait())
	for {
		up, err := p.Runs(in)
		switch {
		case err != nil:
			return err
		case !up:
			return nil
		case p.Target.Now().After(end):
			return say.Err("the server of {instance} has not stopped within {time}", "instance", in.Label(),
				"time", say.Duration(p.wait()))
		}
		if err := pause(ctx, poll); err != nil {
			return err
		}
	}
}

// Start starts a server through what runs it, and returns when it takes
// connections. One that is up already, or on its way, is waited for. The error
// has the lines of its log that say why it is not.
func (p *Server) Start(ctx context.Context, in *snapshot.Instance) error {
	dir, ok := in.DataDirectory.Get()
	if !ok {
		return noDirectory(in)
	}
	m, err := p.stoppable(ctx, in)
	if err != nil {
		return err
	}
	if now, up, err := p.postmaster(dir); err == nil && up && now.Status == "stopping" {
		if err := p.gone(ctx, in); err != nil {
			return err
		}
	}
	at := p.markLogs(in, m)
	defer p.removeStartLog(dir, m)
	end := p.Target.Now().Add(p.wait())
	for {
		_, up, err := p.postmaster(dir)
		if err != nil {
			return err
		}
		if up {
			break
		}
		if runs, err := p.Runs(in); err != nil {
			return err
		} else if runs && p.Target.Now().Before(end) {
			if err := pause(ctx, poll); err != nil { // it is about to come up, or its last process to end
				return err
			}
			continue
		}
		out, err := p.Target.Run(ctx, *m.start)
		if err == nil && out.Code != 0 {
			err = ended(out)
		}
		if err != nil {
			return p.notUp(ctx, in, m, at, err)
		}
		break
	}
	for {
		now, up, err := p.postmaster(dir)
		switch {
		case err == nil && up && now.Status == "ready":
			return p.answers(ctx, in)
		case err == nil && up && now.Status == "standby":
			return nil // hot_standby is off: it takes no connections
		case p.Target.Now().After(end):
			return p.notUp(ctx, in, m, at, errors.Join(say.Err("not ready within {time}",
				"time", say.Duration(p.wait())), err))
		}
		if err := pause(ctx, poll); err != nil {
			return err
		}
	}
}

func (p *Server) notUp(ctx context.Context, in *snapshot.Instance, m service, at logMark, err error) error {
	if said := p.loggedSince(ctx, in, m, at); said != "" {
		err = errors.New(said)
	}
	return say.Err("the server of {instance} did not start: {reason}", "instance", in.Label(), "reason", err)
}

// Busy reports whether a base backup is in progress, and of which client; "" if none is. One that a session of another
// program began is known by what it said last.
func (p *Server) Busy(ctx context.Context, in *snapshot.Instance) (string, error) {
	s, err := p.Session(ctx, in)
	if err != nil {
		return "", err
	}
	if s == nil {
		return "", say.Err("the server is not to be asked")
	}
	defer s.Release()
	rows, err := s.Rows(ctx, `select 'process ' || pid || ' sends a base backup' from pg_stat_progress_basebackup
 union all select 'process ' || pid || ' (' || coalesce(nullif(application_name, ''), 'no name') || ') has begun a `+
		`backup' from pg_stat_activity
 where pid <> pg_backend_pid() and query ~* '\mpg_(start_backup|backup_start)\s*\(' limit 5`)
	var list []string
	for _, r := range rows {
		list = append(list, r[0])
	}
	return strings.Join(list, "; "), err
}
