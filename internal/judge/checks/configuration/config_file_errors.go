package configuration

import (
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// ConfigFileErrors skips the rows that pg_file_settings marks with "setting could
// not be applied" only because a restart is needed (seen on 13 and 18, also if the
// command line overrides the file). The same text stands for an invalid value, so
// the value itself is checked.
var ConfigFileErrors = check.Check{
	ID:       "config_file_errors",
	Area:     check.Config,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Errors in the configuration files",
	Why: "The running server ignores lines that it cannot accept, but it does not start with such a file. The " +
		"next restart, planned or after a power failure, then ends with the server down. An unknown name or a " +
		"syntax error also makes every reload ineffective, including later corrections.",
	Do: "Correct or remove the named lines. For postgresql.auto.conf, use ALTER SYSTEM RESET NAME; or, if the " +
		"server does not know the name, remove the line with an editor. Then reload: SELECT pg_reload_conf(); " +
		"Verify that this query returns no rows: SELECT * FROM pg_file_settings WHERE error IS NOT NULL;",
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
		var told []say.Message
		for _, f := range list {
			if f.Error == "" || needsRestart(set[f.Name]) && legal(set[f.Name], f.Value) {
				continue
			}
			text := say.Template("{file} line {line}: {name}: {error}")
			if f.Name == "" {
				text = "{file} line {line}: {error}"
			}
			told = append(told, say.M(text, "file", f.File, "line", fmt.Sprint(f.Line), "name", f.Name, "error",
				f.Error))
		}
		if len(told) > 0 {
			c.Found("{errors}.", "errors", say.List{Items: told, Sep: "; ", Most: 5})
		}
	},
}

func needsRestart(s pg.Setting) bool { return s.PendingRestart || s.Context == "postmaster" }

// legal reports whether the server would take a value from a file: a number within the bounds, a word of the list, on
// or off. Texts are taken as they are.
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
		// Some enums accept on and off in addition to the words that they list.
		return strings.EqualFold(value, "on") || strings.EqualFold(value, "off")
	}
	return true
}
