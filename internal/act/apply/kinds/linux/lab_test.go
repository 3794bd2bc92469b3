package linux

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
)

// lab is a tree of files that behaves like a host in what the kinds ask of one:
// the kernel's own rules for what is written to /proc and /sys, and stand-ins
// for systemctl, update-grub, grubby and mount. It may die before or after any
// operation that changes something.
type lab struct {
	*target.Local
	t      *testing.T
	asRoot bool // say so, whichever user runs the test

	ops  []string // what was changed, in order
	die  int      // the operation that is the last one; -1: none
	late bool     // it dies after that operation, else before
	dead bool

	pages    int64 // pages that fragmented memory gives at most
	inUse    int64 // pages of the pool that a server holds
	compact  int64 // pages that compaction frees
	signals  int   // writes of the pool that a signal cuts short after one page
	units    map[string]string
	services map[string]*labService // that systemd knows since it last read its files
	grubby   []string               // arguments of the default entry
	mountBad bool                   // mount(8) refuses
	swapBad  string                 // the program of swap that fails
}

var errCrash = errors.New("the machine died")

func newLab(t *testing.T, files map[string]string) *lab {
	t.Helper()
	l := &lab{Local: &target.Local{Root: t.TempDir()}, t: t, die: -1, pages: 1 << 20}
	for name, text := range files {
		l.lay(name, text)
	}
	return l
}

// lay puts a file into the tree, past every rule.
func (l *lab) lay(name, text string) {
	l.t.Helper()
	at := filepath.Join(l.Root, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) text(name string) string {
	l.t.Helper()
	b, err := os.ReadFile(filepath.Join(l.Root, name))
	if err != nil {
		l.t.Fatal(err)
	}
	return string(b)
}

// tree is every file and directory with its mode and bytes.
func (l *lab) tree() map[string]string {
	l.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(l.Root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(l.Root, p)
		out[rel] = fi.Mode().String()
		if !d.IsDir() {
			b, err := os.ReadFile(p)
			out[rel] += "\n" + string(b)
			return err
		}
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return out
}

// do is one operation that changes something.
func (l *lab) do(what string, f func() error) error {
	if l.dead {
		return errCrash
	}
	n := len(l.ops)
	l.ops = append(l.ops, what)
	if n == l.die {
		l.dead = true
		if l.late {
			if err := f(); err != nil {
				return err
			}
		}
		return errCrash
	}
	return f()
}

// revive is the machine after the crash, with all that had reached it.
func (l *lab) revive() { l.dead, l.die, l.ops = false, -1, nil }

func (l *lab) UID() int {
	if l.asRoot {
		return 0
	}
	return l.Local.UID()
}

func (l *lab) Put(name string, data []byte, perm fs.FileMode, uid, gid int) error {
	return l.PutWhile(name, data, perm, uid, gid, nil)
}

func (l *lab) PutWhile(name string, data []byte, perm fs.FileMode, uid, gid int, still func() error) error {
	return l.do("put "+name, func() error { return l.Local.PutWhile(name, data, perm, uid, gid, still) })
}

func (l *lab) Remove(name string) error { return l.RemoveWhile(name, nil) }

func (l *lab) RemoveWhile(name string, still func() error) error {
	return l.do("remove "+name, func() error { return l.Local.RemoveWhile(name, still) })
}

func (l *lab) Rmdir(name string) error {
	return l.do("rmdir "+name, func() error { return l.Local.Rmdir(name) })
}

func (l *lab) Mkdir(name string, perm fs.FileMode) error {
	if _, err := l.Stat(name); err == nil {
		return nil
	}
	return l.do("mkdir "+name, func() error { return l.Local.Mkdir(name, perm) })
}

func (l *lab) Allocate(name string, size int64) error {
	return l.do("allocate "+name, func() error { return l.Local.Allocate(name, size) })
}

func (l *lab) Install(from, to string) error {
	return l.do("install "+to, func() error { return l.Local.Install(from, to) })
}

func (l *lab) Poke(name, value string) error {
	return l.do("poke "+name+" "+value, func() error { return l.kernel(name, value) })
}

// slow is how long a program takes here that changes something: as a daemon-reload did on a host whose CPUs thirty
// others wanted as well.
const slow = time.Minute

func (l *lab) Run(_ context.Context, c target.Command) (target.Output, error) {
	var out target.Output
	argv := strings.Join(c.Argv, " ")
	act := func() error {
		text, err := l.program(c.Argv)
		out.Stdout = []byte(text)
		if err != nil {
			out.Code, out.Stderr = 1, []byte(err.Error())
		}
		return nil
	}
	if strings.Contains(argv, " show ") || strings.Contains(argv, "--info") {
		if l.dead {
			return out, errCrash
		}
		return out, act()
	}
	if c.Timeout < slow {
		return out, fmt.Errorf("%s: %w", c.Argv[0], target.ErrTimeout)
	}
	err := l.do("run "+argv, act)
	return out, err
}

// set puts a live value of the tree.
func (l *lab) set(name, text string) { l.lay(name, text+"\n") }

func (l *lab) number(name string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(l.text(name)), 10, 64)
	if err != nil {
		l.t.Fatal(err)
	}
	return n
}

// kernel does what a write to the file does in Linux (mm/page-writeback.c,
// mm/util.c, mm/hugetlb.c, mm/huge_memory.c, block/blk-sysfs.c).
func (l *lab) kernel(name, value string) error {
	const vm = "/proc/sys/vm/"
	bad := &fs.PathError{Op: "write", Path: name, Err: syscall.EINVAL}
	n, notNumber := strconv.ParseInt(value, 10, 64)
	if _, err := os.Stat(filepath.Join(l.Root, name)); err != nil && name != vm+"compact_memory" {
		return err
	}
	if strings.HasPrefix(name, vm) && notNumber != nil {
		return bad
	}
	switch name {
	case vm + "dirty_bytes", vm + "dirty_background_bytes":
		if strings.HasSuffix(name, "dirty_bytes") && n < 2*4096 || n < 1 {
			return bad
		}
		l.set(strings.TrimSuffix(name, "bytes")+"ratio", "0")
	case vm + "dirty_ratio", vm + "dirty_background_ratio":
		if n < 0 || n > 100 {
			return bad
		}
		if n != l.number(name) {
			l.set(strings.TrimSuffix(name, "ratio")+"bytes", "0")
		}
	case vm + "overcommit_kbytes":
		l.set(vm+"overcommit_ratio", "0")
	case vm + "overcommit_ratio":
		l.set(vm+"overcommit_kbytes", "0")
	case vm + "compact_memory":
		l.pages += l.compact
		return nil
	case vm + "nr_hugepages":
		return l.pool(n)
	}
	if now, err := os.ReadFile(filepath.Join(l.Root, name)); err == nil && strings.Contains(string(now), "[") {
		words := strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(string(now)))
		found := false
		for i, w := range words {
			if w == value {
				words[i], found = "["+w+"]", true
			}
		}
		if !found {
			return bad
		}
		value = strings.Join(words, " ")
	}
	if strings.HasPrefix(name, "/proc/sys/") {
		value = strings.Join(strings.Fields(value), "\t")
	}
	if strings.HasSuffix(name, "/read_ahead_kb") {
		value = strconv.FormatInt(n/4*4, 10) // whole pages
	}
	l.set(name, value)
	return nil
}

