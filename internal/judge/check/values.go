package check

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Value is a measure or a word that a finding's texts name, for programs.
type Value struct {
	Name   string   `json:"name"`             // of the placeholder in the text
	Number *float64 `json:"number,omitempty"` // in Unit
	Text   string   `json:"text,omitempty"`   // of what is no number: a value of a setting, a name, a path
	Unit   string   `json:"unit,omitempty"`   // "bytes", "s", or "%"; "" for a count
}

// measurer is a value that knows its number and its unit in addition to its spelling.
type measurer interface{ Measure() (float64, string) }

// valuesOf returns the values of those arguments of messages that their texts use, by
// name. Prose and lists are only in the texts.
func valuesOf(list ...say.Message) []Value {
	m := say.All(" ", list...)
	out := []Value{}
	for _, name := range say.Placeholders(strings.Join(m.Templates(), " ")) {
		if v, ok := valueOf(name, m.Args[name]); ok {
			out = append(out, v)
		}
	}
	return out
}

func valueOf(name string, arg any) (Value, bool) {
	number := func(n float64, of string) (Value, bool) { return Value{Name: name, Number: &n, Unit: of}, true }
	switch v := arg.(type) {
	case measurer:
		return number(v.Measure())
	case unit.Bytes:
		return number(float64(v), "bytes")
	case time.Duration:
		return number(v.Seconds(), "s")
	case int:
		return number(float64(v), "")
	case int64:
		return number(float64(v), "")
	case float64:
		return number(v, "")
	case say.List, nil:
		return Value{}, false
	}
	t := say.Spell(arg)
	if n, of, ok := spelled(t); ok {
		return number(n, of)
	}
	if t == "" || len(t) > 200 || strings.ContainsAny(t, " \n\t") { // prose, or a list of names
		return Value{}, false
	}
	return Value{Name: name, Text: t}, true
}

// spelling is how Span, PercentOf, Count, and the server spell a number with its unit.
var spelling = regexp.MustCompile(`^(-?\d+(?:\.\d+)?)(?: ?(s|min|h|days|%|million|billion|B|kB|MB|GB|TB|ms))?$`)

// factors are the units of spelling in those of Value.
var factors = map[string]struct {
	times float64
	of    string
}{
	"s": {1, "s"}, "ms": {0.001, "s"}, "min": {60, "s"}, "h": {3600, "s"}, "days": {86400, "s"}, "%": {1, "%"},
	"million": {1e6, ""}, "billion": {1e9, ""},
	"B": {1, "bytes"}, "kB": {float64(unit.KB), "bytes"}, "MB": {float64(unit.MB), "bytes"},
	"GB": {float64(unit.GB), "bytes"}, "TB": {float64(unit.TB), "bytes"},
}

// spelled reads a number that is spelled with its unit; without one it is whole, since
// 16.4 may be a version.
func spelled(t string) (n float64, of string, ok bool) {
	m := spelling.FindStringSubmatch(strings.ReplaceAll(t, ",", ""))
	if m == nil || m[2] == "" && strings.Contains(m[1], ".") || strings.HasPrefix(m[1], "0") && len(m[1]) > 1 &&
		m[1][1] != '.' {
		return 0, "", false // 0700 is a mode
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0, "", false
	}
	if f, ok := factors[m[2]]; ok {
		return n * f.times, f.of, true
	}
	return n, "", true
}

// CommandKind says what takes a command.
type CommandKind string

// The kinds of commands.
const (
	KindSQL   CommandKind = "sql"   // a statement for the server, with its semicolon
	KindShell CommandKind = "shell" // a line for a shell on the host
	KindConf  CommandKind = "conf"  // a line of a configuration file
)

// Command is a line of a finding's remedy that can be copied. Its text is part of the
// remedy, letter for letter.
type Command struct {
	Kind CommandKind `json:"kind"`
	Text string      `json:"text"`
}

// SQL is a statement for the server.
func SQL(text string) Command { return Command{KindSQL, text} }

// Shell is a line for a shell on the host.
func Shell(text string) Command { return Command{KindShell, text} }

// Conf is a line of a configuration file, which the remedy names.
func Conf(text string) Command { return Command{KindConf, text} }

// commandsOf returns the commands of a check that a remedy names, with the finding's
// names and numbers filled in.
func (ck *Check) commandsOf(do, seen say.Message) []Command {
	out := []Command{}
	m := say.All(" ", do, seen)
	for _, c := range ck.Commands {
		if !slices.ContainsFunc(do.Templates(), func(t string) bool { return strings.Contains(t, c.Text) }) {
			continue
		}
		text := say.Fill(c.Text, m.Args)
		if c.Kind == KindSQL && !strings.HasSuffix(text, ";") { // of a remedy that continues with "and restart"
			text += ";"
		}
		out = append(out, Command{c.Kind, text})
	}
	return out
}

// Finding returns a finding of the check.
func (ck *Check) Finding(sev Severity, do, seen say.Message) Finding {
	return Finding{
		ID: ck.ID, Severity: sev, Area: ck.Area, Title: ck.Title, Seen: seen, Why: ck.Why, Do: do,
		Values: valuesOf(seen, do), Commands: ck.commandsOf(do, seen), Sources: say.SourcesOf(ck.Sources),
	}
}
