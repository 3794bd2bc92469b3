package cli

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/kernlog"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/markdown"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/web"
	"github.com/spf13/cobra"
)

func newDiagnoseOOM(env *Env) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "oom [FILE… | TARGET]",
		Short: "Say whom the OOM killer killed, why, and what would have prevented it",
		Long: `Read the kernel's log and, beside it, the server's, and tell of each kill: when, in
what memory was short, who asked, who was killed and what he was in the instance, the
statement, what held the memory, the largest processes, the cause with its evidence,
what would have prevented it, and what became of the server.

A FILE is a log of the kernel as dmesg, dmesg -T, journalctl (short forms, json) or
syslog write it, from kernels 3.10 to 6.18; a log of a PostgreSQL server (stderr, csvlog,
jsonlog); or both mixed; plain or .gz; whole or cut, and - is stdin. All files given
are read as one story, so give the kernel's and the server's together. An evidence
file among them ('pgfettle snapshot') lets the plan for that host say what would have
prevented it; without one the numbers of the report do. It has the kernel's reports
in it where they could be read, so it may also be the only FILE.

Without FILE, this host: the kernel's log from the journal, else from dmesg, which needs
root or the group adm, and the end of the logs of its servers, or of the server that
TARGET (a data directory or a conninfo) names. The kernel's ring buffer forgets what is
old, and inside of a container there is no kernel's log: read it on the host.`,
		Example: `  pgfettle diagnose oom
  pgfettle diagnose oom /var/log/kern.log /var/log/postgresql/postgresql-15-main.log
  ssh db1 journalctl -k -o short-iso | pgfettle diagnose oom -
  pgfettle diagnose oom kern.log db1.evidence --format json
  pgfettle diagnose oom kern.log postgresql.log --format markdown > incident.md`,
		RunE: func(cmd *cobra.Command, args []string) error { return runDiagnoseOOM(cmd.Context(), env, format, args) },
	}
	cmd.Flags().StringVar(&format, "format", "text", docFormsHelp)
	complete(cmd, "format", docForms...)
	return cmd
}

func runDiagnoseOOM(ctx context.Context, env *Env, format string, args []string) error {
	if err := choice("format", format, docForms...); err != nil {
		return err
	}
	var log *oom.Log
	var l *loaded
	var gaps []known.Gap
	var err error
	if oomLive(args) {
		log, l, gaps, err = liveOOM(ctx, env, strings.Join(args, ""))
	} else {
		log, l, err = oomFiles(env, args)
	}
	if err != nil {
		return err
	}
	f := oom.Facts{}
	if l != nil {
		f = oomPlan(ctx, env, l)
	}
	d := oom.Diagnose(log, f)
	d.Missing = append(d.Missing, gaps...)
	return env.writeForm(format, forms{
		text:     func(w io.Writer) error { return term.Write(w, reports.OOM(d), env.Style()) },
		json:     func(w io.Writer) error { return json.OOM(w, d) },
		markdown: func(w io.Writer) error { return markdown.Write(w, reports.OOM(d)) },
		html:     func(v web.View) (web.Page, error) { return web.DiagnoseOOMPage(d, v) },
	})
}

// oomLive says whether the arguments name this host or a server, not files.
func oomLive(args []string) bool {
	if len(args) == 0 {
		return true
	}
	if len(args) > 1 || args[0] == "-" {
		return false
	}
	st, err := os.Stat(args[0])
	return err == nil && st.IsDir() || err != nil && (strings.Contains(args[0], "://") || strings.Contains(args[0], "=") && !strings.ContainsRune(args[0], '/'))
}

// oomPlan adds what is known of the host, with the changes of its plan.
func oomPlan(ctx context.Context, env *Env, l *loaded) oom.Facts {
	p, err := l.PlanBy(ctx, asked(env, sitePolicy(env, l)))
	if err != nil {
		return oom.Facts{Snapshot: l.Snapshot, PlanGap: "there is no plan for this host: " + err.Error()}
	}
	return oomFacts(l.Snapshot, p)
}

