// Package diagnose holds the use cases of the command diagnose, and the report that joins them with check and plan: it
// finds the logs, files, and live servers that a person names, reads them, and lets judge/diagnose say what they mean.
// If a host is examined too, it opens a session of app.
package diagnose

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/app"

	"github.com/pgfettle/pgfettle/internal/act/pgctl/serverlogs"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/kernlog"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/gap"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// OOM reports which process the OOM killer killed, why, and what would have prevented it. args are log files, with one
// evidence file among them at most, and are read as one story; or none, or one data directory or conninfo: then the
// logs of this host are read.
func OOM(ctx context.Context, h *app.Host, args []string) (*oom.Report, error) {
	var log *oom.Log
	var s *app.Session
	var gaps []known.Gap
	var err error
	if oomLive(args) {
		log, s, gaps, err = oomHere(ctx, h, strings.Join(args, ""))
	} else {
		log, s, err = oomFiles(h, args)
	}
	if err != nil {
		return nil, err
	}
	f := oom.Facts{}
	if s != nil {
		f = oomPlan(ctx, s)
	}
	d := oom.Diagnose(log, f)
	d.Missing = append(d.Missing, gap.All(gaps)...)
	return d, nil
}

// oomLive reports whether the arguments name this host or a server, not files.
func oomLive(args []string) bool {
	if len(args) == 0 {
		return true
	}
	if len(args) > 1 || args[0] == "-" {
		return false
	}
	st, err := os.Stat(args[0])
	return err == nil && st.IsDir() || err != nil && (strings.Contains(args[0], "://") ||
		strings.Contains(args[0], "=") && !strings.ContainsRune(args[0], '/'))
}

// oomPlan adds what is known of the host, with the changes of its plan.
func oomPlan(ctx context.Context, s *app.Session) oom.Facts {
	p, err := s.PlanBy(ctx, s.Host.ByPolicy(s.PolicyOfDiagnosis()))
	if err != nil {
		return oom.Facts{Snapshot: s.Snapshot, PlanGap: say.M("no plan for this host: {error}", "error", err)}
	}
	return oomFacts(s.Snapshot, p)
}

// oomFacts are a host and its plan, for what would have prevented a kill.
func oomFacts(s *snapshot.Snapshot, p *plan.Plan) oom.Facts {
	f := oom.Facts{Snapshot: s}
	for _, a := range p.AtWork {
		f.WorkMem = append(f.WorkMem, oom.WorkMem{Instance: a.Instance, WorkMem: a.WorkMem, Buffers: a.Buffers,
			Pinned: a.Pinned && a.Planned != a.WorkMem, Open: a.Open, Fit: a.FitBest, Saved: a.Saved})
	}
	for _, c := range p.Changes {
		from, err1 := strconv.ParseFloat(c.FromBase, 64)
		to, err2 := strconv.ParseFloat(c.ToBase, 64)
		f.Changes = append(f.Changes, oom.Change{Address: c.Address, Instance: c.Instance, From: c.From, To: c.To,
			Reason: c.Reason, Raises: err1 == nil && err2 == nil && to > from})
	}
	return f
}

// oomFiles reads the files that are given, as one story.
func oomFiles(h *app.Host, args []string) (*oom.Log, *app.Session, error) {
	r := oom.NewReader()
	var l *app.Session
	for i, name := range args {
		if slices.Contains(args[:i], name) {
			return nil, nil, say.Usage(say.M("file {name} is given twice", "name", say.Quoted(name)),
				say.M("Name each file once."))
		}
		var in io.Reader = h.Input
		if name != "-" {
			f, err := os.Open(name)
			if err != nil {
				return nil, nil, logError(name, err)
			}
			defer f.Close()
			if st, err := f.Stat(); err == nil && st.IsDir() {
				return nil, nil, say.Usage(say.M("{name} is a directory", "name", say.Quoted(name)),
					say.M("Name the files in it. A data directory can only be given alone, as TARGET."))
			}
			in = f
		}
		br := bufio.NewReaderSize(in, 64<<10)
		head, _ := br.Peek(64)
		switch {
		case evidence.IsArchive(head):
			if l != nil {
				return nil, nil, say.Usage(say.M("more than one evidence file"), say.M("Name the evidence of one "+
					"host only."))
			}
			a, err := app.ParseEvidence(br, fmt.Sprintf("evidence file %q", name))
			if err != nil {
				return nil, nil, err
			}
			if l, err = h.NewSession(a); err != nil {
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
)

// oomHere reads the logs of this host.
func oomHere(ctx context.Context, h *app.Host, arg string) (*oom.Log, *app.Session, []known.Gap, error) {
	l, err := h.Open(ctx, app.Request{Target: arg})
	if err != nil {
		return nil, nil, nil, err
	}
	if !l.Snapshot.HostSeen {
		return nil, nil, nil, &say.Problem{Message: say.M("cannot read the kernel log of a remote server"),
			Hint: say.M("Run pgfettle diagnose oom on its host, or: ssh HOST journalctl -k -o short-iso | pgfettle " +
				"diagnose oom -"), Code: say.CodeNoAccess}
	}
	log, gaps, err := oomLogs(ctx, l)
	return log, l, gaps, err
}

// oomLogs reads the logs of the host that was examined: the kernel's, and the end of those of its servers.
func oomLogs(ctx context.Context, s *app.Session) (*oom.Log, []known.Gap, error) {
	tell, done := s.Host.Steps()
	defer done()
	var gaps []known.Gap
	r := oom.NewReader()
	tell("reading the kernel log…")
	text, gap := app.KernelLog(ctx, s.Host.Target)
	if gap != nil {
		gaps = append(gaps, *gap)
	}
	if err := r.Add(bytes.NewReader(text)); err != nil {
		return nil, nil, err
	}
	read := 0
	for i := range s.Snapshot.Instances {
		in := &s.Snapshot.Instances[i]
		settings, _ := in.Server.Settings.Get()
		found, err := serverlogs.Find(ctx, s.Host.Target, in, serverlogs.Options{Settings: settings})
		if err != nil {
			gaps = append(gaps, known.Gap{Fact: "log of " + in.Label(), Reason: err.Error(),
				Reveal: "name its log file as FILE, together with the kernel log"})
			continue
		}
		gaps = append(gaps, found.Missing...)
		if len(found.Sources) == 0 {
			gaps = append(gaps, known.Gap{Fact: "log of " + in.Label(),
				Reason: "no log file found; the server may log to syslog, to the journal, or through another program",
				Reveal: "name its log file as FILE, together with the kernel log"})
		}
		for k := range found.Sources {
			f := &found.Sources[k]
			tell("reading " + f.Path + "…")
			if err := addLog(r, f); err != nil {
				gaps = append(gaps, known.Gap{Fact: f.Path, Reason: "could not read the whole log: " +
					err.Error(), Reveal: "run pgfettle as root or as the owner of the server"})
				continue
			}
			read++
		}
	}
	if gap != nil && len(text) == 0 && read == 0 {
		return nil, gaps, &say.Problem{Message: say.M("could not read the kernel log or a server log: {reason}",
			"reason", gapwords.Arg(gap.Reason)), Hint: gapwords.Of(gap.Reveal), Code: say.CodeNoAccess}
	}
	return r.Log(), gaps, ctx.Err()
}

// addLog reads one log of a server.
func addLog(r *oom.Reader, f *serverlogs.Source) error {
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	return r.Add(in)
}
