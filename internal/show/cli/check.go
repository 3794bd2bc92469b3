package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/export"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/markdown"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

type checkOptions struct {
	target   string
	format   string
	failOn   string
	only     []string
	skip     []string
	deep     bool
	conf     string
	host     string // as plan --for
	here     bool
	fromHost bool     // pg is what host tells
	more     []string // files beside conf
	pg       int
	all      bool
	policy   policyOptions
}

func newCheck(env *Env) *cobra.Command {
	o := &checkOptions{}
	cmd := &cobra.Command{
		Use:   "check [TARGET]",
		Short: "Say what is wrong with a host and its instances, or with a configuration file",
		Long: `Look at a host and its PostgreSQL instances and say what is wrong, worst first:
what was seen, why it matters, what to do, and the sources. Then what could not
be judged, and which right or command would reveal it. Nothing is changed.

With --conf a configuration file is judged instead, with all that it includes,
for the version that --pg names, without a server: what is removed, renamed,
unknown, out of bounds, overridden, contradictory or dangerous, by file and line.
Without --pg the version is that of PG_VERSION beside the file or in the data
directory that it names, else the newest that is known. Several files may follow one
another, each on its own; json, html and sarif take one. --for describes the machine
that the file is for, as plan --for does, and --on names this one: then memory, page
tables, huge pages and the room for WAL are judged too. A file of sysctl.d, a unit of
systemd and an fstab are recognized and judged as such. Of a policy that --policy names
its accepted findings and fail_on hold for files too.

Findings that the policy accepts are counted apart, and shown with --all. One whose
day has passed is a finding again, and so is the end of its acceptance.

` + policyHelp + `
` + targetHelp,
		Example: `  pgfettle check
  pgfettle check /var/lib/postgresql/17/main
  pgfettle check 'host=db1 user=monitor dbname=postgres'
  pgfettle check --fail-on warning --format json
  pgfettle check --only swappiness_high,thp_always
  pgfettle check --conf postgresql.conf --pg 17 --fail-on critical
  pgfettle check --conf postgresql.conf --pg 18 --format github
  pgfettle check --conf postgresql.conf --for 'ram=16GB,cpus=8,storage=ssd,disk=200GB,pg=17'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.conf != "" {
				return nil // further files, as hooks hand them over
			}
			return atMost(1, "one TARGET at most")(cmd, args)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.conf != "" {
				o.more = args
			} else {
				o.target = strings.Join(args, "")
			}
			return runCheck(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text",
		"text, json, html (one file, for a browser), markdown, github (annotations of GitHub Actions) or sarif")
	f.StringVar(&o.failOn, "fail-on", "",
		"exit with 3 when a finding has this `SEVERITY` or a worse one: critical, warning, notice, info")
	f.StringSliceVar(&o.only, "only", nil, "run these checks only: `ID,…`")
	f.StringSliceVar(&o.skip, "skip", nil, "leave these checks out: `ID,…`")
	f.BoolVar(&o.deep, "deep", false, "also ask, in every database, what grows with the number of tables")
	f.StringVar(&o.conf, "conf", "", "judge the configuration `FILE` instead, without a server")
	f.StringVar(&o.host, "for", "", "judge --conf for the described `HOST`: 'ram=64GB,cpus=16,storage=nvme,pg=17'")
	f.BoolVar(&o.here, "on", false, "judge --conf for this host")
	f.IntVar(&o.pg, "pg", 0, "the major version that --conf is judged for, `N` (default: see above)")
	f.BoolVar(&o.all, "all", false, "show accepted findings in full")
	o.policy.flags(cmd)
	complete(cmd, "format", "text", "json", "html", "markdown", "github", "sarif")
	complete(cmd, "pg", pgWords()...)
	complete(cmd, "fail-on", "critical", "warning", "notice", "info")
	complete(cmd, "only", append(checkIDs(), kindIDs()...)...)
	complete(cmd, "skip", append(checkIDs(), kindIDs()...)...)
	return cmd
}

func runCheck(ctx context.Context, env *Env, o *checkOptions) error {
	if err := choice("format", o.format, "text", "json", "html", "markdown", "github", "sarif"); err != nil {
		return err
	}
	failOn, fails := check.Info, o.failOn != ""
	if fails {
		var err error
		if failOn, err = check.ParseSeverity(o.failOn); err != nil {
			return say.Usage("--fail-on: "+err.Error(), "critical is the worst, info the mildest")
		}
	}
	for flag, ids := range map[string][]string{"only": o.only, "skip": o.skip} {
		if err := knownChecks(flag, ids); err != nil {
			return err
		}
	}
	if o.conf != "" {
		pol, err := o.policy.load(env, false) // a file may be for any host: only what is named is meant
		if err != nil {
			return err
		}
		if pol.Limits.FailOn != nil && !fails {
			failOn, fails = *pol.Limits.FailOn, true
		}
		return runCheckConfs(ctx, env, o, pol, failOn, fails)
	}
	if o.host != "" || o.here {
		return say.Usage("--for and --on name the machine that --conf is judged for",
			"name the file with --conf, or use plan --for")
	}
	if o.pg != 0 {
		return say.Usage("--pg names the version that --conf is judged for",
			"leave it out: a host's instances tell theirs")
	}
	pol, err := o.policy.load(env, site(env, o.target))
	if err != nil {
		return err
	}
	if pol.Limits.FailOn != nil && !fails {
		failOn, fails = *pol.Limits.FailOn, true
	}
	l, err := loadAs(ctx, env, app.Request{Target: o.target, Deep: o.deep, Why: true})
	if err != nil {
		return err
	}
	co := env.host().CheckOptions(pol)
	co.Only, co.Skip = o.only, o.skip
	d := judge(l, co)
	d.Policy, d.All = pol.File, o.all
	switch o.format {
	case "json":
		err = json.Check(env.Stdout, env.spokenCheck(d))
	case "html":
		err = writePage(env, env.Stdout, l.Snapshot.TakenAt, d, web.CheckPage)
	case "markdown":
		err = markdown.Write(env.Stdout, outline.Check(d, env.words))
	case "github":
		err = export.CheckGitHub(env.Stdout, env.spokenCheck(d))
	case "sarif":
		err = export.CheckSARIF(env.Stdout, env.spokenCheck(d), Version)
	default:
		err = term.Write(env.Stdout, outline.Check(d, env.words), env.Style())
	}
	if err != nil {
		return err
	}
	// Findings are ordered worst first.
	if fails && len(d.Findings) > 0 && d.Findings[0].Severity >= failOn {
		return errFindings
	}
	return nil
}

// judge runs the checks over what was loaded.
func judge(l *loaded, o check.Options) document.Check {
	return document.Check{Report: l.Check(o), Subject: document.SubjectOf(l.Snapshot)}
}

func checkIDs() []string {
	var ids []string
	for _, c := range checks.All() {
		ids = append(ids, c.ID)
	}
	return ids
}

func knownChecks(flag string, ids []string) error {
	all := append(checkIDs(), kindIDs()...)
	for i, id := range ids {
		ids[i] = strings.TrimSpace(id)
		ok := false
		for _, k := range all {
			ok = ok || k == ids[i]
		}
		if !ok {
			return say.Usage("--"+flag+": there is no check \""+ids[i]+"\"",
				say.DidYouMean(ids[i], all, "'pgfettle explain' lists the checks"))
		}
	}
	return nil
}
