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
		Long: `Move the WAL of an instance to the folder DIR on another filesystem: stop the server,
copy, put a link in the place of pg_wal, start the server again. What is going to be
done is shown with its sizes and asked for; --yes asks nothing, and --dry-run does
nothing. A server that does not run is moved all the same, and not started.

Everything that bars the move is told before anything moves: DIR is a mount point
itself, is in the data directory or a tablespace, is not empty, belongs to somebody
else, is in memory, is too small, or is on the filesystem that the WAL is on
already; a base backup is under way; Patroni or another program runs the server.
DIR is made where it is not there; the folders above it are not.

The copy is fsynced, read back and compared before the switch, which is one step. A
crash at any moment leaves a server that starts with all of its WAL; 'pgfettle apply
--resume' or 'pgfettle undo --max-effect restart' then finishes. A server that does
not start on the new place gets the old one back and is started again (exit code 6).
Ctrl-C before the switch puts everything back. The old copy is removed when the
server has started. To undo a move is the same in the other direction, as the WAL
has moved on since: the server is stopped once more.

TARGET is nothing, where one instance runs here, or its data directory, or a
conninfo that leads to it.

` + strings.Replace(placeHelp, "; with --root below that folder", "", 1),
		Example: `  pgfettle move-wal /srv/wal/15-main --dry-run
  pgfettle move-wal /srv/wal/15-main
  pgfettle move-wal /srv/wal/15-main /var/lib/postgresql/15/main --yes
  pgfettle move-wal /srv/wal/pg --stop-command 'sv stop pg' --start-command 'sv start pg'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return say.Usage("the folder to move the WAL to is missing",
					"write pgfettle move-wal DIR, such as /srv/wal/15-main")
			}
			return atMost(2, "DIR and one TARGET at most")(cmd, args)
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
	f.StringVar(&o.place.dir, "journal", "", "the folder of the journals, `DIR`")
	f.BoolVar(&o.dryRun, "dry-run", false, "show what would be done, and do nothing")
	f.BoolVar(&o.fit.SameFilesystem, "same-filesystem", false,
		"move also to a folder on the filesystem that the WAL is on")
	f.BoolVar(&o.yes, "yes", false, "ask nothing")
	f.BoolVar(&o.wait, "wait", false, "wait for another apply or undo to end, instead of refusing")
	return cmd
}

func runMoveWAL(ctx context.Context, env *Env, o *moveWALOptions) error {
	m, err := applying.MoveWAL(ctx, applying.MoveWALRequest{Place: o.place.place(env), Restart: o.restart.commands(),
		Dir: o.dir, Target: o.target, Fit: o.fit, DryRun: o.dryRun, Wait: o.wait,
		Show: func(fit *walmove.Plan) error { return term.Write(env.Stdout, reports.MoveWAL(fit), env.Style()) },
		Consent: func(ctx context.Context) error {
			if !o.yes {
				if err := askMove(ctx, env); err != nil {
					return err
				}
			}
			fmt.Fprintln(env.Stderr)
			return nil
		},
	})
	if err == nil && m.Plan.Here {
		_, err := fmt.Fprintf(env.Stdout, "The WAL of %s is in %s already.\n", typeset.Line(m.Instance),
			typeset.Line(m.Plan.To))
		return err
	}
	return showApplied(env, m.Journal, err)
}

func askMove(ctx context.Context, env *Env) error {
	if _, ok := terminal(env.Stdin); !ok {
		return &say.Problem{Message: "nothing was changed: there is no terminal to ask at",
			Hint: "read the steps above, then say --yes", Code: exitRefused}
	}
	answer, err := newLines(env.Stdin).choose(ctx, env, say.M("Move it?").In(env.words),
		answerYes, answerNo)
	if err == nil && answer != "yes" {
		err = &say.Problem{Message: "nothing was changed: you said no", Code: exitRefused}
	}
	return err
}
