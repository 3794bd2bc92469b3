package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/export"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/markdown"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

type planOptions struct {
	target      string
	profile     string
	connections int
	active      int
	storage     string
	dedicated   bool
	pins        []string
	format      string
	formatSaid  bool
	out         string
	force       bool
	accept      []string
	exitCode    bool
	describe    string
	describing  bool
	deep        bool
	upgrade     int // major version of --upgrade-to; 0: not asked for
	policy      policyOptions
	profileSaid bool
	site        *policy.Policy // what holds; read by who runs the command
}

var planFormats = append(slices.Clone(docForms), export.Names()...)

func newPlan(env *Env) *cobra.Command {
	o := &planOptions{}
	cmd := &cobra.Command{
		Use:   "plan [TARGET]",
		Short: "Recommend kernel and server settings, with reasons",
		Long: `Recommend settings of the kernel and of each server, and show how they differ
from the current ones: memory before and after, then each change with its
reason, when it takes effect, and its sources. Nothing is changed. With
--exit-code, the exit status is 3 if anything would change.

Flags give what the host cannot report: its workload (--profile), the number of
connections, or a storage type that cannot be detected.

--for plans for a host described by KEY=VALUE pairs instead of this one. ram is
required. Other keys: swap, cpus, sockets, storage, disk, pg, cgroup, container,
kernel, thp and set.NAME (a current setting of the server).

--format selects the output:
  text, json, html, markdown   the whole plan
  conf, alter-system, sysctl   lines for postgresql.conf, SQL, a sysctl.d file
  ansible, script              a playbook or a POSIX shell script that applies
                               the whole plan
  patroni, cnpg, docker        for patronictl edit-config, for a CloudNativePG
                               Cluster, or docker run arguments and compose file

The same rules as for apply hold for these files, also with --out. A high-risk
change is included only if --accept-risk names it ('all' accepts all of them).
Otherwise it is a comment with its reason, and so are changes that depend on it.
huge_pages is on only if the file reserves the huge pages first (ansible,
script) or they are already reserved. Otherwise it is try, and the head of the
file names the steps that come first.

With --upgrade-to, the plan is for the new cluster after an upgrade to a later
major version: for its parameters, on this host. Then follows what becomes of
each line of the old configuration: kept, renamed, adapted, not carried over, or
equal to the new default, and of the settings of roles and databases. If the new
version is installed here, its server tries the result. --format conf writes the
whole configuration as a file that the postgresql.conf of the new cluster can
include. It is not for apply: the server that runs is the old one.

` + policyHelp + `
` + targetHelp,
		Example: `  pgfettle plan
  pgfettle plan --profile oltp --connections 300 --storage nvme
  pgfettle plan --pin pg:work_mem=64MB,sysctl:vm.swappiness=5
  pgfettle plan --out ./new-settings
  pgfettle plan --for 'ram=64GB,swap=2GB,cpus=16,sockets=2,storage=nvme,pg=17'
  pgfettle plan --format alter-system db1.evidence
  pgfettle plan --format patroni > patch.yml
  pgfettle plan --format script --accept-risk sysctl:vm.overcommit_memory
  pgfettle plan --upgrade-to 19
  pgfettle plan --upgrade-to 19 --format conf > upgrade.conf`,
		Args: atMost(1, "at most one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.target = strings.Join(args, "")
			o.formatSaid = cmd.Flags().Changed("format")
			o.describing = cmd.Flags().Changed("for")
			o.profileSaid = cmd.Flags().Changed("profile")
			if err := counts(cmd); err != nil {
				return err
			}
			return runPlan(cmd.Context(), env, o)
		},
	}
	o.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", "`FORMAT` output format: "+strings.Join(planFormats, ", "))
	f.StringVar(&o.out, "out", "", "`DIR` write the files into DIR and list where each belongs")
	f.BoolVar(&o.force, "force", false, "overwrite existing files")
	f.StringSliceVar(&o.accept, acceptRisk, nil,
		"`LIST` also include these high-risk changes (addresses, or all)")
	f.BoolVar(&o.exitCode, "exit-code", false, "exit with status 3 if anything would change")
	f.IntVar(&o.upgrade, "upgrade-to", 0, "`N` plan for the new cluster after an upgrade to this major version")
	complete(cmd, "upgrade-to", pgWords()[1:]...)
	complete(cmd, "format", planFormats...)
	complete(cmd, acceptRisk, append(highRisks(), acceptAll)...)
	return cmd
}

