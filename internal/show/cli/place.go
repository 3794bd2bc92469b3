package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app/applying"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// placeOptions say where things are changed and where that is noted: flags of
// every command that reads or writes journals.
type placeOptions struct {
	root string // --root
	dir  string // --journal
}

const placeHelp = `Journals lie in /var/lib/pgfettle/journal, for an ordinary user in
$XDG_STATE_HOME/pgfettle/journal (~/.local/state where that is not set), or where
--journal says; with --root below that folder.`

func (o *placeOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.root, "root", "", "the tree of files in `DIR` instead of this host: files only, no live values")
	f.StringVar(&o.dir, "journal", "", "the folder of the journals, `DIR`")
}

// place is where the use cases change things; their steps are told on stderr.
func (o *placeOptions) place(env *Env) *applying.Place {
	return &applying.Place{Host: env.host(), Root: o.root, Dir: o.dir,
		Tell: func(s string) { fmt.Fprintln(env.Stderr, "  "+typeset.Line(s)) }}
}

// restartOptions say how servers are restarted, stopped and started.
type restartOptions struct{ command, stop, start string }

func (o *restartOptions) flags(cmd *cobra.Command) {
	o.stopFlags(cmd)
	cmd.Flags().StringVar(&o.command, "restart-command", "",
		"restart a server with the shell line `CMD` (default: through what runs it: systemd, pg_ctlcluster, pg_ctl)")
}

func (o *restartOptions) stopFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.stop, "stop-command", "",
		"stop a server with the shell line `CMD`, and start it with --start-command (default: through what runs it)")
	f.StringVar(&o.start, "start-command", "",
		"start a server with the shell line `CMD`; it returns when the server is up")
}

func (o *restartOptions) commands() applying.Restart {
	return applying.Restart{Command: o.command, Stop: o.stop, Start: o.start}
}