// oomFacts are a host and its plan, for what would have prevented a kill.
func oomFacts(s *snapshot.Snapshot, p *plan.Plan) oom.Facts {
	f := oom.Facts{Snapshot: s}
	for _, a := range p.AtWork {
		f.WorkMem = append(f.WorkMem, oom.WorkMem{Instance: a.Instance, WorkMem: a.WorkMem, Buffers: a.Buffers, Pinned: a.Pinned && a.Planned != a.WorkMem, Open: a.Open, Fit: a.FitBest, Saved: a.Saved})
	}
	for _, c := range p.Changes {
		from, err1 := strconv.ParseFloat(c.FromBase, 64)
		to, err2 := strconv.ParseFloat(c.ToBase, 64)
		f.Changes = append(f.Changes, oom.Change{Address: c.Address, Instance: c.Instance, From: c.From, To: c.To, Reason: c.Reason.String(), Raises: err1 == nil && err2 == nil && to > from})
	}
	return f
}

// oomFiles reads the files that are given, as one story.
func oomFiles(env *Env, args []string) (*oom.Log, *loaded, error) {
	r := oom.NewReader()
	var l *loaded
	for i, name := range args {
		if slices.Contains(args[:i], name) {
			return nil, nil, usage(fmt.Sprintf("%q is given twice", name), "every kill in it would be told twice")
		}
		var in io.Reader = env.Stdin
		if name != "-" {
			f, err := os.Open(name)
			if err != nil {
				return nil, nil, logError(name, err)
			}
			defer f.Close()
			if st, err := f.Stat(); err == nil && st.IsDir() {
				return nil, nil, usage(fmt.Sprintf("%q is a folder", name), "name the files in it; a data directory is a TARGET of its own, and then no other file is taken")
			}
			in = f
		}
		br := bufio.NewReaderSize(in, 64<<10)
		head, _ := br.Peek(64)
		switch {
		case evidence.IsArchive(head):
			if l != nil {
				return nil, nil, usage("two evidence files are given", "the logs are of one host")
			}
			a, err := app.ParseEvidence(br, fmt.Sprintf("evidence file %q", name))
			if err != nil {
				return nil, nil, err
			}
			if l, err = env.host().NewSession(a); err != nil {
				return nil, nil, err
			}
			if b, err := l.Evidence.ReadFile(kernlog.Entry); err == nil {
				if err := r.Add(bytes.NewReader(b)); err != nil {
					return nil, nil, err
				}
			}
			continue
		case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
			z, err := gzip.NewReader(br)
			if err != nil {
				return nil, nil, logError(name, err)
			}
			in = io.LimitReader(z, maxUnpacked)
		default:
			in = br
		}
		if err := r.Add(in); err != nil {
			return nil, nil, logError(name, err)
		}
	}
	return r.Log(), l, nil
}

const (
	// maxUnpacked bounds what a packed log may become.
	maxUnpacked = 16 << 30
	// maxKernelLog bounds what is read of the kernel's log: a ring buffer has at
	// most some MB, and a journal of a year some ten.
	maxKernelLog = 64 << 20
	// kernelLines are the last of the journal that are read: about 2,000 reports.
	kernelLines = 200_000
	logTime     = time.Minute
)

// liveOOM reads the logs of this host.
func liveOOM(ctx context.Context, env *Env, arg string) (*oom.Log, *loaded, []known.Gap, error) {
	l, err := load(ctx, env, arg, false)
	if err != nil {
		return nil, nil, nil, err
	}
	if !l.Snapshot.HostSeen {
		return nil, nil, nil, &say.Problem{Message: "the kernel's log is on the server's host, which SQL does not show",
			Hint: "run pgfettle diagnose oom there, or bring the log here: ssh HOST journalctl -k -o short-iso | pgfettle diagnose oom -", Code: exitNoAccess}
	}
	log, gaps, err := oomLogs(ctx, env, l)
	return log, l, gaps, err
}

