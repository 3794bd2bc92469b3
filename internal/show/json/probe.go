package json

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/document"
)

// Probe writes the document as JSON. No array is null.
func Probe(w io.Writer, d *document.Probe) error {
	o := *d
	o.Methods = append([]string{}, d.Methods...)
	o.Findings = append([]check.Finding{}, d.Findings...)
	for i := range o.Findings {
		filled(&o.Findings[i])
	}
	o.Follows = append([]document.ProbeKnob{}, d.Follows...)
	o.Subject.Instances = append([]document.SubjectInstance{}, d.Subject.Instances...)
	return Write(w, o)
}
