package diagnose

import (
	"bytes"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/app"

	"github.com/pgfettle/pgfettle/internal/act/pgctl/serverlogs"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/kernlog"
	"github.com/pgfettle/pgfettle/internal/fact/paste"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/gap"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/serverlog"
)

// LogRequest says which logs of a server are read, and how.
type LogRequest struct {
	Args   []string // log files, and what names a server: a data directory, a conninfo, an evidence file
	Prefix string   // the log_line_prefix of plain lines, where Given
	Given  bool
	Days   int  // of a server's own logs those that were written to in so many last days
	Redact bool // statements are omitted, and names replaced
}

// Log says what a server's log shows, worst first.
func Log(ctx context.Context, h *app.Host, r LogRequest) (*serverlog.Report, error) {
	target, files, err := sortArguments(r.Args)
	if err != nil {
		return nil, err
	}
	in := logInput{files: files}
	if target != nil || len(files) == 0 {
		arg := ""
		if target != nil {
			arg = *target
		}
		s, err := h.Open(ctx, app.Request{Target: arg})
		if err != nil {
			return nil, err
		}
		if err := in.from(ctx, s, r.Days); err != nil {
			return nil, err
		}
	}
	return in.report(ctx, h, r)
}

// ofEvidence is the name of a log without a file.
const ofEvidence say.Template = "log in the evidence"

// archivedLog says what the log shows that an evidence of 'pgfettle read' holds; nil if there is none.
func archivedLog(ctx context.Context, s *app.Session) (*serverlog.Report, error) {
	var in logInput
	if s.Collected != nil || !in.paste(s) {
		return nil, nil
	}
	in.files[0].name = string(ofEvidence)
	if err := in.from(ctx, s, 0); err != nil {
		return nil, err
	}
	return in.report(ctx, s.Host, LogRequest{})
}

// report reads the logs and says what they show.
func (in *logInput) report(ctx context.Context, h *app.Host, r LogRequest) (*serverlog.Report, error) {
	kernel := say.Text(in.kernel)
	if r.Redact && in.kernel != "" {
		kernel = say.M("pgfettle diagnose oom with the same evidence")
	}
	c := serverlog.NewCollector(serverlog.Options{Subject: in.subject, Settings: in.settings, WALDisk: in.walDisk,
		Kernel: kernel, Redact: r.Redact})
	po := pglog.Options{Prefix: r.Prefix, Known: r.Given, How: "given"}
	if p, ok := in.settings.Text("log_line_prefix"); ok && !r.Given {
		po = pglog.Options{Prefix: p, Known: true, How: "of the server", Doubt: true}
	}
	if err := readLogs(ctx, h, in.files, po, c); err != nil {
		return nil, err
	}
	d := c.Report()
	d.Unknown = append(d.Unknown, in.gaps...)
	if r.Redact {
		d.Subject = ""
		for i := range d.Files {
			d.Files[i].Name = fmt.Sprintf("file-%d", i+1)
		}
	}
	return d, nil
}

// logFile is a log to be read.
type logFile struct {
	name   string             // - is stdin
	source *serverlogs.Source // it was found to be the server's; nil: a person has named it
	pasted []byte             // its text, of an evidence; nil: it is a file
	dumps  bool               // for its memory-context dumps only
	first  int64
	timed  bool
}

