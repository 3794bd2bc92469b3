package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/pgsetting"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/export"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/spf13/cobra"
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
	f.StringVar(&o.resume, "resume", "", "go on with an apply that was interrupted: the last one, or the one with this `ID`")
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
	w, server, err := world(env, l, &o.place, o.restart)
	if err != nil {
		return err
	}
	p = perUnit(p, l.Snapshot)
	s := &chosenPart{options: opts, plan: p, snapshot: l.Snapshot, acceptAll: saysAll(o.accept)}
	if o.place.root != "" {
		s.files = w.Target
	}
	if err := s.named(); err != nil {
		return err
	}
	s.choose()
	d.Accepted = s.options.AcceptRisk
	if d = s.shown(d); d.Of > 0 && len(d.Changes) > 0 {
		if err := term.Write(env.Stdout, outline.Plan(d, env.words), env.Style()); err != nil {
			return err
		}
	}
	if err := refused(env, server, d, l, s.chosen); err != nil {
		return err
	}
	if err := term.Write(env.Stdout, outline.Unselected(s.left, env.words), env.Style().Under()); err != nil {
		return err
	}
	if len(s.chosen) == 0 {
		return s.nothing(env)
	}
	if err := term.Write(env.Stdout, outline.Forewarned(apply.Warnings(ctx, w, l.Snapshot, s.chosen), say.Strings(d.Warnings), env.words), env.Style().Under()); err != nil {
		return err
	}
	if !o.yes {
		if err := s.ask(ctx, env); err != nil {
			return err
		}
		if len(s.chosen) == 0 {
			return s.nothing(env)
		}
	}
	if o.fromFile() {
		if err := o.fresh(ctx, env, p, l, s.chosen); err != nil {
			return err
		}
	}
	server.Pool = poolOf(s.chosen)
	res, err := apply.Run(ctx, w, p, l.Snapshot, s.options)
	if err == nil {
		err = inForce(ctx, server, l, res.Journal, s.chosen)
	}
	return told(env, res.Journal, err)
}

// poolOf returns the huge pages that will be there when a server is restarted by
// this apply; 0 where it leaves the pool as it is.
func poolOf(chosen []plan.Change) int64 {
	for _, c := range chosen {
		if c.Address == knob.Sysctl("vm.nr_hugepages") && c.Effect == knob.Now {
			if n, err := strconv.ParseInt(c.ToBase, 10, 64); err == nil {
				return n
			}
		}
	}
	return 0
}

// told shows the journal of an apply, also where it did not end well.
func told(env *Env, j *journal.Journal, err error) error {
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
		return usage("--resume goes on with what was planned, and no other plan is made", "leave the flags of the plan out")
	}
	id := o.resume
	if id == resumeLast || id == "" {
		id = o.plan.target // --resume ID, with a blank between them
	} else if o.plan.target != "" {
		return usage(fmt.Sprintf("%q is one argument too many", o.plan.target), "write pgfettle apply --resume ID")
	}
	if _, err := maxEffect(o.maxEffect); err != nil {
		return err
	}
	w, l, id, err := worldOf(ctx, env, &o.place, o.restart, id, "", func(j *journal.Journal) bool { return j.State == journal.Interrupted })
	if err != nil {
		return err
	}
	res, err := apply.Resume(ctx, w, l.Snapshot, id, selection.Options{Wait: o.wait})
	return told(env, res.Journal, err)
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

// refused ends an apply of settings that are not ours to change, and prints
// them in the form of the program that owns them.
func refused(env *Env, server *pgctl.Server, d document.Plan, l *loaded, chosen []plan.Change) error {
	if l.Collected == nil {
		return nil // no server, only files
	}
	asked := map[string]bool{}
	for _, c := range chosen {
		in := l.Snapshot.Instance(c.Key)
		if in == nil || c.Address.Prefix() != "pg" || asked[c.Key] {
			continue
		}
		asked[c.Key] = true
		err := server.Refuse(in)
		if err == nil {
			continue
		}
		manager, _ := in.Manager.Get()
		form, ok := export.Find(map[string]string{"patroni": "patroni", "cloudnative-pg": "cnpg", "ansible": "ansible"}[manager])
		if !ok {
			return err
		}
		fmt.Fprintf(env.Stdout, "\nIn the form of %s:\n\n", manager)
		if e := form.Write(env.Stdout, d, l.Snapshot, c.Key); e != nil {
			return e
		}
		return err
	}
	return nil
}

// inForce asks the servers whether they have every value that was applied: also
// those that the engine has no spelling of to compare.
func inForce(ctx context.Context, server *pgctl.Server, l *loaded, j *journal.Journal, chosen []plan.Change) error {
	if j == nil || l.Collected == nil {
		return nil
	}
	of := map[string][]plan.Change{}
	for _, c := range chosen {
		for i := range j.Changes {
			done := &j.Changes[i]
			if c.Address.Prefix() == "pg" && done.Address == c.Address && done.Instance == c.Instance && done.Active() {
				of[c.Key] = append(of[c.Key], c)
			}
		}
	}
	var unmet []string
	for key, list := range of {
		bad, err := pgsetting.Kind{Server: server}.Verify(ctx, l.Snapshot.Instance(key), list)
		if err != nil {
			return err
		}
		for _, u := range bad {
			unmet = append(unmet, u.String())
		}
	}
	if len(unmet) == 0 {
		return nil
	}
	slices.Sort(unmet)
	return &say.Problem{Message: "not every setting that was applied is in force", Detail: strings.Join(unmet, "; "),
		Hint: "take out what sets it elsewhere, or take all back with 'pgfettle undo " + j.ID + "'", Code: exitPartly}
}
