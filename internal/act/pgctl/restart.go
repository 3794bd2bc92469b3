package pgctl

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

const (
	// DefaultWait bounds stopping and starting: a shutdown writes out all dirty
	// buffers, and a start after a crash replays up to max_wal_size.
	DefaultWait = 5 * time.Minute
	// reloadWait bounds a reload: the postmaster reads the files when it gets the
	// signal, and every backend when it is next idle, as ours is.
	reloadWait = 10 * time.Second
	// poll is how often a slow state is checked.
	poll = 50 * time.Millisecond
)

func (p *Server) wait() time.Duration {
	if p.Wait > 0 {
		return p.Wait
	}
	return DefaultWait
}

// Activate brings what is in the files into force: nothing for Now and Reboot, a reload, or a restart, which starts a
// server that is down. It returns when the server has taken the new values or is up and takes connections. The error of
// a server that did not come back has the lines of its log that say why; it is down then, and Activate(Restart) after
// the files were restored starts it.
func (p *Server) Activate(ctx context.Context, in *snapshot.Instance, e knob.Effect) error {
	switch e {
	case knob.Reload:
		defer p.Close() // what a session knows of its server may be otherwise now
		return p.reload(ctx, in)
	case knob.Restart:
		p.Close() // a smart shutdown would wait for it
		return p.restart(ctx, in)
	}
	return nil
}

func (p *Server) reload(ctx context.Context, in *snapshot.Instance) error {
	s, err := p.Session(ctx, in)
	if err != nil {
		return p.hangup(in, err)
	}
	if s == nil { // a server that is down reads its files when it starts
		if p.Tell != nil {
			p.Tell("the server of " + in.Label() + " does not run: its settings hold from its next start")
		}
		return nil
	}
	defer s.Release()
	if s.Here {
		if err := p.endless(in, s); err != nil {
			return err
		}
	}
	loaded := func() (string, error) {
		rows, err := s.Rows(ctx, `select extract(epoch from pg_conf_load_time())::numeric::text`)
		if err != nil || len(rows) != 1 {
			return "", errors.Join(errors.New("pg_conf_load_time"), err)
		}
		return rows[0][0], nil
	}
	before, err := loaded()
	if err != nil {
		return err
	}
	if err := s.Exec(ctx, "SELECT pg_catalog.pg_reload_conf()"); err != nil {
		if e := p.hangup(in, err); e != nil {
			return e
		}
	}
	end := p.Target.Now().Add(reloadWait)
	for {
		now, err := loaded()
		if err != nil {
			return err
		}
		if now != before {
			break
		}
		if p.Target.Now().After(end) {
			return errors.Join(say.Err("the server of {instance} has not taken its configuration files within "+
				"{time}", "instance", in.Label(), "time", say.Duration(reloadWait)), s.faults(ctx))
		}
		if err := pause(ctx, poll); err != nil {
			return err
		}
	}
	return s.faults(ctx)
}

// hangup reloads without SQL: the signal that pg_ctl reload sends, to a process that is proven to be the server. A
// handle on the process is taken before the proof, so that no other one with its ID can get the signal. why is set if
// that is not possible either.
func (p *Server) hangup(in *snapshot.Instance, why error) error {
	dir, ok := in.DataDirectory.Get()
	if !ok || p.Target.Reach("/") != "/" {
		return why
	}
	first, up, err := p.postmaster(dir)
	if err != nil || !up {
		return errors.Join(why, err)
	}
	proc, err := os.FindProcess(first.PID)
	if err != nil {
		return errors.Join(why, err)
	}
	defer func() { _ = proc.Release() }()
	if err := p.endless(in, nil); err != nil {
		return errors.Join(why, err)
	}
	again, up, err := p.postmaster(dir)
	if err != nil || !up || again.PID != first.PID || again.start != first.start {
		return errors.Join(why, err)
	}
	if err := proc.Signal(syscall.SIGHUP); err != nil {
		return errors.Join(why, say.Err("SIGHUP to process {pid}: {reason}", "pid", strconv.Itoa(first.PID),
			"reason", err))
	}
	return nil
}

