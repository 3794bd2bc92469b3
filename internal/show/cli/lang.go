package cli

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/show/document"
)

// speak opens the message catalog of the language that --lang or the environment
// selects. It runs before every command.
func (e *Env) speak() error {
	lang := e.Lang
	if lang == "" {
		lang = say.LanguageOf(e.Getenv)
		if e.ascii() { // its encoding lacks the letters, too
			lang = say.English
		}
	} else if !slices.Contains(say.Languages(), lang) {
		return say.Usage(say.M("invalid value for --lang: {lang}", "lang", say.Quoted(lang)),
			say.M("Use one of: {languages}.", "languages", say.Names(say.Languages(), 0)))
	}
	c, err := say.Open(lang)
	if err != nil {
		return say.Err("message catalog for {language}: {error}", "language", lang, "error", err)
	}
	e.words = c
	return nil
}

// asked returns the catalog for what other programs read: they get English, in every environment, unless --lang says
// otherwise.
func (e *Env) asked() *say.Catalogue {
	if e.Lang == "" {
		return nil
	}
	return e.words
}

// spokenCheck is a report for another program.
func (e *Env) spokenCheck(d document.Check) document.Check {
	d.Report = d.Report.In(e.asked())
	d.Upgrades = slices.Clone(d.Upgrades)
	for i := range d.Upgrades {
		d.Upgrades[i] = d.Upgrades[i].In(e.asked())
	}
	return d
}

// spokenPlan is a plan for another program, or for the comments of a file.
func (e *Env) spokenPlan(d document.Plan) document.Plan {
	d.Plan = d.Plan.In(e.asked())
	d.Upgrades = slices.Clone(d.Upgrades)
	for i, c := range d.Upgrades {
		d.Upgrades[i] = c.In(e.asked())
	}
	return d
}

// spokenFile is a report on a configuration file for another program.
func (e *Env) spokenFile(d document.File) document.File {
	d.Report = d.Report.In(e.asked())
	if d.Upgrade != nil {
		r := d.Upgrade.In(e.asked())
		d.Upgrade = &r
	}
	return d
}
