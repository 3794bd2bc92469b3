package app

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
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/kernlog"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// OOM says whom the OOM killer killed, why, and what would have prevented it. args are
// log files, with one evidence file among them at most, and are read as one story; or
// none, or one data directory or conninfo: then the logs of this host are read.
func (h *Host) OOM(ctx context.Context, args []string) (*oom.Report, error) {
	var log *oom.Log
	var s *Session
	var gaps []known.Gap
	var err error
	if oomLive(args) {
		log, s, gaps, err = h.oomHere(ctx, strings.Join(args, ""))
	} else {
		log, s, err = h.oomFiles(args)
	}
	if err != nil {
		return nil, err
	}
	f := oom.Facts{}
	if s != nil {
		f = s.oomPlan(ctx)
	}
	d := oom.Diagnose(log, f)
	d.Missing = append(d.Missing, gaps...)
	return d, nil
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
func (s *Session) oomPlan(ctx context.Context) oom.Facts {
	p, err := s.PlanBy(ctx, s.host.ByPolicy(s.PolicyOfDiagnosis()))
	if err != nil {
		return oom.Facts{Snapshot: s.Snapshot, PlanGap: "there is no plan for this host: " + err.Error()}
	}
	return oomFacts(s.Snapshot, p)
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
func (h *Host) oomFiles(args []string) (*oom.Log, *Session, error) {
	r := oom.NewReader()
	var l *Session
	for i, name := range args {
		if slices.Contains(args[:i], name) {
			return nil, nil, usage(fmt.Sprintf("%q is given twice", name), "every kill in it would be told twice")
		}
		var in io.Reader = h.Input
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
			a, err := ParseEvidence(br, fmt.Sprintf("evidence file %q", name))
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
	// maxKernelLog bounds what is read of the kernel's log: a ring buffer has at
	// most some MB, and a journal of a year some ten.
	maxKernelLog = 64 << 20
	// kernelLines are the last of the journal that are read: about 2,000 reports.
	kernelLines = 200_000
	logTime     = time.Minute
)

// oomHere reads the logs of this host.
func (h *Host) oomHere(ctx context.Context, arg string) (*oom.Log, *Session, []known.Gap, error) {
	l, err := h.Open(ctx, Request{Target: arg})
	if err != nil {
		return nil, nil, nil, err
	}
	if !l.Snapshot.HostSeen {
		return nil, nil, nil, &say.Problem{Message: "the kernel's log is on the server's host, which SQL does not show",
			Hint: "run pgfettle diagnose oom there, or bring the log here: ssh HOST journalctl -k -o short-iso | pgfettle diagnose oom -", Code: say.CodeNoAccess}
	}
	log, gaps, err := l.oomLogs(ctx)
	return log, l, gaps, err
}

// oomLogs reads the logs of the host that was looked at: the kernel's, and the end
// of those of its servers.
func (s *Session) oomLogs(ctx context.Context) (*oom.Log, []known.Gap, error) {
	tell, done := s.host.progress()
	defer done()
	var gaps []known.Gap
	r := oom.NewReader()
	tell("reading the kernel's log…")
	text, gap := kernelLog(ctx, s.host.Target)
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
		found, err := pgctl.Logs(ctx, s.host.Target, in, pgctl.LogOptions{Settings: settings})
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
		return nil, gaps, &say.Problem{Message: "neither the kernel's log nor that of a server can be read: " + gap.Reason, Hint: gap.Reveal, Code: say.CodeNoAccess}
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
