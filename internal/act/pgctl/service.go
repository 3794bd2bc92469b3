package pgctl

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/pgctl/distribution"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// service is how one instance is stopped and started: through what really runs
// it, so that this goes on to know its server.
type service struct {
	name    string           // for people: "systemctl restart postgresql@15-main.service"
	restart []target.Command // run one after another; the first one only where the server runs, if there are two
	stop    *target.Command  // nil: it can only be restarted, by the user's own command
	start   *target.Command
	log     string // file that its messages go to before it opens its own; "": none that could be read
	unit    string // whose journal has them instead
	passing bool   // log is a file for the time of the start alone
}

// supervisors are programs that start a server again by themselves when it ends,
// or end with it. Who restarts the server behind their back gets two.
var supervisors = map[string]bool{
	"runsv": true, "supervisord": true, "s6-supervise": true, "perpd": true, "monit": true, "circusd": true,
	"docker-init": true, "tini": true, "dumb-init": true, "containerd-shim": true, "conmon": true, "patroni": true,
	"pg_autoctl": true, "stolon-keeper": true, "repmgrd": true,
}

// serviceOf finds out how to restart an instance. pm is its server, where up. What
// was found while it was up is remembered, as a server that is down shows little.
func (p *Server) serviceOf(ctx context.Context, in *snapshot.Instance, pm postmaster, up bool) (service, error) {
	dir, ok := in.DataDirectory.Get()
	if !ok {
		return service{}, noDirectory(in)
	}
	p.lock.Lock()
	known, ok := p.services[dir]
	p.lock.Unlock()
	if ok && !up {
		return known, nil
	}
	m, err := p.findService(ctx, in, dir, pm, up)
	if err != nil {
		return m, err
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.services == nil {
		p.services = map[string]service{}
	}
	p.services[dir] = m
	return m, nil
}

func (p *Server) findService(ctx context.Context, in *snapshot.Instance, dir string, pm postmaster,
	up bool) (service, error) {
	switch {
	case p.StopCommand != "" && p.StartCommand != "":
		stop, start := p.shell(p.StopCommand), p.shell(p.StartCommand)
		m := service{name: p.StopCommand + "; " + p.StartCommand, stop: &stop, start: &start,
			restart: []target.Command{stop, start}}
		if up {
			if to, err := p.stderr(pm, nil, false); err == nil {
				m.log = to // to read why it does not come back
			}
		}
		if p.RestartCommand != "" {
			m.name, m.restart = p.RestartCommand, []target.Command{p.shell(p.RestartCommand)}
		}
		return m, nil
	case p.RestartCommand != "":
		return service{name: p.RestartCommand, restart: []target.Command{p.shell(p.RestartCommand)}}, nil
	}
	if unit := p.unitOf(ctx, in, dir, pm, up); unit != "" {
		does := func(what string) target.Command {
			return target.Command{Argv: []string{"systemctl", what, unit}, Timeout: p.wait()}
		}
		restart, stop, start := does("restart"), does("stop"), does("start")
		return service{name: strings.Join(restart.Argv, " "), restart: []target.Command{restart}, stop: &stop,
			start: &start, unit: unit}, nil
	}
	if up {
		if by := p.supervisor(pm); by != "" {
			return service{}, &say.Problem{Message: say.M("the server of {dir} is run by {by}, which pgfettle does "+
				"not know how to ask for a restart", "dir", dir, "by", by),
				Hint: say.M("give the command that restarts it with --restart-command, or those that stop and start " +
					"it with --stop-command and --start-command"), Code: say.CodeRefused}
		}
	}
	if m, ok, err := p.debian(in, dir, pm, up); ok || err != nil {
		return m, err
	}
	return p.pgctl(in, dir, pm, up)
}

// shell is a command of the user's own, which is a shell line.
func (p *Server) shell(line string) target.Command {
	return target.Command{Argv: []string{"/bin/sh", "-c", line}, Own: true, Timeout: p.wait()}
}

// supervisor names the program that has the server as its child.
func (p *Server) supervisor(pm postmaster) string {
	comm, err := p.Target.ReadFile("/proc/"+strconv.Itoa(pm.parent)+"/comm", 64)
	if err != nil {
		return ""
	}
	name := strings.TrimSpace(string(comm))
	for s := range supervisors { // the kernel cuts names at 15 bytes
		if name == s || len(name) == 15 && strings.HasPrefix(s, name) {
			return name
		}
	}
	return ""
}

// unitOf returns the unit whose main process the server is. A unit that only
// started whatever started the server, such as cron's, is not it. Of a server
// that is down it is the one that names the data directory.
func (p *Server) unitOf(ctx context.Context, in *snapshot.Instance, dir string, pm postmaster, up bool) string {
	if !up {
		return distribution.UnitOf(ctx, p.Target, p.ConfigFile(in, nil), dir)
	}
	u, ok := in.Unit.Get()
	if ok && strings.TrimSpace(distribution.Systemctl(ctx, p.Target, "show", "--property=MainPID", "--value", "--",
		u.Name)) == strconv.Itoa(pm.PID) {
		return u.Name
	}
	return ""
}

// debian recognizes a cluster of Debian's postgresql-common by the directory of its configuration. pg_ctlcluster is run
// as the owner: as root it would ask systemd, which does not run this server.
func (p *Server) debian(in *snapshot.Instance, dir string, pm postmaster, up bool) (m service, ok bool, err error) {
	const tool = "/usr/bin/pg_ctlcluster"
	file := p.ConfigFile(in, nil)
	rest, ok := strings.CutPrefix(file, distribution.ConfigRoot+"/")
	part := strings.Split(rest, "/")
	if !ok || len(part) != 3 || part[2] != "postgresql.conf" {
		return service{}, false, nil
	}
	if _, err := p.Target.Stat(tool); errors.Is(err, fs.ErrNotExist) {
		return service{}, false, nil
	}
	owner, err := p.owner(dir)
	if err != nil {
		return service{}, false, err
	}
	log := distribution.LogFile(part[0], part[1])
	if to, err := p.Target.Readlink(path.Join(distribution.ConfigRoot, part[0], part[1], "log")); err == nil {
		log = to
	}
	var env []string
	if up {
		if env, err = p.asBefore(pm); err != nil {
			return service{}, false, err
		}
	}
	does := func(what string) target.Command {
		return target.Command{Argv: []string{tool, part[0], part[1], what}, As: owner, Keeps: true, Env: env,
			Timeout: p.wait()}
	}
	restart, stop, start := does("restart"), does("stop"), does("start")
	return service{name: strings.Join(restart.Argv, " "), log: log, restart: []target.Command{restart}, stop: &stop,
		start: &start}, true, nil
}

// pgctl stops and starts the server with its own pg_ctl, as its owner, with the
// options that it was started with, which it keeps in postmaster.opts.
func (p *Server) pgctl(in *snapshot.Instance, dir string, pm postmaster, up bool) (service, error) {
	owner, err := p.owner(dir)
	if err != nil {
		return service{}, err
	}
	args, err := p.arguments(dir, pm, up)
	if err != nil {
		return service{}, say.Err("how the server was started: {reason}", "reason", err)
	}
	bin := path.Dir(args[0])
	if d, ok := in.BinDir.Get(); ok {
		bin = d
	}
	for _, name := range []string{"pg_ctl", "postgres"} {
		if err := p.mayRun(dir, path.Join(bin, name)); err != nil {
			return service{}, err
		}
	}
	m := service{name: "pg_ctl restart -D " + dir, log: p.logOf(dir)}
	var env []string
	if up {
		collects := p.collector(pm)
		if m.log, err = p.stderr(pm, owner, collects); err != nil {
			return service{}, err
		}
		if m.passing = collects && m.log == "/dev/null"; m.passing {
			// what it says before its collector runs would be lost
			m.log = path.Join(dir, "pgfettle-start.log")
		}
		if env, err = p.asBefore(pm); err != nil {
			return service{}, err
		}
	}
	seconds := strconv.Itoa(max(int(p.wait()/time.Second), 1))
	longer := p.wait() + 5*time.Second // pg_ctl itself says that time is up
	common := []string{"-D", dir, "-w", "-t", seconds}
	m.restart = []target.Command{
		{Argv: append([]string{path.Join(bin, "pg_ctl"), "stop", "-m", "fast"}, common...), As: owner, Keeps: true,
			Env: env, Timeout: longer},
		{Argv: append([]string{path.Join(bin, "pg_ctl"), "start", "-s", "-l", m.log, "-o",
			shellWords(withoutFolder(args[1:], dir)), "-p", path.Join(bin, "postgres")}, common...), As: owner,
			Keeps: true, Env: env, Timeout: longer},
	}
	m.stop, m.start = &m.restart[0], &m.restart[1]
	return m, nil
}

// arguments are what the server was started with: the command line of the one
// that runs, or of the last one as it noted it in postmaster.opts, each word in
// double quotes. What is in the words is not escaped there, so that one with
// a quote, a blank and a quote in it would come apart.
func (p *Server) arguments(dir string, pm postmaster, up bool) ([]string, error) {
	if up {
		b, err := p.Target.ReadFile("/proc/"+strconv.Itoa(pm.PID)+"/cmdline", target.MaxConfigFile)
		if err != nil {
			return nil, err
		}
		return programPath(strings.Split(strings.TrimRight(string(b), "\x00"), "\x00"), dir)
	}
	files, err := p.Files(dir)
	if err != nil {
		return nil, err
	}
	b, err := files.ReadFile(path.Join(dir, "postmaster.opts"), target.MaxConfigFile)
	if err != nil {
		return nil, err
	}
	program, rest, any := strings.Cut(strings.TrimRight(string(b), "\r\n"), ` "`)
	args := []string{program}
	if any {
		args = append(args, strings.Split(strings.TrimSuffix(rest, `"`), `" "`)...)
	}
	return programPath(args, dir)
}

// programPath takes the first word for the path of a program; where it is none, the directory is known otherwise or
// pg_ctl will say so. Words of more than a line are no command line.
func programPath(args []string, dir string) ([]string, error) {
	if strings.ContainsAny(strings.Join(args, ""), "\n\r\x00") || len(args) == 0 || args[0] == "" {
		return nil, say.Named(dir, say.Err("not the command line of a server"))
	}
	return args, nil
}

// withoutFolder removes the -D that pg_ctl passes itself, and one that is relative to a directory that is no longer
// known. A -D of a directory of configuration stays: it comes last and wins.
func withoutFolder(args []string, dir string) []string {
	ours := func(d string) bool { return !path.IsAbs(d) || path.Clean(d) == path.Clean(dir) }
	var out []string
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-D" && i+1 < len(args):
			if i++; !ours(args[i]) {
				out = append(out, a, args[i])
			}
		case a == "-c" && i+1 < len(args):
			i++
			out = append(out, a, args[i])
		case strings.HasPrefix(a, "-D") && ours(a[2:]):
		default:
			out = append(out, a)
		}
	}
	return out
}

