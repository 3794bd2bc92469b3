package conffile

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conftext"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// JudgeText judges the settings of a text that is no postgresql.conf, as if the server had them from a file. main is
// the file that the text is in. named says that host is the host that the text names.
func JudgeText(t conftext.Text, main string, major int, show func(string) string, host *snapshot.Snapshot,
	named bool, checks []check.Check) Report {
	r := conf.Resolved{Files: []string{main}}
	last := map[[2]string]int{} // of each server that the text is for
	for _, s := range t.Settings {
		if s.Refused != "" { // what is meant is judged besides
			r.Faults = append(r.Faults, conf.Fault{File: main, Line: s.Line, Reason: conf.Parse(s.Refused)[0].Err})
		}
		if before, ok := last[[2]string{s.Server, s.Name}]; ok {
			r.Settings[before].Wins = false
		}
		last[[2]string{s.Server, s.Name}] = len(r.Settings)
		r.Settings = append(r.Settings, conf.Setting{Name: s.Name, Value: s.Value, File: main, Line: s.Line,
			Wins: true})
	}
	out := judgeAs(r, t, main, major, show, host, named, checks)
	out.tell(t)
	return out
}

// JudgePlain is Judge for a file of which conftext has read what it says of the server and
// its machine; named as for JudgeText.
func JudgePlain(r conf.Resolved, t conftext.Text, main string, major int, show func(string) string,
	host *snapshot.Snapshot, named bool, checks []check.Check) Report {
	out := judgeAs(r, conftext.Text{Form: t.Form, Named: t.Named, Rules: t.Rules}, main, major, show, host, named,
		checks)
	out.Named(t.Named)
	return out
}

// Foreign reports whether a form's settings are not the server's: they are judged by JudgeForeign.
func Foreign(f Form) bool {
	switch f {
	case Sysctl, Unit, Fstab, Tuned, Limits, Grub:
		return true
	}
	return false
}

// tell adds what the text says in addition to its settings.
func (r *Report) tell(t conftext.Text) {
	r.NotGiven = t.Includes
	if t.Unread.Lines > 0 {
		r.Unread = &Unread{t.Unread.Lines, t.Unread.First, t.Unread.Text}
	}
	r.Product = conftext.Fork(t.Settings)
	r.Named(t.Named)
}

// Named adds what a text says of the server and its machine.
func (r *Report) Named(n conftext.Named) {
	os := ""
	if n.Windows {
		os = "windows"
	}
	if n.Version != "" || n.RAM > 0 || n.CPUs > 0 || n.Storage != "" || os != "" || n.Managed != "" {
		r.Names = &Names{n.Version, n.VersionLine, n.RAM, n.RAMLine, n.CPUs, n.Storage, os, n.Managed}
	}
}

// place is the location of a setting.
type place struct {
	name string
	line int
}

func at(s conf.Setting) place { return place{s.Name, s.Line} }

// told holds the settings of a text by their place.
func told(t conftext.Text) map[place]conftext.Setting {
	out := map[place]conftext.Setting{}
	for _, s := range t.Settings {
		out[place{s.Name, s.Line}] = s
	}
	return out
}

// mostRead bounds the settings that are listed: a server has some four hundred.
const mostRead = 2000

func (j *judge) read(list []conf.Setting) []Read {
	out := make([]Read, 0, min(len(list), mostRead))
	for _, s := range list[:min(len(list), mostRead)] {
		out = append(out, Read{Name: s.Name, Value: secret.ReplaceAllString(s.Value, "${1}***"), File: j.show(s.File),
			Line: s.Line, Counts: s.Wins, Template: j.told[at(s)].Template})
	}
	return out
}

// secret is a password within a value, such as primary_conninfo's.
var secret = regex.New(`(?i)(\bpassword\s*=\s*|://[^:/@\s]+:)('[^']*'|[^\s'@]+)`)

// withMeant adds the settings that a person means by lines that the server refuses:
// they are judged as if the line were right, as it will be.
func withMeant(r conf.Resolved) []conf.Setting {
	extra := map[string][]conf.Setting{} // of each file, by line
	for _, f := range r.Faults {
		if f.Text == "" || len(f.Text) > longest {
			continue
		}
		list, _ := conftext.Meant(f.Text)
		for _, s := range list {
			if params.Known(s.Name) {
				extra[f.File] = append(extra[f.File], conf.Setting{Name: s.Name, Value: s.Value, File: f.File,
					Line: f.Line})
			}
		}
	}
	if len(extra) == 0 && !slices.ContainsFunc(r.Settings, odd) {
		return r.Settings
	}
	var out []conf.Setting
	flush := func(file string, below int) {
		list := extra[file]
		for len(list) > 0 && list[0].Line < below {
			out, list = append(out, list[0]), list[1:]
		}
		extra[file] = list
	}
	for _, s := range r.Settings {
		flush(s.File, s.Line)
		if odd(s) {
			list, _ := conftext.Meant(s.Name + " = " + s.Value)
			if len(list) == 1 && params.Known(list[0].Name) {
				s.Name, s.Value = list[0].Name, list[0].Value
			}
		}
		out = append(out, s)
	}
	for _, f := range r.Files {
		flush(f, math.MaxInt)
	}
	last := map[string]int{}
	for i := range out {
		out[i].Wins = true
		if before, ok := last[out[i].Name]; ok {
			out[before].Wins = false
		}
		last[out[i].Name] = i
	}
	return out
}

// Configures reports whether a file that the server's grammar read is one: whether it has no errors, sets a
// parameter, or has a line with errors that begins as a parameter. Prose, scripts and inventories are refused rather
// than told that each of their lines is an error.
func Configures(r conf.Resolved) bool {
	if len(r.Faults) == 0 {
		return true
	}
	for _, s := range r.Settings {
		if params.Known(s.Name) {
			return true
		}
	}
	for _, f := range r.Faults {
		word := strings.TrimLeft(f.Text, "\ufeff \t\u00a0\u200b")
		if end := strings.IndexFunc(word, func(c rune) bool {
			return c != '_' && c != '.' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
		}); end >= 0 {
			word = word[:end]
		}
		if params.Known(word) || f.Text == "" || strings.HasPrefix(word, "include") {
			return true
		}
	}
	return len(r.Faults) < 3 && len(r.Settings) > 0
}

// odd reports whether a setting has characters that a person does not see or takes for others: the server takes them
// for letters, and the line for another one.
func odd(s conf.Setting) bool {
	return strings.ContainsAny(s.Name, "\ufeff\u00a0\u200b") || strings.IndexAny(s.Value, "‘’“”„") == 0 ||
		strings.Contains(s.Value, "\u00a0")
}

// longest is the longest line that is examined for what its author means.
const longest = 4096
