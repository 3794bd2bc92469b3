package hostile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/test/await"
	"github.com/pgfettle/pgfettle/test/cell"
	"github.com/pgfettle/pgfettle/test/template"
	"github.com/pgfettle/pgfettle/test/tier"
)

func TestMain(m *testing.M) {
	if os.Getenv("ROLE") != "" {
		switch os.Getenv("ROLE") {
		case "exchange":
			exchange(os.Getenv("ROLE_NAME"), os.Getenv("ROLE_OTHER"))
		case "swap":
			swap(os.Getenv("ROLE_NAME"), os.Getenv("ROLE_ONE"), os.Getenv("ROLE_OTHER"))
		}
		role()
		return
	}
	cell.InMemory()
	os.Exit(cell.Main(m))
}

// The two attacking accounts. Their IDs belong to no one else.
const (
	mallory = 42301
	eve     = 42302
)

// secret is what root has in its environment and files, and no other account may get.
const secret = "hunter2-of-root"

// world is a host with two accounts that attack, and something of root's that
// neither may read or change.
type world struct {
	*cell.Cell
	t       *testing.T
	home    string // mallory's, which eve may not enter
	eves    string
	roots   string // a directory of root's, closed
	open    string // a directory of root's that everybody may look into, as /etc
	sticky  string // a directory of root's where everybody may make something, as /tmp
	out     string // where root writes what it was asked for
	caught  string // what a fake server was sent
	ran     string // who a planted program ran as, one user ID a line
	traces  int
	program string
	acting  int // the account that root is told to act for, whose rights to others' files are its own affair
}

func newWorld(t *testing.T) *world {
	tier.Root(t, "play against itself")
	if _, err := exec.LookPath("strace"); err != nil {
		tier.Missing(t, Tier, "no strace: %v", err)
	}
	kernelStays(t)
	c := cell.New(t, Tier)
	w := &world{Cell: c, t: t, home: c.Dir + "/mallory", eves: c.Dir + "/eve", roots: c.Dir + "/root",
		open:   c.Dir + "/etc",
		sticky: c.Dir + "/tmp", out: c.Dir + "/out", caught: c.Dir + "/tmp/caught", ran: c.Dir + "/tmp/ran"}
	c.Sh(fmt.Sprintf(`printf 'mallory:x:%[1]d:%[1]d::%[3]s:/bin/sh\neve:x:%[2]d:%[2]d::%[4]s:/bin/sh\n' >> /etc/passwd
printf 'mallory:x:%[1]d:\neve:x:%[2]d:\n' >> /etc/group
mkdir "$0/mallory" "$0/eve" "$0/root" "$0/etc" "$0/tmp" "$0/trace" "$0/out"
chown %[1]d:%[1]d "$0/mallory"; chown %[2]d:%[2]d "$0/eve"; chmod 755 "$0/mallory" "$0/eve"
chmod 700 "$0/root" "$0/trace"; chmod 755 "$0/etc"; chmod 1777 "$0/tmp"
printf '%[5]s = 1\n' > "$0/root/secret"; chmod 600 "$0/root/secret"
printf '# of the system\n' > "$0/etc/profile"; chmod 644 "$0/etc/profile"
touch "$0/tmp/caught" "$0/tmp/ran"; chmod 666 "$0/tmp/caught" `+
		`"$0/tmp/ran"`, mallory, eve, w.home, w.eves, secret), c.Dir)
	return w
}

// serverOnly keeps an apply from the kernel, whose values are those of all tests.
const serverOnly = "--only=pg:work_mem,pg:shared_buffers"

// kernelStays verifies that a test leaves the kernel's values as they were, and puts them back: the next tier would
// plan for others.
func kernelStays(t *testing.T) {
	t.Helper()
	picture := func() map[string]string {
		out := map[string]string{}
		for _, pattern := range []string{"/proc/sys/vm/*", "/sys/kernel/mm/transparent_hugepage/*"} {
			files, err := filepath.Glob(pattern)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				// some are for writing only
				if b, err := os.ReadFile(f); err == nil && !strings.HasPrefix(filepath.Base(f), "stat") {
					out[f] = string(b)
				}
			}
		}
		return out
	}
	before := picture()
	t.Cleanup(func() {
		for f, now := range picture() {
			was := before[f]
			if now == was {
				continue
			}
			t.Errorf("%s was changed from %q to %q", f, was, now)
			if was == "0\n" && (strings.HasSuffix(f, "_bytes") || strings.HasSuffix(f, "_ratio")) {
				continue // the other one of the pair rules, and is written too
			}
			if i := strings.IndexByte(was, '['); i >= 0 {
				was = was[i+1 : strings.IndexByte(was, ']')]
			}
			if err := os.WriteFile(f, []byte(was), 0); err != nil {
				t.Error(err)
			}
		}
	})
}

