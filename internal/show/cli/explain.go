package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/advice"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/internal/judge/search"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/outline/pages"
	"github.com/pgfettle/pgfettle/internal/show/term"
)

type explainOptions struct {
	name   string
	target string
	format string
	noHost bool
	root   *cobra.Command // whose commands are searched too
	policy policyOptions
	site   *policy.Policy // what holds
}

func newExplain(env *Env) *cobra.Command {
	o := &explainOptions{}
	cmd := &cobra.Command{
		Use:   "explain [ID|ADDRESS|NAME|WORDS [TARGET]]",
		Short: "Explain a check, a setting or a topic",
		Long: `Show what a check looks for or what a setting does, why it matters, how its
value is chosen, for which versions, with sources, and its state on this host.
Without an argument, all names are listed. Nothing is changed.

For settings that are read but not planned, the page says why. NAME also finds
topics: removed settings, kernel parameters, mount options, tools, outdated
advice, and decisions that no program can make. For a device or a mount, name
it, or use * for all of them: block:nvme0n1/scheduler, 'block:*/scheduler'.

What is not a name is searched for in all pages, in all languages: words, or a
message from a log.

The planned value is for the profile and pins of the policy; other flags of
pgfettle plan are not considered.

` + policyHelp + `
` + targetHelp,
		Example: `  pgfettle explain
  pgfettle explain pg:shared_buffers
  pgfettle explain swappiness_high --no-host
  pgfettle explain sysctl:vm.nr_hugepages db1.evidence
  pgfettle explain checkpoint_segments
  pgfettle explain bloat
  pgfettle explain 'could not resize shared memory segment'
  pgfettle explain pg:work_mem --no-host --format json`,
		Args: atMost(2, "at most an ID, ADDRESS or NAME, and a TARGET"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return pageNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			args = append(args, "", "")
			o.name, o.target, o.root = args[0], args[1], cmd.Root()
			return runExplain(cmd.Context(), env, o)
		},
	}
	cmd.Flags().BoolVar(&o.noHost, "no-host", false, "show the page only, without facts of a host")
	cmd.Flags().StringVar(&o.format, "format", "text", plainFormsHelp)
	o.policy.flags(cmd)
	complete(cmd, "format", "text", "json")
	return cmd
}

func runExplain(ctx context.Context, env *Env, o *explainOptions) error {
	if err := choice("format", o.format, "text", "json"); err != nil {
		return err
	}
	if o.name == "" && o.format == "json" {
		return json.Index(env.Stdout, checks.All(), rules.All(), advice.All(), env.asked())
	}
	if o.name == "" {
		return term.Write(env.Stdout, pages.Index(checks.All(), rules.All(), advice.All(), env.words), env.Style())
	}
	if o.noHost && o.target != "" {
		return say.Usage(say.M("--no-host cannot be used with a TARGET"), say.M("Use only one of them."))
	}
	if o.noHost && o.policy.file != "" {
		return say.Usage(say.M("--no-host and --policy cannot be used together"), say.M("Use only one of them."))
	}
	var err error
	if o.site, err = o.policy.load(env, !o.noHost && site(env, o.target)); err != nil {
		return err
	}
	return explainNamed(ctx, env, o)
}

// commandPages are the commands as pages: who looks for sysbench or a playbook looks for what pgfettle does with it.
func commandPages(c *cobra.Command) []search.Page {
	var out []search.Page
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() || sub.Name() == "explain" { // whose examples are queries
			continue
		}
		out = append(out, search.Page{Name: sub.CommandPath() + " --help", Titles: []string{sub.Short},
			Texts: []string{sub.Long, sub.Example, sub.LocalFlags().FlagUsages()}})
		out = append(out, commandPages(sub)...)
	}
	return out
}

// explainNamed shows the page that has the name.
func explainNamed(ctx context.Context, env *Env, o *explainOptions) error {
	for _, c := range checks.All() {
		if strings.EqualFold(c.ID, o.name) {
			return explainCheck(ctx, env, o, c)
		}
	}
	for _, k := range conffile.Kinds() { // of files; no host has any
		if k.ID == o.name {
			return writeCheckPage(env, o, document.CheckPage{Check: k})
		}
	}
	found := knobsNamed(o.name)
	if len(found) == 1 {
		return explainKnob(ctx, env, o, found[0], knob.Any)
	}
	if a, err := knob.Parse(o.name); err == nil {
		if r, ok := rules.For(a); ok {
			return explainKnob(ctx, env, o, r, a.Subject())
		}
	}
	var names []string
	for _, r := range found {
		names = append(names, string(r.Address))
	}
	if len(found) == 0 {
		articles := advice.ByName(o.name)
		if u, ok := unplannedNamed(o.name, len(articles) == 0); ok {
			return explainUnplanned(ctx, env, o, u)
		}
		if len(articles) == 1 {
			return explainPage(env, o, articles[0])
		}
		for _, p := range articles {
			names = append(names, p.ID)
		}
	}
	if len(names) == 0 {
		return explainSearch(ctx, env, o)
	}
	return ambiguous(o.name, names)
}

