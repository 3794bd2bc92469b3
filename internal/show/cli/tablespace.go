package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app/applying"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/tablespaces"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/markdown"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
)

// tablespaceOptions are what the commands of tablespaces that change something share.
type tablespaceOptions struct {
	place  placeOptions
	target string
	dryRun bool
	yes    bool
	wait   bool
}

func (o *tablespaceOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.place.dir, "journal", "", journalHelp)
	f.BoolVar(&o.dryRun, "dry-run", false, "show the steps without changing anything")
	f.BoolVar(&o.yes, "yes", false, yesHelp)
	f.BoolVar(&o.wait, "wait", false, waitHelp)
}

func (o *tablespaceOptions) request(env *Env, question say.Message) applying.TablespaceRequest {
	return applying.TablespaceRequest{Place: o.place.place(env), Target: o.target, DryRun: o.dryRun, Wait: o.wait,
		Consent: func(ctx context.Context) error {
			if !o.yes {
				if err := askSteps(ctx, env, question); err != nil {
					return err
				}
			}
			fmt.Fprintln(env.Stderr)
			return nil
		}}
}

func newTablespace(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tablespace",
		Short: "Show, create and fill tablespaces",
		Long: `Show the tablespaces of an instance, create a tablespace, or move tables and
indexes into one.

A tablespace is for another device: for logical separation, use schemas. All
tablespaces belong to the cluster: without one of them the cluster is lost, and
backups need all of them.`,
		Example: `  pgfettle tablespace plan
  pgfettle tablespace create archive /srv/hdd/pg
  pgfettle tablespace move orders_2019 orders_2020 --to archive --database shop`,
	}
	cmd.AddCommand(newTablespacePlan(env), newTablespaceCreate(env), newTablespaceMove(env))
	return cmd
}

// spaceForms are the forms of the report on tablespaces.
var spaceForms = []string{"text", "json", "markdown"}

func newTablespacePlan(env *Env) *cobra.Command {
	o, form := &tablespaceOptions{}, ""
	cmd := &cobra.Command{
		Use:   "plan [TARGET]",
		Short: "Show tablespaces, their devices and what should be changed",
		Long: `Show the tablespaces of an instance: directory, filesystem, size and free space,
and what each database has in them (tables, indexes, TOAST, temporary tables).
The options that their devices want follow: by pgfettle probe where the device
was measured, otherwise by the kind of its disks. Filesystems that hold nothing
of the instance are listed too. Nothing is changed.

An evidence file does not show what the databases have in the tablespaces.

` + targetHelp,
		Example: `  pgfettle tablespace plan
  pgfettle tablespace plan /var/lib/postgresql/17/main
  pgfettle tablespace plan --format json`,
		Args: atMost(1, "at most one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.target = strings.Join(args, "")
			return runTablespacePlan(cmd.Context(), env, o, form)
		},
	}
	cmd.Flags().StringVar(&form, "format", "text", "`FORM` "+strings.Join(spaceForms, ", "))
	complete(cmd, "format", spaceForms...)
	return cmd
}

func runTablespacePlan(ctx context.Context, env *Env, o *tablespaceOptions, form string) error {
	if err := choice("format", form, spaceForms...); err != nil {
		return err
	}
	d, err := applying.Tablespaces(ctx, o.request(env, say.Message{}))
	if err != nil {
		return err
	}
	return env.writeForm(form, forms{
		taken:    d.TakenAt,
		text:     func(w io.Writer) error { return term.Write(w, reports.Tablespaces(d, env.words), env.Style()) },
		json:     func(w io.Writer) error { return json.Tablespaces(w, d.In(env.asked())) },
		markdown: func(w io.Writer) error { return markdown.Write(w, reports.Tablespaces(d, env.words)) },
	})
}

func newTablespaceCreate(env *Env) *cobra.Command {
	o, restart, want, dir := &tablespaceOptions{}, &restartOptions{}, tablespaces.Wanted{}, ""
	cmd := &cobra.Command{
		Use:   "create NAME DIR [TARGET]",
		Short: "Create a tablespace in a directory of another device",
		Long: `Create tablespace NAME in directory DIR: create the directory with the owner of
the server and mode 0700, run CREATE TABLESPACE, and set the options that its
device wants. With --temp, temporary files go there. The steps are shown and
confirmed first. --yes asks nothing; --dry-run changes nothing.

All obstacles are reported before anything is changed:
  - DIR is a mount point, not empty, or owned by another account
  - DIR is in the data directory, the WAL or another tablespace
  - DIR is in memory, or on the filesystem of the data directory
  - another account could replace DIR, or the server cannot reach it
  - the name begins with pg_ or is taken
  - a standby is connected, where the same directory must exist first
  - Patroni or another program manages the server
DIR is created if needed; its parent directory must exist.

Each step is recorded in a journal first. After a crash, pgfettle apply --resume
or pgfettle undo completes or reverts it. Undo drops the tablespace only if it
is empty, and removes the directory only if it was created and is empty.

TARGET is the data directory of an instance on this host, or a conninfo that
connects to it. It can be omitted if only one instance runs here.

` + strings.Replace(placeHelp, "\nWith --root they are below that directory.", "", 1),
		Example: `  pgfettle tablespace create archive /srv/hdd/pg --dry-run
  pgfettle tablespace create archive /srv/hdd/pg --owner shop
  pgfettle tablespace create spill /srv/nvme/temp --temp --yes`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return say.Usage(say.M("missing argument: NAME and DIR are needed"),
					say.M("Name the tablespace and its directory, such as: pgfettle tablespace create archive "+
						"/srv/hdd/pg"))
			}
			return atMost(3, "NAME, DIR and at most one TARGET")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			want.Name, dir, o.target = args[0], args[1], strings.Join(args[2:], "")
			j, err := applying.CreateTablespace(cmd.Context(), applying.CreateTablespaceRequest{
				TablespaceRequest: o.request(env, say.M("Create the tablespace?")), Wanted: want, Dir: dir,
				Restart: restart.commands(),
				Show: func(c *tablespaces.Creation) error {
					return term.Write(env.Stdout, reports.CreateTablespace(c, env.words), env.Style())
				}})
			return showApplied(env, j, err)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	o.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&want.Owner, "owner", "", "`ROLE` owner of the tablespace (default the role that connects)")
	f.BoolVar(&want.Temp, "temp", false, "add it to temp_tablespaces")
	f.BoolVar(&want.SameFilesystem, "same-filesystem", false, "allow a directory on the filesystem of the data")
	f.BoolVar(&want.StandbysReady, "standbys-ready", false, "the directory exists on every standby")
	return cmd
}