var meminfoLine = func(name string) *regexp.Regexp { return regexp.MustCompile(`(?m)^` + name + `:.*$`) }

func (l *lab) meminfo(name, value string) {
	at := "/proc/meminfo"
	l.lay(at, meminfoLine(name).ReplaceAllString(l.text(at), name+": "+value))
}

// pool resizes the pool of huge pages: what is in use beyond it is surplus.
func (l *lab) pool(n int64) error {
	n = min(n, l.pages)
	if now := l.number("/proc/sys/vm/nr_hugepages"); l.signals > 0 && n > now {
		l.signals--
		n = now + 1
	}
	total := max(n, l.inUse)
	l.set("/proc/sys/vm/nr_hugepages", strconv.FormatInt(n, 10))
	l.meminfo("HugePages_Total", strconv.FormatInt(total, 10))
	l.meminfo("HugePages_Free", strconv.FormatInt(total-l.inUse, 10))
	l.meminfo("HugePages_Surp", strconv.FormatInt(total-n, 10))
	return nil
}

// program stands for a command of the host.
func (l *lab) program(argv []string) (string, error) {
	switch argv[0] {
	case "systemctl":
		return l.systemctl(argv[1:])
	case "update-grub":
		// grub-mkconfig reads its configuration with a shell, and so do we
		script := `set -e; cd "$1"; . ./etc/default/grub; for f in ./etc/default/grub.d/*.cfg; do [ -e "$f" ] && . ` +
			`"$f"; done; echo "linux /vmlinuz root=/dev/vda1 ro $GRUB_CMDLINE_LINUX $GRUB_CMDLINE_LINUX_DEFAULT"; true`
		out, err := exec.Command("sh", "-c", script, "sh", l.Root).Output()
		if err != nil {
			return "", fmt.Errorf("update-grub: %w", err)
		}
		l.lay("/boot/grub/grub.cfg", "menuentry 'Debian' {\n\t"+string(out)+"}\n")
		return "", nil
	case "grubby":
		return l.runGrubby(argv[1:])
	case "mount":
		return "", l.remount(argv[1:])
	case "mkswap", "swapon", "swapoff":
		return "", l.swap(argv)
	}
	return "", fmt.Errorf("%s: no such program", argv[0])
}

