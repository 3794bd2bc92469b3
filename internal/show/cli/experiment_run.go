package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/pgfettle/pgfettle/internal/app/proving"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/outline/experiments"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// complete adds what the command line knows.
func (o *experimentOptions) complete(env *Env) {
	o.Steps, o.Policy = env.Experiments, env.site
}

// carryOut shows what will be done, asks for confirmation, and does it.
func (o *experimentOptions) carryOut(ctx context.Context, env *Env, p *proving.Prepared) (*experiment.Result,
	error) {
	d := document.Design{Experiment: p.Experiment, Title: p.Title, Differences: p.Differences, Why: p.Why,
		Estimation: p.Estimation}
	out := env.Stdout
	if o.format != "text" {
		out = env.Stderr // stdout is for the document
	}
	if err := term.Write(out, experiments.Design(d, env.words), env.Style()); err != nil {
		return nil, err
	}
	if !o.yes {
		answer, err := newLines(env.Stdin).choose(ctx, env,
			outline.WordsIn(env.words).Say("Start the experiment?"), answerYes, answerNo)
		if err != nil {
			return nil, err
		}
		if answer != answerYes.String() {
			return nil, &say.Problem{Message: say.M("experiment not started: canceled"),
				Hint: say.M("To start without a question, add --yes."), Code: exitRefused}
		}
	}
	tell, done := o.progress(env)
	r, resumable, err := p.Run(ctx, tell)
	done()
	if err != nil {
		return nil, o.stopped(ctx, env, p.Dir, resumable, err)
	}
	if o.format == "text" {
		fmt.Fprintf(env.Stdout, "\n")
	}
	env.tell(kindNote, say.M("results are in {dir}", "dir", p.Dir))
	return r, nil
}

// stopped reports how to resume an experiment that was interrupted; data says that
// its data still exist.
func (o *experimentOptions) stopped(ctx context.Context, env *Env, dir string, data bool, err error) error {
	if _, e := readResult(dir); e == nil && (ctx.Err() != nil || errors.Is(err, context.Canceled)) {
		if data {
			env.tell(kindNote, say.M("completed runs are saved; to continue: pgfettle prove --resume {dir}", "dir",
				dir))
		} else {
			env.tell(kindNote, say.M("completed runs are saved in {dir}; the experiment cannot be resumed because "+
				"the copied database was removed (use --keep-data to keep it)", "dir", dir))
		}
	}
	return err
}

// progress reports how far an experiment is: on a terminal in one live line, elsewhere
// in a line per block. Neither shows results: seeing them tempts a user to stop at a
// welcome one, and experiments that are stopped that way find differences that do not
// exist (in one of four and more, instead of one of twenty).
func (o *experimentOptions) progress(env *Env) (func(experiment.Event), func()) {
	tell, done := env.Progress()
	_, live := terminal(env.Stderr)
	var kept say.Message
	return func(ev experiment.Event) {
			switch {
			case ev.Kept != "":
				kept = o.keptWords(env, ev)
			case live:
				tell(experiments.Progress(ev).In(env.words))
			case ev.Ended:
				fmt.Fprintln(env.Stderr, "  "+typeset.Line(experiments.Progress(ev).In(env.words)))
			}
		}, func() {
			done()
			if !kept.IsZero() {
				env.tell(kindNote, kept)
			}
		}
}

// keptWords say where data are kept, how large they are, and how to remove them.
func (o *experimentOptions) keptWords(env *Env, ev experiment.Event) say.Message {
	clean := "pgfettle prove --clean"
	usualPlace := o.Options
	usualPlace.Scratch = ""
	if usual, err := usualPlace.ScratchDir(env.host()); err != nil || filepath.Dir(ev.Kept) != usual {
		clean += " --scratch " + filepath.Dir(ev.Kept)
	}
	place := say.Text(ev.Kept)
	if ev.Done > 0 {
		place = say.M("{place} ({size})", "place", ev.Kept, "size", unit.Bytes(ev.Done))
	}
	return say.M("loaded data kept in {place} for the next experiment with the same data; an experiment with other "+
		"data removes them, as does: {command}", "place", place, "command", clean)
}

// sweep removes what killed experiments left.
func (o *experimentOptions) sweep(ctx context.Context, env *Env) error {
	o.complete(env)
	did, dir, err := o.Clean(ctx, env.host())
	for _, d := range did {
		fmt.Fprintln(env.Stdout, typeset.Line(d))
	}
	if err == nil && len(did) == 0 {
		fmt.Fprintln(env.Stdout, env.say("No leftovers in {dir}.", "dir", typeset.Line(dir)))
	}
	return err
}
