package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/export/findings"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/markdown"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

// runCheckConfs judges configuration files, each on its own: no server is asked, and no host is examined except for the
// files.
func runCheckConfs(ctx context.Context, env *Env, o *checkOptions, pol *policy.Policy, failOn check.Severity,
	fails bool) error {
	if o.deep {
		return say.Usage(say.M("--deep cannot be used with --conf"), say.M("Omit --deep: no server is queried."))
	}
	if len(o.more) > 0 && (o.format == "json" || o.format == "html" || o.format == "sarif") {
		return say.Usage(say.M("--format {format} takes one file", "format", o.format), say.M("Run pgfettle check "+
			"once for each file."))
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

// confHost returns the machine that files are judged for; nil if none is named. Of this host's own instances nothing is
// kept: the file is for one that may not be there yet.
func confHost(ctx context.Context, env *Env, o *checkOptions) (*snapshot.Snapshot, error) {
	switch {
	case o.host != "" && o.here:
		return nil, say.Usage(say.M("--for and --on cannot be used together"), say.M("Use only one of them."))
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

func runCheckConf(env *Env, o *checkOptions, host *snapshot.Snapshot, pol *policy.Policy, file string,
	failOn check.Severity, fails bool) error {
	major := app.FileMajor{Given: o.pg}
	if o.fromHost {
		major.From = "--for"
	}
	r, from, err := env.host().CheckFile(file, host, major)
	if err != nil {
		return err
	}
	d := document.File{Report: r, From: from}
	if o.upgrade != 0 {
		up, err := app.UpgradeOfFile(r, o.upgrade)
		if err != nil {
			return err
		}
		d.Upgrade = &up
	}
	if host != nil {
		d.Assumed = document.AssumedOf(host)
	}
	return tellFile(env, o, d, pol, failOn, fails)
}

// tellFile writes the report on a file in the form that was asked for.
func tellFile(env *Env, o *checkOptions, d document.File, pol *policy.Policy, failOn check.Severity,
	fails bool) (err error) {
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
		err = findings.FileGitHub(env.Stdout, env.spokenFile(d))
	case "sarif":
		err = findings.FileSARIF(env.Stdout, env.spokenFile(d), Version)
	default:
		err = term.Write(env.Stdout, outline.File(d, env.words), env.Style())
	}
	if err != nil {
		return err
	}
	worst, any := d.Worst()
	if fails && (any && worst >= failOn || d.Upgrade != nil && d.Upgrade.Blocked()) {
		return errFindings
	}
	return nil
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
	for _, m := range params.Covered() {
		out = append(out, strconv.Itoa(m))
	}
	return out
}
