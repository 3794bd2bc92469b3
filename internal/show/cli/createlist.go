package cli

import (
	"context"

	"github.com/pgfettle/pgfettle/internal/app/applying"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	showterm "github.com/pgfettle/pgfettle/internal/show/term"
)

func runCreateList(ctx context.Context, env *Env, o *createOptions) error {
	if err := choice("format", o.format, "text", "json"); err != nil {
		return err
	}
	list, err := applying.Clusters(ctx, o.place.place(env))
	if err != nil {
		return err
	}
	if o.format == "json" {
		return json.Write(env.Stdout, creation.List{Schema: creation.ListSchema, Instances: list})
	}
	return showterm.Write(env.Stdout, outline.Clusters(list, env.words), env.Style())
}

func runCreateDrop(ctx context.Context, env *Env, o *createOptions) error {
	if o.name == "" {
		return say.Usage(say.M("--drop needs the name of an instance"), say.M("Use: pgfettle create --drop 17/test"))
	}
	if err := o.readName(); err != nil {
		return err
	}
	if !o.yes {
		if err := askDrop(ctx, env); err != nil {
			return err
		}
	}
	j, err := applying.Drop(ctx, o.place.place(env), o.order.Major, o.order.Name, o.wait)
	return showApplied(env, j, err)
}

func askDrop(ctx context.Context, env *Env) error {
	if _, ok := terminal(env.Stdin); !ok {
		return &say.Problem{Message: say.M("nothing was changed: cannot ask for confirmation without a terminal"),
			Hint: say.M("Run the command with --yes."), Code: exitRefused}
	}
	answer, err := newLines(env.Stdin).choose(ctx, env, say.M("Stop and remove the instance?").In(env.words), answerYes,
		answerNo)
	if err == nil && answer != "yes" {
		err = &say.Problem{Message: say.M("nothing was changed: canceled"), Code: exitRefused}
	}
	return err
}