// sortArguments separates logs from what names a server: a directory, a conninfo, an evidence file.
func sortArguments(args []string) (target *string, files []logFile, err error) {
	stdin := false
	for i, a := range args {
		is := false
		if a == "-" {
			if stdin {
				return nil, nil, say.Usage(say.M("stdin (-) is given twice"), say.M("Use - only once."))
			}
			stdin = true
		} else {
			st, err := os.Stat(a)
			switch {
			case err == nil && st.IsDir():
				is = true
			case err == nil && st.Mode().IsRegular():
				if is, err = isEvidence(a); err != nil {
					return nil, nil, logError(a, err)
				}
			case err == nil && st.Mode()&fs.ModeNamedPipe != 0: // <(zcat …)
			case err == nil:
				return nil, nil, say.Usage(say.M("{value} is neither a directory nor a readable file", "value",
					say.Quoted(a)),
					say.M("Name log files or a TARGET."))
			case strings.Contains(a, "=") || strings.Contains(a, "://"):
				is = true
			default:
				return nil, nil, logError(a, err)
			}
		}
		if !is {
			files = append(files, logFile{name: a})
			continue
		}
		if target != nil {
			return nil, nil, say.Usage(say.M("more than one target: {target}, {value}", "target", say.Quoted(*target),
				"value", say.Quoted(a)),
				say.M("Name one data directory, conninfo or evidence file."))
		}
		target = &args[i]
	}
	return target, files, nil
}

func isEvidence(name string) (bool, error) {
	f, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, len(evidence.Format))
	n, _ := io.ReadFull(f, head) // a shorter one is none
	return string(head[:n]) == evidence.Format, nil
}

func logError(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return say.Usage(say.M("file or target {name} does not exist", "name", say.Quoted(name)),
			say.M("Name log files, a data directory or a conninfo such as 'host=db1'. For this host, omit TARGET."))
	case errors.Is(err, fs.ErrPermission):
		return &say.Problem{Message: say.M("could not open {name}: permission denied", "name", say.Quoted(name)),
			Hint: say.M("Run pgfettle as root, as the owner of the server, or in a group with read permission (adm " +
				"on Debian, also for kernel logs)."), Code: say.CodeNoAccess}
	}
	var corrupt flate.CorruptInputError
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) ||
		errors.As(err, &corrupt) {
		return &say.Problem{Message: say.M("compressed log {name} is truncated or damaged: {error}", "name",
			say.Quoted(name), "error", err),
			Hint: say.M("Read the intact part (for OOM kills, with oom instead of log): zcat FILE | pgfettle " +
				"diagnose log -"),
			Code: say.CodeError}
	}
	return say.Err("log {name}: {error}", "name", say.Quoted(name), "error", err)
}

// logInput is what is to be read, and what is known of the server that wrote it.
type logInput struct {
	subject  string
	settings pg.Settings
	walDisk  *serverlog.WALDisk // nil: not known
	files    []logFile
	kernel   string // the command that reads the kernel's log, where it is in the same evidence
	gaps     []gap.Gap
}

// open opens a log: one that a person named as ourselves, one that the server
// named as its account.
func (f *logFile) open() (io.ReadCloser, error) {
	switch {
	case f.pasted != nil:
		return io.NopCloser(bytes.NewReader(f.pasted)), nil
	case f.source != nil:
		return f.source.Open()
	}
	return os.Open(f.name)
}

// readLogs reads the files in the order of their first entries.
func readLogs(ctx context.Context, h *app.Host, files []logFile, po pglog.Options, c *serverlog.Collector) error {
	if len(files) > 1 {
		for i := range files {
			f := &files[i]
			if f.name == "-" {
				continue
			}
			r, err := f.open()
			if err != nil {
				return logError(f.name, err)
			}
			regular := true
			if file, ok := r.(*os.File); ok {
				st, err := file.Stat()
				regular = err == nil && st.Mode().IsRegular()
			}
			if regular { // a pipe cannot be read twice
				_, f.first, f.timed = pglog.Head(r, po)
			}
			r.Close()
		}
		// Dumps first of those that begin together: their error is in the other file.
		slices.SortStableFunc(files, func(a, b logFile) int {
			if a.dumps != b.dumps {
				return map[bool]int{true: -1, false: 1}[a.dumps]
			}
			if a.timed != b.timed {
				return map[bool]int{true: -1, false: 1}[a.timed]
			}
			return cmp.Compare(a.first, b.first)
		})
	}
	tell, done := h.Steps()
	defer done()
	for _, f := range files {
		if err := readLog(ctx, h, f, po, c, tell); err != nil {
			return err
		}
	}
	return nil
}

