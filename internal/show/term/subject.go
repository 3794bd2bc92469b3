package term

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// subject writes what was looked at: the host, then one line an instance.
func (p *page) subject(verb string, s document.Subject) {
	p.para("", plain, p.Subject(verb, s))
	for _, in := range s.Instances {
		p.para("  ", plain, p.Instance(in))
	}
	for _, a := range s.Assumed {
		p.para("  ", yellow, p.Assumed(a))
	}
}

// unknown lists what is missing, as gathered by Causes.
func (p *page) unknown(gaps []known.Gap) {
	if len(gaps) == 0 {
		return
	}
	p.gap()
	p.line(p.tint(strong, p.Say("show/unknown", "Could not be judged")))
	for _, c := range outline.Causes(gaps) {
		for i := range c.Facts {
			c.Facts[i] = typeset.Clean(c.Facts[i])
		}
		p.para("  ~ ", plain, strings.Join(c.Facts, ", ")+": "+typeset.Clean(c.Reason))
		if c.Reveal != "" {
			p.para("    "+p.Say("show/reveal", "to know it:")+" ", plain, typeset.Clean(c.Reveal))
		}
	}
}
