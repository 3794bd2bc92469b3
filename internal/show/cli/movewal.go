package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/wal"
	"github.com/pgfettle/pgfettle/internal/act/movewal"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
	"github.com/pgfettle/pgfettle/internal/judge/walmove"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
	"github.com/spf13/cobra"
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
				return usage("the folder to move the WAL to is missing", "write pgfettle move-wal DIR, such as /srv/wal/15-main")
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
	f.BoolVar(&o.fit.SameFilesystem, "same-filesystem", false, "move also to a folder on the filesystem that the WAL is on")
	f.BoolVar(&o.yes, "yes", false, "ask nothing")
	f.BoolVar(&o.wait, "wait", false, "wait for another apply or undo to end, instead of refusing")
	return cmd
}

// newWal is the kind of the place of the WAL.
func newWal(env *Env, w *apply.System, server *pgctl.Server) *wal.Kind {
	k := &wal.Kind{Mover: &movewal.Mover{Target: w.Target, Server: server, Tell: w.Tell, Folders: (&target.Local{}).Folders}}
	if l, ok := w.Target.(*target.Local); ok {
		k.Folders = l.Folders
	}
	tell, done := env.Progress()
	percent := int64(-1)
	k.Progress = func(what string, n, whole int64) {
		if whole <= 0 || n*100/whole == percent {
			return
		}
		if percent = n * 100 / whole; percent >= 100 {
			done()
			return
		}
		tell(fmt.Sprintf("  %s: %d %%", what, percent))
	}
	return k
}

func runMoveWAL(ctx context.Context, env *Env, o *moveWALOptions) error {
	l, err := load(ctx, env, o.target, false)
	if err != nil {
		return err
	}
	if l.Collected == nil {
		return usage("an evidence file is no instance", "name the data directory of one on this host")
	}
	in, err := onlyInstance(l.Snapshot)
	if err != nil {
		return err
	}
	w, server, err := world(env, l, &o.place, o.restart)
	if err != nil {
		return err
	}
	defer server.Close()
	w.Verify = nil // no setting is changed
	kind := w.Kinds["wal"].(*wal.Kind)
	kind.Interrupt = ctx
	fit, err := kind.Fit(ctx, in, o.dir, o.fit)
	if err != nil {
		return err
	}
	if fit.Here {
		_, err := fmt.Fprintf(env.Stdout, "The WAL of %s is in %s already.\n", typeset.Line(in.Label()), typeset.Line(fit.To))
		return err
	}
	if err := term.MoveWAL(env.Stdout, fit, env.Style()); err != nil || o.dryRun {
		return err
	}
	if !o.yes {
		if err := askMove(ctx, env); err != nil {
			return err
		}
	}
	kind.New = fit
	p := &plan.Plan{Snapshot: snapshot.Hash(l.Snapshot), Changes: []plan.Change{{Address: journal.WalLocation, Instance: in.Label(), Key: in.Key,
		Layer: knob.Instance, From: fit.From, FromBase: fit.From, To: fit.To, ToBase: fit.To, Effect: knob.Now}}}
	fmt.Fprintln(env.Stderr)
	res, err := apply.Run(ctx, w, p, l.Snapshot, selection.Options{MaxEffect: knob.Restart, Wait: o.wait})
	return told(env, res.Journal, stays(err, res.Journal))
}

// stays words the error of a move that was put back.
func stays(err error, j *journal.Journal) error {
	var no *say.Problem
	if j == nil || !errors.As(err, &no) || no.Code != exitPartly {
		return err
	}
	for i := range j.Changes {
		if c := &j.Changes[i]; c.State == journal.IsFailed {
			return &say.Problem{Message: "the WAL was not moved: everything is as it was", Detail: c.Reason, Hint: "when the cause is gone, move it again", Code: exitPartly}
		}
	}
	return err
}

func askMove(ctx context.Context, env *Env) error {
	if _, ok := terminal(env.Stdin); !ok {
		return &say.Problem{Message: "nothing was changed: there is no terminal to ask at", Hint: "read the steps above, then say --yes", Code: exitRefused}
	}
	answer, err := newLines(env.Stdin).choose(ctx, env, say.M("show/movewal/ask", "Move it?").In(env.words), answerYes, answerNo)
	if err == nil && answer != "yes" {
		err = &say.Problem{Message: "nothing was changed: you said no", Code: exitRefused}
	}
	return err
}

// onlyInstance is the instance that is meant where there is one.
func onlyInstance(s *snapshot.Snapshot) (*snapshot.Instance, error) {
	if !s.HostSeen {
		return nil, &say.Problem{Message: "the server runs on another host", Hint: "run pgfettle there: the WAL is moved with its files", Code: exitNoAccess}
	}
	switch len(s.Instances) {
	case 0:
		return nil, usage("no instance runs here", "name its data directory behind DIR")
	case 1:
		return &s.Instances[0], nil
	}
	var names []string
	for i := range s.Instances {
		names = append(names, s.Instances[i].Label())
	}
	return nil, usage(fmt.Sprintf("%d instances run here: %s", len(names), strings.Join(names, ", ")), "name the data directory of one behind DIR")
}