func readLog(ctx context.Context, h *app.Host, f logFile, po pglog.Options, c *serverlog.Collector,
	tell func(string)) error {
	var r io.Reader = h.Input
	name := "stdin"
	if f.name != "-" {
		name = f.name
		file, err := f.open()
		if err != nil {
			return logError(f.name, err)
		}
		defer file.Close()
		r = file
	}
	po.DumpsOnly = f.dumps
	src, err := pglog.Read(&counted{ctx: ctx, r: r, name: name, tell: tell}, po, c)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		if src.Entries == 0 {
			return say.Err("log {name}: {error}", "name", say.Quoted(name), "error", err)
		}
		h.Tell("warning", say.M("{name}: {error}; the rest of the log was not read", "name", name, "error", err))
	}
	c.File(name, src, f.dumps)
	return nil
}

// counted cancels a reading when the user does, and reports its progress.
type counted struct {
	ctx  context.Context
	r    io.Reader
	name string
	tell func(string)
	read int64
	told int64
}

func (w *counted) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := w.r.Read(p)
	// Every 64 MB is about five times per second.
	if w.read += int64(n); w.read-w.told >= 64<<20 {
		w.told = w.read
		w.tell(fmt.Sprintf("%s: %s", w.name, unit.Bytes(w.read)))
	}
	return n, err
}

const (
	// maxLogs is how much of a server's own logs is read, unpacked: some twenty seconds.
	maxLogs = 4 << 30
	// maxLogFiles are more than a year of hourly ones; --days bounds them first.
	maxLogFiles = 10_000
)

// from takes the settings of the server that a target names and, if no files were given, the logs that it writes.
func (in *logInput) from(ctx context.Context, l *app.Session, days int) error {
	with := len(in.files) > 0
	if !with && l.Collected == nil {
		with = in.paste(l)
	}
	var one *snapshot.Instance
	var labels []string
	for i := range l.Snapshot.Instances {
		labels = append(labels, l.Snapshot.Instances[i].Label())
		one = &l.Snapshot.Instances[i]
	}
	switch {
	case l.Collected == nil && !with:
		return noPaste(l)
	case len(labels) == 0 && !with:
		return say.Usage(say.M("no PostgreSQL instance found on this host"), say.M("Name log files or a data "+
			"directory."))
	case len(labels) == 0:
		return nil
	case len(labels) > 1:
		return say.Usage(say.M("more than one instance: {labels}", "labels", say.Names(labels, 0)),
			say.M("Name one of these data directories."))
	}
	in.subject = one.Label()
	in.settings, _ = one.Server.Settings.Get()
	if in.settings == nil {
		g := one.Server.Settings.Gap()
		in.gaps = append(in.gaps, gap.Gap{Fact: say.M("settings of the server"), Reason: gapwords.Of(g.Reason),
			Reveal: gapwords.Of(g.Reveal)})
	}
	in.walDisk = walDisk(l.Snapshot, one)
	if with {
		return nil
	}
	if !l.Snapshot.HostSeen {
		return say.Usage(say.M("cannot read the log of a remote server"),
			say.M("Run pgfettle on its host, or: ssh HOST cat LOG | pgfettle diagnose log -"))
	}
	return in.find(ctx, l.Host, one, days)
}

// paste takes the log that an evidence of 'pgfettle read' holds.
func (in *logInput) paste(l *app.Session) bool {
	text, err := l.Evidence.ReadFile(paste.Log)
	if err != nil {
		return false
	}
	name := l.Request.Target
	if name == "-" {
		name = "stdin"
	}
	in.files = []logFile{{name: name, pasted: text}}
	if _, err := l.Evidence.ReadFile(kernlog.Entry); err == nil && l.Request.Target != "-" &&
		l.Request.Target != "" { // a paste in a browser is no file that could be named
		in.kernel = "pgfettle diagnose oom " + "'" + strings.ReplaceAll(l.Request.Target, "'", `'\''`) + "'"
	}
	return true
}

