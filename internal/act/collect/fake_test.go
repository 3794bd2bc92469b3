package collect

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata")

// fake is a host made of a txtar file. Besides ordinary files the archive may
// hold these entries, one thing a line, fields separated by " | ":
//
//	=processes  pid | parent | comm | start | uid=N,mnt=NAME,nspid=A B,cwd=PATH,exe=PATH,pages=N,shared=N,ticks=N | arguments
//	=links      path | target
//	=forbidden  path that may not be read; what lies under it neither
//	=peers      socket | pid that listens
//	=devices    path | major:minor of it and of what lies under it
//	=owners     path | user id
//	=told       instance key | data directory that its server tells over SQL
//	=commands   the command line | file of the archive with its output
//	=uid        the user we are; 0 where it is not told
//	=times      path | time of its last change, seconds since the epoch
//	=packages   package managers are asked, too
//	=arguments  kind of request and value: dir PATH, conn STRING; else here
type fake struct {
	*target.Local
	prefix string // of this view within the host
	world  *world
}

type world struct {
	uid       int
	forbidden []string
	peers     map[string]int
	devices   map[string][2]uint32
	commands  map[string][]byte
	owners    map[string]int
	told      map[string]string // instance key → data directory that its server reports
	request   Request
}

func newFake(t *testing.T, ar *txtar.Archive) *fake {
	t.Helper()
	root := t.TempDir()
	w := &world{peers: map[string]int{}, devices: map[string][2]uint32{}, commands: map[string][]byte{},
		owners: map[string]int{},
		told:   map[string]string{}}
	files := map[string][]byte{}
	for _, f := range ar.Files {
		files[f.Name] = f.Data
	}
	for name, data := range files {
		if !strings.HasPrefix(name, "=") && !strings.HasPrefix(name, "want/") {
			write(t, root, name, data)
		}
	}
	write(t, root, "proc/self/status", nil)
	symlink(t, root, "proc/self/ns/mnt", "mnt:[host]")
	each(files["=links"], func(f []string) { symlink(t, root, f[0], f[1]) })
	each(files["=forbidden"], func(f []string) { w.forbidden = append(w.forbidden, path.Clean("/"+f[0])) })
	each(files["=peers"], func(f []string) { w.peers[f[0]] = number1(t, f[1]) })
	each(files["=devices"], func(f []string) {
		var ma, mi uint32
		if _, err := fmt.Sscanf(f[1], "%d:%d", &ma, &mi); err != nil {
			t.Fatal(err)
		}
		w.devices[f[0]] = [2]uint32{ma, mi}
	})
	each(files["=told"], func(f []string) { w.told[f[0]] = f[1] })
	each(files["=owners"], func(f []string) { w.owners[f[0]] = number1(t, f[1]) })
	each(files["=commands"], func(f []string) { w.commands[f[0]] = files[f[1]] })
	each(files["=uid"], func(f []string) { w.uid = number1(t, f[0]) })
	each(files["=arguments"], func(f []string) {
		kind, value, _ := strings.Cut(f[0], " ")
		w.request = Request{Kind: map[string]Kind{"here": Here, "dir": DataDir, "conn": Conninfo}[kind], Value: value}
	})
	_, w.request.Packages = files["=packages"]
	each(files["=processes"], func(f []string) { w.process(t, root, f) })
	each(files["=times"], func(f []string) {
		at := time.Unix(int64(number1(t, f[1])), 0)
		if err := os.Chtimes(filepath.Join(root, f[0]), at, at); err != nil {
			t.Fatal(err)
		}
	})
	return &fake{Local: &target.Local{Root: root}, world: w}
}

// process writes the files of /proc/PID.
func (w *world) process(t *testing.T, root string, f []string) {
	dir := "proc/" + f[0] + "/"
	about := map[string]string{"mnt": "host", "nspid": f[0]}
	for _, kv := range strings.Split(f[4], ",") {
		k, v, _ := strings.Cut(strings.TrimSpace(kv), "=")
		about[k] = v
	}
	write(t, root, dir+"comm", []byte(f[2]+"\n"))
	n := func(key string) string { return cmp.Or(about[key], "0") }
	write(t, root, dir+"stat", []byte(fmt.Sprintf("%s (%s) S %s 1 1 0 -1 0 0 0 0 0 %s 0 0 0 20 0 1 0 %s 0 %s\n", f[0],
		f[2], f[1], n("ticks"), f[3], n("pages"))))
	write(t, root, dir+"statm", []byte(fmt.Sprintf("%s %s %s 1 0 1 0\n", n("pages"), n("pages"), n("shared"))))
	write(t, root, dir+"status",
		[]byte(
			fmt.Sprintf(
				"Name:\t%s\nPid:\t%s\nPPid:\t%s\nUid:\t%[5]s\t%[5]s\t%[5]s\t%[5]s\nGid:\t26\t26\t26\t26\nNSpid:\t%[4]s\nVmPTE:\t100 kB\n", f[2], f[0], f[1], about["nspid"], cmp.Or(about["uid"], "26"))))
	write(t, root, dir+"cmdline", []byte(strings.ReplaceAll(f[5], " ", "\x00")+"\x00"))
	write(t, root, dir+"oom_score_adj", []byte("0\n"))
	write(t, root, dir+"oom_score", []byte("666\n"))
	symlink(t, root, dir+"ns/mnt", "mnt:["+about["mnt"]+"]")
	if v := about["cwd"]; v != "" {
		symlink(t, root, dir+"cwd", v)
	}
	if v := about["exe"]; v != "" {
		symlink(t, root, dir+"exe", v)
	}
	if v := about["uid"]; v != "" {
		w.owners["/"+strings.TrimSuffix(dir, "/")] = number1(t, v)
	}
}