// flags are what a plan is made with; apply has them too.
func (o *planOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.profile, "profile", string(rule.Mixed), profileHelp)
	f.IntVar(&o.connections, "connections", 0, "`N` number of connections to plan for (default max_connections)")
	f.IntVar(&o.active, "active", 0,
		"`N` expected peak of active sessions (default from profile and CPUs)")
	f.StringVar(&o.storage, "storage", "", "`TYPE` storage type: nvme, ssd, hdd, san (default detected)")
	f.BoolVar(&o.dedicated, "dedicated", true,
		"host runs only PostgreSQL; --dedicated=false leaves memory for other services")
	f.StringArrayVar(&o.pins, "pin", nil,
		"`ADDRESS=VALUE` use this value, such as pg:work_mem=64MB (repeatable, or separated by commas)")
	f.StringVar(&o.describe, "for", "", "`KEY=VALUE,…` plan for the described host instead of this one")
	f.BoolVar(&o.deep, "deep", false, deepHelp)
	o.policy.flags(cmd)
	complete(cmd, "profile", "web", "oltp", "dw", "mixed", "desktop", "1c")
	complete(cmd, "storage", "nvme", "ssd", "hdd", "san")
	complete(cmd, "pin", ruleAddresses()...)
}

// profileHelp is the help of --profile.
const profileHelp = "`NAME` workload: web, oltp, dw, mixed, desktop, 1c"

// planFlags are the names of those that say what a plan is made with.
var planFlags = []string{"profile", "connections", "active", "storage", "dedicated", "pin", "for", "deep"}

// counts refuses numbers of sessions that no server takes.
func counts(cmd *cobra.Command) error {
	for _, n := range []string{"connections", "active"} {
		if v, _ := cmd.Flags().GetInt(n); cmd.Flags().Changed(n) && (v < 1 || v > maxBackends) {
			return say.Usage(say.M("value out of range for --{n}: {value}", "n", n, "value", fmt.Sprint(v)),
				say.M("Use a whole number from 1 to {maxBackends}.", "maxBackends", fmt.Sprint(maxBackends)))
		}
	}
	return nil
}

// maxBackends is the most that max_connections takes on every version
// (MAX_BACKENDS, 2^18-1).
const maxBackends = 262143

func runPlan(ctx context.Context, env *Env, o *planOptions) error {
	var err error
	if o.site, err = o.policy.load(env, !o.describing && site(env, o.target)); err != nil {
		return err
	}
	ro, err := o.rules()
	if err != nil {
		return err
	}
	if err := choice("format", o.format, planFormats...); err != nil {
		return err
	}
	if o.force && o.out == "" {
		return say.Usage(say.M("--force requires --out"), say.M("Add --out DIR, or omit --force."))
	}
	if _, err := whichOf(acceptRisk, o.accept); err != nil {
		return err
	}
	if len(o.accept) > 0 && o.out == "" && slices.Contains(docForms, o.format) {
		return say.Usage(say.M("--accept-risk has no effect on --format {format}", "format", o.format),
			say.M("Add --out DIR, or use a format that applies changes, such as --format script."))
	}
	if o.upgrade != 0 {
		if err := o.upgradable(); err != nil {
			return err
		}
	}
	var l *loaded
	switch {
	case o.describing && o.target != "":
		return say.Usage(say.M("--for cannot be used with a TARGET"), say.M("Use only one of them."))
	case o.describing:
		l, err = describe(env, o.describe)
	default:
		l, err = load(ctx, env, o.target, o.deep)
	}
	if err != nil {
		return err
	}
	d, err := o.made(ctx, l, ro)
	if err != nil {
		return err
	}
	if d.Accepted, err = o.accepted(d.Plan, l.Snapshot); err != nil {
		return err
	}
	if o.out != "" {
		if err := writeFiles(env, env.spokenPlan(d), l.Snapshot, o); err != nil {
			return err
		}
	}
	if o.out == "" || o.formatSaid {
		if err := writePlan(env, d, l, o.format); err != nil {
			return err
		}
	}
	if o.exitCode && len(d.Changes) > 0 {
		return errFindings
	}
	return nil
}

