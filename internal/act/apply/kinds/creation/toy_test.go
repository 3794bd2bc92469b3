package creation

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
)

// toyHost is this machine with simulated programs: files and directories are real ones below a temporary directory, and
// each step that changes something may be the last, also in the middle of an initdb or of a removal.
type toyHost struct {
	*target.Local
	t     *testing.T
	top   string
	owner newcluster.Account

	fuse, points int // the point at which the process dies; -1: never
	dead         bool

	up       bool
	password string
	oid      int    // the next one, as pg_controldata says
	state    string // of the cluster, as pg_controldata says
	broken   string // a program that fails
	nft      map[string]string
	rich     [2][]string // rules of firewalld: in force, permanent
}

var errDeath = errors.New("the process died")

// uid is that of the owner where the tests are root's: nobody's on this machine.
const uid = 64811

func newToy(t *testing.T) *toyHost {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// every step is fsynced, and there are thousands
	if dir, err := os.MkdirTemp("/dev/shm", "creation-test-"); err == nil {
		t.Cleanup(func() { os.RemoveAll(dir) })
		top = dir
	}
	h := &toyHost{Local: &target.Local{}, t: t, top: top, fuse: -1, oid: firstOID, nft: map[string]string{},
		owner: newcluster.Account{Name: "toy", Group: "toy", UID: os.Geteuid(), GID: os.Getegid()}}
	h.must(os.Chmod(top, 0o755))
	if os.Geteuid() == 0 {
		h.owner.UID, h.owner.GID = uid, uid
		h.must(os.Chown(top, uid, uid))
	}
	return h
}

func (h *toyHost) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *toyHost) host() Host {
	return Host{Target: h, Folders: h.Folders, Verifier: "SCRAM-SHA-256$4096:c2FsdA==$a:b"}
}

// point is a place where the process may die: nothing that comes after it is done.
func (h *toyHost) point() error {
	if h.dead {
		return errDeath
	}
	h.points++
	if h.fuse == 0 {
		h.dead = true
	}
	h.fuse--
	if h.dead {
		return errDeath
	}
	return nil
}

// revive is the next process, with all that the first one had done.
func (h *toyHost) revive() { h.dead, h.fuse = false, -1 }

// step does something between two points.
func (h *toyHost) step(f func() error) error {
	if err := h.point(); err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	return h.point()
}

// toyFolders are directories in which each step is one of the process's.
type toyFolders struct {
	target.Folders
	h *toyHost
}

func (h *toyHost) Folders(u *target.User) target.Folders { return toyFolders{h.Local.Folders(u), h} }

func (f toyFolders) Make(name string, perm fs.FileMode) error {
	return f.h.step(func() error { return f.Folders.Make(name, perm) })
}

func (f toyFolders) Unmake(name string) error {
	return f.h.step(func() error { return f.Folders.Unmake(name) })
}

func (f toyFolders) Save(name string, data []byte, perm fs.FileMode) error {
	return f.h.step(func() error { return f.Folders.Save(name, data, perm) })
}

func (f toyFolders) Drop(name string) error {
	return f.h.step(func() error { return f.Folders.Drop(name) })
}

