package machine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/experiment/loadgen"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// Marker is the file that makes a directory a scratch directory. Nothing in a directory without it is ever written to
// or removed.
const Marker = ".pgfettle-scratch"

// markerText is what it holds, for who wonders.
const markerText = "pgfettle makes and removes database clusters in this directory. Keep nothing else here.\n"

// Machine is this machine.
type Machine struct {
	// CalibrationBytes are hashed in a calibration, for one that is not 0: the rest of it stays.
	CalibrationBytes int
	// Second are the programs of clusters whose name ends in OfSecond: of a configuration that runs on another server.
	// Without a directory there are none.
	Second scratch.Binaries
	// Databases are existing ones, by the name that Start is given for a configuration.
	Databases map[string]*Database

	dir   string
	bin   scratch.Binaries
	guard Guard
	lock  *os.File
	made  []string // folders that were made for the scratch folder, itself last
}

// New is this machine with a scratch directory (an absolute path) and the server's programs.
func New(dir string, bin scratch.Binaries, guard Guard) *Machine {
	return &Machine{dir: dir, bin: bin, guard: guard}
}

// OfSecond ends the name of a cluster that Machine.Second starts.
const OfSecond = "-b"

// programs are those that start a cluster.
func (m *Machine) programs(name string) scratch.Binaries {
	if m.Second.Dir != "" && strings.HasSuffix(name, OfSecond) {
		return m.Second
	}
	return m.bin
}

// Path is the place of a file or a cluster in the scratch directory.
func (m *Machine) Path(name string) string { return m.path(name) }

func (m *Machine) path(name string) string { return filepath.Join(m.dir, name) }

func refused(message, detail, hint say.Message) error {
	return &say.Problem{Message: message, Detail: detail, Hint: hint, Code: say.CodeRefused}
}

const otherFolder = "choose another scratch directory: an empty one, or one that does not exist yet"

// Claim implements engine.world.
func (m *Machine) Claim() error {
	if !filepath.IsAbs(m.dir) || filepath.Clean(m.dir) != m.dir || m.dir == "/" {
		return &say.Problem{Message: say.M("{dir} is not a scratch directory", "dir", say.Quoted(m.dir)),
			Hint: say.M("name an absolute path"),
			Code: say.CodeUsage}
	}
	if err := m.apart(); err != nil {
		return err
	}
	for {
		if err := m.mkdir(m.dir); err != nil {
			return errors.Join(Access(err), m.unmake())
		}
		f, err := m.marker()
		if err != nil {
			return errors.Join(err, m.unmake())
		}
		if err := target.Flock(f); err != nil {
			_ = f.Close()
			return m.busy()
		}
		// A lock on a file that its former owner has removed excludes no process.
		mine, err1 := f.Stat()
		there, err2 := os.Lstat(m.path(Marker))
		if err1 == nil && err2 == nil && os.SameFile(mine, there) {
			m.lock = f
			return nil
		}
		_ = f.Close()
	}
}

func (m *Machine) busy() error {
	return refused(say.M("another experiment is running in {dir}", "dir", m.dir), say.Message{},
		say.M("two at once would disturb one another: wait until it has ended"))
}

// claimed reports whether another process holds the scratch directory.
func (m *Machine) claimed() bool {
	f, err := os.OpenFile(m.path(Marker), os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	return target.Flock(f) != nil
}

// apart verifies that the scratch directory is not in a data directory that is known, nor one in it.
func (m *Machine) apart() error {
	at := m.dir
	for {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			at = filepath.Join(real, strings.TrimPrefix(m.dir, at))
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return Access(err)
		}
		at = filepath.Dir(at)
	}
	within := func(a, b string) bool { return a == b || strings.HasPrefix(a, strings.TrimSuffix(b, "/")+"/") }
	for _, d := range m.guard.DataDirs {
		if real, err := filepath.EvalSymlinks(d); err == nil {
			d = real
		}
		if within(at, d) || within(d, at) {
			if m.claimed() { // the server is one of its
				return m.busy()
			}
			return refused(say.M("{dir} is the data directory of a server, or has to do with one", "dir", m.dir),
				say.Text(d), say.M(otherFolder))
		}
	}
	return nil
}

