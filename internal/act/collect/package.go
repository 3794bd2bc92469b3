package collect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// Bounds of the question: both managers answer in a second from lists that are in memory, dnf on a small host in some
// seconds. The servers are asked meanwhile.
const (
	packageTimeout = 20 * time.Second
	packageOutput  = 256 << 10
	mostPackages   = 32
	mostLists      = 4096 // files whose times are read
)

// askPackageManagers asks apt and dnf about the packages that the programs of the instances belong to, and about the
// other servers that Debian's packages have installed. Only the lists that the host fetched earlier are read. The
// channel yields one archive with the answers; the packages are then in the instances.
func (c *collector) askPackageManagers(ctx context.Context, found []*instance) <-chan *evidence.Archive {
	out := make(chan *evidence.Archive, 1)
	if !c.req.Packages {
		out <- evidence.New()
		close(out)
		return out
	}
	names := map[string][]string{}
	add := func(name string) {
		m := host.ManagerOf(name)
		if !slices.Contains(names[m], name) && len(names[m]) < mostPackages {
			names[m] = append(names[m], name)
		}
	}
	for _, in := range found {
		if in.binDir == "" || in.neighbour {
			continue
		}
		name, ok := host.ServerPackage(in.binDir)
		why := ""
		switch {
		case in.inside:
			why = "it runs in a container, whose packages this host does not have"
		case !ok:
			why = "no package is known that installs programs there"
		case !c.hasManager(host.ManagerOf(name)):
			why = "the host has no " + programOf(host.ManagerOf(name))
		}
		if why != "" {
			c.a.AddMissing(evidence.Missing{Name: in.name("package"), State: known.Absent, Reason: why})
			continue
		}
		in.pkg = name
		add(name)
	}
	for _, dir := range c.glob("usr/lib/postgresql/*/bin") {
		if name, ok := host.ServerPackage("/" + dir); ok && len(names[host.Apt]) > 0 {
			add(name)
		}
	}
	go func() {
		defer close(out)
		a := evidence.New()
		for _, m := range []string{host.Apt, host.DNF} {
			if len(names[m]) > 0 {
				c.askPackageManager(ctx, a, m, names[m])
			}
		}
		out <- a
	}()
	return out
}

// programOf is the program of a package manager that is asked.
func programOf(manager string) string {
	if manager == host.DNF {
		return "dnf"
	}
	return "apt-cache"
}

func (c *collector) hasManager(manager string) bool {
	_, err := c.t.Stat("usr/bin/" + programOf(manager))
	return err == nil
}

// askPackageManager asks one package manager. For root it runs as nobody, who can write no cache, no list and no log of
// the system. It touches nothing of the collector but its target.
func (c *collector) askPackageManager(ctx context.Context, a *evidence.Archive, manager string, names []string) {
	defer func() {
		if p := recover(); p != nil {
			a.AddMissing(evidence.Missing{Name: host.PackageFile(manager), State: known.Unread,
				Reason: fmt.Sprintf("the collector stopped: %v", p)})
		}
	}()
	ask := target.Command{Argv: append([]string{"apt-cache", "policy", "--"}, names...), Bare: true,
		Timeout: packageTimeout, Limit: packageOutput}
	if c.root {
		ask.As = &target.User{UID: trust.Nobody, GID: trust.Nobody}
	}
	none := false
	var o target.Output
	var err error
	if manager == host.DNF {
		o, err = c.runDNF(ctx, ask, names)
		// as it says that no package of these names is installed or available
		none = o.Code == 1 && bytes.Contains(o.Stderr, []byte("o matching ")) // No, and dnf5: no
	} else {
		o, err = c.t.Run(ctx, ask)
	}
	m := evidence.Missing{Name: host.PackageFile(manager), State: known.Unread}
	program := programOf(manager)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		m.State, m.Reason = known.Absent, "the host has no "+program
	case err != nil:
		m.Reason = err.Error()
	case o.Code != 0 && !none:
		m.Reason = program + ": " + firstLine(program, o.Stderr, o.Stdout)
	default:
		b := append([]byte(host.ListsLine(c.listsOf(manager))), bytes.ToValidUTF8(o.Stdout, []byte("?"))...)
		if err := a.Add(m.Name, b); err == nil {
			return
		}
		m.Reason = err.Error()
	}
	a.AddMissing(m)
}