func newTablespaceMove(env *Env) *cobra.Command {
	o, want := &tablespaceOptions{}, tablespaces.MoveWanted{}
	onlyTables, onlyIndexes := false, false
	cmd := &cobra.Command{
		Use:   "move OBJECT… --to NAME",
		Short: "Move tables and indexes to a tablespace",
		Long: `Move tables, materialized views and indexes of one database to tablespace NAME.
A table is moved with its TOAST table and its indexes; --tables or --indexes
moves one of the two. With --all-in OLD, everything that the database has in
tablespace OLD is moved. An OBJECT is a name, or SCHEMA.NAME.

Shown and confirmed first: the sizes, the time, the locks, who holds locks now,
the free space, and the WAL that is written. --yes asks nothing; --dry-run
changes nothing.

A table is locked (ACCESS EXCLUSIVE) while it is copied: not even a SELECT can
read it. The lock is waited for 3 s at a time and tried again, so that other
sessions do not queue behind it. Since PostgreSQL 14, indexes are rebuilt with
REINDEX CONCURRENTLY, which blocks no query.

One object is moved at a time, and each is recorded in a journal first. Ctrl-C
stops between two objects. Then, or after a crash, pgfettle apply --resume or
pgfettle undo completes or reverts the move.

System catalogs, temporary tables and partitioned tables are refused; partitions
are moved by their own names.

` + strings.Replace(placeHelp, "\nWith --root they are below that directory.", "", 1),
		Example: `  pgfettle tablespace move orders_2019 --to archive --database shop --dry-run
  pgfettle tablespace move public.orders_2019 --to archive --database shop
  pgfettle tablespace move --all-in old --to archive --database shop --yes
  pgfettle tablespace move orders --indexes --to nvme --database shop`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case want.To == "":
				return say.Usage(say.M("missing flag --to"), say.M("Name the tablespace: --to archive"))
			case len(args) == 0 && want.AllIn == "":
				return say.Usage(say.M("missing argument OBJECT"),
					say.M("Name tables or indexes, or use --all-in OLD."))
			case len(args) > 0 && want.AllIn != "":
				return say.Usage(say.M("--all-in cannot be used with OBJECT"), say.M("Omit one of the two."))
			case onlyTables && onlyIndexes:
				return say.Usage(say.M("--tables cannot be used with --indexes"),
					say.M("Omit both to move tables with their indexes."))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			want.Objects = args
			switch {
			case onlyTables:
				want.Part = tablespaces.Tables
			case onlyIndexes:
				want.Part = tablespaces.Indexes
			}
			j, err := applying.MoveInto(cmd.Context(), applying.MoveIntoRequest{
				TablespaceRequest: o.request(env, say.M("Move the objects?")), MoveWanted: want,
				Show: func(m *tablespaces.Move) error {
					return term.Write(env.Stdout, reports.MoveInto(m, env.words), env.Style())
				}})
			return showApplied(env, j, err)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	o.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&want.To, "to", "", "`NAME` tablespace to move to")
	f.StringVar(&want.AllIn, "all-in", "", "`OLD` move everything that the database has in this tablespace")
	f.StringVar(&want.Database, "database", "", "`DB` database of the objects (default postgres)")
	f.BoolVar(&onlyTables, "tables", false, "move tables without their indexes")
	f.BoolVar(&onlyIndexes, "indexes", false, "move indexes without their tables")
	f.StringVar(&o.target, "target", "", "`TARGET` data directory or conninfo of the instance (default the only one)")
	return cmd
}

// askSteps asks for what was shown.
func askSteps(ctx context.Context, env *Env, question say.Message) error {
	if _, ok := terminal(env.Stdin); !ok {
		return &say.Problem{Message: say.M("nothing was changed: cannot ask for confirmation without a terminal"),
			Hint: say.M("Review the steps above, then run the command with --yes."), Code: exitRefused}
	}
	answer, err := newLines(env.Stdin).choose(ctx, env, question.In(env.words), answerYes, answerNo)
	if err == nil && answer != "yes" {
		err = &say.Problem{Message: say.M("nothing was changed: canceled"), Code: exitRefused}
	}
	return err
}
