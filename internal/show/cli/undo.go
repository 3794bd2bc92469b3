package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app/applying"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/term"
)

type undoOptions struct {
	place     placeOptions
	restart   restartOptions
	maxEffect string
	wait      bool
	forget    string
	yes       bool
}

func newUndo(env *Env) *cobra.Command {
	o := &undoOptions{}
	cmd := &cobra.Command{
		Use:   "undo [JOURNAL]",
		Short: "Undo an apply",
		Long: `Undo an apply, the last change first: files and live values get their previous
contents. Without JOURNAL, it is the last apply that was not undone.

On a terminal, the changes are shown and confirmed (yes, quit). With --yes, or
without a terminal, nothing is asked.

Values that others have changed since are not overwritten: they are kept and
listed. A server is reloaded. It is restarted only with --max-effect restart;
otherwise a pending restart is reported. If an undo was interrupted or
incomplete, run it again.

At the end, every value is read back. Values that are neither the previous ones
nor a known later edit are listed, and the exit status is 6. It is also 6 if the
journal is damaged: its intact part is undone, and the rest is listed as
unknown.

--forget-instance DATADIR gives up the changes of an instance that no longer
exists and lists them. The other changes are undone, and no later apply is
blocked by this one.

` + placeHelp,
		Example: `  pgfettle undo
  pgfettle undo --yes --max-effect restart
  pgfettle undo 20261121-103000-k3x9qz
  pgfettle undo --forget-instance /srv/pg/gone`,
		Args: atMost(1, "at most one JOURNAL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runUndo(cmd.Context(), env, o, strings.Join(args, ""))
		},
		ValidArgsFunction: journalIDs(env, &o.place),
	}
	o.place.flags(cmd)
	o.restart.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.maxEffect, "max-effect", "reload", maxEffectUsage)
	f.BoolVar(&o.yes, "yes", false, yesHelp)
	f.BoolVar(&o.wait, "wait", false, waitHelp)
	f.StringVar(&o.forget, "forget-instance", "",
		"`DATADIR` give up the changes of this instance, which no longer exists")
	complete(cmd, "max-effect", effects...)
	_ = cmd.RegisterFlagCompletionFunc("forget-instance", journalInstances(env, &o.place)) // the flag is there
	return cmd
}

func runUndo(ctx context.Context, env *Env, o *undoOptions, id string) error {
	effect, err := maxEffect(o.maxEffect)
	if err != nil {
		return err
	}
	r := applying.UndoRequest{Place: o.place.place(env), Restart: o.restart.commands(), ID: id, MaxEffect: effect,
		Wait: o.wait, Forget: o.forget}
	if _, ok := terminal(env.Stdin); ok && !o.yes {
		r.Consent = env.askUndo
	}
	j, err := applying.Undo(ctx, r)
	return undone(env, j, err)
}

// askUndo shows what will be undone and asks for confirmation.
func (e *Env) askUndo(ctx context.Context, j *journal.Journal, back []journal.Change) error {
	if err := term.Write(e.Stdout, outline.Undo(j, back, e.words), e.Style()); err != nil {
		return err
	}
	question := say.N(int64(len(back)), "Undo {n} change?",
		"Undo {n} changes?").In(e.words)
	answer, err := newLines(e.Stdin).choose(ctx, e, question, answerYes, answerQuit)
	if err != nil {
		return err
	}
	if answer != answerYes.String() {
		return &say.Problem{Message: say.M("nothing was changed: canceled"), Code: exitRefused}
	}
	return nil
}

// undone shows the journal of an undo, also where it did not end well.
func undone(env *Env, j *journal.Journal, err error) error {
	if j == nil {
		return err
	}
	if e := term.Write(env.Stdout, outline.Undone(j, env.words), env.Style().Under()); err == nil {
		err = e
	}
	return err
}

const (
	maxEffectUsage = "`EFFECT` largest interruption allowed: now, reload, restart, reboot"
	yesHelp        = "do not ask for confirmation"
	waitHelp       = "wait for a running apply or undo instead of failing"
)

var effects = []string{"now", "reload", "restart", "reboot"}

func maxEffect(s string) (knob.Effect, error) {
	e, err := knob.ParseEffect(s)
	if err != nil {
		return e, say.Usage(say.M("--max-effect: {error}", "error", err),
			say.M("Use one of: now, reload, restart, reboot."))
	}
	return e, nil
}
