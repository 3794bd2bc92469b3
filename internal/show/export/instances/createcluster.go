package instances

import (
	"io"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/shell"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
)

// CreateCluster writes the command of Debian's postgresql-common, with the settings as its options.
func CreateCluster(w io.Writer, p *creation.Plan) error {
	if p.Standby != nil {
		return say.Usage(say.M("--format {form} cannot be used with --standby-of", "form", "pg_createcluster"),
			say.M("Use "+
				"script, ansible, cloud-init or pglift."))
	}
	_, err := io.WriteString(w, "#!/bin/sh\n"+head(p)+"set -eu\n"+createCluster(p, true)+"\n")
	return err
}

// createCluster is the command; settings says that those of the plan are options of it.
func createCluster(p *creation.Plan, settings bool) string {
	argv := "pg_createcluster --user=" + shell.Quote(p.Owner.Name) + " --group=" + shell.Quote(p.Owner.Group) +
		" --datadir=" + shell.Quote(p.Data) + " --port=" + strconv.Itoa(p.Port) + " --socketdir=" +
		shell.Quote(p.Socket) + " --start-conf=" + string(p.Start)
	for _, s := range p.Settings {
		if !settings {
			break
		}
		argv += " \\\n  -o " + shell.Quote(s.Name+"="+s.Value)
	}
	argv += " \\\n  " + strconv.Itoa(p.Version) + " " + shell.Quote(p.Name) + " --"
	if p.WAL != "" {
		argv += " " + shell.Quote("--waldir="+p.WAL)
	}
	for _, a := range p.Spec.InitDB {
		argv += " " + shell.Quote(a)
	}
	return argv
}
