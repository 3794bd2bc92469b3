package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/export"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/markdown"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

// runCheckConfs judges configuration files, each on its own: no server is asked,
// and no host is looked at but for the files.
func runCheckConfs(ctx context.Context, env *Env, o *checkOptions, pol *policy.Policy, failOn check.Severity, fails bool) error {
	if o.deep {
		return usage("--conf asks no server", "leave out --deep")
	}
	if len(o.more) > 0 && (o.format == "json" || o.format == "html" || o.format == "sarif") {
		return usage("--format "+o.format+" is one document, and there are several files", "run once for each file")
	}
	host, err := confHost(ctx, env, o)
	if err != nil {
		return err
	}
	found := error(nil)
	for i, file := range append([]string{o.conf}, o.more...) {
		if i > 0 && (o.format == "text" || o.format == "markdown") {
			fmt.Fprintln(env.Stdout)
		}
		switch err := runCheckConf(env, o, host, pol, file, failOn, fails); {
		case errors.Is(err, errFindings):
			found = err
		case err != nil:
			return err
		}
	}
	return found
}

// confHost returns the machine that files are judged for; nil where none is named.
// Of this host's own instances nothing is kept: the file is for one that may not
// be there yet.
func confHost(ctx context.Context, env *Env, o *checkOptions) (*snapshot.Snapshot, error) {
	switch {
	case o.host != "" && o.here:
		return nil, usage("--for and --on name two machines", "leave one out")
	case o.host != "":
		l, err := describe(env, o.host)
		if err != nil {
			return nil, err
		}
		if d, err := snapshot.ParseDescription(o.host); err == nil && !d.NoMajor && o.pg == 0 {
			o.pg, o.fromHost = d.Major, true
		}
		return l.Snapshot, nil
	case o.here:
		l, err := load(ctx, env, "", false)
		if err != nil {
			return nil, err
		}
		l.Snapshot.Instances = []snapshot.Instance{{Key: "1"}}
		return l.Snapshot, nil
	}
	return nil, nil
}

func runCheckConf(env *Env, o *checkOptions, host *snapshot.Snapshot, pol *policy.Policy, file string, failOn check.Severity, fails bool) error {
	main, err := confMain(env, file)
	if err != nil {
		return err
	}
	view, err := trust.Named(env.Target, main)
	if err != nil {
		return err
	}
	files := pgctl.Files(view)
	here, _ := filepath.Abs(".")
	show := func(p string) string { return shorter(here, p) }
	text, err := fs.ReadFile(files, strings.TrimPrefix(main, "/"))
	if err != nil {
		return fmt.Errorf("--conf: %w", err)
	}
	d := document.File{}
	if host != nil {
		d.Assumed = document.AssumedOf(host)
	}
	switch form := conffile.FormOf(text); form {
	case conffile.PostgreSQL:
	case conffile.HBA:
		return usage(fmt.Sprintf("--conf: %q is a pg_hba.conf", file), "its lines are judged on the server that reads them: pgfettle check")
	default:
		d.Report = conffile.JudgeForeign(form, main, text, show, host, checks.All())
		return tellFile(env, o, d, pol, failOn, fails)
	}
	r := conf.Resolve(files, main, "")
	dir := confDataDir(view, main, r)
	if dir != "" && path.Base(main) != conf.AutoFile {
		r = conf.Resolve(files, main, dir)
	}
	d.From = "--pg"
	major := o.pg
	switch {
	case major != 0 && !params.Covers(major):
		return usage(fmt.Sprintf("--pg: nothing is known of PostgreSQL %d", major), "the versions that are known are "+knownMajors())
	case o.fromHost:
		d.From = "--for"
	case major != 0:
	default:
		if major = clusterMajor(view, dir); params.Covers(major) {
			d.From = "PG_VERSION"
		} else {
			all := params.Majors()
			major, d.From = all[len(all)-1], "newest"
		}
	}
	d.Report = conffile.Judge(r, main, major, show, host, checks.All())
	return tellFile(env, o, d, pol, failOn, fails)
}

