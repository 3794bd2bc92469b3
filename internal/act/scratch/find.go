package scratch

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

// askTimeout bounds one call of postgres --version, which takes a few milliseconds, and on an emulated machine whose
// host was busy took more than 5 s; a program of that name that hangs must not hang us.
const askTimeout = 30 * time.Second

// folders are the places where packages install server binaries: Debian and
// Ubuntu, the PostgreSQL project's RPMs, SUSE, builds from source, Homebrew.
var folders = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/usr/lib/postgresql*/bin",
	"/usr/local/pgsql*/bin",
	"/opt/homebrew/opt/postgresql@*/bin",
}

// Find returns the server binaries that are installed here, those on PATH and those fetched earlier, newest version
// first and one a directory. A directory whose postgres does not answer is omitted.
func Find(ctx context.Context) []Binaries {
	dirs := installed()
	if cache, err := CacheDir(); err == nil {
		m, _ := filepath.Glob(filepath.Join(cache, "*", "bin"))
		dirs = append(dirs, m...)
	}
	return answering(ctx, dirs)
}

// Installed is Find without those that were fetched for experiments: what starts the servers of this host.
func Installed(ctx context.Context) []Binaries {
	list := answering(ctx, installed())
	cache, err := CacheDir()
	if err != nil {
		return list
	}
	// one on PATH may be of them
	return slices.DeleteFunc(list, func(b Binaries) bool { return strings.HasPrefix(b.Tool("postgres"), cache+"/") })
}

// installed are the directories in which programs may be, those of packages and that on PATH.
func installed() (dirs []string) {
	for _, f := range folders {
		m, _ := filepath.Glob(f)
		dirs = append(dirs, m...)
	}
	if p, err := exec.LookPath("postgres"); err == nil {
		dirs = append(dirs, filepath.Dir(p))
	}
	return dirs
}

// answering are those of directories whose program says its version, the newest first.
func answering(ctx context.Context, dirs []string) (found []Binaries) {
	for _, d := range dirs {
		b, err := At(ctx, d)
		if err == nil && !slices.Contains(found, b) {
			found = append(found, b)
		}
	}
	slices.SortStableFunc(found, func(a, b Binaries) int { return int(b.Version) - int(a.Version) })
	return found
}

// At returns the binaries in a bin directory, or in the directory above it. The error names what is missing there.
//
// The program is run as the account of Unprivileged to get its version, and so must belong to root or that account if
// we are root.
func At(ctx context.Context, dir string) (Binaries, error) {
	acc, err := Unprivileged()
	if err != nil {
		return Binaries{}, err
	}
	return at(ctx, dir, acc)
}

// AtAs is At for the binaries of an instance that was found, which run only as its account. Without root, they run as
// the current user: they must belong to root or that user, in directories that no one else can change. Otherwise anyone
// who starts a server would get the rights of each account that inspects the host.
func AtAs(ctx context.Context, dir string, acc Account) (Binaries, error) {
	if uid := os.Geteuid(); uid != 0 {
		bin := dir
		if _, err := os.Stat(filepath.Join(dir, "bin", "postgres")); err == nil {
			bin = filepath.Join(dir, "bin")
		}
		for _, tool := range []string{"postgres", "initdb"} {
			_, err := trust.Of(uid, os.Getegid()).Program(&target.Local{}, filepath.Join(bin, tool))
			if err != nil && !errors.Is(err, fs.ErrNotExist) { // which at returns
				return Binaries{}, say.Err("server binaries: {reason}", "reason", err)
			}
		}
	}
	return at(ctx, dir, acc)
}

func at(ctx context.Context, dir string, acc Account) (Binaries, error) {
	if _, err := os.Stat(filepath.Join(dir, "bin", "postgres")); err == nil {
		dir = filepath.Join(dir, "bin")
	}
	for _, tool := range []string{"postgres", "initdb"} {
		if _, err := os.Stat(filepath.Join(dir, tool)); err != nil {
			return Binaries{}, say.Err("server binaries: {reason}", "reason", err)
		}
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Binaries{}, say.Err("server binaries: {reason}", "reason", err)
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return Binaries{}, say.Err("server binaries: {reason}", "reason", err)
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	cmd, err := acc.command(ctx, filepath.Join(abs, "postgres"), "--version")
	if err != nil {
		return Binaries{}, say.Err("server binaries: {reason}", "reason", err)
	}
	cmd.Env, cmd.Dir = environment(""), "/"
	var out bytes.Buffer
	cmd.Stdout = &bounded{w: &out, left: 4096}
	if err := acc.finish(cmd); err != nil {
		return Binaries{}, say.Err("version of {path}: {reason}", "path", filepath.Join(abs, "postgres"),
			"reason", err)
	}
	v, unfinished, err := parseVersion(out.String())
	if err != nil {
		return Binaries{}, say.Err("version of {path}: {reason}", "path", filepath.Join(abs, "postgres"),
			"reason", err)
	}
	return Binaries{Dir: abs, Version: v, Unfinished: unfinished}, nil
}

// Listed returns the binaries of the directories in a list separated by colons, as the environment variable
// PGFETTLE_TEST_PG holds it, in its order.
func Listed(ctx context.Context, list string) ([]Binaries, error) {
	var out []Binaries
	var errs []error
	for _, dir := range filepath.SplitList(list) {
		if dir == "" {
			continue
		}
		b, err := At(ctx, dir)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, b)
	}
	return out, errors.Join(errs...)
}

// ListedOrFetched returns the binaries of a list, or where it is empty one of
// each major version that can be fetched, fetched into the cache where it must.
func ListedOrFetched(ctx context.Context, list string) ([]Binaries, error) {
	if list != "" {
		return Listed(ctx, list)
	}
	var out []Binaries
	for _, major := range Fetchable() {
		b, err := Fetch(ctx, major, FetchOptions{})
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// environment is what our servers and their tools see: no PG* variable and no
// language of the caller, as both change what they do and say.
func environment(home string) []string {
	env := []string{"LC_ALL=C", "PATH=" + target.AccountPath}
	if home != "" {
		env = append(env, "HOME="+home, "TMPDIR="+home)
	}
	kept := []string{"TZ"} // the clock's zone
	if os.Geteuid() != 0 {
		kept = append(kept, "LD_LIBRARY_PATH") // a private build outside the linker's path
	}
	for _, name := range kept {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// bounded passes on as much as it may and swallows the rest, so that a program
// that never stops talking fills nothing.
type bounded struct {
	w    *bytes.Buffer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.left)
	b.left -= n
	b.w.Write(p[:n])
	return len(p), nil
}

// lastLines returns the last n lines of a text, in one line.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], " | ")
}
