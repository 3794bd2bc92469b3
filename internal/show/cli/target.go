package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// targetHelp is in the help of every command that takes a TARGET.
const targetHelp = `TARGET is one of
  nothing            this host and every instance that runs on it; with PGHOST,
                     PGPORT or PGSERVICE set, the server that they name
  a data directory   its instance, running or not, and this host
  a conninfo         'host=db1 dbname=postgres' or postgresql://…; from another
                     host it gives no host facts
  an evidence file   written by 'pgfettle snapshot'; - reads it from stdin`

// whatATargetIs is the hint after a TARGET that is none.
const whatATargetIs = "a TARGET is a data directory, a conninfo such as host=db1, an evidence file of 'pgfettle snapshot', or nothing for this host"

// loaded is what a command looks at.
type loaded struct {
	request  *collect.Request // how it was collected; nil: from a file or a description
	archive  *evidence.Archive
	snapshot *snapshot.Snapshot
}

// load resolves a TARGET, collects or reads its evidence, and makes the
// snapshot of it.
func load(ctx context.Context, env *Env, arg string, deep bool) (*loaded, error) {
	return loadAs(ctx, env, arg, func(r *collect.Request) { r.Deep = deep })
}

// loadAs is load with more to say of what is collected, where it is.
func loadAs(ctx context.Context, env *Env, arg string, want func(*collect.Request)) (*loaded, error) {
	req, file, err := resolve(env, arg)
	if err != nil {
		return nil, err
	}
	l := &loaded{}
	if file != "" {
		l.archive, err = readEvidence(env, file)
	} else {
		tell, done := env.Progress()
		want(req)
		if req.Owners, err = env.owners(); err != nil {
			return nil, err
		}
		req.Tool, req.Progress, req.Measured = "pgfettle "+Version, tell, measuredDirs(env)
		req.History = peaks(env)
		l.request = req
		l.archive, err = collect.Run(ctx, env.Target, *req)
		done()
	}
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return l, l.read()
}

// read makes the snapshot from the archive. An error is an archive that is none
// of a host: what is merely missing in it is a missing fact.
func (l *loaded) read() (err error) {
	if l.snapshot, err = snapshot.Read(l.archive); err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	return nil
}

// describe loads a host that is not here from its description.
func describe(spec string) (*loaded, error) {
	a, err := snapshot.Describe(spec)
	if err != nil {
		return nil, usage("--for: "+err.Error(), describeHint(spec))
	}
	l := &loaded{archive: a}
	return l, l.read()
}

// describeHint shows how a host is described; what the server is for is told with flags.
func describeHint(spec string) string {
	for word := range strings.SplitSeq(spec, ",") {
		key, val, _ := strings.Cut(strings.TrimSpace(word), "=")
		switch key {
		case "connections", "active", "profile":
			return "what the server is for is told with flags: --" + key + " " + val
		}
	}
	return "describe the host as in --for 'ram=64GB,swap=2GB,cpus=16,sockets=2,storage=nvme,pg=17'"
}

// resolve says what an argument means: a request to collect, or the name of an
// evidence file ("-" for stdin).
func resolve(env *Env, arg string) (*collect.Request, string, error) {
	if arg == "" {
		for _, v := range []string{"PGHOST", "PGPORT", "PGSERVICE"} {
			if env.Getenv(v) != "" {
				return &collect.Request{Kind: collect.Conninfo}, "", nil
			}
		}
		return &collect.Request{Kind: collect.Here}, "", nil
	}
	if arg == "-" {
		return nil, arg, nil
	}
	st, err := os.Stat(arg)
	switch {
	case err == nil && st.IsDir():
		dir, err := dataDirectory(arg)
		return &collect.Request{Kind: collect.DataDir, Value: dir}, "", err
	case err == nil && st.Mode().IsRegular():
		return nil, arg, nil
	case err == nil:
		return nil, "", usage(fmt.Sprintf("%q is neither a folder nor a regular file", arg), whatATargetIs)
	case strings.Contains(arg, "=") || strings.Contains(arg, "://"):
		return &collect.Request{Kind: collect.Conninfo, Value: arg}, "", nil
	case errors.Is(err, fs.ErrPermission):
		return nil, "", &say.Problem{Message: fmt.Sprintf("%q: permission denied", arg), Hint: "run pgfettle as root or as the owner of the data directory", Code: exitNoAccess}
	}
	return nil, "", usage(fmt.Sprintf("no such target: %q", arg), whatATargetIs)
}

// dataDirectory returns the absolute path of a folder that initdb made.
func dataDirectory(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("data directory: %w", err)
	}
	_, err = os.Stat(filepath.Join(abs, "PG_VERSION"))
	switch {
	case err == nil:
		return abs, nil
	case errors.Is(err, fs.ErrPermission):
		return "", &say.Problem{Message: fmt.Sprintf("data directory %q: permission denied", dir), Hint: "run pgfettle as root or as the owner of the data directory", Code: exitNoAccess}
	}
	return "", usage(fmt.Sprintf("%q is no data directory: it has no PG_VERSION", dir), "name the folder that initdb made: 'SHOW data_directory' tells it")
}

// readEvidence reads an evidence file, never more of it than an archive may be.
func readEvidence(env *Env, file string) (*evidence.Archive, error) {
	var r io.Reader = env.Stdin
	name := "evidence on stdin"
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			code := exitError
			if errors.Is(err, fs.ErrPermission) {
				code = exitNoAccess
			}
			return nil, &say.Problem{Message: "evidence file: " + err.Error(), Code: code}
		}
		defer f.Close()
		r, name = f, fmt.Sprintf("evidence file %q", file)
	}
	return parseEvidence(r, name)
}

// parseEvidence reads evidence as it comes. A file that is too large is refused
// before its first byte is read.
func parseEvidence(r io.Reader, name string) (*evidence.Archive, error) {
	if f, ok := r.(*os.File); ok {
		if st, err := f.Stat(); err == nil && st.Mode().IsRegular() && st.Size() > evidence.MaxArchive {
			return nil, notEvidence(name, fmt.Sprintf("larger than %d MB", evidence.MaxArchive>>20))
		}
	}
	a, err := evidence.ParseFrom(r)
	text, ours := "", false
	if err != nil {
		text, ours = strings.CutPrefix(err.Error(), "evidence: ")
	}
	switch {
	case err == nil:
		return a, nil
	case ours:
		return nil, notEvidence(name, text)
	}
	return nil, fmt.Errorf("%s: %w", name, err)
}

func notEvidence(name, why string) error {
	return &say.Problem{Message: name + ": " + why, Hint: "'pgfettle snapshot -o FILE' writes such a file", Code: exitError}
}
