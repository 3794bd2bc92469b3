package scratch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// How long the steps of a throwaway instance may take. initdb needs half a
// second and a start a tenth on an idle machine; the bounds are for a busy one,
// where an emulated guest was seen to take more than two minutes to initdb.
const (
	initTimeout  = 5 * time.Minute
	startTimeout = time.Minute
	fastTimeout  = 15 * time.Second // fast shutdown writes a checkpoint
	quitTimeout  = 5 * time.Second  // immediate shutdown writes none; PostgreSQL itself kills its children after 5 s
)

// Options say what a throwaway instance is like.
type Options struct {
	Settings map[string]string // written to its postgresql.conf, values as a person spells them
	InitDB   []string          // further arguments of initdb
	Template string            // data directory that no server runs in, copied in place of initdb; "": initdb
	Near     string            // folder that the instance's is made in, where the account may pass; "": a temporary one

	// Made is called with the instance's directory before anything is put into it, so that it can be found again if we
	// are killed. It may be nil. Its error ends New.
	Made func(folder string) error
}

// Instance is a throwaway server. It lives in one private directory; Remove ends it and takes the directory away.
type Instance struct {
	Binaries Binaries
	Folder   string // everything of it is below; mode 0700, owned by its account
	DataDir  string
	Socket   string // folder of the unix socket; no TCP port is opened
	Port     int    // number in the name of the socket
	Account  Account

	place *place
	sock  *place // of the socket alone, where the directory was chosen by the caller; else nil
	cmd   *exec.Cmd
	done  chan struct{} // closed when the postmaster has ended
}

// New makes a cluster in a private temporary directory; Start starts it. When it fails, or ctx ends before, nothing is
// left behind.
func New(ctx context.Context, b Binaries, o Options) (*Instance, error) {
	acc, err := Unprivileged()
	if err != nil {
		return nil, err
	}
	p, err := newPlace(acc, o.Near)
	if err != nil {
		return nil, err
	}
	i := &Instance{Binaries: b, Folder: p.path, DataDir: p.path + "/data", Socket: p.path + "/s", Port: 5432,
		Account: acc, place: p}
	if err := i.build(ctx, o); err != nil {
		return nil, errors.Join(err, i.Remove())
	}
	return i, nil
}

func (i *Instance) build(ctx context.Context, o Options) error {
	if o.Made != nil {
		if err := o.Made(i.Folder); err != nil {
			return err
		}
	}
	if i.sock == nil {
		if err := i.place.mkdir("s"); err != nil {
			return say.Err("socket directory: {reason}", "reason", err)
		}
	}
	initialize := func() error { return i.copied(o.Template) }
	if o.Template == "" {
		initialize = func() error { return i.initdb(ctx, o.InitDB) }
	}
	if err := initialize(); err != nil {
		return err
	}
	conf := map[string]string{
		"listen_addresses": "", "unix_socket_directories": i.Socket, "port": strconv.Itoa(i.Port),
	}
	maps.Copy(conf, o.Settings)
	return i.Configure(conf)
}

func (i *Instance) initdb(ctx context.Context, further []string) error {
	args := []string{"-D", i.DataDir, "-U", "postgres", "-A", "trust", "--no-sync", "--locale=C", "--encoding=UTF8"}
	if i.Binaries.Version.Major() >= 14 {
		args = append(args, "--no-instructions")
	}
	ctx, cancel := context.WithTimeout(ctx, initTimeout)
	defer cancel()
	_, err := i.run(ctx, "initdb", append(args, further...)...)
	return err
}

// run runs one of the instance's programs to its end and returns its output; an
// error carries the last words of it.
func (i *Instance) run(ctx context.Context, tool string, args ...string) (string, error) {
	cmd, err := i.Account.command(ctx, i.Binaries.Tool(tool), args...)
	if err != nil {
		return "", say.Named(tool, err)
	}
	cmd.Env, cmd.Dir = environment(i.Folder), i.Folder
	var out bytes.Buffer
	sink := &bounded{w: &out, left: 64 << 10}
	cmd.Stdout, cmd.Stderr = sink, sink
	if err := i.Account.finish(cmd); err != nil {
		if ctx.Err() != nil {
			return "", say.Named(tool, context.Cause(ctx))
		}
		return "", say.Named(tool, say.Named(err, errors.New(lastLines(out.String(), 3))))
	}
	return out.String(), nil
}

