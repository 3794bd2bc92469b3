package render

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
)

// subject writes what was looked at: the host, then one line an instance.
func (p *page) subject(verb string, s Subject) {
	host := "the host"
	if s.Host != "" {
		host = "host " + s.Host
	}
	n := count(len(s.Instances), "instance", "instances")
	switch {
	case len(s.Instances) == 0 && !s.HostSeen:
		p.para("", plain, verb+": nothing; neither a host nor an instance was seen.")
	case len(s.Instances) == 0:
		p.para("", plain, verb+": "+clean(host)+". No PostgreSQL instance was found on it.")
	case !s.HostSeen:
		p.para("", plain, verb+": "+n+" over SQL alone; nothing is known of the host.")
	default:
		p.para("", plain, verb+": "+clean(host)+" and "+n+":")
	}
	for _, in := range s.Instances {
		p.para("  ", plain, clean(in.words()))
	}
}

func (in SubjectInstance) words() string {
	name := "PostgreSQL of unknown version"
	if in.Version != "" {
		name = "PostgreSQL " + in.Version
	}
	t := name + " at " + in.Label + ", " + map[string]string{"running": "running", "stopped": "not running"}[in.State]
	t = strings.TrimSuffix(t, ", ")
	if !in.Asked {
		t += "; the server was not asked: nothing is known of its settings"
	}
	return t
}

// unknown lists what is missing. Facts that are missing for the same reason
// and would be revealed by the same thing stand together, in the order of the
// first of them.
func (p *page) unknown(title string, gaps []known.Gap) {
	if len(gaps) == 0 {
		return
	}
	p.gap()
	p.line(p.tint(strong, title))
	type cause struct{ reason, reveal string }
	var order []cause
	facts := map[cause][]string{}
	for _, g := range gaps {
		c := cause{g.Reason, g.Reveal}
		if _, ok := facts[c]; !ok {
			order = append(order, c)
		}
		facts[c] = append(facts[c], clean(g.Fact))
	}
	for _, c := range order {
		p.para("  ~ ", plain, strings.Join(facts[c], ", ")+": "+clean(c.reason))
		if c.reveal != "" {
			p.para("    to know it: ", plain, clean(c.reveal))
		}
	}
}

// digits groups a whole number from five digits on, as say does.
func digits(n int) string {
	s := strconv.Itoa(n)
	if len(s) < 5 {
		return s
	}
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}
