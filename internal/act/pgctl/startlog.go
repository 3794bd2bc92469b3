package pgctl

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// logMark is where the server's logs end before it is restarted.
type logMark struct {
	view   target.Target    // as whose account they are read
	folder string           // of the log collector; "": none
	sizes  map[string]int64 // of each log, by path
	time   int64            // seconds since the epoch
}

const (
	// logTail bounds what is read of a log: a start that fails says a few lines.
	logTail = 64 << 10
	// logLines is how many of them are told.
	logLines = 6
)

// markLogs notes how long the logs are now.
func (p *Server) markLogs(in *snapshot.Instance, dir string, m service) logMark {
	at := logMark{sizes: map[string]int64{}, time: p.Target.Now().Unix()}
	files, err := p.Files(dir)
	if err != nil {
		return at
	}
	at.view = files
	values := conf.Resolve(ConfigFiles{Target: files}, p.ConfigFile(in, nil), dir).Values()
	if on := strings.ToLower(values["logging_collector"]); on == "on" || on == "true" || on == "yes" || on == "1" {
		folder := values["log_directory"]
		if folder == "" {
			folder = "log"
		}
		at.folder = pathOf(dir, folder)
	}
	for _, f := range at.files(m) {
		if st, err := files.Stat(f); err == nil {
			at.sizes[f] = st.Size
		}
	}
	return at
}

// files lists the logs that there are.
func (at logMark) files(m service) []string {
	var out []string
	if at.view == nil {
		return nil
	}
	if m.log != "" && m.log != "/dev/null" {
		out = append(out, m.log)
	}
	if at.folder == "" {
		return out
	}
	names, err := at.view.ReadDir(at.folder)
	if err != nil {
		return out
	}
	slices.Sort(names)
	for _, n := range names[max(0, len(names)-100):] { // the newest of names with a date in them
		if st, err := at.view.Stat(path.Join(at.folder, n)); err == nil && st.Mode.IsRegular() {
			out = append(out, path.Join(at.folder, n))
		}
	}
	return out
}

// loggedSince returns the last lines that the server has logged since the mark, those
// of its errors where there are any; "" where nothing can be read.
func (p *Server) loggedSince(ctx context.Context, m service, at logMark) string {
	ctx = context.WithoutCancel(ctx) // the reason of a failure is told also when time is up
	var text strings.Builder
	if m.unit != "" {
		out, err := p.Target.Run(ctx, target.Command{Argv: []string{"journalctl", "--unit=" + m.unit, "--since=@" + strconv.FormatInt(at.time, 10), "--lines=100", "--no-pager", "--output=cat"}})
		if err == nil && out.Code == 0 {
			text.Write(out.Stdout)
		}
	}
	for _, f := range at.files(m) {
		st, err := at.view.Stat(f)
		grown := st.Size - at.sizes[f]
		if err != nil || grown <= 0 {
			continue
		}
		if end, err := target.ReadTail(at.view, f, min(grown, logTail)); err == nil {
			text.Write(end)
		}
	}
	return errorLines(text.String())
}

// errorLines picks the lines that say why: errors with what stands behind them.
func errorLines(text string) string {
	var picked []string
	after := false
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		switch {
		case strings.Contains(l, "FATAL:") || strings.Contains(l, "PANIC:") || strings.Contains(l, "ERROR:"):
			after = !strings.Contains(l, "administrator command") // which is how a session ends at a restart
		case strings.Contains(l, "LOG:"):
			// a value that is not taken is told so, and the FATAL behind it only counts
			after = strings.Contains(l, "invalid value") || strings.Contains(l, "parameter") || strings.Contains(l, "syntax error")
		case !after:
			continue
		}
		if after && l != "" {
			picked = append(picked, l)
		}
	}
	if len(picked) == 0 {
		return lastLines(text, logLines)
	}
	return strings.Join(picked[max(0, len(picked)-logLines):], " | ")
}

// removeStartLog removes the file that was there for the time of a start.
func (p *Server) removeStartLog(dir string, m service) {
	if !m.passing {
		return
	}
	// that it stays hurts nobody
	if files, err := p.Files(dir); err == nil {
		_ = files.Remove(m.log)
	}
}