// noPaste says why an evidence has no log to read.
func noPaste(l *app.Session) error {
	hint := say.M("Name the log files after it: pgfettle diagnose log FILE.evidence postgresql.log")
	for _, m := range l.Evidence.MissingFiles() {
		if m.Name == paste.Log {
			return say.Usage(say.M("no server log in this evidence: {reason}", "reason", gapwords.Arg(m.Reason)), hint)
		}
	}
	return say.Usage(say.M("no server log in this evidence: only pgfettle read includes one"), hint)
}

// walDisk is the filesystem of an instance's pg_wal; nil if it could not be examined.
func walDisk(s *snapshot.Snapshot, one *snapshot.Instance) *serverlog.WALDisk {
	places, _ := one.Places.Get()
	i := slices.IndexFunc(places, func(p snapshot.Place) bool { return p.Role == snapshot.WALPlace })
	spaces, ok := s.Host.Spaces.Get()
	if i < 0 || !ok {
		return nil
	}
	space, ok := s.SpaceAt(spaces, places[i].Path)
	if !ok {
		return nil
	}
	dir, _ := one.Server.WALDir.Get() // if it cannot be listed, the room is smaller by that
	return &serverlog.WALDisk{Total: space.Total, Free: space.Free, WAL: dir.Size}
}

// find finds the logs of an instance of this host, those that were written to in
// the last days.
func (in *logInput) find(ctx context.Context, h *app.Host, one *snapshot.Instance, days int) error {
	found, err := serverlogs.Find(ctx, h.Target, one, serverlogs.Options{Settings: in.settings, Files: maxLogFiles,
		Bytes: maxLogs, Newer: time.Duration(days) * 24 * time.Hour})
	if err != nil {
		return &say.Problem{Message: say.M("could not read the logs of {label}", "label", one.Label()),
			Detail: say.OfError(err),
			Hint:   say.M("Name the log files."), Code: say.CodeRefused}
	}
	if len(found.Sources) == 0 {
		return noLogs(in, one, found, days)
	}
	in.choose(found.Sources)
	in.gaps = append(in.gaps, gap.All(found.Missing)...)
	return nil
}

// noLogs says why there is nothing to read.
func noLogs(in *logInput, one *snapshot.Instance, found *serverlogs.Logs, days int) error {
	switch {
	case found.Denied != "":
		return logError(found.Denied, fs.ErrPermission)
	case found.Old > 0:
		return &say.Problem{Message: say.M("no server log of the last {days} days ({old} older ones)", "days",
			fmt.Sprint(days), "old", fmt.Sprint(found.Old)), Hint: say.M("Increase --days, or name the log files."),
			Code: say.CodeError}
	case found.Empty > 0:
		return &say.Problem{Message: say.M("all server logs are empty"),
			Hint: say.M("Increase --days, or name the log files."), Code: say.CodeError}
	}
	unitName := "postgresql"
	if u, ok := one.Unit.Get(); ok && u.Name != "" {
		unitName = strings.TrimSuffix(u.Name, ".service")
	}
	p := &say.Problem{Message: say.M("no server log file found"), Code: say.CodeError,
		Hint: say.M("Name the log files. If the log is in the systemd journal: journalctl -u {unitName} -o cat | "+
			"pgfettle diagnose log -", "unitName", unitName)}
	if destination, _ := in.settings.Text("log_destination"); destination == "syslog" {
		p.Message = say.M("the server writes to syslog")
	}
	if _, ok := one.Postmaster().Get(); !ok {
		p.Message = say.M("location of the log unknown: the server is not running")
	}
	for _, g := range found.Missing {
		p.Detail = say.M("{fact}: {reason}", "fact", g.Fact, "reason", gapwords.Arg(g.Reason))
	}
	return p
}

// choose takes the files of one format: log_destination may name several, and each event is in all of them. csvlog and
// jsonlog contain more than plain lines, but only these have the memory-context dumps.
func (in *logInput) choose(all []serverlogs.Source) {
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
