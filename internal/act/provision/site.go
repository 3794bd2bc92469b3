package provision

import (
	"context"
	"debug/elf"
	"os"
	"os/user"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/pgctl/distribution"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
)

// Site looks at a host for what an order needs. s is the snapshot of it, whose instances take ports too; standby is
// that a server is to be copied.
func Site(ctx context.Context, t target.Target, s *snapshot.Snapshot, o creation.Order, standby bool) creation.Site {
	at := &siteAt{creation.Site{Root: t.UID() == 0, Accounts: map[string]newcluster.Account{},
		Clusters: map[string]string{}}}
	at.Programs = programs(ctx, o.Bin, standby)
	at.Tool = runs(t, "/usr/bin/pg_createcluster")
	if names, err := t.ReadDir("/usr"); err == nil {
		for _, n := range names {
			at.RedHat = at.RedHat || strings.HasPrefix(n, "pgsql-")
		}
	}
	_, err := t.Stat("/run/systemd/system")
	at.Systemd = err == nil
	at.SELinux = text(t, "/sys/fs/selinux/enforce") == "1"
	for line := range strings.Lines(text(t, "/etc/os-release")) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "ID="); ok {
			at.Distro = strings.Trim(id, `"'`)
		}
	}
	at.accounts(t, o.Owner)
	at.Locales = locales(ctx, t)
	ports(t, s, at)
	if in, err := t.Stat("/var/run/postgresql"); err == nil && in.Mode.IsDir() {
		at.SocketDir = "/var/run/postgresql"
	}
	if o.Firewall == creation.Firewalld { // its client takes half a second to say so
		at.Firewalld = firewalld(ctx, t)
	}
	at.NFT = runs(t, "/usr/sbin/nft") || runs(t, "/sbin/nft")
	return at.Site
}

// programs are those that are installed, or those of one directory. To ask each for its version is a good part of the
// time that a plan takes: it is done once, and for the one directory alone where no copy is to be made.
func programs(ctx context.Context, dir string, standby bool) (out []creation.Programs) {
	var list, all []scratch.Binaries
	if dir == "" || standby {
		all = scratch.Installed(ctx)
		list = all
	}
	if dir != "" {
		list = nil
		if b, err := scratch.At(ctx, dir); err == nil {
			list = []scratch.Binaries{b}
		}
	}
	for _, b := range list {
		bin := filepath.Dir(b.Tool("postgres"))
		out = append(out, creation.Programs{Bin: bin, Version: b.Version, Unfinished: b.Unfinished,
			ICU: linked(b.Tool("postgres"), "libicu"), GSS: linked(b.Tool("postgres"), "libgssapi"),
			PAM: linked(b.Tool("postgres"), "libpam"), BaseBackup: baseBackup(b, all)})
	}
	return out
}

// baseBackup is the program that copies a server of a version: its own, or that of a later one, which reads earlier
// servers too.
func baseBackup(b scratch.Binaries, all []scratch.Binaries) string {
	const name = "pg_basebackup"
	for _, other := range append([]scratch.Binaries{b}, all...) {
		at := other.Tool(name)
		if in, err := os.Stat(at); err == nil && in.Mode().IsRegular() && other.Version.Major() >= b.Version.Major() {
			return at
		}
	}
	return ""
}

// linked reports whether a program names a library to the linker.
func linked(program, library string) bool {
	f, err := elf.Open(program)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	list, err := f.ImportedLibraries()
	if err != nil {
		return false
	}
	for _, l := range list {
		if strings.HasPrefix(l, library) {
			return true
		}
	}
	return false
}

func runs(t target.Target, program string) bool {
	in, err := t.Stat(program)
	return err == nil && in.Mode.IsRegular() && in.Mode.Perm()&0o111 != 0
}

