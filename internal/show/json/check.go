package json

import (
	"io"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/document"
)

// Check writes the report as JSON: the same document, the same bytes. No
// array is null.
func Check(w io.Writer, d document.Check) error {
	d.Findings = append([]check.Finding{}, d.Findings...)
	d.Unknown = append([]known.Gap{}, d.Unknown...)
	d.Accepted = slices.Clone(d.Accepted)
	for i := range d.Accepted {
		d.Accepted[i].Sources = append([]string{}, d.Accepted[i].Sources...)
	}
	for i := range d.Findings {
		d.Findings[i].Sources = append([]string{}, d.Findings[i].Sources...)
	}
	d.Subject.Instances = append([]document.SubjectInstance{}, d.Subject.Instances...)
	return Write(w, d)
}

// File writes the report as JSON: the same document, the same bytes.
func File(w io.Writer, d document.File) error { return Write(w, d) }
