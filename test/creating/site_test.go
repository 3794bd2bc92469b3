package creating

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
	"github.com/pgfettle/pgfettle/test/await"
	"github.com/pgfettle/pgfettle/test/cell"
	"github.com/pgfettle/pgfettle/test/tier"
)

// The accounts of a site. Their IDs belong to no one else, and are those of system accounts, which root trusts.
const (
	ownerID  = 811 // whose instances root makes
	otherID  = 812 // who makes some without root
	owner    = "pgowner"
	other    = "pgother"
	instance = "one"
)

// site is a host of its own: a cell without systemd, a network of its own, so that every port is free, and a disk.
type site struct {
	*cell.Cell
	t     *testing.T
	b     scratch.Binaries
	net   string // the network's namespace
	top   string // on the disk: all that is made lies below
	data  string
	sock  string
	seen  map[string]string // the tree before anything was made
	extra []string          // flags of every create
}

// watched are the directories whose trees have to be as before.
func (s *site) watched() []string {
	return []string{s.top, "/etc/fstab", "/etc/systemd", "/etc/postgresql", "/etc/sysctl.d", "/etc/tmpfiles.d",
		"/etc/udev", "/var/lib/postgresql", s.Dir + "/home"}
}

func newSite(t *testing.T, b scratch.Binaries) *site {
	t.Helper()
	tier.Root(t, "create instances for another account")
	for _, program := range []string{"psql", "mkfs.ext4"} {
		if _, err := exec.LookPath(program); err != nil {
			tier.Missing(t, tier.Servers, "%v", err)
		}
	}
	c := cell.New(t, tier.Servers)
	s := &site{Cell: c, t: t, b: b, top: c.Dir + "/srv"}
	s.data, s.sock = s.top+"/pg/"+instance, s.top+"/run"
	c.Sh(fmt.Sprintf(`printf '%[3]s:x:%[1]d:%[1]d::%[5]s/home:/bin/sh\n%[4]s:x:%[2]d:%[2]d::%[5]s/home:/bin/sh\n' `+
		`>> /etc/passwd
printf '%[3]s:x:%[1]d:\n%[4]s:x:%[2]d:\n' >> /etc/group
mkdir -p /etc/postgresql /var/lib/postgresql
rm -rf /etc/postgresql/* /var/lib/postgresql/*
[ ! -d /run/systemd/system ] || mount -t tmpfs none /run/systemd`, ownerID, otherID, owner, other, c.Dir))
	s.disk(s.top, "12G")
	s.net = s.network()
	t.Cleanup(s.stopAll)
	s.seen = s.Files(s.watched()...)
	return s
}

// disk mounts an ext4 in memory, on which fsync costs nothing.
func (s *site) disk(at, size string) {
	s.t.Helper()
	s.Sh(`mkdir -p "$0"; image="$2/layers/$(basename "$0").image"; truncate -s "$1" "$image"
mkfs.ext4 -q -m 0 -O ^has_journal -E lazy_itable_init=1 "$image"; mount -o loop "$image" "$0"; rmdir "$0/lost+found"`,
		at, size, s.Dir)
}

// network makes a namespace with a loopback, which ends with the test.
func (s *site) network() string {
	s.t.Helper()
	holder := exec.Command("unshare", "--net", "sh", "-c", "echo; exec cat")
	in, err := holder.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := holder.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := errors.Join(in.Close(), holder.Wait()); err != nil {
			s.t.Errorf("the network: %v", err)
		}
	})
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		tier.Missing(s.t, tier.Servers, "no network namespace: %v", err)
	}
	ns := fmt.Sprintf("/proc/%d/ns/net", holder.Process.Pid)
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with its network
		done <- up(ns)
	}()
	if err := <-done; err != nil {
		s.t.Fatal(err)
	}
	return ns
}