// mkdir makes a directory and those above it, open to the account of the servers.
func (m *Machine) mkdir(dir string) error {
	st, err := os.Lstat(dir)
	switch {
	case err == nil && dir == m.dir && !st.IsDir():
		return refused(say.M("{dir} is not a directory", "dir", dir), say.Message{}, say.M(otherFolder))
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := m.mkdir(filepath.Dir(dir)); err != nil {
		return err
	}
	err = os.Mkdir(dir, 0o755)
	if err == nil {
		m.made = append(m.made, dir)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// marker opens the marker. It is written only into an empty directory.
func (m *Machine) marker() (*os.File, error) {
	entries, err := os.ReadDir(m.dir)
	if err != nil {
		return nil, Access(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	for _, of := range []string{"PG_VERSION", "postmaster.pid", "postgresql.conf", "global"} {
		if slices.Contains(names, of) {
			return nil, refused(say.M("{dir} is a data directory", "dir", m.dir), say.M("it holds {of}", "of", of),
				say.M(otherFolder))
		}
	}
	flags := os.O_RDWR | syscall.O_NOFOLLOW
	if !slices.Contains(names, Marker) {
		if len(names) > 0 {
			return nil, refused(say.M("{dir} is not empty and not a scratch directory", "dir", m.dir),
				say.M("it holds {names} and no .pgfettle-scratch", "names", names[0]),
				say.M(otherFolder))
		}
		flags |= os.O_CREATE
	}
	f, err := os.OpenFile(m.path(Marker), flags, 0o644)
	if err != nil {
		return nil, Access(err)
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = refused(say.M("{marker} was not written by pgfettle", "marker", m.path(Marker)), say.Message{},
			say.M(otherFolder))
	}
	if sys, ok := st.Sys().(*syscall.Stat_t); err == nil && (!ok || int(sys.Uid) != os.Geteuid()) {
		err = refused(say.M("{dir} is the scratch directory of another user", "dir", m.dir), say.Message{},
			say.M(otherFolder))
	}
	if err == nil && st.Size() == 0 {
		if _, err = f.WriteString(markerText); err == nil {
			err = f.Sync()
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// Access says of an error that a directory cannot be used that it is one of rights.
func Access(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return &say.Problem{Message: say.M("the scratch directory cannot be used"), Detail: say.OfError(err),
			Hint: say.M("choose a directory that you may write to"), Code: say.CodeNoAccess}
	}
	return err
}

// Release implements engine.world. What could not be removed keeps the directory, with its marker: the next run removes
// it.
func (m *Machine) Release() error {
	left, err := m.List()
	if err == nil && len(left) == 0 {
		err = os.Remove(m.path(Marker))
		if rm := os.Remove(m.dir); rm == nil {
			m.made = slices.DeleteFunc(m.made, func(d string) bool { return d == m.dir })
		} else if !errors.Is(rm, syscall.ENOTEMPTY) {
			err = errors.Join(err, rm)
		}
		err = errors.Join(err, m.unmake())
	}
	return errors.Join(err, m.lock.Close())
}

// unmake removes the directories that were made above, where they are empty.
func (m *Machine) unmake() error {
	for _, dir := range slices.Backward(m.made) {
		if err := os.Remove(dir); err != nil {
			if errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
	}
	m.made = nil
	return nil
}

const mostRecord = 1 << 20 // of a file of ours in the scratch directory; they have a few hundred bytes

func (m *Machine) Read(name string) ([]byte, error) {
	return (&target.Local{}).ReadFile(m.path(name), mostRecord)
}

func (m *Machine) Put(name string, b []byte) error {
	return (&target.Local{}).Put(m.path(name), b, 0o600, os.Geteuid(), os.Getegid())
}

func (m *Machine) List() ([]string, error) {
	entries, err := os.ReadDir(m.dir)
	var names []string
	for _, e := range entries {
		if e.Name() != Marker {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// Remove implements engine.world. A server that still runs in a directory of ours, because we were killed a moment ago,
// is stopped before.
func (m *Machine) Remove(name string) error {
	if name == "" || name != filepath.Base(name) || slices.Contains([]string{".", "..", "/", Marker}, name) {
		return fmt.Errorf("%q is nothing that an experiment removes", name)
	}
	if st, err := os.Lstat(m.path(name)); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err == nil && st.IsDir() {
		i, err := scratch.OpenIn(m.programs(name), m.path(name))
		if err == nil {
			err = i.Close()
		}
		if err != nil {
			return err
		}
	}
	return os.RemoveAll(m.path(name)) // follows no link
}

// Drop implements engine.world.
func (m *Machine) Drop(folder string) error {
	if !filepath.IsAbs(folder) || !strings.HasPrefix(filepath.Base(folder), loadgen.LoadFolder) {
		return fmt.Errorf("%q is not the directory of a load", folder)
	}
	return os.RemoveAll(folder)
}

func (m *Machine) InitDB(ctx context.Context, name string) error {
	i, err := scratch.NewIn(ctx, m.programs(name), m.path(name), scratch.Options{})
	if err != nil {
		return err
	}
	return i.Close()
}

func (m *Machine) Start(ctx context.Context, name string, settings map[string]string) (Node, error) {
	if d := m.Databases[name]; d != nil {
		return d.node(settings), nil
	}
	i, err := scratch.OpenIn(m.programs(name), m.path(name))
	if err != nil {
		return nil, err
	}
	if err = i.Reconfigure(settings); err == nil {
		err = i.Start(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, i.Close())
	}
	return newPostmaster(i), nil
}

func (m *Machine) Try(ctx context.Context, name string, settings map[string]string) ([]string, unit.Bytes, error) {
	acc, err := scratch.Unprivileged()
	if err != nil {
		return nil, 0, err
	}
	s, err := scratch.NewShadow(m.programs(name), m.path(name)+"/data", acc)
	if err != nil {
		return nil, 0, err
	}
	t, err := s.Try(ctx, settings)
	return t.Complaints, t.Shared.Bytes, errors.Join(err, s.Remove())
}

func (m *Machine) System(name string) (uint64, error) {
	f, err := os.Open(m.path(name) + "/data/global/pg_control")
	if err != nil {
		return 0, err
	}
	var b [8]byte // the first field of ControlFileData, in the machine's byte order
	_, err = io.ReadFull(f, b[:])
	return binary.NativeEndian.Uint64(b[:]), errors.Join(err, f.Close())
}

// Rest implements engine.world.
func (m *Machine) Rest(ctx context.Context, name string) (bool, error) {
	i, err := scratch.OpenIn(m.programs(name), m.path(name))
	if err != nil {
		return false, err
	}
	if err := i.Close(); err != nil {
		return false, err
	}
	if ok, err := m.stopped(name); ok || err != nil {
		return ok, err
	}
	n, err := m.Start(ctx, name, nil)
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case err != nil:
		return false, nil // what cannot be started is of no use, whatever the reason
	}
	if err := n.Close(); err != nil {
		return false, err
	}
	return m.stopped(name)
}

// stopped reports whether pg_control was written by a server that stopped in peace.
func (m *Machine) stopped(name string) (bool, error) {
	const (
		stateAt    = 16 // of DBState in ControlFileData, the same in 13 to 18
		shutDown   = 1  // DB_SHUTDOWNED
		stateBytes = 4
	)
	f, err := os.Open(m.path(name) + "/data/global/pg_control")
	if err != nil {
		return false, err
	}
	var b [stateBytes]byte
	_, err = f.ReadAt(b[:], stateAt)
	return binary.NativeEndian.Uint32(b[:]) == shutDown, errors.Join(err, f.Close())
}

func (m *Machine) Space() (free, total unit.Bytes, err error) {
	s, err := (&target.Local{}).Statfs(m.dir)
	return unit.Bytes(s.Free), unit.Bytes(s.Total), err
}

func (m *Machine) Memory() (host.Memory, error) {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return host.Memory{}, err
	}
	return host.ParseMemory(b)
}

func (m *Machine) Now() time.Time { return time.Now() }

// Program is a hash of the server's executable.
func Program(b scratch.Binaries) (string, error) {
	f, err := os.Open(b.Tool("postgres"))
	if err != nil {
		return "", say.Err("server binaries: {reason}", "reason", err)
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", say.Err("server binaries: {reason}", "reason", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// file is where the kernel has a value.
func (m *Machine) file(name string) (string, error) {
	kind, word, _ := strings.Cut(name, ":")
	switch {
	case kind == "sysctl" && strings.HasPrefix(word, "vm.") && !strings.Contains(word, "/"):
		return "/proc/sys/" + strings.ReplaceAll(word, ".", "/"), nil
	case name == "thp:enabled":
		return "/sys/kernel/mm/transparent_hugepage/enabled", nil
	}
	return "", fmt.Errorf("%q is no value of the kernel that an experiment knows", name)
}

func (m *Machine) Kernel(name string) (string, error) {
	file, err := m.file(name)
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(file, "/sys/") {
		return host.ParseChoice(b)
	}
	return strings.TrimSpace(string(b)), nil
}

// SetKernel implements engine.world: it writes a value as echo does, and reads it back.
func (m *Machine) SetKernel(name, value string) error {
	file, err := m.file(name)
	if err != nil {
		return err
	}
	if err := poke(file, value); err != nil {
		return err
	}
	if got, err := m.Kernel(name); err != nil || got != value {
		return say.Named(name, say.Err("{value} was written, but {other} was read back", "value", say.Quoted(value),
			"other", say.Quoted(got)))
	}
	return nil
}

// DropCaches empties the page cache of the host: what is dirty is written first,
// as only clean pages can be dropped.
func (m *Machine) DropCaches() error {
	syscall.Sync()
	return poke("/proc/sys/vm/drop_caches", "3") // 1: pages, 2: dentries and inodes
}

// Compact implements engine.world. Pages that wait to be written can be neither moved nor
// dropped.
func (m *Machine) Compact(empty bool) error {
	syscall.Sync()
	if empty {
		if err := poke("/proc/sys/vm/drop_caches", "1"); err != nil {
			return err
		}
	}
	return poke("/proc/sys/vm/compact_memory", "1")
}

// poke writes a value as echo does.
func poke(file, value string) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return Access(err)
	}
	_, err = f.WriteString(value + "\n")
	return errors.Join(err, f.Close())
}
