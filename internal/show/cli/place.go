package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app/applying"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// placeOptions say where changes are made and recorded: flags of every command that
// reads or writes journals.
type placeOptions struct {
	root string // --root
	dir  string // --journal
}

const placeHelp = `Journals are in /var/lib/pgfettle/journal, or in --journal DIR. For other users
than root they are in $XDG_STATE_HOME/pgfettle/journal (default ~/.local/state).
With --root they are below that directory.`

// journalHelp is the help of --journal.
const journalHelp = "`DIR` journal directory"

func (o *placeOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.root, "root", "", "`DIR` use the files below DIR (an image), not this host")
	f.StringVar(&o.dir, "journal", "", journalHelp)
}

// place is where the use cases change things; their steps are reported on stderr.
func (o *placeOptions) place(env *Env) *applying.Place {
	return &applying.Place{Host: env.host(), Root: o.root, Dir: o.dir,
		Tell: func(s string) { fmt.Fprintln(env.Stderr, "  "+typeset.Line(gapwords.In(env.words, s))) }}
}

// restartOptions say how servers are restarted, stopped and started.
type restartOptions struct{ command, stop, start string }

func (o *restartOptions) flags(cmd *cobra.Command) {
	o.stopFlags(cmd)
	cmd.Flags().StringVar(&o.command, "restart-command", "",
		"`CMD` shell command that restarts the server (default detected)")
}

func (o *restartOptions) stopFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.stop, "stop-command", "",
		"`CMD` shell command that stops the server; requires --start-command (default detected)")
	f.StringVar(&o.start, "start-command", "",
		"`CMD` shell command that starts the server and returns when it is up")
}

func (o *restartOptions) commands() applying.Restart {
	return applying.Restart{Command: o.command, Stop: o.stop, Start: o.start}
}
