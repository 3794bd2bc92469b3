package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app/applying"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/export"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/term"
)

type applyOptions struct {
	plan       planOptions
	planSaid   []string // flags of the plan that were given
	place      placeOptions
	restart    restartOptions
	maxEffect  string
	effectSaid bool
	accept     []string
	only       []string
	yes        bool
	wait       bool
	resume     string
}

// resumeLast is what --resume means without an id.
const resumeLast = "last"

func newApply(env *Env) *cobra.Command {
	o := &applyOptions{}
	cmd := &cobra.Command{
		Use:   "apply [PLANFILE|TARGET]",
		Short: "Apply a plan: asks first, keeps a journal, can be undone",
		Long: `Make a plan, show it, ask about each part of it, and apply it. Each change is
recorded in a journal first, then made and read back. Settings are tested with
the installed server before they are written. pgfettle undo reverts an apply.

For each part (a layer, and when it takes effect) the answers are yes, skip and
quit. With --yes, the plan is shown and applied without questions. Without a
terminal and without --yes, nothing is changed. With --only, just the changes
named there are shown and asked about.

The default --max-effect is reload: no server is restarted unless you allow it.
Changes that need more are skipped and listed. So are changes that depend on
them: huge pages that no server would use, or strict overcommit before shared
memory uses huge pages. High-risk changes are skipped and listed unless they are
named with --accept-risk ('all' accepts all of them).

If nothing is left because risks were not accepted or all parts were declined,
the exit status is 5. If only --max-effect or --only leaves nothing, it is 0.

An address such as pg:work_mem means every instance in the plan. To select one
instance, append @ and its data directory: pg:work_mem@/srv/pg/17.

If another program manages the configuration of an instance (Patroni,
CloudNativePG, Ansible, …), pgfettle refuses to change it and prints the change
in the format of that program.

PLANFILE is the output of pgfettle plan --format json. The host is collected
again; if facts that the plan is based on have changed, the plan is refused as
stale.

` + targetHelp + `
An evidence file cannot be applied: it describes another moment.

With --root DIR, files below DIR are changed, such as those of an image: no live
values, and no server is queried. PLANFILE or --for says what to plan for.
Settings of an instance are written if its data directory is there. Nothing runs
there, so the default --max-effect is reboot.

` + policyHelp + `A PLANFILE must already contain the pins of the policy.

` + placeHelp,
		Example: `  pgfettle apply
  pgfettle apply --profile oltp --max-effect restart
  pgfettle plan --format json > plan.json && pgfettle apply plan.json --yes
  pgfettle apply --only sysctl:vm.swappiness,thp:enabled
  pgfettle apply --only pg:work_mem@/srv/pg/17
  pgfettle apply --max-effect restart --accept-risk sysctl:vm.overcommit_memory
  pgfettle apply --root ./image --for 'ram=64GB,cpus=16,storage=nvme,pg=17'
  pgfettle apply --resume`,
		Args: atMost(1, "at most one PLANFILE or TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.plan.target = strings.Join(args, "")
			o.plan.describing = cmd.Flags().Changed("for")
			o.plan.profileSaid = cmd.Flags().Changed("profile")
			o.effectSaid = cmd.Flags().Changed("max-effect")
			for _, n := range planFlags {
				if cmd.Flags().Changed(n) {
					o.planSaid = append(o.planSaid, "--"+n)
				}
			}
			if o.place.root != "" && !cmd.Flags().Changed("max-effect") {
				o.maxEffect = knob.Reboot.String() // nothing runs below DIR
			}
			if err := counts(cmd); err != nil {
				return err
			}
			if cmd.Flags().Changed("upgrade-to") {
				return &say.Problem{Message: say.M("a plan for the new cluster of an upgrade cannot be applied: the " +
					"server of this host is the old one"), Hint: say.M("Write the configuration of the new cluster: " +
					"pgfettle plan --upgrade-to N --format conf"), Code: say.CodeRefused}
			}
			if cmd.Flags().Changed("resume") {
				return runResume(cmd.Context(), env, o)
			}
			return runApply(cmd.Context(), env, o)
		},
	}
	o.plan.flags(cmd)
	o.place.flags(cmd)
	o.restart.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.maxEffect, "max-effect", "reload", maxEffectUsage)
	f.StringSliceVar(&o.accept, acceptRisk, nil, "`LIST` also apply these high-risk changes (addresses, or all)")
	f.StringSliceVar(&o.only, "only", nil, "`LIST` apply only these changes: ADDRESS or ADDRESS@INSTANCE")
	f.BoolVar(&o.yes, "yes", false, yesHelp)
	f.BoolVar(&o.wait, "wait", false, waitHelp)
	f.StringVar(&o.resume, "resume", "",
		"`ID` resume an interrupted apply (default the last one)")
	f.Lookup("resume").NoOptDefVal = resumeLast
	f.Int("upgrade-to", 0, "`N` plan has it; apply says why not")
	if err := f.MarkHidden("upgrade-to"); err != nil {
		panic(err) // it was defined one line above
	}
	complete(cmd, "max-effect", effects...)
	complete(cmd, acceptRisk, append(highRisks(), acceptAll)...)
	complete(cmd, "only", ruleAddresses()...)
	return cmd
}

