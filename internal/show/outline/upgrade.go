package outline

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/upgrade"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// upgrades are the sections on an upgrade, one for each instance: obstacles first.
func (p Words) upgrades(o *Outline, list []upgrade.Report) {
	for _, r := range list {
		p.upgrade(o, r, len(list) > 1)
	}
}

func (p Words) upgrade(o *Outline, r upgrade.Report, named bool) {
	r = r.In(p.Catalog())
	title := say.M("Upgrade from PostgreSQL {from} to {to}", "from", typeset.Clean(r.From), "to", upgrade.MajorOf(r.To))
	if named {
		title = say.M("Upgrade of {instance} from PostgreSQL {from} to {to}", "instance", typeset.Clean(r.Instance),
			"from", typeset.Clean(r.From), "to", upgrade.MajorOf(r.To))
	}
	o.Heading(2, p.Word(title))
	tone := ToneGood
	if r.Blocked() {
		tone = ToneBad
	}
	o.Toned(tone, p.UpgradeSummary(r))
	part := func(m say.Message, k Kind, items []upgrade.Item) {
		if len(items) > 0 {
			o.Heading(3, p.Word(m))
			o.Kind(k, upgradeItems(items))
		}
	}
	part(say.M("What stops the upgrade"), Numbered, r.Stops)
	part(say.M("What changes"), Points, r.Changes)
	if len(r.Defaults) > 0 {
		o.Heading(3, p.Say("Changed defaults of settings that are not set"))
		t := Table{Caption: p.Say("Changed defaults of settings that are not set"),
			Head: []string{p.Say("setting"), say.Spell(r.Major), say.Spell(r.To)}}
		for _, d := range r.Defaults {
			t.Rows = append(t.Rows, []Prose{Join(Code(d.Name)), Join(Code(d.Old)), Join(Code(d.New))})
		}
		o.Add(t)
	}
	if len(r.Removable) > 0 {
		o.Heading(3, p.Say("Lines that equal the default of {major} and can be removed", "major", r.To))
		var items []Item
		for _, l := range r.Removable {
			text := Join(Code(typeset.Clean(l.Name + " = " + l.Value)))
			if l.Place != "" {
				text = Join(text, " (", typeset.Clean(l.Place), ")")
			}
			items = append(items, Item{Text: text})
		}
		o.Kind(Points, items)
	}
	part(say.M("Collations"), Points, r.Collations)
	part(say.M("Steps"), Numbered, r.Steps)
	gaps := p.unknownItems(r.Unknown, nil)
	for _, m := range r.NotExamined {
		gaps = append(gaps, Item{Text: Join(typeset.Clean(m.String()))})
	}
	if len(gaps) > 0 {
		o.Heading(3, p.Say("Not checked for the upgrade"))
		o.Kind(Gaps, gaps)
	}
}

// upgradeItems are obstacles, changes or steps: what was seen, what to do, and its commands below.
func upgradeItems(list []upgrade.Item) (out []Item) {
	for _, it := range list {
		var o Outline
		head := it.Seen
		if head.IsZero() {
			head = it.Do
		} else if !it.Do.IsZero() {
			o.Para(typeset.Clean(it.Do.String()))
		}
		if lines := upgradeCommands(it.Commands); len(lines) > 0 {
			o.Add(Listing{Lines: lines})
		}
		out = append(out, Item{Text: Join(typeset.Clean(head.String())), More: o})
	}
	return out
}

func upgradeCommands(list []check.Command) (out []string) {
	for _, c := range list {
		out = append(out, typeset.Clean(c.Text))
	}
	return out
}

// UpgradeSummary says in a sentence whether something stops the upgrade.
func (p Words) UpgradeSummary(r upgrade.Report) string {
	obstacles := say.M("Nothing was found that stops the upgrade to PostgreSQL {major}.", "major", r.To)
	if n := len(r.Stops); n > 0 {
		obstacles = say.N(n, "{n} obstacle stops the upgrade to PostgreSQL {major}.",
			"{n} obstacles stop the upgrade to PostgreSQL {major}.", "major", r.To)
	}
	var rest say.Message
	if n := len(r.Unknown); n > 0 {
		rest = say.N(n, "{n} fact is unknown.", "{n} facts are unknown.")
	}
	return p.Word(say.All(" ", obstacles, rest))
}
