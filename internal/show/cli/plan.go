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
	policy      policyOptions
	profileSaid bool
	site        *policy.Policy // what holds; read by who runs the command
}

var planFormats = append(slices.Clone(docForms), export.Names()...)

func newPlan(env *Env) *cobra.Command {
	o := &planOptions{}
	cmd := &cobra.Command{
		Use:   "plan [TARGET]",
		Short: "Plan one coherent configuration of a host and its instances",
		Long: `Decide what the settings of the server and of the kernel should be, and show the
difference to what they are: the memory before and after, then each change with
its reason, when it takes effect, and its sources. Nothing is changed.

What cannot be read from the host is told with flags: what it is for (--profile),
how many connections it must take, what its storage is where the disk does not
tell. With --for it plans for a host that is not here: ram is required; swap,
cpus, sockets, storage, disk, pg, cgroup, container, kernel, thp and set.NAME are
what else can be told.

The forms of --format: text, json, html (one file, for a browser) and markdown of the whole plan; conf (a snippet of
postgresql.conf), alter-system (SQL) and sysctl (a file of sysctl.d); ansible (a
playbook) and script (for a POSIX shell), which carry the whole plan out; and
patroni, cnpg and docker for servers whose configuration another program owns: a
patch for patronictl edit-config, a part of CloudNativePG's Cluster, arguments of
docker run and a compose file.

What others carry out, --out too, stands under the rules of apply: a change of high
risk is in it only when it is named with --accept-risk ADDRESS,… ('all' for all of
them). Else it stands there as a comment with its reason, and so does what rests on
it. huge_pages is on only in a form that makes the pool first (ansible, script), or
where the pool is there; else it is try, and the head of the file says what comes first.

` + policyHelp + `
` + targetHelp,
		Example: `  pgfettle plan
  pgfettle plan --profile oltp --connections 300 --storage nvme
  pgfettle plan --pin pg:work_mem=64MB,sysctl:vm.swappiness=5
  pgfettle plan --out ./new-settings
  pgfettle plan --for 'ram=64GB,swap=2GB,cpus=16,sockets=2,storage=nvme,pg=17'
  pgfettle plan --format alter-system db1.evidence
  pgfettle plan --format patroni > patch.yml
  pgfettle plan --format script --accept-risk sysctl:vm.overcommit_memory,sysctl:vm.overcommit_kbytes`,
		Args: atMost(1, "one TARGET at most"),
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
	f.StringVar(&o.format, "format", "text", strings.Join(planFormats, ", "))
	f.StringVar(&o.out, "out", "", "write the files to `DIR` and tell the place of each")
	f.BoolVar(&o.force, "force", false, "let --out replace files")
	f.StringSliceVar(&o.accept, acceptRisk, nil,
		"let the files and forms hold these changes of high risk too: `ADDRESS,…`, or all")
	f.BoolVar(&o.exitCode, "exit-code", false, "exit with 3 when there is something to change")
	complete(cmd, "format", planFormats...)
	complete(cmd, acceptRisk, append(highRisks(), acceptAll)...)
	return cmd
}

// flags are what a plan is made with; apply has them too.
func (o *planOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.profile, "profile", string(rule.Mixed), "what the host is for: web, oltp, dw, mixed, desktop or 1c")
	f.IntVar(&o.connections, "connections", 0, "plan for `N` connections (default: max_connections as it is)")
	f.IntVar(&o.active, "active", 0,
		"sessions at work at once at the peak, `N` (default: from the profile and the processors)")
	f.StringVar(&o.storage, "storage", "", "what the data lies on: nvme, ssd, hdd or san (default: what the disk says)")
	f.BoolVar(&o.dedicated, "dedicated", true,
		"the host is for PostgreSQL alone; --dedicated=false leaves room for others")
	f.StringArrayVar(&o.pins, "pin", nil,
		"fix a value, `ADDRESS=VALUE`, as in pg:work_mem=64MB; repeat it or write commas")
	f.StringVar(&o.describe, "for", "", "plan for a host that is not here: `KEY=VALUE,…`")
	f.BoolVar(&o.deep, "deep", false, "also ask, in every database, what grows with the number of tables")
	o.policy.flags(cmd)
	complete(cmd, "profile", "web", "oltp", "dw", "mixed", "desktop", "1c")
	complete(cmd, "storage", "nvme", "ssd", "hdd", "san")
	complete(cmd, "pin", ruleAddresses()...)
}

// planFlags are the names of those that say what a plan is made with.
var planFlags = []string{"profile", "connections", "active", "storage", "dedicated", "pin", "for", "deep"}

// counts refuses numbers of sessions that no server takes.
func counts(cmd *cobra.Command) error {
	for _, n := range []string{"connections", "active"} {
		if v, _ := cmd.Flags().GetInt(n); cmd.Flags().Changed(n) && (v < 1 || v > maxBackends) {
			return say.Usage(fmt.Sprintf("--%s: %d is out of range", n, v),
				fmt.Sprintf("write a whole number from 1 to %d", maxBackends))
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
		return say.Usage("--force says what --out may do", "add --out DIR")
	}
	if _, err := whichOf(acceptRisk, o.accept); err != nil {
		return err
	}
	if len(o.accept) > 0 && o.out == "" && slices.Contains(docForms, o.format) {
		return say.Usage("--accept-risk says what the files of --out and the forms that others carry out may hold",
			"add --out DIR, or a --format such as script")
	}
	var l *loaded
	switch {
	case o.describing && o.target != "":
		return say.Usage("--for describes a host; a TARGET names one", "leave one of them out")
	case o.describing:
		l, err = describe(env, o.describe)
	default:
		l, err = load(ctx, env, o.target, o.deep)
	}
	if err != nil {
		return err
	}
	p, err := l.Plan(ctx, ro)
	if err != nil {
		return err
	}
	d := document.Plan{Plan: p, Subject: document.SubjectOf(l.Snapshot)}
	if d.Accepted, err = o.accepted(p, l.Snapshot); err != nil {
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
	if o.exitCode && len(p.Changes) > 0 {
		return errFindings
	}
	return nil
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
		return fmt.Errorf("--format %s: nobody writes it", format) // choice has refused it
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
	switch {
	case len(keys) > 1:
		return "", say.Usage(fmt.Sprintf("--format %s is for one instance, and the plan changes %d", format, len(keys)),
			"name the data directory of one as TARGET, or write all with --out DIR")
	case len(keys) == 1:
		return keys[0], nil
	case len(l.Snapshot.Instances) == 0:
		return "", &say.Problem{Message: "no instance was found, so there is nothing to write for one",
			Hint: "--format sysctl writes the kernel's part", Code: exitError}
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