// Tier is this one's name.
const Tier = tier.Hostile

func account(uid int) *scratch.Account { return &scratch.Account{UID: uid, GID: uid, Switch: true} }

// sh runs lines of the shell as one of the two, which must succeed.
func (w *world) sh(uid int, lines string, args ...string) {
	w.t.Helper()
	r := w.Exec(account(uid), nil, append([]string{"/bin/sh", "-euc", lines}, args...)...)
	if r.Code != 0 {
		w.t.Fatal(r)
	}
}

// start starts a program as an account and returns when it has said a line; it
// ends with the test.
func (w *world) start(uid int, env []string, argv ...string) string {
	w.t.Helper()
	cmd := w.Cmd(account(uid), env, argv...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		w.t.Fatalf("%q did not start: %v", argv, err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return strings.TrimSpace(line)
}

// fake starts a process that calls itself postgres, of an account, in a directory that is a data directory at first
// sight. env says what else it does: see role.
func (w *world) fake(uid int, data string, env ...string) (port string) {
	w.t.Helper()
	bin := w.self(uid, "postgres")
	w.Exec(account(uid), nil, "/bin/sh", "-c",
		`mkdir -p -m 700 "$0"; printf '18\n' > "$0/PG_VERSION"; : > "$0/postgresql.conf"; mkdir -p "$0/global" `+
			`"$0/pg_wal" "$0/pg_tblspc"`, data)
	vars := append([]string{"ROLE=1", "ROLE_DATA=" + data, "ROLE_CAUGHT=" + w.caught, "ROLE_AUTH=cleartext",
		"ROLE_PORT=54321"}, env...)
	said := strings.Fields(w.start(uid, vars, bin))
	return said[1]
}

// self is a copy of this test that belongs to an account.
func (w *world) self(uid int, name string) string {
	w.t.Helper()
	home := map[int]string{mallory: w.home, eve: w.eves}[uid]
	bin := filepath.Join(home, "bin", name)
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	// root copies what only root may read, and gives it away
	w.Sh(fmt.Sprintf(`mkdir -p "$1/bin"; [ -e "$2" ] || cp "$0" "$2"; chown -R %d:%d "$1/bin"; chmod 755 "$2"`, uid,
		uid), self, home, bin)
	return bin
}

// swap has an account put two files in turn in place of a name, two thousand times a second, until the test ends.
func (w *world) swap(uid int, name, one, other string) {
	w.t.Helper()
	w.start(uid, []string{"ROLE=swap", "ROLE_NAME=" + name, "ROLE_ONE=" + one, "ROLE_OTHER=" + other},
		w.self(uid, "swap"))
}

// cluster makes and starts a real server of an account, from a copy of the programs that belongs to it, and returns its
// data directory and the directory of the programs.
func (w *world) cluster(uid int, conf string, env ...string) (data, bin string) {
	w.t.Helper()
	home := map[int]string{mallory: w.home, eve: w.eves}[uid]
	b := cell.Binaries(w.t, tier.Servers, 18)
	root := filepath.Dir(b.Dir)
	w.Sh(fmt.Sprintf(`mkdir "$1/pg"; cp -a "$0"/. "$1/pg"; chown -R %d:%d "$1/pg"`, uid, uid), root, home)
	data, bin = home+"/data", home+"/pg/"+filepath.Base(b.Dir)
	if err := template.Copy(w.t.Context(), b, data); err != nil {
		w.t.Fatal(err)
	}
	w.Sh(fmt.Sprintf(`chown -R %d:%d "$0"`, uid, uid), data)
	w.sh(uid, `mkdir "$1/sock"
printf "listen_addresses=''\nport=54399\nunix_socket_directories='%s/sock'\n" "$1" >> `+
		`"$0/postgresql.conf"`, data, home)
	if conf != "" {
		w.sh(uid, `cat >> "$0/postgresql.conf" <<'END'
`+conf+`
END`, data)
	}
	r := w.Exec(account(uid), env, bin+"/pg_ctl", "-D", data, "-w", "-l", home+"/log", "start")
	if r.Code != 0 {
		w.t.Fatal(r)
	}
	mine := w.t // w.t may be a subtest's by the end
	mine.Cleanup(func() {
		// by the number that its own lock file has; the programs may be others by now
		b, err := os.ReadFile(data + "/postmaster.pid")
		if err != nil {
			return
		}
		line, _, _ := strings.Cut(string(b), "\n")
		pid, err := strconv.Atoi(line)
		if err != nil || pid <= 1 || !runsAs(pid, uid) {
			return // it has ended, and another process may have its number by now
		}
		server, err := os.FindProcess(pid)
		if err != nil || server.Signal(syscall.SIGQUIT) != nil {
			return
		}
		// A postmaster that was led into a file without an end answers to SIGKILL alone.
		defer func() { _ = server.Kill() }()
		await.That(mine, "the end of the account's server", func() (bool, any) {
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			return err != nil || strings.Contains(string(stat), ") Z "), string(stat)
		})
	})
	return data, bin
}

// runsAs reports whether there is a process of an account.
func runsAs(pid, uid int) bool {
	is, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	if err != nil {
		return false
	}
	sys, ok := is.Sys().(*syscall.Stat_t)
	return ok && int(sys.Uid) == uid
}

// plant replaces a program by a script that records which account it runs as.
func (w *world) plant(uid int, program string) {
	w.t.Helper()
	w.sh(uid,
		`rm -f "$0"; printf '#!/bin/sh\nid -u >> %s\necho "postgres (PostgreSQL) 18.6"\n' "$1" > "$0"; chmod 755 "$0"`,
		program, w.ran)
}

// root runs the program as root under the tracer, with root's secrets about it, and
// holds that nothing was run, opened, changed or sent with more rights than the
// attackers have themselves.
func (w *world) root(args ...string) cell.Ran {
	w.t.Helper()
	return w.rootWith(nil, args...)
}

func (w *world) rootWith(env []string, args ...string) cell.Ran {
	w.t.Helper()
	w.traces++
	prefix := fmt.Sprintf("%s/trace/%d", w.Dir, w.traces)
	before := w.protected()
	vars := append([]string{"PGPASSWORD=" + secret, "PGPASSFILE=" + w.roots + "/pgpass", "HOME=" + w.roots}, env...)
	// -D: the tracer is no child that has to be waited for, and stays with a server
	// that the program has started; it writes each line as it comes. --seccomp-bpf: the kernel
	// stops the program for what is traced alone, and not twice for each call of its runtime.
	argv := append([]string{"strace", "-D", "-ff", "--seccomp-bpf", "-y", "-q", "-A", "-ttt", "-s", "200", "-o", prefix,
		"-e", traced, cell.Binary(w.t)}, args...)
	r := w.toFiles(vars, argv)
	r.Args = args
	files, err := filepath.Glob(prefix + ".*")
	if err != nil || len(files) == 0 {
		w.t.Fatalf("nothing was traced: %v\n%v", err, r)
	}
	first := 0
	for _, f := range files {
		// the first thread is the one that became the program
		b, err := os.ReadFile(f)
		if err != nil {
			w.t.Fatal(err)
		}
		if _, begin, _ := strings.Cut(string(b), " "); strings.HasPrefix(begin, `execve("`+cell.Binary(w.t)+`"`) {
			first, _ = strconv.Atoi(strings.TrimPrefix(filepath.Ext(f), "."))
		}
		if strings.Contains(string(b), secret) {
			for line := range strings.Lines(string(b)) {
				if strings.Contains(line, secret) && !strings.Contains(line, " execve(") {
					w.t.Errorf("%v: a secret of root's: %s", args, line)
				}
			}
		}
	}
	var acts []act
	await.That(w.t, "the trace of all threads", func() (bool, any) { // a server that was started goes on
		acts, err = readTrace(prefix, first)
		return !errors.Is(err, errUnborn), err
	})
	if err != nil || len(acts) < 5 {
		w.t.Fatalf("the trace of %v has %d lines: %v", args, len(acts), err)
	}
	w.judge(args, acts)
	if after := w.protected(); after != before {
		w.t.Errorf("%v changed what is root's:\n%s\nbefore:\n%s", args, after, before)
	}
	w.ranOnlyAs()
	if b, err := os.ReadFile(w.caught); err != nil || strings.Contains(string(b), secret) {
		w.t.Errorf("%v: a fake server was sent %s (%v)", args, b, err)
	}
	for _, s := range []string{r.Stdout, r.Stderr} {
		if strings.Contains(s, secret) {
			w.t.Errorf("%v shows a secret of root's", r)
		}
	}
	if r.Code < 0 || r.Code == 1 && strings.Contains(r.Stderr, "panic") {
		w.t.Errorf("%v", r)
	}
	return r
}

// toFiles is Exec whose output goes to files: what the program has started goes on,
// and would keep a pipe open.
func (w *world) toFiles(env, argv []string) cell.Ran {
	w.t.Helper()
	cmd := w.Cmd(nil, env, argv...)
	var files [2]*os.File
	for i := range files {
		f, err := os.Create(fmt.Sprintf("%s/trace/said%d", w.Dir, i))
		if err != nil {
			w.t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	cmd.Stdout, cmd.Stderr = files[0], files[1]
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("%q: %v", argv, err)
	}
	var said [2]string
	for i := range files {
		b, err := os.ReadFile(files[i].Name())
		if err != nil {
			w.t.Fatal(err)
		}
		said[i] = string(b)
	}
	return cell.Ran{Code: cmd.ProcessState.ExitCode(), Stdout: said[0], Stderr: said[1]}
}

// judge holds the acts against who owns what they touch.
func (w *world) judge(args []string, acts []act) {
	w.t.Helper()
	owner := func(p string) int {
		switch {
		case p == w.home || strings.HasPrefix(p, w.home+"/"):
			return mallory
		case p == w.eves || strings.HasPrefix(p, w.eves+"/"):
			return eve
		}
		return 0
	}
	for _, a := range acts {
		for _, p := range a.paths {
			of := owner(p)
			switch {
			case a.runs() && of != 0 && a.uid != of && p == a.paths[0]:
				w.t.Errorf("%v: a program of user %d ran as user %d: %s", args, of, a.uid, a.line)
			case !a.runs() && a.ok && a.opens() && of != 0 && a.fsuid != of &&
				(a.fsuid == 0 || a.fsuid != w.acting) && !w.pointed(args, p):
				w.t.Errorf("%v: a file of user %d was opened as user %d: %s", args, of, a.fsuid, a.line)
			case !a.runs() && a.ok && a.opens() && (p == w.roots || strings.HasPrefix(p, w.roots+"/")) &&
				a.fsuid == 0 && !strings.HasSuffix(p, "/pgpass"):
				w.t.Errorf("%v: a file of root's was opened: %s", args, a.line)
			}
		}
	}
}

// pointed reports whether a person has pointed root at a path by the command line: a named directory is examined once
// with the rights of the user who names it, to see what it is.
func (w *world) pointed(args []string, p string) bool {
	for _, a := range args {
		if a == p {
			return true
		}
	}
	return false
}

// protected is a picture of what is root's: names, owners, modes, contents.
func (w *world) protected() string {
	w.t.Helper()
	return w.Sh(
		`cd "$0"; for d in root etc; do find $d -printf '%p %U:%G %m %s %l\n' | sort; find $d -type f -exec cat {} `+
			`+; done; stat -c '%U %a' tmp mallory eve; find tmp -user root ! -name caught ! -name ran -printf `+
			`'%p\n'`, w.Dir)
}

// ranOnlyAs verifies that what was planted ran only as the account that planted it.
func (w *world) ranOnlyAs() {
	w.t.Helper()
	b, err := os.ReadFile(w.ran)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, uid := range strings.Fields(string(b)) {
		if uid != strconv.Itoa(mallory) && uid != strconv.Itoa(eve) {
			w.t.Errorf("what was planted ran as user %s", uid)
		}
	}
}
