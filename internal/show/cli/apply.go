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
		Short: "Carry a plan out, so that it can be taken back",
		Long: `Plan, show the plan, ask for each part of it, and carry it out: each change is
noted in a journal before it is touched, made, and read back. Settings are tried
with the installed server before they are written. 'pgfettle undo' takes it back.

PLANFILE is what 'pgfettle plan --format json' wrote; the host is looked at again,
and when a fact that the plan rests on has moved, the plan is refused as stale.

` + targetHelp + `
An evidence file is no target here: it is of another moment.

Asked are, for each part (a layer and when it takes effect): yes, skip, quit. With
--yes nothing is asked, and the plan is shown all the same; without a terminal and
without --yes nothing is done. With --only what is shown and asked is what will be done.

Nothing is restarted without being asked: --max-effect is reload where nothing
else is said. What needs more is left out and named, and so is what rests on it:
huge pages that no server would use, strict overcommit before the shared memory
is in huge pages. Changes of high risk are made only when they are named with
--accept-risk ADDRESS,… ('all' for all of them); else they are left out and named.
When nothing is left to do for that reason, or because everything was declined,
the exit code is 5; when the bounds alone leave nothing, it is 0.

An ADDRESS is meant in every instance that the plan has it for. One instance is
named behind an @, by its data directory as the plan shows it:
pg:work_mem@/srv/pg/17.

Where another program owns the configuration of an instance (Patroni,
CloudNativePG, Ansible, …) the apply is refused and the change printed in the form
of that program.

With --root DIR files are changed in a tree of files, such as an image: only those,
no live values, and no server is asked. What to plan for is told by a PLANFILE or
by --for. Settings of an instance are written when its data directory is there.
Nothing runs there, so --max-effect is reboot where nothing else is said.

` + policyHelp + `With a PLANFILE the policy's pins have to be in the plan already.

` + placeHelp,
		Example: `  pgfettle apply
  pgfettle apply --profile oltp --max-effect restart
  pgfettle plan --format json > plan.json; pgfettle apply plan.json --yes
  pgfettle apply --only sysctl:vm.swappiness,thp:enabled
  pgfettle apply --only pg:work_mem@/srv/pg/17
  pgfettle apply --yes --max-effect restart --accept-risk sysctl:vm.overcommit_memory
  pgfettle apply --root ./image --for 'ram=64GB,cpus=16,storage=nvme,pg=17' --yes
  pgfettle apply --resume`,
		Args: atMost(1, "one PLANFILE or TARGET at most"),
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
				o.maxEffect = knob.Reboot.String() // nothing runs in a tree of files
			}
			if err := counts(cmd); err != nil {
				return err
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
	f.StringSliceVar(&o.accept, acceptRisk, nil, "make these changes of high risk too: `ADDRESS,…`, or all")
	f.StringSliceVar(&o.only, "only", nil, "make these changes only: `ADDRESS,…` or ADDRESS@INSTANCE")
	f.BoolVar(&o.yes, "yes", false, "ask nothing")
	f.BoolVar(&o.wait, "wait", false, "wait for another apply or undo to end, instead of refusing")
	f.StringVar(&o.resume, "resume", "",
		"go on with an apply that was interrupted: the last one, or the one with this `ID`")
	f.Lookup("resume").NoOptDefVal = resumeLast
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
		return say.Usage("--resume goes on with what was planned, and no other plan is made",
			"leave the flags of the plan out")
	}
	id := o.resume
	if id == resumeLast || id == "" {
		id = o.plan.target // --resume ID, with a blank between them
	} else if o.plan.target != "" {
		return say.Usage(fmt.Sprintf("%q is one argument too many", o.plan.target), "write pgfettle apply --resume ID")
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

// writeManaged prints settings that are not ours to change in the form of the program
// that owns them, where there is one.
func writeManaged(env *Env, manager, key string, d document.Plan, l *loaded) error {
	form, ok := export.Find(map[string]string{"patroni": "patroni", "cloudnative-pg": "cnpg",
		"ansible": "ansible"}[manager])
	if !ok {
		return nil
	}
	fmt.Fprintf(env.Stdout, "\nIn the form of %s:\n\n", manager)
	return form.Write(env.Stdout, d, l.Snapshot, key)
}
