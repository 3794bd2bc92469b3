package render

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// subject writes what was looked at: the host, then one line an instance.
func (p *page) subject(verb string, s Subject) {
	p.para("", plain, p.subjectLine(verb, s))
	for _, in := range s.Instances {
		p.para("  ", plain, p.instance(in))
	}
	for _, a := range s.Assumed {
		p.para("  ", yellow, p.assumed(a))
	}
}

// assumedWords says what stands in for what a description does not tell.
func assumedWords(a snapshot.Assumption) say.Message {
	if n, err := strconv.ParseInt(a.Value, 10, 64); err == nil && a.Word == "cpus" {
		return say.N("show/assumed/cpus", n, "{n} processor is assumed: say cpus=N", "{n} processors are assumed: say cpus=N")
	}
	return say.M("show/assumed", "{word}={value} is assumed: say {word}=…", "word", clean(a.Word), "value", clean(a.Value))
}

func (p *page) assumed(a Assumed) string { return p.word(assumedWords(a.Assumption)) }

// assumedNotes puts into a file what was assumed of its host.
func assumedNotes(b *strings.Builder, mark string, d Plan) {
	for _, a := range d.Subject.Assumed {
		comment(b, mark, clean(a.Text), commentWidth)
	}
}

func (p *page) subjectLine(verb string, s Subject) string {
	host := say.M("show/place/host", "the host")
	if s.Host != "" {
		host = say.M("show/place/named", "host {name}", "name", clean(s.Host))
	}
	n := say.N("show/subject/instances", int64(len(s.Instances)), "{n} instance", "{n} instances")
	switch {
	case len(s.Instances) == 0 && !s.HostSeen:
		return p.say("show/subject/nothing", "{verb}: nothing; neither a host nor an instance was seen.", "verb", verb)
	case len(s.Instances) == 0:
		return p.say("show/subject/no_instance", "{verb}: {host}. No PostgreSQL instance was found on it.", "verb", verb, "host", host)
	case !s.HostSeen:
		return p.say("show/subject/sql", "{verb}: {instances} over SQL alone; nothing is known of the host.", "verb", verb, "instances", n)
	}
	return p.say("show/subject/both", "{verb}: {host} and {instances}:", "verb", verb, "host", host, "instances", n)
}

func (p *page) instance(in SubjectInstance) string {
	name := p.say("show/instance/unknown_version", "PostgreSQL of unknown version")
	if in.Version != "" {
		name = "PostgreSQL " + clean(in.Version)
	}
	t := p.say("show/instance/at", "{name} at {place}", "name", name, "place", clean(in.Label))
	switch in.State {
	case "running":
		t += ", " + p.say("show/instance/running", "running")
	case "stopped":
		t += ", " + p.say("show/instance/stopped", "not running")
	}
	switch {
	case in.FromFiles:
		t += "; " + p.say("show/instance/from_files", "settings from its configuration files, not from the server")
	case !in.Asked:
		t += "; " + p.say("show/instance/not_asked", "the server was not asked: nothing is known of its settings")
	}
	return t
}

// unknown lists what is missing, as gathered by Causes.
func (p *page) unknown(gaps []known.Gap) {
	if len(gaps) == 0 {
		return
	}
	p.gap()
	p.line(p.tint(strong, p.say("show/unknown", "Could not be judged")))
	for _, c := range Causes(gaps) {
		for i := range c.Facts {
			c.Facts[i] = clean(c.Facts[i])
		}
		p.para("  ~ ", plain, strings.Join(c.Facts, ", ")+": "+clean(c.Reason))
		if c.Reveal != "" {
			p.para("    "+p.say("show/reveal", "to know it:")+" ", plain, clean(c.Reveal))
		}
	}
}

// Cause is why some facts are missing.
type Cause struct {
	Reason, Reveal string
	Facts          []string
}

// Causes gathers facts that are missing for the same reason and would be
// revealed by the same thing, in the order of the first of them.
func Causes(gaps []known.Gap) []Cause {
	var out []Cause
	at := map[[2]string]int{}
	for _, g := range gaps {
		k := [2]string{g.Reason, g.Reveal}
		if _, ok := at[k]; !ok {
			at[k] = len(out)
			out = append(out, Cause{Reason: g.Reason, Reveal: g.Reveal})
		}
		out[at[k]].Facts = append(out[at[k]].Facts, g.Fact)
	}
	return out
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
