package app

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/act/probe"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/measured/output"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/outputs"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// ProbeParts are the names of what a probe can measure.
var ProbeParts = probe.Parts

// ProbeRequest says what is measured, and for how long.
type ProbeRequest struct {
	Target  string
	Only    []string // of ProbeParts; none: all
	Seconds int      // of each measurement
}

// ProbeWork is a probe that is ready to run, with what it will cost.
type ProbeWork struct {
	*probe.Work
	host     *Host
	snapshot *snapshot.Snapshot
	done     func()
}

// Probed is what was measured, and what follows from it.
type Probed struct {
	Snapshot *snapshot.Snapshot
	Measured measured.Probe
	Methods  []string        // wal_sync_method of the instances, each value once
	Findings []check.Finding // of the checks that depend on measurements
	Follows  []ProbedKnob    // what the rules make of it

	// Of a file that was read: what is in it, and what that means by itself.
	Outputs  []output.Output
	Verdicts []outputs.Verdict
	Unread   []output.Unread
	Others   []output.Neighbor
}

// ProbedKnob is a knob whose rule depends on a measurement.
type ProbedKnob struct {
	Instance, Knob string
	Present        string // as SHOW prints it; "" if it is not known
	Want           string // the same if it stays
	Reason         say.Message
}

// PrepareProbe looks at what would be measured. Nothing is written before Run.
func (h *Host) PrepareProbe(ctx context.Context, r ProbeRequest) (*ProbeWork, error) {
	s, err := h.Open(ctx, Request{Target: r.Target})
	if err != nil {
		return nil, err
	}
	tell, done := h.Steps()
	w := probe.Prepare(h.Target, s.Snapshot, probe.Options{Only: r.Only, Seconds: r.Seconds,
		Tell: func(m say.Message) { tell(m.In(h.Words)) }})
	if !s.Snapshot.HostSeen {
		return nil, &say.Problem{Message: say.M("cannot measure the disks of a remote server"),
			Hint: say.M("Run pgfettle probe on its host."), Code: say.CodeNoAccess}
	}
	if w.Empty() {
		p := &say.Problem{Message: say.M("nothing to measure"), Code: say.CodeError}
		if len(w.Missing) > 0 {
			g := w.Missing[0]
			p.Detail = say.M("{fact}: {reason}", "fact", gapwords.Arg(g.Fact), "reason", gapwords.Arg(g.Reason))
			p.Hint = gapwords.Of(g.Reveal)
		}
		return nil, p
	}
	return &ProbeWork{Work: w, host: h, snapshot: s.Snapshot, done: done}, nil
}

// Run measures, and says what follows.
func (w *ProbeWork) Run(ctx context.Context) (*Probed, error) {
	p, err := w.Work.Run(ctx)
	w.done()
	if err != nil {
		return nil, err
	}
	return whatFollows(w.snapshot, p), nil
}

// SaveProbe saves what was measured for check and plan, and returns the file; "" if it could not be saved, which is
// reported.
func (h *Host) SaveProbe(p *Probed) string {
	dirs := h.MeasuredDirs()
	if len(dirs) == 0 {
		h.Tell("note", say.M("results not saved: HOME is not set"))
		return ""
	}
	file, err := probe.Save(h.Target, dirs[0], &p.Measured)
	if err != nil {
		h.Tell("note", say.M("could not save the results: {error}", "error", err))
		return ""
	}
	return file
}

// MeasuredDirs are where probes are kept, the one that is written to first. Root reads no directory that another user
// may write to.
func (h *Host) MeasuredDirs() []string {
	system := filepath.Join(filepath.Dir(journalfile.Dir), "measured")
	if h.Target.UID() == 0 {
		return []string{system}
	}
	state, ok := h.StateHome()
	if !ok {
		return nil
	}
	return []string{filepath.Join(state, "pgfettle", "measured"), system}
}

// restOnMeasurement are the checks and the knobs whose judgment a probe changes.
var (
	measuredChecks = []string{"fsync_impossible", "disk_slow_fsync", "wal_sync_method_slower", "timing_expensive"}
	measuredKnobs  = []string{"pg:random_page_cost", "pg:effective_io_concurrency", "pg:maintenance_io_concurrency",
		"pg:track_io_timing", "pg:track_wal_io_timing", "pg:commit_delay"}
)

// whatFollows judges a snapshot with what was measured just now.
func whatFollows(s *snapshot.Snapshot, p *measured.Probe) *Probed {
	s.Measured = known.Is(*p)
	d := &Probed{Snapshot: s, Measured: *p}
	d.Findings = check.Run(s, checks.All(), check.Options{Only: measuredChecks}).Findings
	for i := range s.Instances {
		if set, ok := s.Instances[i].Server.Settings.Get(); ok {
			if m, ok := set.Text("wal_sync_method"); ok && !slices.Contains(d.Methods, m) {
				d.Methods = append(d.Methods, m)
			}
		}
	}
	out, err := rule.Decide(s, rules.All(), rule.Options{Profile: rule.Mixed})
	if err != nil {
		return d // only pins make errors, and there are none
	}
	for _, dec := range out.Decisions {
		in := s.Instance(dec.Instance)
		if in == nil || !slices.Contains(measuredKnobs, string(dec.Address)) || !restsOn(p, in, string(dec.Address)) {
			continue
		}
		k := ProbedKnob{Instance: in.Label(), Knob: dec.Address.Name(), Want: dec.Effective.Show(), Reason: dec.Reason}
		if v, ok := dec.Present.Get(); ok {
			k.Present = v.Show()
		}
		d.Follows = append(d.Follows, k)
	}
	slices.SortStableFunc(d.Follows, func(a, b ProbedKnob) int { return strings.Compare(a.Instance, b.Instance) })
	return d
}

// restsOn reports whether this probe measured what a knob's rule asks for.
func restsOn(p *measured.Probe, in *snapshot.Instance, address string) bool {
	switch address {
	case "pg:track_io_timing", "pg:track_wal_io_timing":
		return p.Timing != nil
	}
	places, _ := in.Places.Get()
	for _, at := range places {
		d, ok := p.On(at.Device)
		switch {
		case !ok:
		case address == "pg:commit_delay":
			if at.Role == snapshot.WALPlace && d.Flush != nil {
				return true
			}
		case at.Role == snapshot.DataPlace && d.Reads != nil:
			return true
		}
	}
	return false
}