func ambiguous(name string, names []string) error {
	return say.Usage(say.M("{name} is ambiguous", "name", say.Quoted(name)), say.M("Use one of: {names}.", "names",
		say.Names(names, 0)))
}

// explainSearch answers to what is no page's name: a name without what is before it, a slip, a word of the field, or a
// message that a program printed.
func explainSearch(ctx context.Context, env *Env, o *explainOptions) error {
	if bare := app.KnobsWithBareName(o.name); len(bare) == 1 {
		o.name = string(bare[0])
		return explainNamed(ctx, env, o)
	} else if len(bare) > 1 {
		var names []string
		for _, a := range bare {
			names = append(names, string(a))
		}
		return ambiguous(o.name, names)
	}
	found, err := app.SearchPages(o.name, commandPages(o.root))
	if err != nil {
		return err
	}
	none := say.Usage(say.M("no check, setting or topic named {name}", "name", say.Quoted(o.name)),
		say.DidYouMean(o.name, pageNames(), say.M("List all names: pgfettle explain")))
	switch {
	case len(found) == 0:
		return none
	case o.target != "" || o.policy.file != "":
		return none // a list of pages says nothing about a host
	case o.format == "json":
		return json.ExplainFound(env.Stdout, o.name, found, env.asked())
	}
	return term.Write(env.Stdout, pages.Found(o.name, found, env.words), env.Style())
}

// explainPage shows a page. It does not depend on a host, so a TARGET is refused.
func explainPage(env *Env, o *explainOptions, p advice.Page) error {
	if o.target != "" {
		return say.Usage(say.M("page {id} does not depend on a host", "id", p.ID), say.M("Omit TARGET."))
	}
	if o.format == "json" {
		return json.ExplainPage(env.Stdout, p, env.asked())
	}
	return term.Write(env.Stdout, pages.Advice(p, env.words), env.Style())
}

func writeCheckPage(env *Env, o *explainOptions, p document.CheckPage) error {
	if o.format == "json" {
		return json.ExplainCheck(env.Stdout, p, env.asked())
	}
	return term.Write(env.Stdout, pages.Check(p, env.words), env.Style())
}

// unplannedNamed finds a knob that is read and not planned, by its address or,
// where byName says so, by its name.
func unplannedNamed(name string, byName bool) (rules.Unplanned, bool) {
	for _, u := range rules.ReadNotPlanned() {
		if strings.EqualFold(string(u.Address), name) || byName && strings.EqualFold(u.Address.Name(), name) {
			return u, true
		}
	}
	return rules.Unplanned{}, false
}

// explainUnplanned shows why a knob is left alone, and what it is here.
func explainUnplanned(ctx context.Context, env *Env, o *explainOptions, u rules.Unplanned) error {
	l, err := look(ctx, env, o)
	if err != nil {
		return err
	}
	page := document.UnplannedPage{Unplanned: u, Pages: advice.Of(string(u.Address)), Looked: l != nil}
	if l != nil && u.Address.Layer() == knob.Instance {
		for i := range l.Snapshot.Instances {
			in := &l.Snapshot.Instances[i]
			if h, ok := undecided(l, in.Key, in.Label(), rule.Rule{Address: u.Address}); ok {
				page.Here = append(page.Here, h)
			} else {
				page.Gaps = append(page.Gaps, in.Server.Settings.Gap())
			}
		}
	} else if l != nil {
		present := rule.PresentOfHost(l.Snapshot, u.Address, "")
		if present.State() == known.Unread || present.State() == known.Forbidden {
			page.Gaps = append(page.Gaps, present.Gap())
		} else {
			page.Here = append(page.Here, document.KnobHere{Present: present})
		}
	}
	if o.format == "json" {
		return json.ExplainUnplanned(env.Stdout, page, env.asked())
	}
	return term.Write(env.Stdout, pages.Unplanned(page, env.words), env.Style())
}

// knobsNamed finds a knob by its address or, where a person left the prefix
// out, by its name.
func knobsNamed(name string) []rule.Rule {
	var out []rule.Rule
	for _, r := range rules.All() {
		if strings.EqualFold(string(r.Address), name) {
			return []rule.Rule{r}
		}
		if strings.EqualFold(r.Address.Name(), name) {
			out = append(out, r)
		}
	}
	return out
}