// up starts the loopback of a network.
func up(ns string) error {
	f, err := os.Open(ns)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Setns(int(f.Fd()), unix.CLONE_NEWNET); err != nil {
		return err
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	lo, err := unix.NewIfreq("lo")
	if err == nil {
		lo.SetUint16(unix.IFF_UP)
		err = unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
	}
	return errors.Join(err, unix.Close(fd))
}

// stopAll ends the servers that a test has left.
func (s *site) stopAll() {
	var pids []int
	for _, top := range []string{s.top, "/var/lib/postgresql"} {
		for _, depth := range []string{"*", "*/*", "*/*/*"} {
			files, err := filepath.Glob(filepath.Join(s.Path(top), depth, "postmaster.pid"))
			if err != nil {
				s.t.Error(err)
			}
			for _, f := range files {
				b, err := os.ReadFile(f)
				if err != nil {
					continue
				}
				line, _, _ := strings.Cut(string(b), "\n")
				pid, err := strconv.Atoi(line)
				if err != nil || pid <= 1 || !standsIn(pid, filepath.Dir(f)) {
					continue // of a killed server: another process may have its number by now
				}
				if syscall.Kill(pid, syscall.SIGQUIT) == nil {
					pids = append(pids, pid)
				}
			}
		}
	}
	for _, pid := range pids {
		await.That(s.t, "the end of a server", func() (bool, any) {
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			return err != nil || strings.Contains(string(stat), ") Z "), string(stat)
		})
	}
}

// standsIn reports whether a process has a directory as its own, as a server has its data directory.
func standsIn(pid int, dir string) bool {
	is, err := os.Stat(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil {
		return false
	}
	want, err := os.Stat(dir)
	return err == nil && os.SameFile(is, want)
}

func account(uid int) *scratch.Account { return &scratch.Account{UID: uid, GID: uid, Switch: true} }

// cmd is a program in the cell and its network.
func (s *site) cmd(as *scratch.Account, env []string, argv ...string) *exec.Cmd {
	cmd := s.Cmd(as, env, argv...)
	cmd.Args = slices.Insert(cmd.Args, slices.Index(cmd.Args, "--"), "--net="+s.net)
	return cmd
}

// run runs a program to its end.
func (s *site) run(as *scratch.Account, env []string, argv ...string) cell.Ran {
	s.t.Helper()
	return ended(s.t, s.cmd(as, env, argv...), argv)
}

func ended(t *testing.T, cmd *exec.Cmd, argv []string) cell.Ran {
	t.Helper()
	// files, as a server that is started keeps its end of a pipe
	out, errs := file(t), file(t)
	defer out.Close()
	defer errs.Close()
	cmd.Stdout, cmd.Stderr = out, errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%q: %v", argv, err)
	}
	return cell.Ran{Args: argv, Code: cmd.ProcessState.ExitCode(), Stdout: said(t, out), Stderr: said(t, errs)}
}

func file(t *testing.T) *os.File {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func said(t *testing.T, f *os.File) string {
	t.Helper()
	b, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// pgfettle runs the program as root, and holds its exit code.
func (s *site) pgfettle(code int, args ...string) cell.Ran {
	s.t.Helper()
	return s.want(code, nil, args...)
}

func (s *site) want(code int, as *scratch.Account, args ...string) cell.Ran {
	s.t.Helper()
	var r cell.Ran
	// In a run of the whole suite servers of other tests come and go, and one of them may take all of the memory for a
	// while. Nothing was written by a create that is refused for it.
	await.That(s.t, "memory beside the servers of other tests", func() (bool, any) {
		r = s.run(as, nil, append([]string{cell.Binary(s.t)}, args...)...)
		full := r.Code == 5 && code != 5 && strings.Contains(r.Stderr, "are not left for a new instance")
		return !full, r.Stderr
	})
	if r.Code != code {
		s.t.Fatalf("exit code %d, want %d: %s", r.Code, code, r)
	}
	return r
}

// args are those of a create, with the flags that a test adds. Small: many such tests may run at once.
func (s *site) args(more ...string) []string {
	name := fmt.Sprintf("%d/%s", s.b.Version.Major(), instance)
	return slices.Concat([]string{"create", name, "--via", "initdb", "--bin",
		filepath.Dir(s.b.Tool("postgres")), "--owner", owner, "--datadir", s.data, "--socket-dir", s.sock,
		"--memory",
		"1GB", "--yes"}, s.extra, more)
}

// create makes an instance and returns its plan.
func (s *site) create(more ...string) *creation.Plan {
	s.t.Helper()
	r := s.pgfettle(0, s.args(append(more, "--format", "json")...)...)
	return decode(s.t, r)
}

// decode reads a plan, which has to be all of the standard output.
func decode(t *testing.T, r cell.Ran) *creation.Plan {
	t.Helper()
	p := &creation.Plan{}
	d := json.NewDecoder(strings.NewReader(r.Stdout))
	if err := d.Decode(p); err != nil {
		t.Fatalf("%v: %s", err, r)
	}
	if rest, err := d.Token(); err == nil {
		t.Errorf("%v follows the JSON: %s", rest, r)
	}
	return p
}

// ask asks the server of a plan by psql, which must answer.
func (s *site) ask(p *creation.Plan, sql string) string {
	s.t.Helper()
	r := s.psql(account(ownerID), nil, "-h", p.Socket, "-p", strconv.Itoa(p.Port), "-U", owner, "-c", sql)
	if r.Code != 0 {
		s.t.Fatalf("%s\nlog:\n%s", r, s.log(p.Data))
	}
	return strings.TrimRight(r.Stdout, "\n")
}

func (s *site) psql(as *scratch.Account, env []string, args ...string) cell.Ran {
	s.t.Helper()
	return s.run(as, env, append([]string{"psql", "-X", "-w", "-At", "-d", "postgres"}, args...)...)
}

// log is what the server of a data directory has said.
func (s *site) log(data string) string {
	var all bytes.Buffer
	for _, pattern := range []string{"startup.log", "log/*"} {
		files, err := filepath.Glob(filepath.Join(s.Path(data), pattern))
		if err != nil {
			return err.Error()
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			fmt.Fprintf(&all, "%s %v\n%s", f, err, b)
		}
	}
	return all.String()
}

// gone verifies that the tree of files is as it was before anything was made.
func (s *site) gone() {
	s.t.Helper()
	if d := differs(s.seen, s.Files(s.watched()...)); d != "" {
		s.t.Errorf("the tree of files is not as before:\n%s", d)
	}
}

func differs(before, now map[string]string) string {
	var out strings.Builder
	for name, text := range before {
		if now[name] != text {
			fmt.Fprintf(&out, "%s was %.60q and is %.60q\n", name, text, now[name])
		}
	}
	n := 0
	for name := range now {
		if _, ok := before[name]; !ok {
			if n++; n < 20 {
				fmt.Fprintf(&out, "%s is new\n", name)
			}
		}
	}
	return out.String()
}

// up reports whether a server answers at a socket.
func (s *site) up(p *creation.Plan) bool {
	s.t.Helper()
	r := s.psql(account(ownerID), nil, "-h", p.Socket, "-p", strconv.Itoa(p.Port), "-U", owner, "-c", "SELECT 1")
	return r.Code == 0
}
