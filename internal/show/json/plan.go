package json

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/show/document"
)

// Plan writes the plan as JSON: the same document, the same bytes. No array
// is null.
func Plan(w io.Writer, d document.Plan) error {
	p := *d.Plan
	p.Changes = append([]plan.Change{}, p.Changes...)
	p.Warnings = append([]say.Message{}, p.Warnings...)
	p.Unknown = append([]known.Gap{}, p.Unknown...)
	p.Left = append([]plan.Left{}, p.Left...)
	p.Shared = append([]plan.Shared{}, p.Shared...)
	for i := range p.Changes {
		p.Changes[i].Inputs = append([]rule.Input{}, p.Changes[i].Inputs...)
		p.Changes[i].Sources = append([]string{}, p.Changes[i].Sources...)
	}
	p.Questions = append([]snapshot.ShmemQuestion(nil), p.Questions...) // left out of the JSON when there are none
	for i := range p.Questions {
		p.Questions[i].Settings = append([]snapshot.NamedValue{}, p.Questions[i].Settings...)
	}
	d.Subject.Instances = append([]document.SubjectInstance{}, d.Subject.Instances...)
	d.Plan = &p
	return Write(w, d)
}
