package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/advice"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/show/render"
)

type explainOptions struct {
	name   string
	target string
	noHost bool
}

func newExplain(env *Env) *cobra.Command {
	o := &explainOptions{}
	cmd := &cobra.Command{
		Use:   "explain [ID|ADDRESS|NAME [TARGET]]",
		Short: "Show the page of a check, of a knob, or of what one may read elsewhere",
		Long: `Show what a check looks for or what a knob does, why it matters, how its value is
decided, for which versions, from which sources, and how it stands on this host.
A NAME finds a page too: of a setting that was removed, of a kernel value, a mount
option or a tool about which one may read what is outdated or wrong, and of choices
that no program can see. Without an argument it lists them all.

` + targetHelp,
		Example: `  pgfettle explain
  pgfettle explain pg:shared_buffers
  pgfettle explain swappiness_high --no-host
  pgfettle explain sysctl:vm.nr_hugepages db1.evidence
  pgfettle explain checkpoint_segments`,
		Args: atMost(2, "an ID, ADDRESS or NAME, and a TARGET"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return pageNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			args = append(args, "", "")
			o.name, o.target = args[0], args[1]
			return runExplain(cmd.Context(), env, o)
		},
	}
	cmd.Flags().BoolVar(&o.noHost, "no-host", false, "show the page alone, without looking at a host")
	return cmd
}

func runExplain(ctx context.Context, env *Env, o *explainOptions) error {
	if o.name == "" {
		return render.Index(env.Stdout, check.All(), rule.All(), advice.All(), env.Style())
	}
	if o.noHost && o.target != "" {
		return usage("--no-host looks at no host; a TARGET names one", "leave one of them out")
	}
	for _, c := range check.All() {
		if strings.EqualFold(c.ID, o.name) {
			return explainCheck(ctx, env, o, c)
		}
	}
	for _, k := range conffile.Kinds() { // of files; no host has any
		if k.ID == o.name {
			return render.ExplainCheck(env.Stdout, render.CheckPage{Check: k}, env.Style())
		}
	}
	found := knobsNamed(o.name)
	if len(found) == 1 {
		return explainKnob(ctx, env, o, found[0])
	}
	var names []string
	for _, r := range found {
		names = append(names, string(r.Address))
	}
	if len(found) == 0 {
		pages := advice.ByName(o.name)
		if len(pages) == 1 {
			return explainPage(env, o, pages[0])
		}
		for _, p := range pages {
			names = append(names, p.ID)
		}
	}
	if len(names) == 0 {
		return usage(fmt.Sprintf("there is no check, no knob and no page %q", o.name), say.DidYouMean(o.name, pageNames(), "'pgfettle explain' lists them"))
	}
	return usage(fmt.Sprintf("%q is the name of several", o.name), "write one of "+strings.Join(names, ", "))
}

// explainPage shows a page. No host can be seen in it, so a TARGET is one
// argument too many.
func explainPage(env *Env, o *explainOptions, p advice.Page) error {
	if o.target != "" {
		return usage(fmt.Sprintf("the page %s is about no host", p.ID), "leave the TARGET out")
	}
	return render.ExplainPage(env.Stdout, p, env.Style())
}

// knobsNamed finds a knob by its address or, where a person left the prefix
// out, by its name.
func knobsNamed(name string) []rule.Rule {
	var out []rule.Rule
	for _, r := range rule.All() {
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
	slices.Sort(names)
	return slices.Compact(names)
}

// look loads the host for a page. Where nobody named a TARGET a failure costs
// the page its last section only, and is told on stderr.
func look(ctx context.Context, env *Env, o *explainOptions) (*loaded, error) {
	if o.noHost {
		return nil, nil
	}
	l, err := load(ctx, env, o.target, false)
	if err != nil && o.target == "" && ctx.Err() == nil {
		env.tell("warning", "this host was not looked at: "+err.Error())
		return nil, nil
	}
	return l, err
}

func explainCheck(ctx context.Context, env *Env, o *explainOptions, c check.Check) error {
	l, err := look(ctx, env, o)
	if err != nil {
		return err
	}
	page := render.CheckPage{Check: c, Pages: advice.Of(c.ID)}
	if l != nil {
		here := judge(l, check.Options{Only: []string{c.ID}})
		page.Here = &here
	}
	return render.ExplainCheck(env.Stdout, page, env.Style())
}

func explainKnob(ctx context.Context, env *Env, o *explainOptions, r rule.Rule) error {
	l, err := look(ctx, env, o)
	if err != nil {
		return err
	}
	// A rule may need settings that are read but never planned; they say nothing
	// to who wants to know in which order knobs are decided.
	r.Needs = slices.DeleteFunc(slices.Clone(r.Needs), func(a knob.Address) bool { return !plannedKnob(a) })
	page := render.KnobPage{Rule: r, Pages: advice.Of(string(r.Address))}
	if l != nil {
		page.Looked = true
		// The plan asks the installed server for its shared memory, so that the
		// page says what the plan says.
		if _, err := makePlan(ctx, env, l, rule.Options{Profile: rule.Mixed}); err != nil {
			return err
		}
		out, err := rule.Decide(l.snapshot, rule.All(), rule.Options{Profile: rule.Mixed})
		if err != nil {
			return err
		}
		page.Here = here(l, out, r, env.words)
		if len(page.Here) == 0 {
			page.Gaps = out.Unknown
		}
	}
	return render.ExplainKnob(env.Stdout, page, env.Style())
}

// here tells what a knob is and would be, for the host or for each instance.
func here(l *loaded, out *rule.Outcome, r rule.Rule, words *say.Catalogue) []render.KnobHere {
	type place struct{ key, label string }
	places := []place{{"", ""}}
	for i := range l.snapshot.Instances {
		places = append(places, place{l.snapshot.Instances[i].Key, l.snapshot.Instances[i].Label()})
	}
	var list []render.KnobHere
	for _, p := range places {
		d := out.Of(p.key, r.Address)
		if d == nil {
			if h, ok := undecided(l, p.key, p.label, r); ok {
				list = append(list, h)
			}
			continue
		}
		list = append(list, render.KnobHere{Instance: p.label, Present: d.Present, Planned: d.Effective.Show(),
			Reason: d.Reason.In(words), Inputs: d.Inputs, Changes: d.Changes()})
	}
	return list
}

// undecided tells the present value of a server setting that no decision was
// made on.
func undecided(l *loaded, key, label string, r rule.Rule) (render.KnobHere, bool) {
	in := l.snapshot.Instance(key)
	if in == nil || r.Address.Prefix() != "pg" {
		return render.KnobHere{}, false
	}
	settings, ok := in.Server.Settings.Get()
	if !ok {
		return render.KnobHere{}, false
	}
	set, ok := settings[r.Address.Name()]
	if !ok {
		return render.KnobHere{Instance: label, Present: known.None[rule.Value](known.Gap{})}, true
	}
	return render.KnobHere{Instance: label, Present: known.Is(rule.Value{Setting: set.Value, Unit: set.Unit})}, true
}
