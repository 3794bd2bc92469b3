package pgctl

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/pgctl/serverlogs"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// logMark is where the server's logs end before it is started.
type logMark struct {
	sizes map[string]int64 // of each file, by path
	time  int64            // seconds since the epoch
}

const (
	// logTail bounds what is read of a log: a start that fails says a few lines.
	logTail = 64 << 10
	// logLines is how many of them are reported.
	logLines = 6
)

// startLogs are the files that a server may write to when it is started; those of no account cannot be read, and show
// nothing.
func (p *Server) startLogs(in *snapshot.Instance, m service) []serverlogs.Source {
	o := serverlogs.Options{Config: p.ConfigFile(in, nil)}
	if m.log != "" && m.log != "/dev/null" {
		o.Also = []string{m.log}
	}
	files, err := serverlogs.Files(p.Target, in, o)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(files, func(f serverlogs.Source) bool { return f.Packed })
}

// markLogs notes how long the logs are now.
func (p *Server) markLogs(in *snapshot.Instance, m service) logMark {
	at := logMark{sizes: map[string]int64{}, time: p.Target.Now().Unix()}
	for _, f := range p.startLogs(in, m) {
		at.sizes[f.Path] = f.Size
	}
	return at
}

// loggedSince returns the last lines that the server has logged since the mark, those of its errors where there are
// any; "" if nothing can be read.
func (p *Server) loggedSince(ctx context.Context, in *snapshot.Instance, m service, at logMark) string {
	ctx = context.WithoutCancel(ctx) // the reason of a failure is reported even after a timeout
	var text strings.Builder
	if m.unit != "" {
		out, err := p.Target.Run(ctx, target.Command{Argv: []string{"journalctl", "--unit=" + m.unit,
			"--since=@" + strconv.FormatInt(at.time, 10),
			"--lines=100", "--no-pager", "--output=cat"}})
		if err == nil && out.Code == 0 {
			text.Write(out.Stdout)
		}
	}
	for _, f := range p.startLogs(in, m) {
		grown := f.Size - at.sizes[f.Path]
		if grown <= 0 {
			continue
		}
		f.KeepEnd(min(grown, logTail))
		if end, err := readAll(&f); err == nil {
			text.Write(end)
		}
	}
	return errorLines(text.String())
}

// readAll reads a log that is bounded already.
func readAll(f *serverlogs.Source) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// errorLines picks the lines that say why: errors with what follows them.
func errorLines(text string) string {
	var picked []string
	after := false
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		switch {
		case strings.Contains(l, "FATAL:") || strings.Contains(l, "PANIC:") || strings.Contains(l, "ERROR:"):
			after = !strings.Contains(l, "administrator command") // which is how a session ends at a restart
		case strings.Contains(l, "LOG:"):
			// an invalid value is reported as such, and the FATAL behind it only counts
			after = strings.Contains(l, "invalid value") || strings.Contains(l, "parameter") ||
				strings.Contains(l, "syntax error")
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
	// leaving it is harmless
	if files, err := p.Files(dir); err == nil {
		_ = files.Remove(m.log)
	}
}