// tellFile writes the report on a file in the form that was asked for.
func tellFile(env *Env, o *checkOptions, d document.File, pol *policy.Policy, failOn check.Severity, fails bool) (err error) {
	d.For = o.host
	if o.here {
		d.For = "this host"
	}
	d.Findings = slices.DeleteFunc(d.Findings, func(f conffile.Finding) bool {
		return len(o.only) > 0 && !slices.Contains(o.only, f.ID) || slices.Contains(o.skip, f.ID)
	})
	d.Accept(check.Options{Accept: pol.Accepted(), Today: today(env)})
	d.Policy, d.All = pol.File, o.all
	switch o.format {
	case "json":
		err = json.File(env.Stdout, env.spokenFile(d))
	case "html":
		err = writePage(env, env.Stdout, 0, d, web.FilePage)
	case "markdown":
		err = markdown.Write(env.Stdout, outline.File(d, env.words))
	case "github":
		err = export.FileGitHub(env.Stdout, env.spokenFile(d))
	case "sarif":
		err = export.FileSARIF(env.Stdout, env.spokenFile(d), Version)
	default:
		err = term.Write(env.Stdout, outline.File(d, env.words), env.Style())
	}
	if err != nil {
		return err
	}
	if worst, any := d.Worst(); fails && any && worst >= failOn {
		return errFindings
	}
	return nil
}

// confMain returns the absolute path of a file that is there and can be read.
func confMain(env *Env, name string) (string, error) {
	main, err := filepath.Abs(name)
	if err != nil {
		return "", fmt.Errorf("--conf: %w", err)
	}
	st, err := env.Target.Stat(main)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", usage(fmt.Sprintf("--conf: there is no file %q", name), "name a postgresql.conf")
	case errors.Is(err, fs.ErrPermission):
		return "", &say.Problem{Message: fmt.Sprintf("--conf: %q: permission denied", name), Hint: "run pgfettle as root or as the owner of the file", Code: exitNoAccess}
	case err != nil:
		return "", fmt.Errorf("--conf: %w", err)
	case !st.Mode.IsRegular():
		return "", usage(fmt.Sprintf("--conf: %q is no regular file", name), "name a postgresql.conf")
	}
	if _, err := fs.ReadFile(pgctl.Files(env.Target), strings.TrimPrefix(main, "/")); err != nil {
		code, hint := exitError, ""
		switch {
		case errors.Is(err, fs.ErrPermission):
			code, hint = exitNoAccess, "run pgfettle as root or as the owner of the file"
		case errors.Is(err, target.ErrTooLarge):
			hint = "a postgresql.conf has less than a megabyte"
		}
		return "", &say.Problem{Message: "--conf: " + err.Error(), Hint: hint, Code: code}
	}
	return main, nil
}

// confDataDir returns the data directory that a file belongs to, whose
// postgresql.auto.conf the server reads last: the folder that the file lies in,
// or the one that it names, where that is a data directory. "" for neither: a
// file in a repository.
func confDataDir(view target.Target, main string, r conf.Resolved) string {
	dirs := []string{path.Dir(main)}
	if s, ok := r.Winner("data_directory"); ok && path.IsAbs(s.Value) {
		dirs = append(dirs, path.Clean(s.Value))
	}
	for i, d := range dirs {
		if _, err := view.Stat(path.Join(d, "PG_VERSION")); err == nil {
			return d
		}
		if _, err := view.Stat(path.Join(d, conf.AutoFile)); err == nil && i == 0 {
			return d // copied without the rest
		}
	}
	return ""
}

// clusterMajor reads PG_VERSION; 0 where there is none.
func clusterMajor(view target.Target, dir string) int {
	if dir == "" {
		return 0
	}
	b, err := view.ReadFile(path.Join(dir, "PG_VERSION"), 64) // it holds one short number
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0
	}
	return n
}

func knownMajors() string {
	var out []string
	for _, m := range params.Majors() {
		out = append(out, strconv.Itoa(m))
	}
	return strings.Join(out, ", ") + ", and " + strconv.Itoa(params.Preview) + " as a preview"
}

// shorter spells a path from the working directory where it lies below it, which
// is what a code host makes links of.
func shorter(here, p string) string {
	if rel, err := filepath.Rel(here, p); err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
		return rel
	}
	return p
}

// kindIDs are the ids of the judgements on files, beside those of the checks.
func kindIDs() []string {
	var ids []string
	for _, k := range conffile.Kinds() {
		ids = append(ids, k.ID)
	}
	return ids
}

// pgWords completes --pg.
func pgWords() []string {
	var out []string
	for _, m := range append(params.Majors(), params.Preview) {
		out = append(out, strconv.Itoa(m))
	}
	return out
}