func each(data []byte, fn func([]string)) {
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" {
			f := strings.Split(line, "|")
			for i := range f {
				f[i] = strings.TrimSpace(f[i])
			}
			fn(f)
		}
	}
}

func number1(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func write(t *testing.T, root, name string, data []byte) {
	t.Helper()
	at := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func symlink(t *testing.T, root, name, to string) {
	t.Helper()
	at := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

// guard gives the error of a path that may not be read. in says that what counts is what is in a directory: the
// directory itself can be seen.
func (f *fake) guard(name string, in bool) error {
	at := path.Join("/", f.prefix, path.Join("/", name))
	for _, p := range f.world.forbidden {
		if at == p && in || strings.HasPrefix(at, p+"/") {
			return &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
		}
	}
	return nil
}

func (f *fake) ReadFile(name string, limit int64) ([]byte, error) {
	if err := f.guard(name, true); err != nil {
		return nil, err
	}
	return f.Local.ReadFile(name, limit)
}

func (f *fake) ReadDir(name string) ([]string, error) {
	if err := f.guard(name, true); err != nil {
		return nil, err
	}
	return f.Local.ReadDir(name)
}

func (f *fake) Readlink(name string) (string, error) {
	if err := f.guard(name, true); err != nil {
		return "", err
	}
	return f.Local.Readlink(name)
}

func (f *fake) Resolve(name string) (string, error) {
	if err := f.guard(name, false); err != nil {
		return "", err
	}
	return f.Local.Resolve(name)
}

// Stat gives devices and owners as the test gives them, and those of the temporary directory, which no golden may show,
// as 0.
func (f *fake) Stat(name string) (target.Info, error) {
	if err := f.guard(name, false); err != nil {
		return target.Info{}, err
	}
	in, err := f.Local.Stat(name)
	if err != nil {
		return in, err
	}
	real, _ := f.Local.Resolve(name)
	at := path.Join("/", f.prefix, real)
	best := ""
	in.Dev, in.UID = 0, 26 // the account that servers run as
	for p, d := range f.world.devices {
		if (at == p || p == "/" || strings.HasPrefix(at, p+"/")) && len(p) > len(best) {
			best, in.Dev = p, uint64(d[0])<<8|uint64(d[1]&0xff)|uint64(d[1]&^0xff)<<12
		}
		if at == p && strings.HasPrefix(p, "/dev/") {
			in.Rdev = uint64(d[0])<<8 | uint64(d[1])
		}
	}
	if uid, ok := f.world.owners[at]; ok {
		in.UID = uid
	}
	return in, nil
}

func (f *fake) Statfs(name string) (target.Space, error) {
	if _, err := f.Stat(name); err != nil {
		return target.Space{}, err
	}
	return target.Space{Total: 1000, Free: 500, Files: 10, FFree: 5}, nil
}

func (f *fake) Sub(dir string) (target.Target, error) {
	if err := f.guard(dir, true); err != nil {
		return nil, err
	}
	sub, err := f.Local.Sub(dir)
	if err != nil {
		return nil, err
	}
	return &fake{Local: sub.(*target.Local), prefix: path.Join(f.prefix, dir), world: f.world}, nil
}

func (f *fake) Peer(socket string) (int, error) {
	if pid, ok := f.world.peers[socket]; ok {
		return pid, nil
	}
	return 0, fs.ErrNotExist
}

func (f *fake) UID() int { return f.world.uid }

// As is the view itself: whose rights are needed is what the target's own tests show.
func (f *fake) As(target.User) target.Target { return f }

func (f *fake) Lstat(name string) (target.Info, error) { return f.Stat(name) }

// Way is one step, with the owner that the test gives.
func (f *fake) Way(name string) ([]target.Step, error) {
	in, err := f.Stat(name)
	return []target.Step{{Path: name, Info: in}}, err
}

// PageSize and Machine are not this machine's.
func (f *fake) PageSize() int   { return 4096 }
func (f *fake) Machine() string { return "x86_64" }

// ClockKept is what no golden shows.
func (f *fake) ClockKept() (bool, error) { return true, nil }

// missingOf lists what an archive could not have, of the names that begin with
// one of the prefixes.
func missingOf(a *evidence.Archive, prefixes ...string) []byte {
	var b bytes.Buffer
	for _, m := range a.MissingFiles() {
		for _, p := range prefixes {
			if strings.HasPrefix(m.Name, p) {
				fmt.Fprintf(&b, "%s: %s: %s", m.Name, m.State, m.Reason)
				if m.Reveal != "" {
					fmt.Fprintf(&b, " (%s)", m.Reveal)
				}
				b.WriteByte('\n')
			}
		}
	}
	return b.Bytes()
}

// Run answers the commands that the test knows; any other is an error.
func (f *fake) Run(_ context.Context, c target.Command) (target.Output, error) {
	line := strings.Join(c.Argv, " ")
	if asked := c.Argv[0] == "apt-cache" || c.Argv[0] == "dnf"; asked && (!c.Bare ||
		(c.As == nil) != (f.world.uid != 0) || c.As != nil && c.As.UID != trust.Nobody) {
		return target.Output{}, fmt.Errorf("%s with the environment or the rights of the caller", line)
	}
	for want, out := range f.world.commands {
		if strings.Contains(line, want) {
			return target.Output{Stdout: out}, nil
		}
	}
	return target.Output{}, fmt.Errorf("unexpected command %q", line)
}
