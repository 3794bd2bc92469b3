package json

import (
	"io"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
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
		filled(&d.Accepted[i].Finding)
	}
	for i := range d.Findings {
		filled(&d.Findings[i])
	}
	d.Subject.Instances = append([]document.SubjectInstance{}, d.Subject.Instances...)
	return Write(w, d)
}

// File writes the report as JSON: the same document, the same bytes.
func File(w io.Writer, d document.File) error { return Write(w, d) }

// filled makes the lists of a finding arrays where they are null.
func filled(f *check.Finding) {
	f.Values = append([]check.Value{}, f.Values...)
	f.Commands = append([]check.Command{}, f.Commands...)
	f.Sources = append([]say.Source{}, f.Sources...)
}