// faults returns what the server found wrong in its files. Settings that only
// wait for a restart are listed there as well and are not wrong.
func (s *Session) faults(ctx context.Context) error {
	rows, err := s.Rows(ctx, `select sourcefile, sourceline::text, coalesce(f.name, ''), error
 from pg_file_settings f left join pg_settings s on lower(s.name) = lower(f.name)
 where error is not null and not coalesce(s.pending_restart and s.context = 'postmaster', false) limit 20`)
	if err != nil {
		return nil // only superusers may see it; every value is verified one by one anyway
	}
	var errs []error
	for _, r := range rows {
		fault := errors.New(r[3])
		if r[2] != "" {
			fault = say.Named(r[2], fault)
		}
		errs = append(errs, say.Err("{path} line {line}: {reason}", "path", r[0], "line", r[1], "reason", fault))
	}
	return errors.Join(errs...)
}

func (p *Server) restart(ctx context.Context, in *snapshot.Instance) error {
	dir, ok := in.DataDirectory.Get()
	if !ok {
		return noDirectory(in)
	}
	if err := p.Refuse(in); err != nil {
		return err
	}
	if afar, err := p.afar(ctx, in, dir); afar || err != nil {
		if err != nil && p.RestartCommand == "" {
			return err
		}
		return p.restartAfar(ctx, in)
	}
	if err := p.endless(in, nil); err != nil {
		return err
	}
	for tries := restarts; ; tries-- {
		again, err := p.restartHere(ctx, in, dir)
		if !again || tries == 1 {
			return err
		}
	}
}

// restarts limits how often a restart is retried because something else started the server at the same time: a restart
// begun by a killed apply does so once.
const restarts = 3

// restartHere stops and starts a server of this host once. again says that it
// failed for the only reason that another one was started at the same time, with
// or without what is in the files now, and not that ours took too long.
func (p *Server) restartHere(ctx context.Context, in *snapshot.Instance, dir string) (again bool, err error) {
	old, up, err := p.postmaster(dir)
	if err != nil {
		return false, err
	}
	m, err := p.serviceOf(ctx, in, old, up)
	if err != nil {
		return false, err
	}
	if up {
		if err := p.restartRoom(in); err != nil {
			return false, err
		}
	}
	commands := m.restart
	if !up && len(commands) > 1 {
		commands = commands[1:]
	}
	var at logMark
	defer p.removeStartLog(dir, m)
	for n, c := range commands {
		at = p.markLogs(in, m) // what it says while it stops is no reason for not starting
		began := p.Target.Now()
		out, err := p.Target.Run(ctx, c)
		if err == nil && out.Code != 0 {
			err = ended(out)
		}
		if err == nil {
			continue
		}
		now, runs, e := p.postmaster(dir)
		switch stop := n+1 < len(commands); {
		case stop && e == nil && !runs:
			continue // stopped by others, which is as good
		case len(m.restart) > 1 && !stop && e == nil && runs && (now.PID != old.PID || now.start != old.start) &&
			p.Target.Now().Sub(began) < p.wait():
			return true, p.down(ctx, in, m, at, err)
		}
		return false, p.down(ctx, in, m, at, err)
	}
	return false, p.ready(ctx, in, dir, m, at, old)
}

// ready waits until another server than the old one takes connections.
func (p *Server) ready(ctx context.Context, in *snapshot.Instance, dir string, m service, at logMark,
	old postmaster) error {
	end := p.Target.Now().Add(p.wait())
	for {
		now, up, err := p.postmaster(dir)
		same := up && now.PID == old.PID && now.start == old.start
		switch {
		case err == nil && up && !same && (now.Status == "ready" || now.Status == "standby"):
			return p.answers(ctx, in)
		case p.Target.Now().After(end):
			if same {
				err = say.Err("the same process still runs")
			}
			return p.down(ctx, in, m, at, errors.Join(say.Err("not ready within {time}",
				"time", say.Duration(p.wait())), err))
		}
		if err := pause(ctx, poll); err != nil {
			return err
		}
	}
}

