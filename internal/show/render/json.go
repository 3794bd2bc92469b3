package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// CheckJSON writes the report as JSON: the same document, the same bytes. No
// array is null.
func CheckJSON(w io.Writer, d Check) error {
	d.Findings = append([]check.Finding{}, d.Findings...)
	d.Unknown = append([]known.Gap{}, d.Unknown...)
	d.Accepted = slices.Clone(d.Accepted)
	for i := range d.Accepted {
		d.Accepted[i].Sources = append([]string{}, d.Accepted[i].Sources...)
	}
	for i := range d.Findings {
		d.Findings[i].Sources = append([]string{}, d.Findings[i].Sources...)
	}
	d.Subject.Instances = append([]SubjectInstance{}, d.Subject.Instances...)
	return writeJSON(w, d)
}

// PlanJSON writes the plan as JSON: the same document, the same bytes. No array
// is null.
func PlanJSON(w io.Writer, d Plan) error {
	p := *d.Plan
	p.Changes = append([]plan.Change{}, p.Changes...)
	p.Warnings = append([]string{}, p.Warnings...)
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
	d.Subject.Instances = append([]SubjectInstance{}, d.Subject.Instances...)
	d.Plan = &p
	return writeJSON(w, d)
}

func writeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("JSON: %w", err)
	}
	_, err := w.Write(escapeHidden(b.Bytes()))
	return err
}

// escapeHidden writes as \uNNNN what JSON allows to stand raw but a terminal
// acts upon. Such characters can only be inside of strings, where the two
// spellings mean the same. The encoder has already escaped C0.
func escapeHidden(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r == '\n' || !hidden(r):
			out = append(out, b[i:i+n]...)
		case r > 0xffff:
			hi, lo := 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += n
	}
	return out
}
