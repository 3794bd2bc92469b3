package scratch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// FetchOptions say how to fetch server binaries.
type FetchOptions struct {
	// Progress is called with the number of bytes received and the total, which is 0 while unknown. It may be called
	// from another goroutine. It may be nil.
	Progress func(done, total int64)
	// Waiting is called, before any progress, if another process is fetching into the same directory and has to be
	// waited for. It may be nil.
	Waiting func()
	// AllowUnpinned takes an archive whose SHA-256 this program does not know, as on other CPUs than amd64, on the
	// registry's word alone.
	AllowUnpinned bool
	// Dir keeps the binaries; "": CacheDir.
	Dir string
}

// Fetch returns the binaries of a major version from the cache, or fetches them
// into it: downloads the archive, verifies its SHA-256 against the one in this
// program, and unpacks it. Nothing of it is run before. The error is a
// *say.Problem where it is for the user to do something.
func Fetch(ctx context.Context, major int, o FetchOptions) (Binaries, error) {
	r, ok := releaseOf(major)
	if !ok {
		return Binaries{}, &say.Problem{Message: say.M("there are no server binaries of PostgreSQL {major} to fetch",
			"major", fmt.Sprint(major)),
			Hint: say.M("{first} to {last} can be fetched", "first", fmt.Sprint(releases[0].major), "last",
				fmt.Sprint(releases[len(releases)-1].major)),
			Code: say.CodeUsage}
	}
	dir := o.Dir
	if dir == "" {
		var err error
		if dir, err = CacheDir(); err != nil {
			return Binaries{}, err
		}
	}
	home := filepath.Join(dir, r.version)
	if b, err := At(ctx, home); err == nil {
		return b, nil
	}
	if r.pin(platform()) == "" && !o.AllowUnpinned {
		return Binaries{}, &say.Problem{Message: say.M("the sum of PostgreSQL {version} for {platform} is not known, "+
			"so it is not fetched", "version", r.version, "platform", platform()),
			Hint: say.M(installHint), Code: say.CodeError}
	}
	if err := makeCache(dir); err != nil {
		return Binaries{}, err
	}
	release, err := alone(ctx, dir, o.Waiting)
	if err != nil {
		return Binaries{}, err
	}
	defer release()
	if b, err := At(ctx, home); err == nil {
		return b, nil // fetched by another while we waited
	}
	work, err := os.MkdirTemp(dir, "fetch-") // 0700: no other user runs what is in it
	if err != nil {
		return Binaries{}, say.Err("cache directory: {reason}", "reason", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	archive, err := download(ctx, r, work, o.Progress)
	if err != nil {
		return Binaries{}, err
	}
	if err := install(archive, r.pin(platform()), work, home); err != nil {
		return Binaries{}, err
	}
	return At(ctx, home)
}

const installHint = "install your distribution's package of the PostgreSQL server, such as postgresql or " +
	"postgresql-server"

// platform names what the binaries are built for, as the registry does. Alpine has a different C library.
func platform() string {
	p := runtime.GOOS + "-" + runtime.GOARCH
	if _, err := os.Stat("/etc/alpine-release"); err == nil {
		p += "-alpine"
	}
	return p
}

// makeCache makes the directory. Root's has to be open to the unprivileged user that runs the binaries, whatever the
// umask says, and not writable by others.
func makeCache(dir string) error {
	var missing []string
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(d); err == nil || filepath.Dir(d) == d {
			break
		}
		missing = append(missing, d)
	}
	err := os.MkdirAll(dir, 0o755)
	for _, d := range missing {
		err = errors.Join(err, os.Chmod(d, 0o755))
	}
	if err != nil {
		return &say.Problem{Message: say.M("the directory for downloaded server binaries cannot be created"),
			Detail: say.OfError(err),
			Hint:   say.M(installHint), Code: say.CodeError}
	}
	st, err := os.Stat(dir)
	if err != nil {
		return say.Err("cache directory: {reason}", "reason", err)
	}
	if sys, ok := st.Sys().(*syscall.Stat_t); !ok || int(sys.Uid) != os.Geteuid() || st.Mode().Perm()&0o022 != 0 {
		return &say.Problem{Message: say.M("the directory for downloaded server binaries is writable by others"),
			Detail: say.Text(dir),
			Hint:   say.M("make it yours alone, or remove it"), Code: say.CodeError}
	}
	return nil
}

// alone waits until no other process fetches into a directory: several that begin at once, as the tests of several
// packages do, would each fetch the same. It is no more than that: what is fetched is put in its place at once by a
// rename, so where the filesystem knows no locks, as some over a network, it is fetched twice.
func alone(ctx context.Context, dir string, waiting func()) (release func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, say.Err("cache directory: {reason}", "reason", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == syscall.EWOULDBLOCK &&
		waiting != nil {
		waiting()
	}
	got := make(chan struct{})
	go func() { // the kernel serves waiters in turn, and has no timeout
		defer close(got)
		for syscall.Flock(int(f.Fd()), syscall.LOCK_EX) == syscall.EINTR {
		}
	}()
	select {
	case <-got:
		return func() { _ = f.Close() }, nil // which gives the lock back
	case <-ctx.Done():
		go func() { <-got; _ = f.Close() }()
		return nil, context.Cause(ctx)
	}
}

// install verifies an archive and unpacks it to home. want is "" if no sum is known and the user has allowed that.
func install(archive, want, work, home string) error {
	f, err := os.Open(archive)
	if err != nil {
		return say.Err("fetched archive: {reason}", "reason", err)
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return say.Err("fetched archive: {reason}", "reason", err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); want != "" && got != want {
		return &say.Problem{Message: say.M("the fetched server binaries are not the ones that this program knows"),
			Detail: say.M("SHA-256 {got} instead of {want}", "got", got, "want", want),
			Hint: say.M("they may have been tampered with on the way; install your distribution's package of the " +
				"PostgreSQL server, such as postgresql or postgresql-server"), Code: say.CodeError}
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return say.Err("fetched archive: {reason}", "reason", err)
	}
	tree := filepath.Join(work, "tree")
	if err := os.Mkdir(tree, 0o755); err != nil {
		return say.Err("fetched archive: {reason}", "reason", err)
	}
	if err := unpack(f, tree); err != nil {
		return err
	}
	if err := os.Rename(tree, home); err != nil {
		if _, e := os.Stat(filepath.Join(home, "bin", "postgres")); e == nil {
			return nil // another pgfettle was faster
		}
		return say.Err("cache directory: {reason}", "reason", err)
	}
	return nil
}
