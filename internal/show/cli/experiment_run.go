package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/app/proving"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline/experiments"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// complete adds what the command line knows.
func (o *experimentOptions) complete(env *Env) {
	o.Steps, o.Policy = env.Experiments, env.site
}

// carryOut tells what will be done, asks, and does it.
func (o *experimentOptions) carryOut(ctx context.Context, env *Env, p *proving.Prepared) (*experiment.Result,
	error) {
	d := document.Design{Experiment: p.Experiment, Title: p.Title, Differences: p.Differences, Why: p.Why,
		Estimation: p.Estimation}
	out := env.Stdout
	if o.format != "text" {
		out = env.Stderr // stdout is for the document
	}
	if err := term.Write(out, experiments.Design(d), env.Style()); err != nil {
		return nil, err
	}
	if !o.yes {
		answer, err := newLines(env.Stdin).choose(ctx, env, "Begin?", answerYes, answerNo)
		if err != nil {
			return nil, err
		}
		if answer != answerYes.String() {
			return nil, &say.Problem{Message: "not begun", Hint: "--yes begins without a question", Code: exitRefused}
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
	env.tell("note", "the documents are in "+p.Dir)
	return r, nil
}

// stopped tells how to go on with an experiment that was interrupted; data says that
// its data are still to be had.
func (o *experimentOptions) stopped(ctx context.Context, env *Env, dir string, data bool, err error) error {
	if _, e := readResult(dir); e == nil && (ctx.Err() != nil || errors.Is(err, context.Canceled)) {
		if data {
			env.tell("note", "what was measured is kept; go on with: pgfettle prove --resume "+dir)
		} else {
			env.tell("note", "what was measured is kept in "+dir+
				"; it cannot go on, as the copy of the database is removed (--keep-data would have left it)")
		}
	}
	return err
}

// progress tells how far an experiment is: on a terminal one live line, elsewhere
// a line a block. Neither shows what was measured: who sees how it stands is
// tempted to stop when he likes it, and experiments that are stopped so find
// differences that are not there (one in four and more, instead of one in twenty).
func (o *experimentOptions) progress(env *Env) (func(experiment.Event), func()) {
	tell, done := env.Progress()
	_, live := terminal(env.Stderr)
	kept := ""
	return func(ev experiment.Event) {
			switch {
			case ev.Kept != "":
				kept = o.keptWords(env, ev)
			case live:
				tell(eventLine(ev))
			case ev.Ended:
				fmt.Fprintln(env.Stderr, "  "+typeset.Line(eventLine(ev)))
			}
		}, func() {
			done()
			if kept != "" {
				env.tell("note", kept)
			}
		}
}

// keptWords tell where data stay, how large they are, and how they go.
func (o *experimentOptions) keptWords(env *Env, ev experiment.Event) string {
	size := ""
	if ev.Done > 0 {
		size = " (" + unit.Bytes(ev.Done).String() + ")"
	}
	clean := "pgfettle prove --clean"
	usualPlace := o.Options
	usualPlace.Scratch = ""
	if usual, err := usualPlace.ScratchDir(env.host()); err != nil || filepath.Dir(ev.Kept) != usual {
		clean += " --scratch " + filepath.Dir(ev.Kept)
	}
	return "the loaded data stay in " + ev.Kept + size +
		" for the next experiment with the same ones; they are removed by one with others, and by: " + clean
}

// eventLine is "block 3 of 8, B, measure, about 12 min left".
func eventLine(ev experiment.Event) string {
	text := ev.Step
	if ev.Block > 0 {
		text = fmt.Sprintf("block %d of %d", ev.Block, ev.Blocks)
		switch {
		case ev.Ended && len(ev.Discarded) > 0:
			text += " is discarded: " + strings.Join(ev.Discarded, "; ")
		case ev.Ended:
			text += " is measured"
		default:
			if ev.Config != "" {
				text += ", " + ev.Config
			}
			if ev.Step != "" {
				text += ", " + ev.Step
			}
		}
	}
	if ev.Left >= time.Second {
		text += ", about " + experiment.Span(ev.Left) + " left"
	}
	return text
}

// sweep removes what killed experiments left.
func (o *experimentOptions) sweep(ctx context.Context, env *Env) error {
	o.complete(env)
	did, dir, err := o.Clean(ctx, env.host())
	for _, d := range did {
		fmt.Fprintln(env.Stdout, typeset.Line(d))
	}
	if err == nil && len(did) == 0 {
		fmt.Fprintln(env.Stdout, "Nothing was left behind in "+typeset.Line(dir)+".")
	}
	return err
}
