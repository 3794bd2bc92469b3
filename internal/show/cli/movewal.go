package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app/applying"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/walmove"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

type moveWALOptions struct {
	place   placeOptions
	restart restartOptions
	dir     string
	target  string
	fit     walmove.Options
	dryRun  bool
	yes     bool
	wait    bool
}

func newMoveWAL(env *Env) *cobra.Command {
	o := &moveWALOptions{}
	cmd := &cobra.Command{
		Use:   "move-wal DIR [TARGET]",
		Short: "Move pg_wal to another filesystem",
		Long: `Move the WAL of an instance to directory DIR on another filesystem: stop the
server, copy pg_wal, replace it with a symbolic link, and start the server. The
steps and sizes are shown and confirmed first. --yes asks nothing; --dry-run
changes nothing. If the server is not running, it is not started.

All obstacles are reported before anything is moved:
  - DIR is a mount point, not empty, or owned by another account
  - DIR is in the data directory or a tablespace
  - DIR is in memory, too small, or on the current filesystem of the WAL
  - a base backup is running
  - Patroni or another program manages the server
DIR is created if needed; its parent directory must exist.

The copy is flushed, read back and compared before the switch, which is atomic.
A crash at any time leaves a server that starts with all of its WAL. Then
pgfettle apply --resume or pgfettle undo --max-effect restart completes or
reverts the move. If the server does not start with the new directory, the old
one is restored and the server started again (exit status 6). Ctrl-C before the
switch reverts everything. The old copy is removed after the server has started.

To undo a move, the current WAL is moved back in the same way, so the server is
stopped once more.

TARGET is the data directory of an instance on this host, or a conninfo that
connects to it. It can be omitted if only one instance runs here.

` + strings.Replace(placeHelp, "\nWith --root they are below that directory.", "", 1),
		Example: `  pgfettle move-wal /srv/wal/15-main --dry-run
  pgfettle move-wal /srv/wal/15-main
  pgfettle move-wal /srv/wal/15-main /var/lib/postgresql/15/main --yes
  pgfettle move-wal /srv/wal/pg --stop-command 'sv stop pg' \
      --start-command 'sv start pg'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return say.Usage(say.M("missing argument DIR"),
					say.M("Name the new WAL directory, such as: pgfettle move-wal /srv/wal/15-main"))
			}
			return atMost(2, "DIR and at most one TARGET")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.dir, o.target = args[0], strings.Join(args[1:], "")
			return runMoveWAL(cmd.Context(), env, o)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	o.restart.stopFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.place.dir, "journal", "", journalHelp)
	f.BoolVar(&o.dryRun, "dry-run", false, "show the steps without changing anything")
	f.BoolVar(&o.fit.SameFilesystem, "same-filesystem", false,
		"allow a directory on the same filesystem")
	f.BoolVar(&o.yes, "yes", false, yesHelp)
	f.BoolVar(&o.wait, "wait", false, waitHelp)
	return cmd
}

func runMoveWAL(ctx context.Context, env *Env, o *moveWALOptions) error {
	m, err := applying.MoveWAL(ctx, applying.MoveWALRequest{Place: o.place.place(env), Restart: o.restart.commands(),
		Dir: o.dir, Target: o.target, Fit: o.fit, DryRun: o.dryRun, Wait: o.wait,
		Show: func(fit *walmove.Plan) error {
			return term.Write(env.Stdout, reports.MoveWAL(fit, env.words), env.Style())
		},
		Consent: func(ctx context.Context) error {
			if !o.yes {
				if err := askSteps(ctx, env, say.M("Move the WAL?")); err != nil {
					return err
				}
			}
			fmt.Fprintln(env.Stderr)
			return nil
		},
	})
	if err == nil && m.Plan.Here {
		_, err := fmt.Fprintln(env.Stdout, env.say("The WAL of {instance} is already in {dir}.",
			"instance", typeset.Line(m.Instance), "dir", typeset.Line(m.Plan.To)))
		return err
	}
	return showApplied(env, m.Journal, err)
}
