package target

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/test/tier"
	"golang.org/x/sys/unix"
)

const nobody = 65534

// filled makes a directory as pg_wal is: files of some sizes, modes and times, and a directory.
func filled(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "from")
	fatal(t, os.MkdirAll(dir+"/sub", 0o700))
	for name, size := range map[string]int{"empty": 0, "one": 1, "chunk": chunk, "more": chunk + 7, "sub/x": 100} {
		fatal(t, os.WriteFile(dir+"/"+name, []byte(strings.Repeat("w", size)), 0o600))
		fatal(t, os.Chtimes(dir+"/"+name, time.Unix(1000, 0), time.Unix(2000, 0)))
	}
	fatal(t, os.Chmod(dir+"/one", 0o640))
	fatal(t, os.Chmod(dir+"/sub", 0o750))
	return dir
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func quiet(int64) {}

// TestFoldersCopy: the copy has the same bytes, modes and times, and differs from one in which a byte, a mode or a name
// differs.
func TestFoldersCopy(t *testing.T) {
	f := (&Local{}).Folders(nil)
	from, to := filled(t), filepath.Join(t.TempDir(), "to")
	fatal(t, f.Make(to, 0o750))
	fatal(t, f.Make(to, 0o700)) // one that is there stays
	if in, err := os.Stat(to); err != nil || in.Mode().Perm() != 0o750 {
		t.Errorf("made as %v, %v", in.Mode(), err)
	}
	var written, read int64
	fatal(t, f.Copy(t.Context(), from, to, func(n int64) { written += n }))
	fatal(t, f.Same(t.Context(), from, to, func(n int64) { read += n }))
	size, err := f.Measure(from)
	if want := int64(2*chunk + 108); err != nil || size != (unit.Extent{Files: 5, Bytes: want}) || written != want ||
		read != want {
		t.Errorf("%+v, %v; %d bytes written, %d read, want %d", size, err, written, read, want)
	}
	if in, err := os.Stat(to + "/sub/x"); err != nil || !in.ModTime().Equal(time.Unix(2000, 0)) {
		t.Errorf("time of the copy: %v, %v", in.ModTime(), err)
	}
	for name, change := range map[string]func() error{
		"a byte":      func() error { return os.WriteFile(to+"/one", []byte("W"), 0) },
		"a mode":      func() error { return os.Chmod(to+"/empty", 0o644) },
		"a name":      func() error { return os.Rename(to+"/sub/x", to+"/sub/y") },
		"a size":      func() error { return os.Truncate(to+"/chunk", 5) },
		"a file more": func() error { return os.WriteFile(to+"/z", nil, 0o600) },
	} {
		fatal(t, f.Empty(to))
		fatal(t, f.Copy(t.Context(), from, to, quiet))
		fatal(t, change())
		if err := f.Same(t.Context(), from, to, quiet); err == nil {
			t.Errorf("%s differs, and it is the same", name)
		}
	}
	if err := f.Copy(t.Context(), from, to, quiet); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a copy over what is there: %v", err)
	}
	fatal(t, f.Empty(to))
	fatal(t, f.Unmake(to))
	fatal(t, f.Unmake(to))
	fatal(t, f.Empty(to))
	if err := f.Unmake(from); err == nil {
		t.Error("a folder that is not empty was removed")
	}
}

