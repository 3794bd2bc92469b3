package conffile

import (
	"path"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// places reports the lines that have no effect. The same value twice is harmless,
// but misleads anyone who edits one of the lines.
func (j *judge) places(list []conf.Setting) {
	win := map[[2]string]conf.Setting{} // of each server that a text is for
	for _, s := range list {
		if s.Wins {
			win[[2]string{j.told[at(s)].Server, s.Name}] = s
		}
	}
	for _, s := range list {
		w := win[[2]string{j.told[at(s)].Server, s.Name}]
		if s.Wins || s.File == w.File && s.Line == w.Line { // a file that is included twice
			continue
		}
		if j.told[at(s)].Shown || j.told[at(w)].Shown { // no line that a person could remove
			continue
		}
		k, sev := &Overridden, check.Notice
		if s.File == w.File {
			k = &Duplicate
		}
		if s.Value == w.Value {
			sev = check.Info
		}
		text := say.Template("{name} = {value} has no effect: {by} sets {winner}.")
		if path.Base(w.File) == conf.AutoFile && s.File != w.File {
			text = "{name} = {value} has no effect: {by}, written by ALTER SYSTEM, sets {winner}."
		}
		pairs := []any{"name", s.Name, "value", quoted(s.Value), "by", j.where(w, s.File), "winner", quoted(w.Value)}
		j.report(k, sev, say.M(k.Remedy(), pairs...), s, say.M(text, pairs...))
	}
}

// module judges a name with a dot: the server accepts any, but a name that a known
// module does not have is an error.
func (j *judge) module(s conf.Setting) {
	prefix, _, _ := strings.Cut(s.Name, ".")
	names := params.OfModule(prefix)
	if len(names) == 0 {
		return
	}
	for _, n := range names {
		if conf.Same(n, s.Name) {
			return
		}
	}
	if near := say.Similar(clip(s.Name), names); len(near) > 0 {
		j.found(&Module, s, "The module {module} has no parameter {name}. Did you mean {near}?", "module", prefix,
			"name",
			s.Name, "near", say.OneOf(near))
		return
	}
	j.found(&Module, s, "The module {module} has no parameter {name}.", "module", prefix, "name", s.Name)
}
