package cli

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/spf13/cobra"
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
	f.StringVar(&o.forget, "forget-instance", "", "give up the changes of the instance with this `DATADIR`, which is gone")
	complete(cmd, "max-effect", effects...)
	_ = cmd.RegisterFlagCompletionFunc("forget-instance", journalInstances(env, &o.place)) // the flag is there
	return cmd
}

func runUndo(ctx context.Context, env *Env, o *undoOptions, id string) error {
	effect, err := maxEffect(o.maxEffect)
	if err != nil {
		return err
	}
	if o.forget != "" {
		o.forget = filepath.Clean(o.forget)
	}
	// One that is undone, but for a restart that may be made now, is not finished.
	w, l, id, err := worldOf(ctx, env, &o.place, o.restart, id, o.forget, func(j *journal.Journal) bool {
		switch {
		case o.forget != "":
			return !j.Settled() && slices.Contains(labelsOf(j), o.forget)
		case j.Foreign != "":
			return false
		}
		return !j.Settled() || slices.ContainsFunc(j.Pending, func(p journal.Pending) bool { return p.Instance != "" && p.Effect <= effect })
	})
	if err != nil {
		return err
	}
	if _, ok := terminal(env.Stdin); ok && !o.yes {
		if err := o.ask(ctx, env, id); err != nil {
			return err
		}
	}
	return undo(ctx, env, w, l, id, apply.UndoOptions{MaxEffect: effect, Wait: o.wait, Forget: o.forget})
}

// ask shows a person what will be taken back and asks for it. Where nothing will be, the
// undo itself says why.
func (o *undoOptions) ask(ctx context.Context, env *Env, id string) error {
	if id == "" {
		return nil
	}
	t, dir, err := o.place.open(env)
	if err != nil {
		return err
	}
	j, err := findJournal(t, dir, id)
	if err != nil {
		return err
	}
	var back []journal.Change
	for i := range j.Changes {
		if c := &j.Changes[i]; c.Begun() && (o.forget == "" || c.Instance != o.forget) {
			back = append(back, *c)
		}
	}
	if len(back) == 0 {
		return nil
	}
	if err := term.Write(env.Stdout, outline.Undo(j, back, env.words), env.Style()); err != nil {
		return err
	}
	question := say.N("show/undo/ask", int64(len(back)), "{n} change. Take it back?", "{n} changes. Take them back?").In(env.words)
	answer, err := newLines(env.Stdin).choose(ctx, env, question, answerYes, answerQuit)
	if err != nil {
		return err
	}
	if answer != answerYes.String() {
		return &say.Problem{Message: "nothing was changed: you quit", Code: exitRefused}
	}
	return nil
}

// worldOf builds the world of a journal: the one named, or the last of this host
// that is meant, whose id it returns; "" where there is none. gone is the label of an
// instance that is not looked for.
func worldOf(ctx context.Context, env *Env, place *placeOptions, restart restartOptions, id, gone string, is func(*journal.Journal) bool) (*apply.System, *loaded, string, error) {
	t, dir, err := place.open(env)
	if err != nil {
		return nil, nil, "", err
	}
	var j *journal.Journal
	if id != "" {
		if j, err = findJournal(t, dir, id); err != nil {
			return nil, nil, "", err
		}
	} else {
		list, err := journalfile.List(t, dir)
		for _, one := range list {
			if (one.Run.ID == "" || one.Run.Of(env.host().Hostname(), place.root)) && is(one) {
				j, id = one, one.ID
			}
		}
		if err := closed(err, dir); err != nil && j == nil {
			return nil, nil, "", err
		}
	}
	l, err := loadJournalled(ctx, env, place, j, gone)
	if err != nil {
		return nil, nil, "", err
	}
	w, _, err := world(env, l, place, restart)
	return w, l, id, err
}

// undo takes a journal back and tells how it ended, also where it did not end
// well.
func undo(ctx context.Context, env *Env, w *apply.System, l *loaded, id string, o apply.UndoOptions) error {
	res, err := apply.Undo(ctx, w, l.Snapshot, id, o)
	if res.Journal != nil {
		if told := term.Write(env.Stdout, outline.Undone(res.Journal, env.words), env.Style().Under()); err == nil {
			err = told
		}
	}
	return err
}

const maxEffectUsage = "the most that may be needed: now, reload, restart or reboot"

var effects = []string{"now", "reload", "restart", "reboot"}

func maxEffect(s string) (knob.Effect, error) {
	e, err := knob.ParseEffect(s)
	if err != nil {
		return e, usage("--max-effect: "+err.Error(), "reload is the default: nothing is restarted without being asked")
	}
	return e, nil
}