// TestFoldersInterrupted: an interrupt ends a copy and a comparison at once.
func TestFoldersInterrupted(t *testing.T) {
	f := (&Local{}).Folders(nil)
	from, to := filled(t), t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	if err := f.Copy(ctx, from, to, func(n int64) {
		if n == chunk {
			stop()
		}
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("the copy: %v", err)
	}
	fatal(t, f.Empty(to))
	fatal(t, f.Copy(t.Context(), from, to, quiet))
	if err := f.Same(ctx, from, to, quiet); !errors.Is(err, context.Canceled) {
		t.Errorf("the comparison: %v", err)
	}
}

// TestFoldersOdd: what is neither file nor directory is reported by any method that meets it.
func TestFoldersOdd(t *testing.T) {
	f := (&Local{}).Folders(nil)
	for what, make := range map[string]func(string) error{
		"symbolic link": func(at string) error { return os.Symlink("/etc/passwd", at) },
		"special file":  func(at string) error { return syscall.Mkfifo(at, 0o600) },
	} {
		from := filled(t)
		fatal(t, make(from+"/sub/odd"))
		var odd *OddEntry
		if _, err := f.Measure(from); !errors.As(err, &odd) || !strings.Contains(err.Error(), what) ||
			!strings.HasSuffix(odd.Path, "sub/odd") {
			t.Errorf("%s: %v", what, err)
		}
		if err := f.Copy(t.Context(), from, t.TempDir(), quiet); !errors.As(err, &odd) {
			t.Errorf("%s was copied: %v", what, err)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	fatal(t, os.Symlink(filled(t), link))
	if err := f.Empty(link); err == nil {
		t.Error("what a link leads to was emptied")
	}
	if _, err := f.Load(link, 100); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a link was read: %v", err)
	}
}

// TestFoldersExchange: a directory and a link change places, and a link takes the place of another.
func TestFoldersExchange(t *testing.T) {
	f := (&Local{}).Folders(nil)
	dir := t.TempDir()
	fatal(t, f.Make(dir+"/a", 0o700))
	fatal(t, f.Symlink("/there", dir+"/b"))
	if err := f.Symlink("/there", dir+"/b"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a link over a link: %v", err)
	}
	if err := f.Unlink(dir + "/a"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a folder was unlinked: %v", err)
	}
	fatal(t, f.Exchange(dir+"/a", dir+"/b"))
	if to, err := os.Readlink(dir + "/a"); err != nil || to != "/there" {
		t.Errorf("%q, %v", to, err)
	}
	fatal(t, f.Symlink("/elsewhere", dir+"/c"))
	fatal(t, f.Rename(dir+"/c", dir+"/a"))
	if to, err := os.Readlink(dir + "/a"); err != nil || to != "/elsewhere" {
		t.Errorf("%q, %v", to, err)
	}
	if err := f.Exchange(dir+"/a", dir+"/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("with nothing: %v", err)
	}
	if err := errors.Join(f.Exchange(dir+"/a", "/tmp/b")); err == nil {
		t.Error("across folders")
	}
	fatal(t, f.Unlink(dir+"/a"))
	fatal(t, f.Unlink(dir+"/a"))
	if err := (&Local{Root: dir}).Folders(nil).Empty("/b"); !errors.Is(err, ErrNoCommands) {
		t.Errorf("a tree of files: %v", err)
	}
}

// TestFoldersLabel: what SELinux lets a server in by goes with a file.
func TestFoldersLabel(t *testing.T) {
	was := label
	label = "user.pgfettle-test"
	t.Cleanup(func() { label = was })
	from, to := filled(t), t.TempDir()
	if err := unix.Setxattr(from+"/one", label, []byte("postgresql_db_t"), 0); err != nil {
		tier.Missing(t, tier.Rights, "the filesystem of %s keeps no attributes: %v", from, err)
	}
	fatal(t, (&Local{}).Folders(nil).Copy(t.Context(), from, to, quiet))
	b := make([]byte, 100)
	if n, err := unix.Getxattr(to+"/one", label, b); err != nil || string(b[:n]) != "postgresql_db_t" {
		t.Errorf("%q, %v", b[:n], err)
	}
}

// TestFoldersOfAUser: root acts in a user's directories with the user's rights, and with none of root's.
func TestFoldersOfAUser(t *testing.T) {
	tier.Root(t, "take the rights of another user")
	top := t.TempDir()
	for at := top; at != "/"; at = filepath.Dir(at) { // let others pass, as far as it is ours
		if in, err := os.Stat(at); err != nil || in.Mode().Perm()&0o001 == 0 {
			fatal(t, os.Chmod(at, 0o711))
		}
	}
	fatal(t, os.Mkdir(top+"/his", 0o700))
	fatal(t, os.Chown(top+"/his", nobody, nobody))
	fatal(t, os.WriteFile(top+"/secret", []byte("root's"), 0o600))
	fatal(t, os.Mkdir(top+"/closed", 0o700))
	f := (&Local{}).Folders(&User{UID: nobody, GID: nobody})

	fatal(t, f.Make(top+"/his/wal", 0o700))
	fatal(t, os.WriteFile(TempOf(top+"/his/note"), []byte("half"), 0o600)) // of a crash
	fatal(t, os.Chown(TempOf(top+"/his/note"), nobody, nobody))
	fatal(t, f.Save(top+"/his/note", []byte("x"), 0o600))
	if _, err := os.Stat(TempOf(top + "/his/note")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what a crash left is there: %v", err)
	}
	fatal(t, f.Make(top+"/given", 0o700))     // in a directory of root's, who creates it for the user
	fatal(t, os.Mkdir(top+"/halfway", 0o755)) // of a kill between the making and the giving
	fatal(t, f.Make(top+"/halfway", 0o700))
	for _, name := range []string{"/his/wal", "/his/note", "/given", "/halfway"} {
		if in, err := (&Local{}).Stat(top + name); err != nil || in.UID != nobody || in.GID != nobody {
			t.Errorf("%s is of %d:%d, %v", name, in.UID, in.GID, err)
		}
	}
	fatal(t, os.Mkdir(top+"/his/roots", 0o700))
	fatal(t, os.Mkdir(top+"/closed/used", 0o700))
	_, _ = f.Make(top+"/his/roots", 0o700), f.Make(top+"/closed", 0o700)
	for _, name := range []string{"/his/roots", "/closed"} {
		if in, err := (&Local{}).Stat(top + name); err != nil || in.UID != 0 {
			t.Errorf("%s was root's, and is of %d, %v", name, in.UID, err)
		}
	}
	fatal(t, os.Link(top+"/secret", top+"/his/wal/hard")) // as root: the user could not
	if err := f.Copy(t.Context(), top+"/his/wal", top+"/given", quiet); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a file of root's was copied for him: %v", err)
	}
	if _, err := f.Load(top+"/secret", 100); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a file of root's was read: %v", err)
	}
	if err := f.Drop(top + "/secret"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a file of root's was removed: %v", err)
	}
	if err := f.Enter(top + "/closed"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("he enters a folder of root's: %v", err)
	}
	fatal(t, f.Enter(top+"/his"))
	fatal(t, os.Symlink(top+"/closed", top+"/his/trap"))
	if err := f.Empty(top + "/his/trap/."); err == nil {
		t.Error("a link of his led root to a folder of root's")
	}
	fatal(t, f.Empty(top+"/given"))
	fatal(t, f.Unmake(top+"/given"))
	if _, err := os.Stat(top + "/secret"); err != nil || os.Geteuid() != 0 {
		t.Errorf("afterwards: %v, user %d", err, os.Geteuid())
	}
	fatal(t, os.WriteFile(top+"/closed/mine", nil, 0o600)) // other threads have kept root's rights
}
