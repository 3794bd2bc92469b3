package workload

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
)

// Pgbench is the program.
type Pgbench struct {
	Path    string
	Version unit.Version
}

// folders are the places where packages put pgbench. The one that PATH leads to
// comes last: on Debian it is a script that chooses a version by itself.
var folders = []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/lib/postgresql*/bin",
	"/usr/local/pgsql*/bin", "/usr/local/bin", "/usr/bin"}

// oldest is the first version whose report and options we know.
const oldest = 13

// askTimeout bounds pgbench --version, which takes milliseconds.
const askTimeout = 5 * time.Second

// FindPgbench returns the pgbench of the preferred major version, or else the
// newest one that is installed: a newer pgbench speaks with an older server. The
// problem names the package.
func FindPgbench(ctx context.Context, prefer unit.Version) (Pgbench, error) {
	return findPgbench(ctx, &target.Local{}, folders, prefer)
}

// Installed returns every program of PostgreSQL's with this name that packages
// have put here, such as pg_dump.
func Installed(ctx context.Context, name string) []Pgbench {
	found, _ := installed(ctx, &target.Local{}, folders, name)
	return found
}

// installed looks for a program; old is the version of one that is too old.
func installed(ctx context.Context, t target.Target, folders []string, name string) (found []Pgbench, old string) {
	for _, f := range folders {
		paths, _ := filepath.Glob(filepath.Join(f, name)) // the patterns are well formed
		for _, path := range paths {
			out, err := t.Run(ctx, target.Command{Argv: []string{path, "--version"}, Timeout: askTimeout, Limit: 4096})
			if err != nil || out.Code != 0 {
				continue
			}
			v, err := versionOf(name, string(out.Stdout))
			switch {
			case err != nil:
			case v.Major() < oldest:
				old = v.String()
			default:
				found = append(found, Pgbench{Path: path, Version: v})
			}
		}
	}
	return found, old
}

func findPgbench(ctx context.Context, t target.Target, folders []string, prefer unit.Version) (Pgbench, error) {
	found, old := installed(ctx, t, folders, "pgbench")
	if ctx.Err() != nil {
		return Pgbench{}, context.Cause(ctx)
	}
	if len(found) == 0 {
		return Pgbench{}, noPgbench(prefer, old)
	}
	slices.SortStableFunc(found, func(a, b Pgbench) int {
		if x, y := a.Version.Major() == prefer.Major(), b.Version.Major() == prefer.Major(); x != y {
			if x {
				return -1
			}
			return 1
		}
		return int(b.Version - a.Version)
	})
	return found[0], nil
}

func noPgbench(prefer unit.Version, old string) error {
	major := strconv.Itoa(params.Newest())
	if prefer.Major() >= oldest {
		major = strconv.Itoa(prefer.Major())
	}
	p := &say.Problem{Message: say.M("pgbench is not installed"), Code: say.CodeError,
		Hint: say.M("install postgresql-{major} (Debian, Ubuntu), postgresql{major} (RPMs of the PostgreSQL project) "+
			"or postgresql-contrib (those of Red Hat and Fedora)", "major", major)}
	if old != "" {
		p.Detail = say.M("the one that is here is of {old}, older than 13", "old", old)
	}
	return p
}

// versionOf reads "pgbench (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)".
func versionOf(name, out string) (unit.Version, error) {
	_, rest, ok := strings.Cut(out, name+" (PostgreSQL) ")
	word, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	word, _, _ = strings.Cut(word, "\n")
	major, minor, _ := strings.Cut(word, ".")
	if i := strings.IndexFunc(major, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		major, minor = major[:i], "0" // 19beta1
	}
	m, err1 := strconv.Atoi(major)
	n, err2 := strconv.Atoi(minor)
	if !ok || err1 != nil || err2 != nil && minor != "" || m < 1 || m > 999 || n < 0 || n > 9999 {
		return 0, say.Err("{value} is not the version of a {name}", "value", say.Quoted(strings.TrimSpace(word)),
			"name", name)
	}
	return unit.MajorVersion(m) + unit.Version(n), nil
}
