package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/upgrade"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/export/findings"
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
	fromHost bool     // pg is what host reports
	more     []string // files beside conf
	pg       int
	upgrade  int // major version of --upgrade-to; 0: not asked for
	all      bool
	brief    bool
	policy   policyOptions
}

func newCheck(env *Env) *cobra.Command {
	o := &checkOptions{}
	cmd := &cobra.Command{
		Use:   "check [TARGET]",
		Short: "Check a host, its instances or a configuration file",
		Long: `Check a host and its PostgreSQL instances. Findings are listed worst first, each
with what was seen, why it matters and what to do; pgfettle explain ID has the
whole explanation, with sources. Then follow the facts that are unknown, with
the right or command that reveals them. Nothing is changed. With --fail-on, the
exit status is 3 on findings of at least that severity.

With --conf, a configuration file and its includes are checked instead, without
a server. Findings name file and line: settings that are removed, renamed,
unknown, out of bounds, overridden, contradictory or dangerous. Files of
sysctl.d, systemd units and fstab are recognized and checked, too. Several files
can be given, each checked separately; json, html and sarif take one.

The major version for --conf is that of --pg or --for, of PG_VERSION in the
directory of the file or in its data_directory, or the one that the file names.
Otherwise it is the newest supported one.

--for describes the host of the file, as with pgfettle plan --for; --on means
this host. Then memory, page tables, huge pages and space for WAL are checked,
too. Only a policy given with --policy applies to files: its accepted findings
and fail_on.

With --upgrade-to, an upgrade to a later major version is judged first: what
stops pg_upgrade or the new server, which settings change their meaning, which
defaults change, and the steps with the paths of this host. --deep also looks
into each database, where most obstacles are. What was not looked at is listed;
pg_upgrade --check is the last word. With --fail-on, the exit status is 3 if
anything stops the upgrade.

Findings that the policy accepts are only counted; --all shows them. After the
expiry date of an acceptance, its finding is reported again, with the expiry.

` + policyHelp + `
` + targetHelp,
		Example: `  pgfettle check
  pgfettle check /var/lib/postgresql/17/main
  pgfettle check 'host=db1 user=monitor dbname=postgres'
  pgfettle check --fail-on warning --format json
  pgfettle check --brief
  pgfettle check --only swappiness_high,thp_always
  pgfettle check --conf postgresql.conf --pg 17 --fail-on critical
  pgfettle check --conf postgresql.conf --pg 18 --format github
  pgfettle check --deep --upgrade-to 19
  pgfettle check --conf postgresql.conf --pg 15 --upgrade-to 19
  pgfettle check --conf postgresql.conf --for 'ram=16GB,cpus=8,storage=ssd'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.conf != "" {
				return nil // further files, as commit hooks pass them
			}
			return atMost(1, "at most one TARGET")(cmd, args)
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
		"`FORMAT` output format: text, json, html, markdown, github (annotations of GitHub Actions), sarif")
	f.StringVar(&o.failOn, "fail-on", "",
		"`SEVERITY` exit with status 3 on findings of at least this severity: critical, warning, notice, info")
	f.StringSliceVar(&o.only, "only", nil, "`LIST` run only these checks")
	f.StringSliceVar(&o.skip, "skip", nil, "`LIST` do not run these checks")
	f.BoolVar(&o.deep, "deep", false, deepHelp)
	f.StringVar(&o.conf, "conf", "", "`FILE` check a configuration file, without a server")
	f.StringVar(&o.host, "for", "", "`KEY=VALUE,…` check --conf for the described host, such as "+
		"ram=64GB,cpus=16,storage=nvme")
	f.BoolVar(&o.here, "on", false, "check --conf for this host")
	f.IntVar(&o.pg, "pg", 0, "`N` major version to check --conf for (default: see above)")
	f.IntVar(&o.upgrade, "upgrade-to", 0, "`N` also judge an upgrade to this major version")
	f.BoolVar(&o.all, "all", false, "include accepted findings")
	f.BoolVar(&o.brief, "brief", false, "one line for each finding (text; on a terminal, the worst is last)")
	o.policy.flags(cmd)
	complete(cmd, "format", "text", "json", "html", "markdown", "github", "sarif")
	complete(cmd, "pg", pgWords()...)
	complete(cmd, "upgrade-to", pgWords()[1:]...)
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
			return say.Usage(say.M("--fail-on: {error}", "error", err), say.M("Use one of: critical, warning, "+
				"notice, info."))
		}
	}
	for flag, ids := range map[string][]string{"only": o.only, "skip": o.skip} {
		if err := knownChecks(flag, ids); err != nil {
			return err
		}
	}
	if o.upgrade != 0 {
		if err := upgradable(o); err != nil {
			return err
		}
	}
	if o.brief && (o.format != "text" || o.conf != "" || o.all) {
		return say.Usage(say.M("--brief cannot be used with --format, --conf or --all"), say.M("Omit one of them."))
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
		return say.Usage(say.M("--for and --on require --conf"),
			say.M("Name the file with --conf, or use pgfettle plan --for."))
	}
	if o.pg != 0 {
		return say.Usage(say.M("--pg requires --conf"),
			say.M("Omit --pg: the version of each instance is detected."))
	}
	pol, err := o.policy.load(env, site(env, o.target))
	if err != nil {
		return err
	}
	if pol.Limits.FailOn != nil && !fails {
		failOn, fails = *pol.Limits.FailOn, true
	}
	l, err := loadAs(ctx, env, app.Request{Target: o.target, Deep: o.deep, Why: true, Packages: true,
		Servers: o.upgrade != 0})
	if err != nil {
		return err
	}
	co := env.host().CheckOptions(pol)
	co.Only, co.Skip = o.only, o.skip
	d := judge(l, co)
	d.Policy, d.All = pol.File, o.all
	if o.upgrade != 0 {
		if d.Upgrades, err = l.Upgrade(o.upgrade); err != nil {
			return err
		}
	}
	switch o.format {
	case "json":
		err = json.Check(env.Stdout, env.spokenCheck(d))
	case "html":
		err = writePage(env, env.Stdout, l.Snapshot.TakenAt, d, web.CheckPage)
	case "markdown":
		err = markdown.Write(env.Stdout, outline.Check(d, env.words))
	case "github":
		err = findings.CheckGitHub(env.Stdout, env.spokenCheck(d))
	case "sarif":
		err = findings.CheckSARIF(env.Stdout, env.spokenCheck(d), Version)
	default:
		out := outline.ShortCheck(d, env.words)
		if o.brief {
			_, seen := terminal(env.Stdout)
			out = outline.Brief(d, seen, env.words)
		}
		err = term.Write(env.Stdout, out, env.Style())
	}
	if err != nil {
		return err
	}
	// Findings are ordered worst first.
	if fails && (len(d.Findings) > 0 && d.Findings[0].Severity >= failOn || upgradeStops(d.Upgrades)) {
		return errFindings
	}
	return nil
}

// judge runs the checks over what was loaded.
func judge(l *loaded, o check.Options) document.Check {
	return document.Check{Report: l.Check(o), Subject: document.SubjectOf(l.Snapshot)}
}

// upgradable says whether --upgrade-to can be met.
func upgradable(o *checkOptions) error {
	if o.brief || o.format == "github" || o.format == "sarif" {
		return say.Usage(say.M("--upgrade-to cannot be used with --brief, --format github or --format sarif"),
			say.M("Omit one of them."))
	}
	return app.UpgradeTarget(o.upgrade)
}

// upgradeStops reports whether something stops an upgrade.
func upgradeStops(list []upgrade.Report) bool {
	return slices.ContainsFunc(list, upgrade.Report.Blocked)
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
			return say.Usage(say.M("invalid value for --{flag}: there is no check {ids}", "flag", flag, "ids",
				say.Quoted(ids[i])),
				say.DidYouMean(ids[i], all, say.M("List the checks: pgfettle explain")))
		}
	}
	return nil
}
