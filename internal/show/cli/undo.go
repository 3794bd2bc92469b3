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
		Short: "Take an apply back",
		Long: `Take an apply back, the last change first: files and live values become what they
were before it. Without a JOURNAL it is the last apply that was not taken back.

At a terminal the changes are shown and it is asked whether to take them back: yes,
quit. With --yes, or without a terminal, nothing is asked.

What somebody has changed since is not overwritten: it is kept and shown. A server
is reloaded; it is restarted only with --max-effect restart, and until then it is
said that it still has to be. An undo that was interrupted, or that could not take
all back, is finished by undoing again.

At the end every value is read back. What is neither as before nor known to be
somebody's later edit is named, and the exit code is 6. Of a journal that was damaged
the part that is proven is taken back, and the rest is listed as unknown: exit code 6.

With --forget-instance DATADIR the changes of an instance that is gone for good are
given up and named, the rest is taken back, and no other apply waits for it.

` + placeHelp,
		Example: `  pgfettle undo
  pgfettle undo --yes --max-effect restart
  pgfettle undo 20261121-103000-k3x9qz
  pgfettle undo --forget-instance /srv/pg/gone`,
		Args: atMost(1, "one JOURNAL at most"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runUndo(cmd.Context(), env, o, strings.Join(args, ""))
		},
		ValidArgsFunction: journalIDs(env, &o.place),
	}
	o.place.flags(cmd)
	o.restart.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.maxEffect, "max-effect", "reload", maxEffectUsage)
	f.BoolVar(&o.yes, "yes", false, "answer the question with yes")
	f.BoolVar(&o.wait, "wait", false, "wait for another apply or undo to end, instead of refusing")
	f.StringVar(&o.forget, "forget-instance", "",
		"give up the changes of the instance with this `DATADIR`, which is gone")
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

// askUndo shows a person what will be taken back and asks for it.
func (e *Env) askUndo(ctx context.Context, j *journal.Journal, back []journal.Change) error {
	if err := term.Write(e.Stdout, outline.Undo(j, back, e.words), e.Style()); err != nil {
		return err
	}
	question := say.N(int64(len(back)), "{n} change. Take it back?",
		"{n} changes. Take them back?").In(e.words)
	answer, err := newLines(e.Stdin).choose(ctx, e, question, answerYes, answerQuit)
	if err != nil {
		return err
	}
	if answer != answerYes.String() {
		return &say.Problem{Message: "nothing was changed: you quit", Code: exitRefused}
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

const maxEffectUsage = "the most that may be needed: now, reload, restart or reboot"

var effects = []string{"now", "reload", "restart", "reboot"}

func maxEffect(s string) (knob.Effect, error) {
	e, err := knob.ParseEffect(s)
	if err != nil {
		return e, say.Usage("--max-effect: "+err.Error(),
			"reload is the default: nothing is restarted without being asked")
	}
	return e, nil
}
