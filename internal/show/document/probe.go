package document

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/measured/output"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/outputs"
)

// ProbeSchema names the version of the JSON form of Probe.
const ProbeSchema = "pgfettle.probe/1"

// Probe is what was measured, and what follows from it.
type Probe struct {
	Schema   string          `json:"schema"`
	Subject  Subject         `json:"subject"`
	From     string          `json:"from,omitempty"` // the file that it was read from, where it was not measured here
	Measured measured.Probe  `json:"measured"`
	Methods  []string        `json:"methods"`        // wal_sync_method of the instances, each value once
	Findings []check.Finding `json:"findings"`       // of the checks that depend on measurements
	Follows  []ProbeKnob     `json:"follows"`        // what the rules make of it
	Kept     string          `json:"kept,omitempty"` // the file that check and plan will read it from

	// Of a file that was read (From): each output in it, what it means by itself, and lines that
	// look like one and were not understood.
	Outputs  []output.Output   `json:"outputs,omitempty"`
	Verdicts []outputs.Verdict `json:"verdicts,omitempty"`
	Unread   []output.Unread   `json:"unread,omitempty"`
	Others   []output.Neighbor `json:"others,omitempty"` // results of other programs in the file
}

// ProbeKnob is a knob whose rule depends on a measurement.
type ProbeKnob struct {
	Instance string      `json:"instance"`
	Knob     string      `json:"knob"`
	Present  string      `json:"present"` // as SHOW prints it; "" if it is not known
	Want     string      `json:"want"`    // the same where it stays
	Reason   say.Message `json:"reason"`
}

// In returns the document with its texts in the language of a catalog.
func (d *Probe) In(c *say.Catalogue) *Probe {
	if c == nil {
		return d
	}
	out := *d
	r := check.Report{Findings: d.Findings, Unknown: d.Measured.Missing}.In(c)
	out.Findings, out.Measured.Missing = r.Findings, r.Unknown
	out.Follows, out.Verdicts = slices.Clone(d.Follows), slices.Clone(d.Verdicts)
	for i := range out.Follows {
		out.Follows[i].Reason = d.Follows[i].Reason.Translated(c)
	}
	for i := range out.Verdicts {
		out.Verdicts[i].Text = d.Verdicts[i].Text.Translated(c)
	}
	return &out
}