func runApply(ctx context.Context, env *Env, o *applyOptions) error {
	var err error
	if o.plan.site, err = o.plan.policy.load(env, !o.plan.describing && o.place.root == ""); err != nil {
		return err
	}
	if err := o.bounded(); err != nil {
		return err
	}
	opts, err := o.options()
	if err != nil {
		return err
	}
	p, l, err := o.planned(ctx, env)
	if err != nil {
		return err
	}
	d := document.Plan{Plan: p, Subject: document.SubjectOf(l.Snapshot), Applying: true}
	if len(opts.Only) == 0 || len(p.Changes) == 0 {
		if err := term.Write(env.Stdout, outline.Plan(d, env.words), env.Style()); err != nil || len(p.Changes) == 0 {
			return err
		}
	}
	r := applying.Request{Place: o.place.place(env), Restart: o.restart.commands(), Plan: p, Session: l,
		FromFile: o.fromFile(), Options: opts, AcceptAll: saysAll(o.accept),
		Chosen: func(s *applying.Choice) error {
			d.Accepted = s.Options.AcceptRisk
			if d = shown(s, d); d.Of > 0 && len(d.Changes) > 0 {
				return term.Write(env.Stdout, outline.Plan(d, env.words), env.Style())
			}
			return nil
		},
		Managed: func(manager, key string) error { return writeManaged(env, manager, key, d, l) },
		Left: func(left []selection.Left) error {
			return term.Write(env.Stdout, outline.Unselected(left, env.words), env.Style().Under())
		},
		Warned: func(list []selection.Warning) error {
			return term.Write(env.Stdout, outline.Forewarned(list, say.Strings(d.Warnings), env.words),
				env.Style().Under())
		},
	}
	if !o.yes {
		r.Consent = func(ctx context.Context, s *applying.Choice) error { return askParts(ctx, env, s) }
	}
	s, j, err := applying.Apply(ctx, r)
	if err == nil && len(s.Chosen) == 0 {
		return nothing(env, s)
	}
	return showApplied(env, j, err)
}

// showApplied shows the journal of an apply, also where it did not end well.
func showApplied(env *Env, j *journal.Journal, err error) error {
	if j == nil {
		return err
	}
	if e := term.Write(env.Stdout, outline.Applied(j, env.words), env.Style().Under()); err == nil {
		err = e
	}
	return err
}

func runResume(ctx context.Context, env *Env, o *applyOptions) error {
	if len(o.planSaid) > 0 || len(o.only) > 0 || len(o.accept) > 0 {
		return say.Usage(say.M("--resume cannot be used with flags of the plan"),
			say.M("Omit them: --resume finishes the plan that was interrupted."))
	}
	id := o.resume
	if id == resumeLast || id == "" {
		id = o.plan.target // --resume ID, with a blank between them
	} else if o.plan.target != "" {
		return say.Usage(say.M("too many command-line arguments (first is {target})", "target",
			say.Quoted(o.plan.target)),
			say.M("Use: pgfettle apply --resume ID"))
	}
	if _, err := maxEffect(o.maxEffect); err != nil {
		return err
	}
	j, err := applying.Resume(ctx, o.place.place(env), o.restart.commands(), id, o.wait)
	return showApplied(env, j, err)
}

// options turns the flags into the bounds of what is done.
func (o *applyOptions) options() (selection.Options, error) {
	opts := selection.Options{Wait: o.wait}
	var err error
	if opts.MaxEffect, err = maxEffect(o.maxEffect); err != nil {
		return opts, err
	}
	if opts.Only, err = whichOf("only", o.only); err != nil {
		return opts, err
	}
	opts.AcceptRisk, err = whichOf(acceptRisk, o.accept)
	return opts, err
}

// writeManaged prints settings that are not ours to change in the form of the program that owns them, if there is one.
func writeManaged(env *Env, manager, key string, d document.Plan, l *loaded) error {
	form, ok := export.Find(map[string]string{"patroni": "patroni", "cloudnative-pg": "cnpg",
		"ansible": "ansible"}[manager])
	if !ok {
		return nil
	}
	fmt.Fprintf(env.Stdout, "\n%s\n\n", env.say("For {manager}:", "manager", manager))
	return form.Write(env.Stdout, d, l.Snapshot, key)
}