// made makes the plan. Of an upgrade, what was loaded has the new clusters in the place of their instances afterwards.
func (o *planOptions) made(ctx context.Context, l *loaded, ro app.PlanOptions) (document.Plan, error) {
	d := document.Plan{Subject: document.SubjectOf(l.Snapshot)}
	if o.upgrade == 0 {
		p, err := l.Plan(ctx, ro)
		if err == nil {
			d.Plan, d.Subject = p, document.SubjectOf(l.Snapshot)
		}
		return d, err
	}
	u, err := l.PlanUpgrade(ctx, ro, o.upgrade)
	if err != nil {
		return d, err
	}
	d.Plan, d.Upgrades, l.Snapshot = u.Plan, u.Configurations, u.Snapshot
	return d, nil
}

// upgradeFormats are those that can hold a plan for a new cluster. The others apply a plan to the server that is there,
// or are for one.
var upgradeFormats = append(slices.Clone(docForms), "conf", "sysctl")

// upgradable says whether --upgrade-to can be met.
func (o *planOptions) upgradable() error {
	switch {
	case o.out != "":
		return say.Usage(say.M("--upgrade-to cannot be used with --out"),
			say.M("Write the configuration of the new cluster with --format conf."))
	case !slices.Contains(upgradeFormats, o.format):
		return say.Usage(say.M("--upgrade-to cannot be used with --format {format}: that is for the server that is "+
			"there", "format", o.format), say.M("Use one of: {names}.", "names", say.Names(upgradeFormats, 0)))
	}
	return app.UpgradeTarget(o.upgrade)
}

func writePlan(env *Env, d document.Plan, l *loaded, format string) error {
	switch format {
	case "text":
		return term.Write(env.Stdout, outline.Plan(d, env.words), env.Style())
	case "markdown":
		return markdown.Write(env.Stdout, outline.Plan(d, env.words))
	case "html":
		return writePage(env, env.Stdout, l.Snapshot.TakenAt, d, web.PlanPage)
	}
	d = env.spokenPlan(d)
	switch format {
	case "json":
		return json.Plan(env.Stdout, d)
	}
	form, ok := export.Find(format)
	if !ok {
		return fmt.Errorf("invalid value for --format: %q", format) // choice has refused it
	}
	key := ""
	if form.OneInstance {
		var err error
		if key, err = oneInstance(d, l, format); err != nil {
			return err
		}
	}
	return form.Write(env.Stdout, d, l.Snapshot, key)
}

// oneInstance returns the key of the instance that a form for one is about.
// Settings of two in one file would be those of neither.
func oneInstance(d document.Plan, l *loaded, format string) (string, error) {
	keys := export.Keys(d)
	if len(d.Upgrades) > 0 {
		keys = nil
		for _, c := range d.Upgrades {
			keys = append(keys, c.Key)
		}
	}
	switch {
	case len(keys) > 1 && len(d.Upgrades) > 0:
		return "", say.Usage(say.M("--format {format} is for one instance, and {n} can be upgraded", "format", format,
			"n", len(keys)), say.M("Name the data directory of one as TARGET."))
	case len(keys) > 1:
		return "", say.Usage(say.M("--format {format} is for one instance, but the plan changes {n}", "format", format,
			"n", len(keys)),
			say.M("Name the data directory of one as TARGET, or write all files with --out DIR."))
	case len(keys) == 1:
		return keys[0], nil
	case len(l.Snapshot.Instances) == 0:
		return "", &say.Problem{Message: say.M("no instance found for --format {format}", "format", format),
			Hint: say.M("For the kernel parameters, use --format sysctl."), Code: exitError}
	}
	return l.Snapshot.Instances[0].Key, nil
}

// rules turns the flags into what the rules want to know.
func (o *planOptions) rules() (app.PlanOptions, error) {
	ask := app.PlanAsk{Connections: o.connections, Active: o.active, Storage: o.storage, Shared: !o.dedicated}
	if o.profileSaid {
		ask.Profile = o.profile
	}
	if _, err := ask.With(&policy.Policy{}, nil); err != nil { // said before what is wrong with the pins
		return app.PlanOptions{}, err
	}
	pins, err := readPins(o.pins)
	if err != nil {
		return app.PlanOptions{}, err
	}
	return ask.With(o.site, pins)
}