// Configure appends settings to postgresql.conf, where the last one of a name
// wins; they take effect at the next start or reload.
func (i *Instance) Configure(settings map[string]string) error {
	text, err := confText(settings)
	if err != nil {
		return err
	}
	f, err := i.place.root.OpenFile("data/postgresql.conf", os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return say.Err("settings of a throwaway instance: {reason}", "reason", err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return say.Err("settings of a throwaway instance: {reason}", "reason", err)
	}
	return nil
}

// Start starts the server and returns when it takes connections. The error
// holds the last lines of its log. args are further arguments of postgres, such
// as "-c", "huge_pages=on". When ctx ends before the server is ready, it is
// stopped.
func (i *Instance) Start(ctx context.Context, args ...string) error {
	return i.start(ctx, nil, args)
}

func (i *Instance) start(ctx context.Context, c *Confinement, args []string) error {
	if i.Running() {
		return say.Err("start of {binaries}: {reason}", "binaries", i.Binaries, "reason", say.M("it is running"))
	}
	log, err := i.place.root.OpenFile("log", os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return say.Err("server log: {reason}", "reason", err)
	}
	defer func() { _ = log.Close() }()
	if err := i.place.own("log"); err != nil { // pg_ctl would open it as the account
		return say.Err("server log: {reason}", "reason", err)
	}
	asked, err := i.Account.command(context.Background(), i.Binaries.Tool("postgres"),
		append([]string{"-D", i.DataDir}, args...)...)
	if err != nil {
		return say.Err("start of {binaries}: {reason}", "binaries", i.Binaries, "reason", err)
	}
	cmd := exec.Command(asked.Path, asked.Args[1:]...) // which no context ends: Stop does
	if c != nil {
		cmd = c.waiting(cmd.Args)
	}
	cmd.Env, cmd.Dir = environment(i.Folder), i.Folder
	// should we be killed ourselves, it shuts down at once
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT}
	cmd.Stdout, cmd.Stderr = log, log
	begin := func() (func() error, error) { return i.Account.start(cmd) }
	if c != nil {
		begin = func() (func() error, error) { return c.begin(i.Account, cmd) }
	}
	wait, err := begin()
	if err != nil {
		return say.Err("start of {binaries}: {reason}", "binaries", i.Binaries, "reason", err)
	}
	i.cmd, i.done = cmd, make(chan struct{})
	go func(done chan struct{}) {
		_ = wait() // how it ended is in the log
		close(done)
	}(i.done)

	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond) // a start takes about 50 ms
	defer tick.Stop()
	for {
		select {
		case <-i.done:
			return say.Err("start of {binaries}: {reason}", "binaries", i.Binaries, "reason", i.lastWords())
		case <-ctx.Done():
			return errors.Join(say.Err("start of {binaries}: {reason}", "binaries", i.Binaries,
				"reason", say.Named(context.Cause(ctx), i.lastWords())),
				i.Stop())
		case <-tick.C:
			if i.ready() {
				return nil
			}
		}
	}
}

// ready reads the status that the postmaster keeps in the eighth line of postmaster.pid; the first one is its process
// ID.
func (i *Instance) ready() bool {
	b, err := i.place.read("data/postmaster.pid", maxLock)
	if err != nil {
		return false
	}
	lines := strings.Split(string(b), "\n")
	status := ""
	if len(lines) > 7 {
		status = strings.TrimSpace(lines[7])
	}
	return lines[0] == strconv.Itoa(i.cmd.Process.Pid) && (status == "ready" || status == "standby")
}

// Log returns the path of the server's log.
func (i *Instance) Log() string { return i.Folder + "/log" }

// ReadLog returns what the server has logged since its start, or the first
// limit bytes of it.
func (i *Instance) ReadLog(limit int64) (string, error) {
	b, err := i.place.read("log", limit)
	if err != nil {
		return "", say.Err("server log: {reason}", "reason", err)
	}
	return string(b), nil
}

func (i *Instance) lastWords() error {
	s, err := i.ReadLog(mostSaid)
	if err != nil {
		return say.Err("no log: {reason}", "reason", err)
	}
	return errors.New(lastLines(s, 4))
}

// Running reports whether the server runs: the one that Start started, or one that pg_ctl has started since in its
// place.
func (i *Instance) Running() bool { return i.PID() != 0 }

// PID returns the process ID of the postmaster; 0 when it does not run.
func (i *Instance) PID() int {
	if i.cmd != nil {
		select {
		case <-i.done:
		default:
			return i.cmd.Process.Pid
		}
	}
	return i.adopted()
}

// ConnString returns the conninfo string of the superuser.
func (i *Instance) ConnString() string {
	return fmt.Sprintf("host='%s' port=%d user=postgres dbname=postgres", i.Socket, i.Port)
}

// Stop stops the server: fast first, then immediately, then by force, each with
// a bound of time. It does not heed a context, as it is what has to happen when
// one ends.
func (i *Instance) Stop() error {
	for _, step := range []struct {
		sig  syscall.Signal
		wait time.Duration
	}{{syscall.SIGINT, fastTimeout}, {syscall.SIGQUIT, quitTimeout}, {syscall.SIGKILL, quitTimeout}} {
		pid := i.PID()
		if pid == 0 {
			return nil
		}
		if err := syscall.Kill(pid, step.sig); err != nil && !errors.Is(err, syscall.ESRCH) {
			return say.Err("stop of {binaries}: {reason}", "binaries", i.Binaries, "reason", err)
		}
		if i.ends(step.wait) {
			return nil
		}
	}
	return say.Err("stop of {binaries}: process {pid} does not end", "binaries", i.Binaries,
		"pid", strconv.Itoa(i.PID()))
}

// Remove stops the server and takes its directory away; twice is as good as once.
func (i *Instance) Remove() error {
	if err := i.Stop(); err != nil {
		return err
	}
	var err error
	if i.sock != nil {
		err = i.sock.remove()
		i.sock = nil
	}
	return errors.Join(err, i.place.remove())
}
