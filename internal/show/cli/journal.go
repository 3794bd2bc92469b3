package cli

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app/applying"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/markdown"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

type journalOptions struct {
	place  placeOptions
	format string
}

func newJournal(env *Env) *cobra.Command {
	o := &journalOptions{}
	cmd := &cobra.Command{
		Use:   "journal",
		Short: "List and show applied changes",
		Long: `Show the journals. There is one for each apply, with each change, its file, its
previous value and its state. Without a subcommand, journals are listed. Nothing
is changed.

` + placeHelp,
		Example: `  pgfettle journal
  pgfettle journal show
  pgfettle journal show 20261121-103000-k3x9qz --format json
  pgfettle journal show --format markdown`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return runJournalList(env, o)
		},
	}
	list := &cobra.Command{
		Use:   "list",
		Short: "List journals, newest first",
		Long: "List the journals: ID, start time, state, number of changes. With --format json,\n" +
			"the oldest is first.",
		Example: "  pgfettle journal list",
		Args:    atMost(0, "no arguments"),
		RunE:    func(*cobra.Command, []string) error { return runJournalList(env, o) },
	}
	show := &cobra.Command{
		Use:   "show [ID]",
		Short: "Show one journal (default the last)",
		Long: `Show one journal: each change with its values before and after, its file and its
state.

States of a change:
  planned, skipped, done, undoing, undone
  intended   started; it is unknown whether it was completed
  failed     the previous value is in place
  kept       changed by others since then, so undo kept the value
  given up   its instance no longer exists

States of a journal:
  done, partly, undone, interrupted
  abandoned  undone, except for changes that were given up
  damaged    some of its lines are damaged
  unread     written in the format of another version`,
		Example: "  pgfettle journal show\n  pgfettle journal show 20261121-103000-k3x9qz --format json",
		Args:    atMost(1, "at most one ID"),
		RunE: func(_ *cobra.Command, args []string) error {
			return runJournalShow(env, o, strings.Join(args, ""))
		},
		ValidArgsFunction: journalIDs(env, &o.place),
	}
	for _, c := range []*cobra.Command{cmd, list, show} {
		o.place.flags(c)
		c.Flags().StringVar(&o.format, "format", "text", docFormsHelp)
		complete(c, "format", docForms...)
	}
	cmd.AddCommand(list, show)
	return cmd
}

func runJournalList(env *Env, o *journalOptions) error {
	if err := choice("format", o.format, docForms...); err != nil {
		return err
	}
	list, err := o.place.place(env).List()
	if err != nil && len(list) == 0 {
		return err
	}
	if err := env.writeForm(o.format, forms{
		text:     func(w io.Writer) error { return term.Write(w, outline.Journals(list, env.words), env.Style()) },
		json:     func(w io.Writer) error { return json.Journals(w, list) },
		markdown: func(w io.Writer) error { return markdown.Write(w, outline.Journals(list, env.words)) },
		html:     func(v web.View) (web.Page, error) { return web.JournalListPage(list, v) },
	}); err != nil {
		return err
	}
	return err // those that could not be read, after those that could
}

func runJournalShow(env *Env, o *journalOptions, id string) error {
	if err := choice("format", o.format, docForms...); err != nil {
		return err
	}
	j, err := o.place.place(env).Journal(id)
	if err != nil {
		return err
	}
	return env.writeForm(o.format, forms{
		text:     func(w io.Writer) error { return term.Write(w, outline.Journal(j, env.words), env.Style()) },
		json:     func(w io.Writer) error { return json.Journal(w, j) },
		markdown: func(w io.Writer) error { return markdown.Write(w, outline.Journal(j, env.words)) },
		html:     func(v web.View) (web.Page, error) { return web.JournalPage(j, v) },
	})
}

// journalInstances completes the data directory of an instance that a journal names.
func journalInstances(env *Env, place *placeOptions) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		list, err := place.place(env).List()
		if err != nil && len(list) == 0 {
			return nil, cobra.ShellCompDirectiveError
		}
		var names []string
		for _, j := range list {
			if !j.Undone() {
				names = append(names, applying.Labels(j)...)
			}
		}
		slices.Sort(names)
		return slices.Compact(names), cobra.ShellCompDirectiveNoFileComp
	}
}

// journalIDs completes the id of a journal.
func journalIDs(env *Env, place *placeOptions) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		list, err := place.place(env).List()
		if err != nil && len(list) == 0 {
			return nil, cobra.ShellCompDirectiveError
		}
		return applying.IDs(list), cobra.ShellCompDirectiveNoFileComp
	}
}