// afar reports whether the server can be reached only by SQL: on another host, or in a data directory that is closed to
// us. A directory here of the same name as one there is never taken for it. The error is that of a server which does
// not answer and was never seen to be here.
func (p *Server) afar(ctx context.Context, in *snapshot.Instance, dir string) (bool, error) {
	if _, _, err := p.postmaster(dir); errors.Is(err, fs.ErrPermission) {
		return true, nil
	}
	p.lock.Lock()
	_, seen := p.services[dir]
	p.lock.Unlock()
	if !p.named() || seen {
		return false, nil
	}
	s, err := p.Session(ctx, in)
	if err != nil {
		return true, err
	}
	defer s.hangUp()
	return !s.Here, nil
}

// restartAfar runs the user's own command and waits until the server answers that it has restarted.
func (p *Server) restartAfar(ctx context.Context, in *snapshot.Instance) error {
	if p.RestartCommand == "" {
		return &say.Problem{Message: say.M("the server of {label} can only be restarted by root or its owner, on "+
			"its host", "label", in.Label()), Code: say.CodeNoAccess,
			Hint: say.M("run pgfettle there as root or as the owner of the data directory, or give --restart-command")}
	}
	began := ""
	if s, e := p.Session(ctx, in); e == nil && s != nil {
		began = s.began
		s.hangUp()
	}
	out, err := p.Target.Run(ctx, p.shell(p.RestartCommand))
	if err == nil && out.Code != 0 {
		err = ended(out)
	}
	if err != nil {
		return say.Named(p.RestartCommand, err)
	}
	end := p.Target.Now().Add(p.wait())
	for {
		s, err := p.Session(ctx, in)
		if err == nil && s != nil {
			now := s.began
			s.hangUp()
			if now != began {
				return nil
			}
			err = say.Err("it has not been restarted")
		}
		if p.Target.Now().After(end) {
			return errors.Join(say.Err("the server of {instance} did not come back within {time}",
				"instance", in.Label(), "time", say.Duration(p.wait())), err)
		}
		if err := pause(ctx, poll); err != nil {
			return err
		}
	}
}

// answers asks the server that has come up for a connection. One that it refuses
// for a password or for want of room is an answer, too.
func (p *Server) answers(ctx context.Context, in *snapshot.Instance) error {
	s, err := p.Session(ctx, in)
	if err == nil && s != nil {
		s.Release()
		return nil
	}
	var no *say.Problem
	if errors.As(err, &no) && no.Code == say.CodeNoAccess {
		return nil
	}
	return errors.Join(say.Err("the server of {instance} is up and takes no connection", "instance", in.Label()), err)
}

func (p *Server) down(ctx context.Context, in *snapshot.Instance, m service, at logMark, err error) error {
	said := p.loggedSince(ctx, in, m, at)
	detail := say.OfError(err)
	if said != "" {
		detail = say.Text(said)
	}
	return &say.Problem{Message: say.M("the server of {label} did not come back after {name}", "label", in.Label(),
		"name", say.Quoted(m.name)),
		Detail: detail,
		Hint:   say.M("see the server's log"), Code: say.CodeError}
}

// pause waits, but not longer than the context.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// ended is the error of a command that failed: its exit status and the last lines that it wrote.
func ended(out target.Output) error {
	return say.Err("exit status {code}: {output}", "code", strconv.Itoa(out.Code),
		"output", lastLines(string(out.Stderr)+"\n"+string(out.Stdout), 3))
}

// noDirectory is the error of an instance whose data directory is unknown.
func noDirectory(in *snapshot.Instance) error {
	return say.Err("data directory: {reason}", "reason", gapwords.Arg(in.DataDirectory.Gap().Reason))
}

func lastLines(text string, n int) string {
	var lines []string
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], " | ")
}
