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
		Short: "Show which applied values no longer hold",
		Long: `Look at every value that was applied and not taken back, and tell which no longer
hold: another value is in force, or its file no longer has it; with who set it,
where that can be known. Then those that wait for a restart or a reboot. With a
JOURNAL only those of that apply. Nothing is changed.

` + placeHelp,
		Example: `  pgfettle status
  pgfettle status --format json
  pgfettle status --exit-code`,
		Args: atMost(1, "one JOURNAL at most"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runStatus(cmd.Context(), env, o, strings.Join(args, ""))
		},
		ValidArgsFunction: journalIDs(env, &o.place),
	}
	o.place.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", "text or json")
	f.BoolVar(&o.exitCode, "exit-code", false, "exit with 3 when an applied value no longer holds")
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
