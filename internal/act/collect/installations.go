package collect

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// mostFiles bounds the names that are kept of one directory: all extensions that Debian packages are some 200. With
// more it is not known what is there.
const mostFiles = 2000

// installations writes servers.json: the server programs that are installed here, with the extensions and libraries
// that each of them finds. An upgrade to one of them needs what the old server uses.
func (c *collector) installations(ctx context.Context) {
	if !c.req.Servers {
		return
	}
	if l, ok := c.t.(*target.Local); !ok || l.Root != "" && l.Root != "/" {
		c.a.AddMissing(evidence.Missing{Name: host.ServersFile, State: known.Unread,
			Reason: "no programs are run on this target"})
		return
	}
	out := []host.InstalledServer{}
	for _, b := range scratch.Find(ctx) {
		s := host.InstalledServer{Path: b.Dir, Number: int(b.Version)}
		if st, err := c.t.Stat(path.Join(b.Dir, "pg_upgrade")); err == nil {
			s.Upgrades = st.Mode.IsRegular()
		}
		s.Extensions = c.namesIn(extensionDirs(b), ".control", "plpgsql")
		s.Libraries = c.namesIn(libraryDirs(b), ".so", "plpgsql")
		out = append(out, s)
	}
	c.json(host.ServersFile, out)
}

// extensionDirs are where the control files of an installation may be: Debian has them apart from the programs.
func extensionDirs(b scratch.Binaries) []string {
	up := path.Dir(b.Dir)
	out := []string{path.Join(up, "share/extension"), path.Join(up, "share/postgresql/extension")}
	major := strconv.Itoa(b.Version.Major())
	if prefix, ok := strings.CutSuffix(up, "/lib/postgresql/"+major); ok {
		out = append(out, path.Join("/", prefix, "share/postgresql", major, "extension"))
	}
	return out
}

// libraryDirs are where its libraries may be.
func libraryDirs(b scratch.Binaries) []string {
	up := path.Dir(b.Dir)
	return []string{path.Join(up, "lib"), path.Join(up, "lib/postgresql")}
}

// namesIn lists the files of the first directory that has one which each installation has, without their suffix.
func (c *collector) namesIn(dirs []string, suffix, one string) []string {
	for _, d := range dirs {
		names, err := c.t.ReadDir(d)
		if err != nil || !slices.Contains(names, one+suffix) {
			continue
		}
		out := []string{}
		slices.Sort(names)
		for _, n := range names {
			if name, ok := strings.CutSuffix(n, suffix); ok {
				out = append(out, name)
			}
		}
		if len(out) > mostFiles {
			return nil
		}
		return out
	}
	return nil
}
