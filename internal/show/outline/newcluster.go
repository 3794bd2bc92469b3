package outline

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/upgrade"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// upgradeHead says from which version to which a plan leads.
func (p Words) upgradeHead(o *Outline, list []upgrade.Configuration) {
	for _, c := range list {
		o.Para(Bold(p.Say("Upgrade:")), " ", p.Say("{instance} from PostgreSQL {from} to {to}", "instance",
			typeset.Clean(c.Instance), "from", typeset.Clean(c.From), "to", upgrade.MajorOf(c.To)))
	}
}

// upgradeSummary says what an upgrade's plan is and how it is used.
func (p Words) upgradeSummary(d document.Plan) []string {
	changes := say.N(int64(len(d.Changes)), "{n} change", "{n} changes")
	return []string{
		p.Say("{changes} to the configuration as it is carried over, and to the host. The column before is the "+
			"carried-over configuration. Nothing was changed.", "changes", changes),
		p.Say("Next: write the configuration of the new cluster with --format conf. pgfettle check --upgrade-to "+
			"{major} lists obstacles and steps.", "major", d.Upgrades[0].To),
	}
}

// fateHeads head the lists of parameters.
var fateHeads = map[upgrade.Fate]say.Message{
	upgrade.Dropped:   say.M("Not carried over"),
	upgrade.Renamed:   say.M("Renamed"),
	upgrade.Adapted:   say.M("Adapted"),
	upgrade.Added:     say.M("Added to keep a meaning"),
	upgrade.Kept:      say.M("Kept"),
	upgrade.AsDefault: say.M("Equal to the new default: the line can be removed"),
}

// configuration is what becomes of the settings of one instance.
func (p Words) configuration(o *Outline, c upgrade.Configuration) {
	c = c.In(p.Catalog())
	o.Heading(2, p.Say("Old settings of {instance} in PostgreSQL {major}", "instance", typeset.Clean(c.Instance),
		"major", c.To))
	tone := ToneGood
	if len(c.Trial.Complaints) > 0 {
		tone = ToneBad
	} else if c.Trial.By == "" {
		tone = ToneMind
	}
	o.Toned(tone, p.trial(c.Trial))
	var complaints []Item
	for _, text := range c.Trial.Complaints {
		complaints = append(complaints, Item{Text: Join(typeset.Clean(text))})
	}
	o.Kind(Points, complaints)
	for _, f := range upgrade.Fates {
		var items []Item
		for _, x := range c.Parameters {
			if x.Fate == f {
				items = append(items, p.parameterItem(x))
			}
		}
		if len(items) > 0 {
			o.Heading(3, p.Word(fateHeads[f]))
			o.Kind(Points, items)
		}
	}
	if len(c.Stored) > 0 {
		o.Heading(3, p.Say("Settings of roles and databases"))
		o.Para(p.Say("pg_upgrade restores them as they are."))
		var items []Item
		for _, s := range c.Stored {
			items = append(items, p.storedItem(s))
		}
		o.Kind(Points, items)
	}
	var notes []string
	for _, m := range c.Notes {
		notes = append(notes, m.String())
	}
	p.Warned(o, notes)
	p.gapOutline(o, c.Unknown)
}

// trial says whether a server of the new version would start.
func (p Words) trial(t upgrade.Trial) string {
	switch {
	case t.By == "":
		return p.Word(say.All(" ", say.M("Not tried."), t.Reason))
	case len(t.Complaints) > 0:
		return p.Say("Tried with {program}: it does not start with this configuration.", "program",
			typeset.Clean(t.By))
	}
	return p.Say("Tried with {program}: it starts with this configuration.", "program", typeset.Clean(t.By))
}

func setting(name, value string) Prose { return Join(Code(typeset.Clean(name + " = " + Shown(value)))) }

// parameterItem is one setting and what becomes of it.
func (p Words) parameterItem(x upgrade.Parameter) Item {
	text := setting(x.Name, x.Value)
	switch x.Fate {
	case upgrade.Added:
		text = setting(x.NewName, x.New)
	case upgrade.Renamed, upgrade.Adapted:
		text = Join(text, " → ", Code(typeset.Clean(x.NewName+" = "+Shown(x.New))))
	}
	if x.Place != "" {
		text = Join(text, " (", typeset.Clean(x.Place), ")")
	}
	var more Outline
	if x.Planned != nil {
		more.Para(p.Say("The plan above has {value}.", "value", Shown(x.Planned.Value)))
	}
	if !x.Reason.IsZero() {
		more.Para(typeset.Clean(typeset.Capital(x.Reason.String())))
	}
	return Item{Text: text, More: more}
}

// storedItem is one setting of a catalog.
func (p Words) storedItem(s upgrade.Stored) Item {
	it := p.parameterItem(s.Parameter)
	who := say.M("all roles")
	switch {
	case s.Role != "" && s.Database != "":
		who = say.M("role {role} in database {database}", "role", s.Role, "database", s.Database)
	case s.Role != "":
		who = say.M("role {role}", "role", s.Role)
	case s.Database != "":
		who = say.M("database {database}", "database", s.Database)
	}
	it.Text = slices.Concat(it.Text, Join(" (", typeset.Clean(p.Word(who)), ")"))
	more := Outline(it.More)
	if s.Before != "" {
		more.Para(p.Say("Before the upgrade, as pg_upgrade fails when it restores it:"))
		more.Add(Listing{Lines: []string{typeset.Clean(s.Before)}})
	}
	if s.After != "" {
		more.Para(p.Say("After the upgrade:"))
		more.Add(Listing{Lines: []string{typeset.Clean(s.After)}})
	}
	it.More = more
	return it
}
