package outline

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// About says what was examined: the host, and below it each instance.
func About(s document.Subject, c *say.Catalogue) Outline {
	var o Outline
	WordsIn(c).subjectOutline(&o, s)
	return o
}

func (p Words) subjectOutline(o *Outline, s document.Subject) {
	o.Para(p.Subject(s))
	var list []Item
	for _, in := range s.Instances {
		list = append(list, Item{Text: Join(p.Instance(in))})
	}
	for _, a := range s.Assumed {
		list = append(list, Item{Text: Join(p.Assumed(a)), Tone: ToneMind})
	}
	o.Kind(Lines, list)
}

// Subject says what was examined, in a sentence. The instances themselves are listed below it.
func (p Words) Subject(s document.Subject) string {
	host, n := typeset.Clean(s.Host), len(s.Instances)
	switch {
	case n == 0 && !s.HostSeen:
		return p.Say("Neither a host nor an instance was found.")
	case n == 0 && host == "":
		return p.Say("Host: name unknown, no PostgreSQL instance found")
	case n == 0:
		return p.Say("Host: {name}, no PostgreSQL instance found", "name", host)
	case !s.HostSeen:
		return p.Many(n, "{n} instance, seen only over SQL; the host is unknown",
			"{n} instances, seen only over SQL; the host is unknown")
	case host == "":
		return p.Many(n, "Host: name unknown, {n} instance", "Host: name unknown, {n} instances")
	}
	return p.Many(n, "Host: {name}, {n} instance", "Host: {name}, {n} instances", "name", host)
}

// Instance says which instance it is, whether it runs, and where its settings are from.
func (p Words) Instance(in document.SubjectInstance) string {
	name := say.M("PostgreSQL of unknown version")
	if in.Version != "" {
		name = say.Text("PostgreSQL " + typeset.Clean(in.Version))
	}
	if in.Product != "" {
		name = say.M("{product} ({name})", "product", typeset.Clean(in.Product), "name", name)
	}
	pairs := []any{"name", name, "place", typeset.Clean(in.Label)}
	what := say.M("{name} at {place}", pairs...)
	switch in.State {
	case "running":
		what = say.M("{name} at {place}, running", pairs...)
	case "stopped":
		what = say.M("{name} at {place}, not running", pairs...)
	}
	var settings say.Message
	switch {
	case in.FromFiles:
		settings = say.M("settings read from its configuration files, not from the server")
	case !in.Asked:
		settings = say.M("settings unknown: no connection to the server")
	}
	return p.Word(say.All("; ", what, settings))
}

func (p Words) Assumed(a document.Assumed) string { return p.Word(document.AssumedWords(a.Assumption)) }

// gapOutline lists what is missing, and what would reveal it.
func (p Words) gapOutline(o *Outline, gaps []known.Gap) {
	if len(gaps) == 0 {
		return
	}
	o.Heading(2, p.Unknown())
	o.Kind(Gaps, p.gapItems(gaps))
}

// Unseen lists what is missing, without a heading.
func Unseen(gaps []known.Gap, c *say.Catalogue) Outline {
	var o Outline
	o.Kind(Gaps, WordsIn(c).gapItems(gaps))
	return o
}

func (p Words) gapItems(gaps []known.Gap) []Item { return p.unknownItems(gaps, nil) }

// unknownItems lists by cause what is unknown, which checks could not run for it, and what would reveal it.
func (p Words) unknownItems(gaps []known.Gap, unjudged []check.Unjudged) (list []Item) {
	waiting := map[string]unjudgedGroup{}
	for _, g := range UnjudgedBy(unjudged) {
		waiting[g.reason] = g
	}
	for _, g := range Causes(gaps) {
		var facts Prose
		for i, f := range p.Facts(g.Facts) {
			if i > 0 {
				facts = append(facts, Piece{Text: ", "})
			}
			facts = append(facts, Piece{Text: f, As: AsName})
		}
		it := ItemOf(Join(facts, p.Colon()), p.reason(g.Reason))
		var more []Item
		if w, ok := waiting[g.Reason]; ok {
			more = append(more, ItemOf(nil, p.UnjudgedLine(w)))
			delete(waiting, g.Reason)
		}
		if g.Reveal != "" {
			more = append(more, ItemOf(Join(p.Say("To find out")+p.Colon()), p.reason(g.Reveal)))
		}
		if len(more) > 0 {
			it.More = append(it.More, List{Items: more, Kind: Lines})
		}
		list = append(list, it)
	}
	return list
}

// reason is why a fact is not known, or what would reveal it, in the reader's language.
func (p Words) reason(english string) string { return p.Word(gapwords.Of(english)) }

// GapLine is one of them in one line.
func (p Words) GapLine(g known.Gap) string {
	t := p.Fact(g.Fact) + p.Colon() + p.reason(typeset.Clean(g.Reason))
	if g.Reveal != "" {
		t += ". " + p.Say("To find out") + p.Colon() + p.reason(typeset.Clean(g.Reveal))
	}
	return t
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
