package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app/applying"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/term"
)

type statusOptions struct {
	place    placeOptions
	format   string
	exitCode bool
}

func newStatus(env *Env) *cobra.Command {
	o := &statusOptions{}
	cmd := &cobra.Command{
		Use:   "status [JOURNAL]",
		Short: "Show applied settings that have drifted",
		Long: `Compare each applied value that was not undone with the current one, and list
those that have drifted: another value is in effect, or its file no longer
contains it. If known, the account that changed it is shown. Then follow values
that take effect at the next restart or reboot. Nothing is changed.

With a JOURNAL, only the changes of that apply are compared. With --exit-code,
the exit status is 3 if a value has drifted.

` + placeHelp,
		Example: `  pgfettle status
  pgfettle status --format json
  pgfettle status --exit-code`,
		Args: atMost(1, "at most one JOURNAL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runStatus(cmd.Context(), env, o, strings.Join(args, ""))
		},
		ValidArgsFunction: journalIDs(env, &o.place),
	}
	o.place.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", plainFormsHelp)
	f.BoolVar(&o.exitCode, "exit-code", false, "exit with status 3 if an applied value has drifted")
	complete(cmd, "format", "text", "json")
	return cmd
}

func runStatus(ctx context.Context, env *Env, o *statusOptions, id string) error {
	if err := choice("format", o.format, "text", "json"); err != nil {
		return err
	}
	drifts, err := applying.Status(ctx, o.place.place(env), id)
	if err != nil {
		return err
	}
	if o.format == "json" {
		err = json.Status(env.Stdout, drifts)
	} else {
		err = term.Write(env.Stdout, outline.Status(drifts, env.words), env.Style())
	}
	if err != nil {
		return err
	}
	for _, d := range drifts {
		if o.exitCode && (d.Hold == journal.Changed || d.Hold == journal.Lost) {
			return errFindings
		}
	}
	return nil
}
