package configure

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/planner"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Programs finds the server's programs that a choice names.
func Programs(ctx context.Context, c Choice) (scratch.Binaries, error) {
	if c.Bin != "" {
		b, err := scratch.At(ctx, c.Bin)
		if err != nil {
			return b, &say.Problem{Message: say.M("--bin: {error}", "error", err),
				Hint: say.M("name the directory of initdb, pg_ctl and postgres, such as /usr/lib/postgresql/17/bin"),
				Code: say.CodeUsage}
		}
		if c.Major != 0 && b.Version.Major() != c.Major {
			return b, &say.Problem{Message: say.M("--pg {major}: {dir} has another version, {version}", "major",
				fmt.Sprint(c.Major), "dir", b.Dir, "version", b.Version),
				Hint: say.M("leave one of --pg and --bin out"), Code: say.CodeUsage}
		}
		return b, supported(b)
	}
	best := choose(scratch.Installed(ctx), c.Major)
	if best.Dir == "" {
		best = choose(scratch.Find(ctx), c.Major)
	}
	if best.Dir != "" {
		return best, nil
	}
	majors := params.Majors()
	what, example := "the programs of a PostgreSQL server", params.Newest()
	if c.Major != 0 {
		what = fmt.Sprintf("the programs of PostgreSQL %d", c.Major)
	}
	if slices.Contains(majors, c.Major) {
		example = c.Major
	}
	return best, &say.Problem{Message: say.M("{what} are not installed here", "what", what), Code: say.CodeError,
		Hint: say.M("install the server package (postgresql-{major} on Debian, postgresql{major}-server on Red Hat), "+
			"or name its bin directory with --bin DIR; 'pgfettle demo' fetches server binaries", "major", example)}
}

// choose returns the newest of a list that is of a major version, 0 for any. What is installed goes before what was
// fetched for a demonstration, even if that is newer: the servers of this host are started with it.
func choose(list []scratch.Binaries, major int) (best scratch.Binaries) {
	for _, b := range list {
		if (major == 0 || b.Version.Major() == major) && supported(b) == nil && b.Version > best.Version {
			best = b
		}
	}
	return best
}

// supported refuses versions whose parameters this program does not know.
func supported(b scratch.Binaries) error {
	majors := params.Majors()
	if !slices.Contains(majors, b.Version.Major()) {
		return &say.Problem{Message: say.M("{value}: experiments are made with versions {oldest} to {newest}", "value",
			b, "oldest", fmt.Sprint(majors[0]), "newest", fmt.Sprint(majors[len(majors)-1])),
			Code: say.CodeUsage}
	}
	return nil
}

// Choice says which server programs are meant.
type Choice struct {
	Major int    // 0: the newest installed
	Bin   string // their directory; "": looked for
	Tool  string // our name and version, for the evidence

	// where the experiment's clusters will be: a plan is made for that disk; "": for the temporary directory's
	Scratch  string
	Measured []string // folders of probes, as of collect.Request: a plan depends on them here as it does elsewhere
}

// Trial is a throwaway cluster of the programs that will be measured, to try
// configurations on. Its steps are function values so that a test can stand in for the
// programs.
type Trial struct {
	Server scratch.Binaries
	// Look reads this host and the instances that run on it.
	Look func(context.Context) (*snapshot.Snapshot, error)
	// Try asks the programs whether they would start with these settings.
	Try func(ctx context.Context, settings map[string]string) (scratch.Tried, error)
	// Plan plans for this host with the throwaway cluster as its only instance.
	Plan func(context.Context, rule.Options) (*plan.Plan, error)
	// Installed reports whether a library is there to be loaded.
	Installed func(library string) bool
	// Close removes the cluster. It may be called again.
	Close func() error
}

// Open makes a throwaway cluster of the chosen programs.
func Open(ctx context.Context, t target.Target, c Choice) (*Trial, error) {
	b, err := Programs(ctx, c)
	if err != nil {
		return nil, err
	}
	inst, err := scratch.New(ctx, b, scratch.Options{Near: beside(c.Scratch)})
	if err != nil {
		return nil, err
	}
	k := &cluster{target: t, tool: c.Tool, measured: c.Measured, inst: inst}
	if k.shadow, err = scratch.NewShadow(b, inst.DataDir, inst.Account); err != nil {
		return nil, errors.Join(err, inst.Remove())
	}
	return &Trial{Server: b, Look: k.look, Try: k.shadow.Try, Plan: k.plan, Installed: k.installed, Close: k.close}, nil
}

// beside returns the directory that the scratch directory is in, or will be in, where that is on another filesystem
// than temporary files: what a plan says of the disk must be of the one that is measured, and /tmp is memory on many
// hosts.
func beside(scratch string) string {
	if scratch == "" {
		return ""
	}
	temp, err := os.Stat(os.TempDir())
	for dir := filepath.Dir(scratch); err == nil; dir = filepath.Dir(dir) {
		st, e := os.Stat(dir)
		switch {
		case e == nil && device(st) == device(temp):
			return ""
		case e == nil:
			return dir
		case dir == "/" || !errors.Is(e, fs.ErrNotExist):
			return ""
		}
	}
	return ""
}

func device(st fs.FileInfo) uint64 {
	sys, _ := st.Sys().(*syscall.Stat_t) // what os.Stat gives here
	return sys.Dev
}

// cluster is what a Trial depends on.
type cluster struct {
	target   target.Target
	tool     string
	measured []string
	inst     *scratch.Instance
	shadow   *scratch.Shadow
	closed   bool
}

func (k *cluster) close() error {
	if k.closed {
		return nil
	}
	k.closed = true
	return errors.Join(k.shadow.Remove(), k.inst.Remove())
}

func (k *cluster) look(ctx context.Context) (*snapshot.Snapshot, error) {
	a, err := collect.Run(ctx, k.target, collect.Request{Kind: collect.Here, Tool: k.tool, Progress: func(string) {}})
	if err != nil {
		return nil, err
	}
	return snapshot.Read(a)
}

// plan starts the cluster while it is being examined.
func (k *cluster) plan(ctx context.Context, o rule.Options) (p *plan.Plan, err error) {
	if err := k.inst.Start(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, k.inst.Stop()) }()
	a, err := collect.Run(ctx, k.target, collect.Request{Kind: collect.DataDir, Value: k.inst.DataDir, Tool: k.tool,
		Measured: k.measured, Progress: func(string) {}})
	if err != nil {
		return nil, err
	}
	p, _, err = planner.Make(ctx, k.target, a, o)
	return p, err
}

// libraryDirs are where packages and builds put libraries, from the directory of the programs: Debian and builds from
// source, wheels and archives, Red Hat.
var libraryDirs = []string{"../lib", "../lib/postgresql", "../lib64", "../lib64/pgsql", "../lib/pgsql"}

func (k *cluster) installed(library string) bool {
	name, inLibDir := strings.CutPrefix(library, "$libdir/")
	if !inLibDir && strings.Contains(name, "/") {
		st, err := os.Stat(name)
		return filepath.IsAbs(name) && err == nil && st.Mode().IsRegular()
	}
	if strings.Contains(name, "..") {
		return false
	}
	if !strings.HasSuffix(name, ".so") {
		name += ".so"
	}
	return slices.ContainsFunc(libraryDirs, func(dir string) bool {
		st, err := os.Stat(filepath.Join(k.inst.Binaries.Dir, dir, name))
		return err == nil && st.Mode().IsRegular()
	})
}