// swap does what the programs of util-linux do with a swap file.
func (l *lab) swap(argv []string) error {
	at := argv[len(argv)-1]
	if l.swapBad == argv[0] {
		return fmt.Errorf("%s: %s: %s failed", argv[0], at, argv[0])
	}
	name := filepath.Join(l.Root, at)
	if argv[0] == "mkswap" {
		id, err := hex.DecodeString(strings.ReplaceAll(argv[2], "-", ""))
		if err != nil || argv[1] != "-U" {
			return fmt.Errorf("mkswap: %q: %v", argv, err)
		}
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		page := make([]byte, os.Getpagesize())
		copy(page[1024+3*4:], id)
		copy(page[len(page)-10:], "SWAPSPACE2")
		_, err = f.Write(page)
		return errors.Join(err, f.Close())
	}
	const head = "Filename\tType\tSize\tUsed\tPriority\n"
	in, err := os.Stat(name)
	if err != nil {
		return err
	}
	text := head
	if argv[0] == "swapon" {
		text += fmt.Sprintf("%s file %d 0 -2\n", at, in.Size()/1024)
	}
	l.lay("/proc/swaps", text)
	return nil
}

// labService is a service of systemd.
type labService struct{ enabled, started, bad bool }

// reload reads which services there are. One that runs is known without its file, too.
func (l *lab) reload() {
	was := l.services
	l.services = map[string]*labService{}
	files, err := filepath.Glob(l.Root + "/etc/systemd/system/*.service")
	if err != nil {
		l.t.Fatal(err)
	}
	for _, f := range files {
		l.services[filepath.Base(f)] = &labService{}
	}
	for name, s := range was {
		if l.services[name] != nil || s.started {
			l.services[name] = s
		}
	}
}

// serviced does what systemctl does with a service.
func (l *lab) serviced(args []string) (string, error) {
	s := l.services[args[len(args)-1]]
	switch {
	case args[0] == "show" && args[1] == "--property=ActiveState":
		return map[bool]string{true: "active", false: "inactive"}[s != nil && s.started] + "\n", nil
	case args[0] == "show":
		if s == nil {
			return "\n", nil
		}
		return map[bool]string{true: "enabled", false: "disabled"}[s.enabled] + "\n", nil
	case s == nil:
		return "", fmt.Errorf("Unit %s not found.", args[len(args)-1])
	}
	switch args[0] {
	case "enable", "disable":
		s.enabled = args[0] == "enable"
	case "start", "stop":
		if s.bad && args[0] == "start" {
			return "", errors.New("Job failed because the control process exited with error code.")
		}
		s.started = args[0] == "start"
	}
	return "", nil
}

func (l *lab) systemctl(args []string) (string, error) {
	if last := args[len(args)-1]; strings.HasPrefix(last, "postgresql-") {
		return l.serviced(args)
	}
	if args[0] == "daemon-reload" {
		l.reload()
		l.units = map[string]string{"OOMPolicy": "stop", "NUMAPolicy": "n/a"}
		files, _ := filepath.Glob(l.Root + "/etc/systemd/system/*.service.d/*.conf")
		sort.Strings(files)
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				return "", err
			}
			for line := range strings.Lines(string(b)) {
				if k, v, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(k, "#") {
					l.units[k] = v
				}
			}
		}
		return "", nil
	}
	for _, a := range args {
		if name, ok := strings.CutPrefix(a, "--property="); ok {
			if name == "DropInPaths" {
				return "/etc/systemd/system/postgresql.service.d/override.conf", nil
			}
			return l.units[name] + "\n", nil
		}
	}
	return "", errors.New("systemctl: not understood")
}

func (l *lab) runGrubby(args []string) (string, error) {
	if args[0] == "--info=DEFAULT" {
		return "index=0\nkernel=\"/boot/vmlinuz\"\nargs=\"" + strings.Join(l.grubby, " ") +
			"\"\nroot=\"/dev/vda1\"\n", nil
	}
	for _, a := range args {
		if name, ok := strings.CutPrefix(a, "--remove-args="); ok {
			var left []string
			for _, w := range l.grubby {
				if n, _, _ := strings.Cut(w, "="); n != name {
					left = append(left, w)
				}
			}
			l.grubby = left
		}
		if word, ok := strings.CutPrefix(a, "--args="); ok {
			l.grubby = append(l.grubby, word)
		}
	}
	return "", nil
}

// remount changes the access times and nosuid of /srv in mountinfo.
func (l *lab) remount(args []string) error {
	if l.mountBad || len(args) != 3 || args[0] != "-o" || args[2] != "/srv" {
		return fmt.Errorf("mount: %v: bad option", args)
	}
	text := l.text("/proc/self/mountinfo")
	words := strings.Split(args[1], ",")
	for _, w := range words {
		switch w {
		case "noatime", "relatime":
			if w == "relatime" && !slices.Contains(words, "atime") {
				continue // noatime, which is merged in, is stronger
			}
			text = regexp.MustCompile(`( /srv r[wo](?:,nosuid)?),(noatime|relatime)`).ReplaceAllString(text, "$1,"+w)
		case "suid":
			text = strings.ReplaceAll(text, " /srv rw,nosuid,", " /srv rw,")
		case "nosuid":
			if !strings.Contains(text, " /srv rw,nosuid,") {
				text = strings.ReplaceAll(text, " /srv rw,", " /srv rw,nosuid,")
			}
		}
	}
	l.lay("/proc/self/mountinfo", text)
	return nil
}