// shellWords spells words for the shell that pg_ctl hands them to.
func shellWords(words []string) string {
	var out []string
	for _, w := range words {
		out = append(out, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
	}
	return strings.Join(out, " ")
}

// stderr is the file that the running server's messages go to. If it is none, something else holds the other end, and
// would not hold that of a new server; a server with its own collector needs it for its first lines only.
func (p *Server) stderr(pm postmaster, owner *target.User, collects bool) (string, error) {
	if collects {
		return "/dev/null", nil
	}
	to, err := p.Target.Readlink("/proc/" + strconv.Itoa(pm.PID) + "/fd/2")
	if err != nil {
		return "", say.Err("where the server's messages go: {reason}", "reason", err)
	}
	if to == "/dev/null" {
		return to, nil
	}
	if st, err := p.Target.Stat(to); err == nil && st.Mode.IsRegular() && (owner == nil || st.UID == owner.UID) {
		return to, nil
	}
	return "", &say.Problem{Message: say.M("the messages of the server go to {to}, which a server that its owner "+
		"starts would not have", "to", to), Code: say.CodeRefused,
		Hint: say.M("give the command that restarts it with --restart-command")}
}

// collector reports whether the server's own log collector runs: its child of that title.
func (p *Server) collector(pm postmaster) bool {
	names, err := p.Target.ReadDir("/proc/" + strconv.Itoa(pm.PID) + "/task/" + strconv.Itoa(pm.PID))
	if err != nil || len(names) == 0 {
		return false
	}
	b, err := p.Target.ReadFile("/proc/"+strconv.Itoa(pm.PID)+"/task/"+strconv.Itoa(pm.PID)+"/children",
		target.MaxConfigFile)
	if err != nil {
		return false
	}
	for _, child := range strings.Fields(string(b)) {
		title, err := p.Target.ReadFile("/proc/"+child+"/cmdline", target.MaxConfigFile)
		if err == nil && strings.Contains(string(title), "logger") {
			return true
		}
	}
	return false
}

// owner is the user to act as, the account of the instance; nil if that is ourselves.
func (p *Server) owner(dir string) (*target.User, error) {
	a, err := p.account(dir)
	if err != nil {
		return nil, err
	}
	if a != nil {
		u := a.User()
		return &u, nil
	}
	st, err := p.Target.Stat(dir)
	if err != nil {
		return nil, err
	}
	if p.Target.UID() == st.UID {
		return nil, nil
	}
	return nil, &say.Problem{Message: say.M("the server of {dir} can only be restarted by root or its owner", "dir",
		dir),
		Code: say.CodeNoAccess,
		Hint: say.M("run pgfettle as root or as the owner of the data directory, or give --restart-command")}
}

// mayRun refuses a program that is neither root's nor the account's, or that others could replace.
func (p *Server) mayRun(dir, program string) error {
	a, err := p.account(dir)
	if err != nil || a == nil {
		return err
	}
	_, err = a.Program(p.Target, program)
	var no *trust.Refusal
	if errors.As(err, &no) {
		return &say.Problem{Message: say.M("the server of {dir} cannot be restarted with its own programs", "dir", dir),
			Detail: gapwords.Of(no.Reason), Code: say.CodeRefused,
			Hint: say.M("{hint}; or give --restart-command", "hint", gapwords.Arg(no.Hint))}
	}
	return err
}

// inherited reports whether a variable of a server's environment is passed on to its successor: what affects its
// location, its locale and time zone, and its OOM score. Nothing that affects the linker or an interpreter, nor what an
// administrator's shell happened to contain.
func inherited(name string) bool {
	switch name {
	case "PGDATA", "LANG", "LANGUAGE", "TZ":
		return true
	}
	return strings.HasPrefix(name, "LC_") && name != "LC_ALL" || strings.HasPrefix(name, "PG_OOM_ADJUST_")
}

// loaderVariable are variables without which a server may not start, or not do what it is
// there for; a shell's own are none of them.
func loaderVariable(name string) bool { return strings.HasPrefix(name, "LD_") }

// mostLeft limits how many names of variables not passed on are reported.
const mostLeft = 12

// shellVariable reports whether a variable is one that shells, logins and services set for themselves, or that pg_ctl
// sets: nothing that a server goes by.
func shellVariable(name string) bool {
	switch name {
	case "PATH", "HOME", "USER", "LOGNAME", "SHELL", "SHLVL", "PWD", "OLDPWD", "_", "TERM", "MAIL", "TMPDIR", "LC_ALL",
		"EDITOR", "PAGER", "HOSTNAME",
		"INVOCATION_ID", "JOURNAL_STREAM", "NOTIFY_SOCKET", "SYSTEMD_EXEC_PID", "MAINPID", "DEBIAN_FRONTEND",
		"COLORTERM", "HISTSIZE", "LS_COLORS":
		return true
	}
	for _, prefix := range []string{"SUDO_", "SSH_", "XDG_", "DBUS_", "LESS", "PG_GRANDPARENT", "MEMORY_PRESSURE_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return strings.HasPrefix(name, "PG") // PGPORT, PGUSER: of clients; PGDATA passes
}

// asBefore returns what of the environment of the running server the next one gets. If it could not start without the
// rest it is not stopped.
func (p *Server) asBefore(pm postmaster) ([]string, error) {
	b, err := p.Target.ReadFile("/proc/"+strconv.Itoa(pm.PID)+"/environ", target.MaxConfigFile)
	if err != nil {
		return nil, nil // it starts with a clean one
	}
	var env, left []string
	for v := range strings.SplitSeq(string(b), "\x00") {
		name, _, ok := strings.Cut(v, "=")
		switch {
		case ok && inherited(name):
			env = append(env, v)
		case ok && loaderVariable(name) && p.Target.UID() == 0:
			return nil, &say.Problem{Message: say.M("the server of {dir} was started with {name} set, which root "+
				"does not hand on", "dir", pm.Dir, "name", name), Code: say.CodeRefused,
				Detail: say.M("a program that the variable names would run in its place"),
				Hint:   say.M("run pgfettle as the owner of the data directory, or give --restart-command")}
		case ok && loaderVariable(name):
			env = append(env, v)
		case ok && !shellVariable(name):
			left = append(left, name)
		}
	}
	if len(left) > 0 && p.Tell != nil {
		slices.Sort(left)
		p.Tell(
			"the next server will not have these variables of the present one, which its archive_command may need: " +
				strings.Join(left[:min(len(left), mostLeft)], ", ") + "; --restart-command starts it as you do")
	}
	return env, nil
}