// caches of dnf 4 and of dnf5, as root fills them.
const (
	dnf4Cache = "var/cache/dnf"
	dnf5Cache = "var/cache/libdnf5"
)

// dnf5 reports whether the host's dnf is dnf5, which has other directories.
func (c *collector) dnf5() bool {
	to, err := c.t.Readlink("usr/bin/dnf")
	return err == nil && path.Base(to) == "dnf5"
}

// runDNF asks dnf about packages. For a user that is not root, dnf 4 keeps logs and locks in a directory below
// /var/tmp, whatever its options say, and dnf5 in the home directory. So it gets one that is made for it, which dnf 4
// finds by its name, and which is removed afterwards.
func (c *collector) runDNF(ctx context.Context, ask target.Command, names []string) (target.Output, error) {
	view, uid := c.t, c.t.UID()
	if ask.As != nil {
		view, uid = c.t.As(*ask.As), ask.As.UID
	}
	owner := trust.Of(uid, uid).Name
	if strings.Contains(owner, " ") {
		owner = strconv.Itoa(uid)
	}
	// dnf takes the first directory of that name, in the order of their letters, which are letters and digits
	dir := "/var/tmp/dnf-" + owner + "--pgfettle-" + strconv.Itoa(os.Getpid()) + "-" +
		strconv.FormatInt(time.Now().UnixNano(), 36)
	if err := view.Mkdir(dir, 0o700); err != nil {
		return target.Output{}, err
	}
	defer sweep(view, dir, 3)
	ask.Argv = []string{"dnf", "--quiet", "--cacheonly"}
	if c.dnf5() {
		ask.Env = []string{"HOME=" + dir, "XDG_CACHE_HOME=" + dir, "XDG_STATE_HOME=" + dir}
		ask.Argv = append(ask.Argv, "--setopt=cachedir=/"+dnf5Cache)
	}
	ask.Argv = append(append(ask.Argv, "list"), names...)
	return c.t.Run(ctx, ask)
}

// sweep removes a directory that was made for a program, with what the program left in it.
func sweep(t target.Target, dir string, depth int) {
	names, err := t.ReadDir(dir)
	if err != nil {
		return
	}
	for _, n := range names[:min(len(names), 1000)] {
		at := path.Join(dir, n)
		if in, err := t.Lstat(at); err == nil && in.Mode.IsDir() && depth > 0 {
			sweep(t, at, depth-1)
			continue
		}
		_ = t.Remove(at) // what is no regular file stays, and the directory with it
	}
	_ = t.Rmdir(dir)
}

// listsOf returns the time of the newest list of a package manager, the zero time if there is none. A list of apt has
// the time at which the repository made it, one of dnf that at which it was fetched or found current.
func (c *collector) listsOf(manager string) (newest time.Time) {
	pattern := "var/lib/apt/lists"
	if manager == host.DNF {
		pattern = dnf4Cache + "/*/repodata"
		if c.dnf5() {
			pattern = dnf5Cache + "/*/repodata"
		}
	}
	left := mostLists
	for _, dir := range dirsOf(c.t, pattern) {
		names, err := c.t.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, n := range names[:min(len(names), left)] {
			left--
			in, err := c.t.Stat(path.Join(dir, n))
			if err == nil && in.Mode.IsRegular() && n != "lock" && in.Time.After(newest) {
				newest = in.Time
			}
		}
	}
	return newest
}

// dirsOf is a directory, or those of a pattern with one star for the directory before the last.
func dirsOf(t target.Target, pattern string) (out []string) {
	up, last, ok := strings.Cut(pattern, "/*/")
	if !ok {
		return []string{pattern}
	}
	names, err := t.ReadDir(up)
	if err != nil {
		return nil
	}
	for _, n := range names {
		out = append(out, path.Join(up, n, last))
	}
	return out
}
