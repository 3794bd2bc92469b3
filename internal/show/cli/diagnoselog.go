package cli

import (
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

	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/serverlog"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/markdown"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/web"
	"github.com/spf13/cobra"
)

type diagnoseLogOptions struct {
	format string
	prefix string
	given  bool // --prefix
	days   int
	redact bool
}

func newDiagnoseLog(env *Env) *cobra.Command {
	o := &diagnoseLogOptions{}
	cmd := &cobra.Command{
		Use:   "log [FILE…|TARGET]",
		Short: "Say what a server's log shows, worst first",
		Long: `Read a server's log and say what it shows, worst first: damaged data, crashes and how
long they lasted, memory that was refused with the largest contexts of its dump, full
disks, WAL that could not be archived or was removed too early, connections that were
refused, checkpoints that max_wal_size forced and the value that would not have,
temporary files by size and statement and the work_mem that would have held them, waits
for locks, autovacuum, faults of the configuration. Then what it could not tell, and
which setting would make it.

FILE is a log of any of the server's formats: plain lines with any log_line_prefix
(found from the lines themselves where --prefix does not give it), csvlog, jsonlog,
each also packed by gzip; - reads one from stdin. Files may be given in any order.
A data directory or a conninfo on this host reads the logs of that server; an
evidence file or a TARGET beside FILEs gives the settings of the server only.

Statements are shown without their literals; --redact leaves them out and replaces
names. One pass with little memory: a log of gigabytes takes seconds.`,
		Example: `  pgfettle diagnose log /var/log/postgresql/postgresql-17-main.log*
  pgfettle diagnose log /srv/pg/17
  pgfettle diagnose log --prefix '%t [%p] %u@%d ' old.log
  pgfettle diagnose log db1.evidence db1.csv
  pgfettle diagnose log --redact --format markdown /srv/pg/17 > ticket.md
  journalctl -u postgresql@17-main -o cat | pgfettle diagnose log -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.given = cmd.Flags().Changed("prefix")
			return runDiagnoseLog(cmd.Context(), env, o, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", docFormsHelp)
	f.StringVar(&o.prefix, "prefix", "", "the log_line_prefix of plain lines, `PREFIX` as SHOW log_line_prefix tells it (default: of the server, else found)")
	f.IntVar(&o.days, "days", 7, "of a server's own logs read those that were written to in the last `N` days")
	f.BoolVar(&o.redact, "redact", false, "leave statements out, and replace the names of users, databases, hosts and relations")
	complete(cmd, "format", docForms...)
	return cmd
}

func runDiagnoseLog(ctx context.Context, env *Env, o *diagnoseLogOptions, args []string) error {
	if err := choice("format", o.format, docForms...); err != nil {
		return err
	}
	if o.days < 1 || o.days > 3660 {
		return usage(fmt.Sprintf("--days: %d is out of range", o.days), "write a number from 1 to 3660")
	}
	target, files, err := sortArguments(args)
	if err != nil {
		return err
	}
	in := logInput{files: files}
	if target != nil || len(files) == 0 {
		arg := ""
		if target != nil {
			arg = *target
		}
		l, err := load(ctx, env, arg, false)
		if err != nil {
			return err
		}
		if err := in.from(ctx, env, l, o.days); err != nil {
			return err
		}
	}
	c := serverlog.NewCollector(serverlog.Options{Subject: in.subject, Settings: in.settings, Redact: o.redact})
	po := pglog.Options{Prefix: o.prefix, Known: o.given, How: "given"}
	if p, ok := in.settings.Text("log_line_prefix"); ok && !o.given {
		po = pglog.Options{Prefix: p, Known: true, How: "of the server", Doubt: true}
	}
	if err := readLogs(ctx, env, in.files, po, c); err != nil {
		return err
	}
	r := c.Report()
	r.Unknown = append(r.Unknown, in.gaps...)
	if o.redact {
		r.Subject = ""
		for i := range r.Files {
			r.Files[i].Name = fmt.Sprintf("file-%d", i+1)
		}
	}
	return env.writeForm(o.format, forms{
		text:     func(w io.Writer) error { return term.Write(w, reports.Log(r), env.Style()) },
		json:     func(w io.Writer) error { return json.Log(w, r) },
		markdown: func(w io.Writer) error { return markdown.Write(w, reports.Log(r)) },
		html:     func(v web.View) (web.Page, error) { return web.DiagnoseLogPage(r, v) },
	})
}

// logFile is a log to be read.
type logFile struct {
	name   string           // - is stdin
	source *pgctl.LogSource // it was found to be the server's; nil: a person has named it
	dumps  bool             // for its memory-context dumps only
	first  int64
	timed  bool
}

// sortArguments tells logs from what names a server: a folder, a conninfo, an
// evidence file.
func sortArguments(args []string) (target *string, files []logFile, err error) {
	stdin := false
	for i, a := range args {
		is := false
		if a == "-" {
			if stdin {
				return nil, nil, usage("- stands there twice", "stdin can be read once")
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
				return nil, nil, usage(fmt.Sprintf("%q is neither a folder nor a file that can be read", a), "name log files, or a TARGET")
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
			return nil, nil, usage(fmt.Sprintf("%q and %q both name a server", *target, a), "name one data directory, conninfo or evidence file")
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
		return usage(fmt.Sprintf("no such log or target: %q", name), "name log files, a data directory, a conninfo such as host=db1, or nothing for the server on this host")
	case errors.Is(err, fs.ErrPermission):
		return &say.Problem{Message: fmt.Sprintf("%q: permission denied", name), Hint: "run pgfettle as root, as the server's user, or in the group that may read it (adm on Debian, for the kernel's logs too)", Code: exitNoAccess}
	}
	var corrupt flate.CorruptInputError
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt) {
		return &say.Problem{Message: fmt.Sprintf("log %q is packed by gzip, and cut or damaged: %v", name, err), Hint: "what can still be unpacked: zcat FILE | pgfettle diagnose log - (or oom -)", Code: exitError}
	}
	return fmt.Errorf("log %q: %w", name, err)
}

// logInput is what is to be read, and what is known of the server that wrote it.
type logInput struct {
	subject  string
	settings pg.Settings
	files    []logFile
	gaps     []gap
}

// open opens a log: one that a person named as ourselves, one that the server
// named as its account.
func (f *logFile) open() (io.ReadCloser, error) {
	if f.source != nil {
		return f.source.Open()
	}
	return os.Open(f.name)
}

// readLogs reads the files in the order of their first entries.
func readLogs(ctx context.Context, env *Env, files []logFile, po pglog.Options, c *serverlog.Collector) error {
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
	tell, done := env.Progress()
	defer done()
	for _, f := range files {
		if err := readLog(ctx, env, f, po, c, tell); err != nil {
			return err
		}
	}
	return nil
}

func readLog(ctx context.Context, env *Env, f logFile, po pglog.Options, c *serverlog.Collector, tell func(string)) error {
	var r io.Reader = env.Stdin
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
	src, err := pglog.Read(&watched{ctx: ctx, r: r, name: name, tell: tell}, po, c)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		if src.Entries == 0 {
			return fmt.Errorf("log %q: %w", name, err)
		}
		env.tell("warning", fmt.Sprintf("%s: %v: what comes behind it was not read", name, err))
	}
	c.File(name, src, f.dumps)
	return nil
}

// watched ends a reading when the person does, and tells him how far it is.
type watched struct {
	ctx  context.Context
	r    io.Reader
	name string
	tell func(string)
	read int64
	told int64
}

func (w *watched) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := w.r.Read(p)
	// Each 64 MB is some five times a second.
	if w.read += int64(n); w.read-w.told >= 64<<20 {
		w.told = w.read
		w.tell(fmt.Sprintf("%s: %s", w.name, unit.Bytes(w.read)))
	}
	return n, err
}
