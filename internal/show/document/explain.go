package document

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/judge/advice"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// CheckPage is the page of a check. Here is what it found on a host; nil when no host was examined.
type CheckPage struct {
	Check check.Check
	Pages []advice.Page // with more about it
	Here  *Check
}

// KnobHere is what one knob is and would be, on the host or for one instance.
type KnobHere struct {
	Instance string // label; "" for the host
	Subject  string // the device or the mount, if there is one of the knob for each; else ""
	Present  known.Fact[rule.Value]
	Planned  string // as SHOW prints it; "" if the rule has no opinion
	Reason   string
	English  string // the reason in English, as the inputs are
	Inputs   []rule.Input
	Changes  bool
}

// KnobPage is the page of a knob. Looked reports whether a host was examined.
type KnobPage struct {
	Rule   rule.Rule
	Pages  []advice.Page // with more about it
	Looked bool
	Here   []KnobHere
	Gaps   []known.Gap
}

// UnplannedPage is the page of a knob that is read and left alone.
type UnplannedPage struct {
	rules.Unplanned
	Pages  []advice.Page
	Looked bool
	Here   []KnobHere // present values
	Gaps   []known.Gap
}