// Empty dies after each name too.
func (f toyFolders) Empty(name string) error {
	names, err := f.Folders.Names(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	slices.Sort(names)
	for _, n := range names {
		if err = errors.Join(err, f.h.step(func() error { return os.RemoveAll(path.Join(name, n)) })); err != nil {
			return err
		}
	}
	return errors.Join(err, f.h.step(func() error { return f.Folders.Empty(name) }))
}

// postmaster is where the kernel tells the working directory of the server.
const postmaster = "/proc/99999999/cwd"

func (h *toyHost) Readlink(name string) (string, error) {
	if h.up && name == postmaster {
		return h.top + "/data", nil
	}
	return h.Local.Readlink(name)
}

func (h *toyHost) Run(_ context.Context, c target.Command) (out target.Output, err error) {
	if h.dead {
		return out, errDeath
	}
	said, code, err := h.program(c)
	out.Stdout, out.Code = []byte(said), code
	if code != 0 {
		out.Stdout, out.Stderr = nil, out.Stdout
	}
	if err != nil && !errors.Is(err, errDeath) {
		h.t.Fatal(err)
	}
	return out, err
}

// program is what a program says, and its exit status.
func (h *toyHost) program(c target.Command) (string, int, error) {
	name, last := path.Base(c.Argv[0]), c.Argv[len(c.Argv)-1]
	as := os.Geteuid()
	if c.As != nil {
		as = c.As.UID
	}
	if want := h.owner.UID; as != want && name != "nft" && name != "firewall-cmd" {
		h.t.Errorf("%q runs as %d", c.Argv, as)
	}
	if name == h.broken {
		return name + ": could not do it", 1, nil
	}
	switch {
	case name == "initdb":
		return "", 0, h.initdb(c.Argv)
	case name == "pg_controldata":
		for _, n := range []string{"PG_VERSION", "global/pg_control"} {
			if _, err := os.Stat(path.Join(last, n)); err != nil {
				return "pg_controldata: " + err.Error(), 1, nil
			}
		}
		return fmt.Sprintf("Database cluster state:               %s\nLatest checkpoint's NextOID:          %d\n",
			h.state, h.oid), 0, nil
	case name == "pg_ctl":
		data := c.Argv[2]
		return "", 0, h.step(func() error {
			h.up = last == "start"
			h.state = map[bool]string{true: "in production", false: "shut down"}[h.up]
			if !h.up {
				return os.Remove(data + "/postmaster.pid")
			}
			return errors.Join(h.lay(data+"/postmaster.opts", "postgres"), h.lay(data+"/startup.log", "LOG: ready"),
				h.lay(data+"/postmaster.pid", path.Base(path.Dir(postmaster))+"\n"+data+"\n"))
		})
	case name == "postgres":
		return h.single(string(c.Stdin))
	case name == "nft":
		return h.table(c)
	case name == "firewall-cmd":
		return h.firewalld(c.Argv[1:])
	}
	return "", 0, fmt.Errorf("%q is not simulated", c.Argv)
}

// lay writes a file of the owner's.
func (h *toyHost) lay(name, text string) error {
	made := name
	for dir := path.Dir(name); dir != h.top; dir = path.Dir(dir) {
		if _, err := os.Lstat(dir); err == nil {
			break
		}
		made = dir
	}
	err := errors.Join(os.MkdirAll(path.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600))
	return errors.Join(err, filepath.WalkDir(made, func(name string, _ fs.DirEntry, err error) error {
		return errors.Join(err, h.chown(name))
	}))
}

func (h *toyHost) chown(name string) error { return os.Lchown(name, h.owner.UID, h.owner.GID) }

// initdb makes a few of the files of the real one, one after the other.
func (h *toyHost) initdb(argv []string) error {
	data := argv[2]
	if names, err := os.ReadDir(data); err != nil || len(names) > 0 {
		return fmt.Errorf("initdb: %s has %d names: %w", data, len(names), err)
	}
	wal, files := "", []string{"PG_VERSION", "postgresql.conf", "pg_hba.conf", "pg_ident.conf", "postgresql.auto.conf",
		"base/1/2619", "global/pg_control"}
	if n := slices.IndexFunc(argv, func(a string) bool { return strings.HasPrefix(a, "--waldir=") }); n > 0 {
		wal = strings.TrimPrefix(argv[n], "--waldir=")
	}
	for _, n := range files {
		if err := h.step(func() error { return h.lay(path.Join(data, n), n+"\n") }); err != nil {
			return err
		}
	}
	segment := path.Join(data, "pg_wal", strings.Repeat("0", 23)+"1")
	if wal != "" {
		segment = path.Join(wal, path.Base(segment))
		if err := h.step(func() error { return os.Symlink(wal, path.Join(data, "pg_wal")) }); err != nil {
			return err
		}
	}
	h.state = "shut down"
	return h.step(func() error { return h.lay(segment, "") })
}

func (h *toyHost) single(text string) (string, int, error) {
	err := h.step(func() error {
		_, value, _ := strings.Cut(text, " PASSWORD ")
		h.password, _, _ = strings.Cut(value, "\n")
		return nil
	})
	return `"done"`, 0, err
}

// table is nft, which does all of a file or nothing.
func (h *toyHost) table(c target.Command) (string, int, error) {
	if slices.Contains(c.Argv, "list") {
		text, ok := h.nft[c.Argv[len(c.Argv)-1]]
		if !ok {
			return "Error: No such file or directory", 1, nil
		}
		return text, 0, nil
	}
	return "", 0, h.step(func() error {
		text := string(c.Stdin)
		first, rest, _ := strings.Cut(text, "\n")
		name := strings.TrimPrefix(first, "add table inet ")
		second, rest, _ := strings.Cut(rest, "\n")
		if second != "delete table inet "+name {
			return fmt.Errorf("the text of nft: %s", text)
		}
		delete(h.nft, name)
		if rest != "" {
			h.nft[name] = rest
		}
		return nil
	})
}

// firewalld is firewall-cmd, as whose daemon keeps the rules in force and the permanent ones apart.
func (h *toyHost) firewalld(args []string) (string, int, error) {
	which := 0
	if args[0] == "--permanent" {
		which, args = 1, args[1:]
	}
	if args[0] == "--list-rich-rules" {
		return strings.Join(h.rich[which], "\n") + "\n", 0, nil
	}
	return "success", 0, h.step(func() error {
		for _, a := range args {
			verb, rule, _ := strings.Cut(a, "=")
			switch there := slices.Contains(h.rich[which], rule); {
			case verb == "--add-rich-rule" && !there:
				h.rich[which] = append(h.rich[which], rule)
			case verb == "--remove-rich-rule" && there:
				h.rich[which] = slices.DeleteFunc(h.rich[which], func(r string) bool { return r == rule })
			default:
				return fmt.Errorf("firewall-cmd: %s, and it is there: %v", a, there)
			}
		}
		return nil
	})
}

// tree is all below the top, with modes, owners, and bytes.
func (h *toyHost) tree() map[string]string {
	h.t.Helper()
	out := map[string]string{}
	h.must(filepath.WalkDir(h.top, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		in, err := h.Lstat(name)
		out[name] = fmt.Sprintf("%s %d:%d", in.Mode, in.UID, in.GID)
		if err == nil && in.Mode.IsRegular() {
			var b []byte
			b, err = os.ReadFile(name)
			out[name] += "\n" + string(b)
		}
		return err
	}))
	return out
}

// spec is a cluster below the top, whose directories are there.
func (h *toyHost) spec(wal bool) newcluster.Spec {
	h.t.Helper()
	data := h.top + "/data"
	s := newcluster.Spec{Token: "0123456789abcdef", Hand: newcluster.InitDB, Major: 17, Name: "one",
		Bin: h.top + "/bin", Owner: h.owner, Data: data, Config: data, Port: 5432, InitDB: []string{"--encoding=UTF8"},
		Files: []newcluster.File{{Name: "conf.d/50-pgfettle.conf", Text: "port = 5432\n"},
			{Name: "pg_hba.conf", Text: "local all all peer\n"}}}
	dirs := []string{data}
	if wal {
		s.WAL = h.top + "/wal"
		dirs = append(dirs, s.WAL)
	}
	for _, d := range dirs {
		h.must(errors.Join(os.Mkdir(d, 0o700), h.chown(d)))
	}
	h.must(h.lay(h.top+"/bin/pg_controldata", ""))
	return s
}
