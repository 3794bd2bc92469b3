package configuration

import (
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// ConfigFileErrors leaves out the rows that pg_file_settings marks with "setting
// could not be applied" only because a restart would be needed (seen on 13 and
// 18, also where the command line overrides the file): the same words stand for
// a value that is wrong, so the value itself has to be looked at.
var ConfigFileErrors = check.Check{
	ID:       "config_file_errors",
	Area:     check.Config,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "The configuration files have errors",
	Why: "The running server passes over what it does not understand, so nobody notices; but it refuses to start " +
		"with such a file. The next " +
		"restart, be it a planned one or the one after a power failure, ends with the server down. An unknown name " +
		"or a syntax error also keeps " +
		"every reload from taking effect, so that corrections made since are not in force either.",
	Do: "Correct or remove the named lines (ALTER SYSTEM RESET name for those in postgresql.auto.conf), run SELECT " +
		"pg_reload_conf(); and see that " +
		"SELECT * FROM pg_file_settings WHERE error IS NOT NULL; is empty.",
	Commands: []check.Command{
		check.SQL("SELECT pg_reload_conf();"),
		check.SQL("SELECT * FROM pg_file_settings WHERE error IS NOT NULL;"),
	},
	Sources: []string{"pg-config", "pg-system-views"},
	Judge: func(c *check.Case) {
		list, ok := check.Need(c, c.Instance.Server.FileSettings)
		if !ok {
			return
		}
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		var told []string
		for _, f := range list {
			if f.Error == "" || needsRestart(set[f.Name]) && legal(set[f.Name], f.Value) {
				continue
			}
			name := f.Name
			if name == "" {
				name = "a line"
			}
			told = append(told, fmt.Sprintf("%s line %d: %s: %s", f.File, f.Line, name, f.Error))
		}
		if len(told) > 0 {
			c.Found("{errors}.", "errors", check.Join(told, "; ", 5))
		}
	},
}

func needsRestart(s pg.Setting) bool { return s.PendingRestart || s.Context == "postmaster" }

// legal says whether the server would take a value from a file: a number within
// the bounds, a word of the list, on or off. Texts are taken as they are.
func legal(s pg.Setting, value string) bool {
	switch s.Type {
	case "integer", "real":
		read := unit.ParseGUC
		if s.Type == "integer" {
			read = unit.ParseInteger
		}
		f, err := read(value, s.Unit)
		if err != nil {
			return false
		}
		lo, err1 := unit.Figure(s.Min)
		hi, err2 := unit.Figure(s.Max)
		return (err1 != nil || f >= lo) && (err2 != nil || f <= hi)
	case "bool":
		_, ok := map[string]bool{"on": true, "off": true, "true": true, "false": true, "yes": true, "no": true,
			"1": true, "0": true}[strings.ToLower(value)]
		return ok
	case "enum":
		for _, e := range s.Enum {
			if strings.EqualFold(e, value) {
				return true
			}
		}
		// Some enums take on and off beside the words that they list.
		return strings.EqualFold(value, "on") || strings.EqualFold(value, "off")
	}
	return true
}