// pageNames returns what explain knows, each once: a setting may be the name of
// a knob and of a page.
func pageNames() []string {
	names := slices.Concat(checkIDs(), kindIDs(), ruleAddresses(), advice.Names())
	for _, u := range rules.ReadNotPlanned() {
		names = append(names, string(u.Address))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// look loads the host for a page. Without a TARGET, a failure costs the page only its
// last section, and is reported on stderr.
func look(ctx context.Context, env *Env, o *explainOptions) (*loaded, error) {
	if o.noHost {
		return nil, nil
	}
	l, err := load(ctx, env, o.target, false)
	if err != nil && o.target == "" && ctx.Err() == nil {
		env.tell(kindWarning, say.M("facts of this host are unavailable: {error}", "error", err))
		return nil, nil
	}
	return l, err
}

func explainCheck(ctx context.Context, env *Env, o *explainOptions, c check.Check) error {
	l, err := look(ctx, env, o)
	if err != nil {
		return err
	}
	page := document.CheckPage{Check: c, Pages: advice.Of(c.ID)}
	if l != nil {
		co := env.host().CheckOptions(o.site)
		co.Only = []string{c.ID}
		here := judge(l, co)
		page.Here = &here
	}
	return writeCheckPage(env, o, page)
}

// explainKnob shows the page of a knob; of a family, with how it stands for one
// subject of it, or for each (knob.Any).
func explainKnob(ctx context.Context, env *Env, o *explainOptions, r rule.Rule, subject string) error {
	po := planOptions{profile: string(rule.Mixed), dedicated: true, site: o.site}
	ro, err := po.rules()
	if err != nil {
		return err
	}
	l, err := look(ctx, env, o)
	if err != nil {
		return err
	}
	// A rule may need settings that are read but never planned; they are irrelevant to
	// the order in which settings are decided.
	var needs []knob.Address
	for _, a := range r.Needs {
		if plannedKnob(a) && !slices.Contains(needs, a) {
			needs = append(needs, a)
		}
	}
	r.Needs = needs
	page := document.KnobPage{Rule: r, Pages: advice.Of(string(r.Address))}
	if l != nil {
		page.Looked = true
		// The plan asks the installed server for its shared memory, so that the
		// page says what the plan says.
		if _, err := l.Plan(ctx, ro); err != nil {
			return err
		}
		out, err := rule.Decide(l.Snapshot, rules.All(), ro.On(l.Snapshot))
		if err != nil {
			return err
		}
		words := env.words
		if o.format == "json" {
			words = env.asked()
		}
		page.Here = knobHere(l, out, r, subject, words, po.site)
		if len(page.Here) == 0 {
			page.Gaps = out.Unknown
		}
	}
	if o.format == "json" {
		return json.ExplainKnob(env.Stdout, page, env.asked())
	}
	return term.Write(env.Stdout, pages.Knob(page, env.words), env.Style())
}

// knobHere returns the current and the planned value of a setting, for the host or for
// each instance; of a family, for each device or mount that subject selects.
func knobHere(l *loaded, out *rule.Outcome, r rule.Rule, subject string, words *say.Catalogue,
	site *policy.Policy) []document.KnobHere {
	labels := map[string]string{}
	keys := []string{""}
	for i := range l.Snapshot.Instances {
		in := &l.Snapshot.Instances[i]
		keys = append(keys, in.Key)
		labels[in.Key] = in.Label()
	}
	var list []document.KnobHere
	for _, key := range keys {
		decided := false
		for _, d := range out.Decisions {
			of := d.Address.Subject()
			if d.Instance != key || !r.Decides(d.Address) || subject != knob.Any && of != subject {
				continue
			}
			decided = true
			reason := d.Reason.In(words)
			if pin, ours := site.Pin(d.Address); ours && d.Pinned {
				reason = app.PinnedBy(site, pin).In(words)
			}
			list = append(list, document.KnobHere{Instance: labels[key], Subject: of, Present: d.Present,
				Planned: d.Effective.Show(),
				Reason:  reason, English: d.Reason.String(), Inputs: d.Inputs, Changes: d.Changes()})
		}
		if !decided {
			if h, ok := undecided(l, key, labels[key], r); ok {
				list = append(list, h)
			}
		}
	}
	return list
}

// undecided returns the current value of a server setting that was not decided.
func undecided(l *loaded, key, label string, r rule.Rule) (document.KnobHere, bool) {
	in := l.Snapshot.Instance(key)
	if in == nil || r.Address.Prefix() != "pg" {
		return document.KnobHere{}, false
	}
	settings, ok := in.Server.Settings.Get()
	if !ok {
		return document.KnobHere{}, false
	}
	set, ok := settings[r.Address.Name()]
	if !ok {
		return document.KnobHere{Instance: label, Present: known.None[rule.Value](known.Gap{})}, true
	}
	return document.KnobHere{Instance: label, Present: known.Is(rule.Value{Setting: set.Value, Unit: set.Unit})}, true
}
