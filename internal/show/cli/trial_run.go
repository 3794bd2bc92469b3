package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/prove"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline/experiments"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// carryOut tells what will be done, asks, and does it. A nil result without an
// error is one that was declined; it was told.
func (o *trialOptions) carryOut(ctx context.Context, env *Env, d document.Design) (*experiment.Result, error) {
	runner, err := env.runner()
	if err != nil {
		return nil, err
	}
	if d.Estimation, err = runner.Estimate(ctx, d.Experiment); err != nil {
		return nil, err
	}
	if free, need := d.Estimation.Free, d.Estimation.Disk; free > 0 && need > free {
		return nil, &say.Problem{Message: fmt.Sprintf("the experiment needs %s of disk in %s, and %s are free", need, d.Scratch, free),
			Hint: "name a folder on another disk with --scratch, or a smaller --scale", Code: exitRefused}
	}
	out := env.Stdout
	if o.format != "text" {
		out = env.Stderr // stdout is for the document
	}
	if err := term.Design(out, d, env.Style()); err != nil {
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
	d.Told = tell
	r, err := runner.Run(ctx, d.Experiment)
	done()
	if err != nil {
		return nil, o.stopped(ctx, env, d.Dir, d.Source == nil || o.keepData, err)
	}
	if o.format == "text" {
		fmt.Fprintf(env.Stdout, "\n")
	}
	env.tell("note", "the documents are in "+d.Dir)
	return r, nil
}

// stopped tells how to go on with an experiment that was interrupted; data says that
// its data are still to be had.
func (o *trialOptions) stopped(ctx context.Context, env *Env, dir string, data bool, err error) error {
	if _, e := readResult(dir); e == nil && (ctx.Err() != nil || errors.Is(err, context.Canceled)) {
		if data {
			env.tell("note", "what was measured is kept; go on with: pgfettle prove --resume "+dir)
		} else {
			env.tell("note", "what was measured is kept in "+dir+"; it cannot go on, as the copy of the database is removed (--keep-data would have left it)")
		}
	}
	return err
}

// progress tells how far an experiment is: on a terminal one live line, elsewhere
// a line a block. Neither shows what was measured: who sees how it stands is
// tempted to stop when he likes it, and experiments that are stopped so find
// differences that are not there (one in four and more, instead of one in twenty).
func (o *trialOptions) progress(env *Env) (func(prove.Event), func()) {
	tell, done := env.Progress()
	_, live := terminal(env.Stderr)
	kept := ""
	return func(ev prove.Event) {
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
func (o *trialOptions) keptWords(env *Env, ev prove.Event) string {
	size := ""
	if ev.Bytes > 0 {
		size = " (" + ev.Bytes.String() + ")"
	}
	clean := "pgfettle prove --clean"
	usualPlace := *o
	usualPlace.scratch = ""
	if usual, err := usualPlace.scratchDir(env); err != nil || filepath.Dir(ev.Kept) != usual {
		clean += " --scratch " + filepath.Dir(ev.Kept)
	}
	return "the loaded data stay in " + ev.Kept + size + " for the next experiment with the same ones; they are removed by one with others, and by: " + clean
}

// eventLine is "block 3 of 8, B, measure, about 12 min left".
func eventLine(ev prove.Event) string {
	text := ev.Step
	if ev.Block > 0 {
		text = fmt.Sprintf("block %d of %d", ev.Block, ev.Blocks)
		switch {
		case ev.Ended && ev.Void != "":
			text += " is void: " + ev.Void
		case ev.Ended:
			text += " is measured"
		default:
			if ev.Arm != "" {
				text += ", " + ev.Arm
			}
			if ev.Step != "" {
				text += ", " + ev.Step
			}
		}
	}
	if ev.Left >= time.Second {
		text += ", about " + experiments.Span(ev.Left) + " left"
	}
	return text
}

// sweep removes what killed experiments left.
func (o *trialOptions) sweep(ctx context.Context, env *Env) error {
	runner, err := env.runner()
	if err != nil {
		return err
	}
	dir, err := o.scratchDir(env)
	if err != nil {
		return err
	}
	did, err := runner.Clean(ctx, dir)
	for _, d := range did {
		fmt.Fprintln(env.Stdout, typeset.Line(d))
	}
	if err == nil && len(did) == 0 {
		fmt.Fprintln(env.Stdout, "Nothing was left behind in "+typeset.Line(dir)+".")
	}
	return err
}
