package cli

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

type gap = known.Gap

const (
	// maxLogs is how much of a server's own logs is read, unpacked: some twenty seconds.
	maxLogs = 4 << 30
	// maxLogFiles are more than a year of hourly ones; --days bounds them first.
	maxLogFiles = 10_000
)

// from takes the settings of the server that a target names and, where no files
// were given, the logs that it writes.
func (in *logInput) from(ctx context.Context, env *Env, l *loaded, days int) error {
	with := len(in.files) > 0
	var one *snapshot.Instance
	var labels []string
	for i := range l.Snapshot.Instances {
		labels = append(labels, l.Snapshot.Instances[i].Label())
		one = &l.Snapshot.Instances[i]
	}
	switch {
	case l.Collected == nil && !with:
		return usage("an evidence file holds no log of a server", "name the log files beside it: pgfettle diagnose log FILE.evidence postgresql.log")
	case len(labels) == 0 && !with:
		return usage("no PostgreSQL instance was found here", "name log files, or a data directory")
	case len(labels) == 0:
		return nil
	case len(labels) > 1:
		return usage("there are several instances: "+strings.Join(labels, ", "), "name one of the data directories")
	}
	in.subject = one.Label()
	in.settings, _ = one.Server.Settings.Get()
	if in.settings == nil {
		g := one.Server.Settings.Gap()
		in.gaps = append(in.gaps, gap{Fact: "settings of the server", Reason: g.Reason, Reveal: g.Reveal})
	}
	if with {
		return nil
	}
	if !l.Snapshot.HostSeen {
		return usage("the server is on another host, and its log is read there", "run pgfettle there, or bring the files: ssh HOST cat LOG | pgfettle diagnose log -")
	}
	return in.find(ctx, env, one, days)
}

// find finds the logs of an instance of this host, those that were written to in
// the last days.
func (in *logInput) find(ctx context.Context, env *Env, one *snapshot.Instance, days int) error {
	found, err := pgctl.Logs(ctx, env.Target, one, pgctl.LogOptions{Settings: in.settings, Files: maxLogFiles, Bytes: maxLogs, Newer: time.Duration(days) * 24 * time.Hour})
	if err != nil {
		return &say.Problem{Message: "the logs of " + one.Label() + " are not read", Detail: err.Error(), Hint: "name the files", Code: exitRefused}
	}
	if len(found.Sources) == 0 {
		return noLogs(in, one, found, days)
	}
	in.choose(found.Sources)
	in.gaps = append(in.gaps, found.Missing...)
	return nil
}

// noLogs says why there is nothing to read.
func noLogs(in *logInput, one *snapshot.Instance, found *pgctl.ServerLog, days int) error {
	switch {
	case found.Denied != "":
		return logError(found.Denied, fs.ErrPermission)
	case found.Old > 0:
		return &say.Problem{Message: fmt.Sprintf("none of the server's %d logs was written to in the last %d days", found.Old, days), Hint: "more --days, or name the files", Code: exitError}
	case found.Empty > 0:
		return &say.Problem{Message: "the server's logs are empty, or there are none", Hint: "more --days, or name the files", Code: exitError}
	}
	unitName := "postgresql"
	if u, ok := one.Unit.Get(); ok && u.Name != "" {
		unitName = strings.TrimSuffix(u.Name, ".service")
	}
	p := &say.Problem{Message: "the server's log is in no file that can be found from here", Code: exitError,
		Hint: "where systemd keeps it: journalctl -u " + unitName + " -o cat | pgfettle diagnose log -; else name the files"}
	if destination, _ := in.settings.Text("log_destination"); destination == "syslog" {
		p.Message = "the server writes to syslog"
	}
	if _, ok := one.Postmaster().Get(); !ok {
		p.Message = "the server does not run, and where its log is cannot be told"
	}
	for _, g := range found.Missing {
		p.Detail = g.Fact + ": " + g.Reason
	}
	return p
}

// choose takes the files of one format: log_destination may name several, and each
// event is in all of them. csvlog and jsonlog tell more than plain lines, but only
// these have the memory-context dumps.
func (in *logInput) choose(all []pgctl.LogSource) {
	main := pglog.Stderr
	for _, f := range all {
		if f.Format == pglog.JSON || main == pglog.Stderr && (f.Format == pglog.CSV || f.Format == pglog.Syslog) {
			main = f.Format
		}
	}
	for i := range slices.Backward(all) {
		f := &all[i]
		if f.Format == main || f.Format == pglog.Stderr {
			in.files = append(in.files, logFile{name: f.Path, dumps: f.Format != main, source: f})
		}
	}
}
