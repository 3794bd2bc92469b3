package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

type gap = known.Gap

// maxLogs is how much of a server's own logs is read: some twenty seconds.
const maxLogs = 4 << 30

// from takes the settings of the server that a target names and, where no files
// were given, the logs that it writes.
func (in *logInput) from(env *Env, l *loaded, days int) error {
	with := len(in.files) > 0
	var one *snapshot.Instance
	var labels []string
	for i := range l.snapshot.Instances {
		labels = append(labels, l.snapshot.Instances[i].Label())
		one = &l.snapshot.Instances[i]
	}
	switch {
	case l.request == nil && !with:
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
	if !l.snapshot.HostSeen {
		return usage("the server is on another host, and its log is read there", "run pgfettle there, or bring the files: ssh HOST cat LOG | pgfettle diagnose log -")
	}
	return in.find(env, one, days)
}

// find finds the logs of an instance of this host.
func (in *logInput) find(env *Env, one *snapshot.Instance, days int) error {
	data, _ := one.DataDirectory.Get()
	view, err := trust.Files(env.Target, one)
	if err != nil {
		return &say.Problem{Message: "the logs of " + one.Label() + " are not read", Detail: err.Error(), Hint: "name the files", Code: exitRefused}
	}
	in.view = view
	destination, _ := in.settings.Text("log_destination")
	on, known := in.settings.Bool("logging_collector")
	var list []string
	if on || !known {
		var err error
		if list, err = in.collected(data); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		var err error
		if list, err = in.standard(env, one, destination); err != nil {
			return err
		}
	}
	return in.choose(env, list, days)
}

// collected lists the folder that the log collector writes to.
func (in *logInput) collected(data string) ([]string, error) {
	folder, ok := in.settings.Text("log_directory")
	if !ok || folder == "" {
		folder = "log" // the default, where the right to see it is missing
		// current_logfiles: «stderr log/postgresql-….log», one a line.
		if b, err := in.view.ReadFile(filepath.Join(data, "current_logfiles"), 4096); err == nil {
			if f := strings.Fields(string(b)); len(f) >= 2 {
				folder = filepath.Dir(f[1])
			}
		}
	}
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(data, folder)
	}
	names, err := in.view.ReadDir(folder)
	if errors.Is(err, fs.ErrPermission) {
		return nil, logError(folder, err)
	}
	slices.Sort(names)
	var out []string
	for _, n := range names {
		if st, err := in.view.Lstat(filepath.Join(folder, n)); err == nil && st.Mode.IsRegular() {
			out = append(out, filepath.Join(folder, n))
		}
	}
	return out, nil
}

// standard is the file that the postmaster's standard error goes to, with those
// that logrotate has made of it.
func (in *logInput) standard(env *Env, one *snapshot.Instance, destination string) ([]string, error) {
	unitName := "postgresql"
	if u, ok := one.Unit.Get(); ok && u.Name != "" {
		unitName = strings.TrimSuffix(u.Name, ".service")
	}
	journal := &say.Problem{Message: "the server's log is in no file that can be found from here", Code: exitError,
		Hint: "where systemd keeps it: journalctl -u " + unitName + " -o cat | pgfettle diagnose log -; else name the files"}
	if destination == "syslog" {
		journal.Message = "the server writes to syslog"
	}
	pm, ok := one.Postmaster().Get()
	if !ok {
		journal.Message = "the server does not run, and where its log is cannot be told"
		return nil, journal
	}
	to, err := env.Target.Readlink("/proc/" + strconv.Itoa(pm.PID) + "/fd/2")
	if os.IsPermission(err) {
		return nil, logError("/proc/"+strconv.Itoa(pm.PID)+"/fd/2", err)
	}
	st, serr := in.view.Stat(to)
	if err != nil || serr != nil || !st.Mode.IsRegular() {
		return nil, journal
	}
	list := []string{to}
	names, err := in.view.ReadDir(filepath.Dir(to))
	if err != nil {
		return list, nil // the folder is closed, and the file is not
	}
	slices.Sort(names)
	for _, n := range names {
		if rest, ok := strings.CutPrefix(n, filepath.Base(to)); ok && rest != "" && strings.ContainsAny(rest[:1], ".-") {
			list = append(list, filepath.Join(filepath.Dir(to), n))
		}
	}
	return list, nil
}

// choose takes the newest files of one format: log_destination may name several,
// and each event is in all of them. csvlog and jsonlog tell more than plain lines,
// but only these have the memory-context dumps.
func (in *logInput) choose(env *Env, list []string, days int) error {
	type file struct {
		name string
		info target.Info
		ext  string
	}
	since := env.Target.Now().Add(-time.Duration(days) * 24 * time.Hour)
	var all []file
	var old int
	has := map[string]bool{}
	for _, name := range list {
		st, err := in.view.Stat(name)
		if err != nil || !st.Mode.IsRegular() || st.Size == 0 {
			continue
		}
		if st.Time.Before(since) {
			old++
			continue
		}
		ext := filepath.Ext(strings.TrimSuffix(name, ".gz"))
		if ext != ".csv" && ext != ".json" {
			ext = ""
		}
		has[ext] = true
		all = append(all, file{name, st, ext})
	}
	if len(all) == 0 {
		text := "the server's logs are empty, or there are none"
		if old > 0 {
			text = fmt.Sprintf("none of the server's %d logs was written to in the last %d days", old, days)
		}
		return &say.Problem{Message: text, Hint: "more --days, or name the files", Code: exitError}
	}
	main := ""
	if has[".csv"] {
		main = ".csv"
	}
	if has[".json"] {
		main = ".json"
	}
	slices.SortFunc(all, func(a, b file) int {
		return cmp.Or(b.info.Time.Compare(a.info.Time), strings.Compare(b.name, a.name))
	})
	var size, left int64
	for _, f := range all {
		if f.ext != main && f.ext != "" {
			continue
		}
		if size > 0 && size+f.info.Size > maxLogs {
			left += f.info.Size
			continue
		}
		size += f.info.Size
		in.files = append(in.files, logFile{name: f.name, dumps: f.ext != main, view: in.view})
	}
	if left > 0 {
		in.gaps = append(in.gaps, gap{Fact: "older logs", Reason: fmt.Sprintf("%s of them were left out, beyond the newest %s", unit.Bytes(left), unit.Bytes(maxLogs)), Reveal: "name the files"})
	}
	if old > 0 {
		in.gaps = append(in.gaps, gap{Fact: "older logs", Reason: fmt.Sprintf("%d files were last written to more than %d days ago, and were not read", old, days), Reveal: "--days"})
	}
	return nil
}