func text(t target.Target, name string) string {
	b, err := t.ReadFile(name, target.MaxConfigFile)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// accounts looks up the owner that is wanted, the usual one, and who we are.
func (at *siteAt) accounts(t target.Target, owner string) {
	for _, name := range []string{owner, "postgres"} {
		if u, err := user.Lookup(name); name != "" && err == nil {
			at.account(u)
		}
	}
	if t.UID() == 0 {
		return
	}
	clear(at.Accounts) // who is not root makes instances of their own
	if u, err := user.LookupId(strconv.Itoa(t.UID())); err == nil {
		at.account(u)
	}
}

func (at *siteAt) account(u *user.User) {
	uid, err1 := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	if err1 != nil || err2 != nil {
		return
	}
	group := u.Gid
	if g, err := user.LookupGroupId(u.Gid); err == nil {
		group = g.Name
	}
	at.Accounts[u.Username] = newcluster.Account{Name: u.Username, Group: group, UID: uid, GID: gid}
}

// locales asks the system which it has.
func locales(ctx context.Context, t target.Target) known.Fact[[]string] {
	gap := func(why string) known.Fact[[]string] {
		return known.Without[[]string](known.Unread, known.Gap{Fact: "locales", Reason: why})
	}
	out, err := t.Run(ctx, target.Command{Argv: []string{"locale", "-a"}})
	switch {
	case err != nil:
		return gap(err.Error())
	case out.Code != 0:
		return gap(say.Err("it failed: {text}", "text", "locale -a").Error())
	}
	return known.Is(strings.Fields(string(out.Stdout)))
}

// firewalld reports whether it runs.
func firewalld(ctx context.Context, t target.Target) bool {
	if !runs(t, "/usr/bin/firewall-cmd") {
		return false
	}
	out, err := t.Run(ctx, target.Command{Argv: []string{"firewall-cmd", "--state"}})
	return err == nil && out.Code == 0
}

// ports gathers what is taken, also by the instances of the snapshot.
func ports(t target.Target, s *snapshot.Snapshot, at *siteAt) {
	var configured []string
	for _, c := range distribution.Clusters(t) {
		at.Clusters[c.Version+"/"+c.Name] = c.Data
		configured = append(configured, c.Data)
	}
	for _, c := range distribution.ServedClusters(t) {
		configured = append(configured, c.Data)
	}
	at.Idle = idle(t, s, configured)
	at.Ports = Taken(t)
	for _, list := range [][]snapshot.Instance{s.Instances, s.Neighbours} {
		for i := range list {
			if p, ok := list[i].Port.Get(); ok {
				at.Ports[p] = say.M("the instance {instance} has it", "instance", list[i].Label()).String()
			}
		}
	}
}

// idle are those of the data directories whose servers the snapshot does not have: they do not run, and nothing is to
// start them at boot.
func idle(t target.Target, s *snapshot.Snapshot, configured []string) (out []string) {
	counted := map[string]bool{}
	for _, list := range [][]snapshot.Instance{s.Instances, s.Neighbours} {
		for i := range list {
			if dir, ok := list[i].DataDirectory.Get(); ok {
				counted[dir] = true
			}
		}
	}
	for _, x := range s.Strangers { // whose memory is counted as that of other programs
		if x.DataDirectory == nil {
			return nil // any of them may be that server
		}
		counted[*x.DataDirectory] = true
	}
	for _, dir := range configured {
		real, err := t.Resolve(dir)
		if dir == "" || err != nil || counted[real] || counted[dir] {
			continue
		}
		counted[real] = true
		out = append(out, real)
	}
	return out
}

// Taken are the ports that are in use, with by what: by the configuration of a cluster that does not run, by a process
// that listens, by the socket of a server in one of the usual directories or of those that are given.
func Taken(t target.Target, dirs ...string) map[int]string {
	taken := map[int]string{}
	for _, c := range distribution.ServedClusters(t) {
		if c.Port == 0 {
			continue // unknown: what listens is found below
		}
		taken[c.Port] = say.M("the instance in {dir} is configured for it", "dir", c.Data).String()
	}
	for _, c := range distribution.Clusters(t) {
		port := c.Port
		if port == 0 {
			port = distribution.DefaultPort
		}
		taken[port] = say.M("the cluster {version}/{name} is configured for it", "version", c.Version, "name",
			c.Name).String()
	}
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		b, err := t.ReadFile(name, host.MaxNetTCP)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(b)) {
			l, ok := host.ParseListener(line)
			if !ok {
				continue
			}
			if p := int(l.At.Port()); taken[p] == "" {
				taken[p] = say.M("a process of user {uid} listens on it", "uid", strconv.Itoa(l.UID)).String()
			}
		}
	}
	for _, dir := range append([]string{"/var/run/postgresql", "/tmp"}, dirs...) {
		names, err := t.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, n := range names {
			p, err := strconv.Atoi(strings.TrimPrefix(n, ".s.PGSQL."))
			if err == nil && strings.HasPrefix(n, ".s.PGSQL.") && taken[p] == "" {
				taken[p] = say.M("there is a socket {path}", "path", path.Join(dir, n)).String()
			}
		}
	}
	return taken
}

// siteAt is a site that is being looked at.
type siteAt struct{ creation.Site }
