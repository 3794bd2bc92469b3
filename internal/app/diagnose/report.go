package diagnose

import (
	"bytes"
	"context"
	"errors"

	"github.com/pgfettle/pgfettle/internal/app"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/kernlog"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/serverlog"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
)

// ReportRequest says what a report is about.
type ReportRequest struct {
	Target string
	Deep   bool
	Redact bool // names are replaced by pseudonyms, and the kernel's log is omitted
	Policy *policy.Policy
	Plan   app.PlanOptions
}

// Report has every document of one look at a host.
type Report struct {
	Snapshot *snapshot.Snapshot
	Check    check.Report
	Plan     *plan.Plan
	Memory   *memory.Report
	OOM      *oom.Report       // nil: no log could be read
	Log      *serverlog.Report // of the log that an evidence of 'pgfettle read' holds; nil: there is none
	Missing  []known.Gap       // what could not be seen of OOM kills
}

// MakeReport looks at the host once and makes every document of what it saw.
func MakeReport(ctx context.Context, h *app.Host, q ReportRequest) (*Report, error) {
	s, err := h.Open(ctx, app.Request{Target: q.Target, Deep: q.Deep, Killable: true, Packages: true,
		Policy: q.Policy})
	if err != nil {
		return nil, err
	}
	return reportOn(ctx, s, q)
}

// reportOn makes every document of a session.
func reportOn(ctx context.Context, s *app.Session, q ReportRequest) (*Report, error) {
	h := s.Host
	p, err := s.Plan(ctx, q.Plan)
	if err != nil {
		return nil, err
	}
	r := &Report{}
	accept := q.Policy.Accepted()
	var log *oom.Log
	switch {
	case q.Redact:
		// The answers of the server to the plan are in the evidence by now: from here on only redacted data are used.
		before := s.Snapshot
		if s, err = h.NewSession(s.Evidence.Redact()); err != nil {
			return nil, err
		}
		accept = renamed(accept, before, s.Snapshot)
		if p, err = s.Plan(ctx, q.Plan); err != nil {
			return nil, err
		}
		r.Missing = append(r.Missing, known.Gap{Fact: "kernel log", Reason: "removed by redaction"})
	case s.Collected == nil:
		log, err = archivedOOM(s, r)
	case s.Snapshot.HostSeen:
		var gaps []known.Gap
		log, gaps, err = oomLogs(ctx, s)
		r.Missing = append(r.Missing, gaps...)
		if no, ok := errors.AsType[*say.Problem](err); ok { // neither log: said in the report, which has more
			r.Missing = append(r.Missing, known.Gap{Fact: "OOM kills", Reason: no.Message.English(),
				Reveal: no.Hint.English()})
			log, err = nil, nil
		}
	default:
		r.Missing = append(r.Missing, known.Gap{Fact: "OOM kills",
			Reason: "the kernel log is on the remote host of the server",
			Reveal: "run pgfettle report on that host"})
	}
	if err != nil {
		return nil, err
	}
	o := q.Plan.On(s.Snapshot)
	r.Snapshot, r.Plan = s.Snapshot, p
	r.Check = s.Check(check.Options{Accept: accept, Today: h.Today(), Plan: o})
	if q.Redact {
		for i := range r.Check.Accepted { // a person's own words
			r.Check.Accepted[i].Reason = "(redacted)"
		}
	}
	r.Memory = s.Memory(o)
	if log != nil {
		r.OOM = oom.Diagnose(log, oomFacts(s.Snapshot, p))
	}
	r.Log, err = archivedLog(ctx, s)
	return r, err
}

// renamed names the instances that acceptances are for as redaction does: it keeps
// their order.
func renamed(list []check.Acceptance, before, after *snapshot.Snapshot) []check.Acceptance {
	for i := range list {
		for n := range before.Instances {
			if n < len(after.Instances) && list[i].Instance == before.Instances[n].Label() {
				list[i].Instance = after.Instances[n].Label()
				break
			}
		}
	}
	return list
}

// archivedOOM reads what an evidence file has of the kernel's log.
func archivedOOM(s *app.Session, r *Report) (*oom.Log, error) {
	b, err := s.Evidence.ReadFile(kernlog.Entry)
	if err != nil {
		r.Missing = append(r.Missing, known.Gap{Fact: "OOM kills",
			Reason: "the evidence contains no OOM report: there was no OOM kill, or the kernel log was not readable",
			Reveal: "run pgfettle snapshot as root"})
		return nil, nil
	}
	in := oom.NewReader()
	if err := in.Add(bytes.NewReader(b)); err != nil {
		return nil, err
	}
	return in.Log(), nil
}
