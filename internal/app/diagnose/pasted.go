package diagnose

import (
	"context"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/fact/paste"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
)

// Pasted is what was recognized in a paste, and a report on its host.
type Pasted struct {
	Read   *paste.Read
	Report *Report // nil: no part of the paste says something of a host or a server
}

// Paste reads a paste and makes a report on its host, without a policy. Nothing of the host
// that the program runs on is read, and nothing is executed.
func Paste(ctx context.Context, in []paste.Input) (*Pasted, error) {
	p, err := app.MakePasted(in, "")
	if err != nil {
		return nil, err
	}
	out := &Pasted{Read: p.Read}
	if p.Read.UsedParts() == 0 {
		return out, nil
	}
	s, err := (&app.Host{Target: app.LocalTarget()}).NewSession(p.Evidence)
	if err != nil {
		return nil, err
	}
	none := &policy.Policy{}
	o, err := app.PlanAsk{}.With(none, nil)
	if err != nil {
		return nil, err
	}
	out.Report, err = reportOn(ctx, s, ReportRequest{Policy: none, Plan: o})
	return out, err
}