// oomLogs reads the logs of the host that was looked at: the kernel's, and the end
// of those of its servers.
func oomLogs(ctx context.Context, env *Env, l *loaded) (*oom.Log, []known.Gap, error) {
	tell, done := env.Progress()
	defer done()
	var gaps []known.Gap
	r := oom.NewReader()
	tell("reading the kernel's log…")
	text, gap := kernelLog(ctx, env.Target)
	if gap != nil {
		gaps = append(gaps, *gap)
	}
	if err := r.Add(bytes.NewReader(text)); err != nil {
		return nil, nil, err
	}
	read := 0
	for i := range l.Snapshot.Instances {
		in := &l.Snapshot.Instances[i]
		settings, _ := in.Server.Settings.Get()
		found, err := pgctl.Logs(ctx, env.Target, in, pgctl.LogOptions{Settings: settings})
		if err != nil {
			gaps = append(gaps, known.Gap{Fact: "the log of " + in.Label(), Reason: err.Error(), Reveal: "give its file as a FILE, with that of the kernel"})
			continue
		}
		gaps = append(gaps, found.Missing...)
		if len(found.Sources) == 0 {
			gaps = append(gaps, known.Gap{Fact: "the log of " + in.Label(), Reason: "no file is found that it writes to: it may log to syslog, to the journal, or to a file that another program opened",
				Reveal: "give its file as a FILE, with that of the kernel"})
		}
		for k := range found.Sources {
			f := &found.Sources[k]
			tell("reading " + f.Path + "…")
			if err := addLog(r, f); err != nil {
				gaps = append(gaps, known.Gap{Fact: f.Path, Reason: "the log could not be read to its end: " + err.Error(), Reveal: "run pgfettle as root or as the owner of the server"})
				continue
			}
			read++
		}
	}
	if gap != nil && len(text) == 0 && read == 0 {
		return nil, gaps, &say.Problem{Message: "neither the kernel's log nor that of a server can be read: " + gap.Reason, Hint: gap.Reveal, Code: exitNoAccess}
	}
	return r.Log(), gaps, ctx.Err()
}

// kernelLog reads the kernel's log: from the journal, which keeps earlier boots
// and knows the clock, with what systemd says about kills; else the ring buffer.
func kernelLog(ctx context.Context, t target.Target) ([]byte, *known.Gap) {
	const killed, failed = "fe6faa94e7774663a0da52717891d8ef", "d9b373ed55a64feb8242e02dbe79a49c" // message ids of systemd
	out, err := t.Run(ctx, target.Command{Argv: []string{"journalctl", "--no-pager", "--quiet", "--output=short-iso-precise", "--lines=" + strconv.Itoa(kernelLines),
		"_TRANSPORT=kernel", "+", "MESSAGE_ID=" + killed, "+", "MESSAGE_ID=" + failed}, Timeout: logTime, Limit: maxKernelLog})
	if (err == nil || errors.Is(err, target.ErrTooLarge)) && bytes.Contains(out.Stdout, []byte(" kernel: ")) {
		return out.Stdout, nil
	}
	out, err = t.Run(ctx, target.Command{Argv: []string{"dmesg"}, Timeout: logTime, Limit: maxKernelLog})
	switch {
	case err == nil && out.Code == 0 && len(out.Stdout) > 0:
		return out.Stdout, nil
	case err != nil && !errors.Is(err, target.ErrTooLarge):
		return nil, &known.Gap{Fact: "the kernel's log", Reason: "neither journalctl nor dmesg gave it", Reveal: "read it on the host and give it as a FILE"}
	case out.Code != 0:
		reason, _, _ := strings.Cut(strings.TrimSpace(string(out.Stderr)), "\n")
		return nil, &known.Gap{Fact: "the kernel's log", Reason: "dmesg was refused: " + reason, Reveal: "run pgfettle as root, or as a member of the group adm or systemd-journal"}
	}
	return out.Stdout, &known.Gap{Fact: "the kernel's log", Reason: "dmesg shows nothing", Reveal: "in a container read it on the host"}
}

// addLog reads one log of a server.
func addLog(r *oom.Reader, f *pgctl.LogSource) error {
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	return r.Add(in)
}
