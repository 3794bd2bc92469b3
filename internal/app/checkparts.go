package app

import (
	"bytes"
	"slices"

	"github.com/pgfettle/pgfettle/internal/fact/paste"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conftext"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
)

// besides are the kinds of parts that files of other programs are, with how such a file is judged.
var besides = map[part.Kind]conffile.Form{
	part.Sysctl: conffile.Sysctl, part.SysctlConf: conffile.Sysctl, part.PamLimits: conffile.Limits,
	part.Unit: conffile.Unit, part.Grub: conffile.Grub, part.Fstab: conffile.Fstab, part.PgHBA: conffile.HBA,
}

// portions is a text that has the server's settings and files of other programs.
type portions struct {
	told   conftext.Text // of the server's settings
	others []portion     // in the order of the text
}

// portion is a file of another program: the text with all other lines empty.
type portion struct {
	form  conffile.Form
	text  []byte
	lines int
}

// leastSettings of the server make a text with files of other programs one of the server's: a single name of its may
// be a key of theirs.
const leastSettings = 2

// inPortions parts a text that was recognized as form, as pgfettle read does. nil: it is one file.
func inPortions(name string, text []byte, form conffile.Form, told conftext.Text) *portions {
	foreign := conffile.Foreign(form) || form == conffile.HBA || others[told.Form] != ""
	if !foreign && told.Form != conftext.Pasted || len(text) > paste.MaxText {
		return nil
	}
	lines := bytes.Split(text, []byte{'\n'})
	of := make([]conffile.Form, len(lines)) // whose each line is; "": the server's, or prose
	if others[told.Form] != "" {
		for i, f := range conftext.Sections(lines, told.Form) {
			of[i] = conffile.Form(f)
		}
	}
	for _, p := range paste.ReadAll([]paste.Input{{Name: name, Text: text}}, "").Parts {
		f, ok := besides[p.Kind]
		if !ok || !foreign && f != conffile.Sysctl && f != conffile.Limits {
			continue
		}
		for i := p.First - 1; i < min(p.Last, len(lines)); i++ {
			if of[i] == "" && !(f == conffile.Unit && conffile.OfServer(lines[i])) {
				of[i] = f
			}
		}
	}
	out := &portions{}
	for _, f := range of {
		if f != "" && !slices.ContainsFunc(out.others, func(p portion) bool { return p.form == f }) {
			b, n := only(lines, of, f)
			out.others = append(out.others, portion{f, b, n})
		}
	}
	if len(out.others) == 0 {
		return nil
	}
	rest, _ := only(lines, of, "")
	out.told = conftext.Within(string(rest))
	known := 0
	for _, s := range out.told.Settings {
		if params.Known(s.Name) {
			known++
		}
	}
	if known < leastSettings || others[out.told.Form] != "" {
		return nil
	}
	return out
}

// only is the text with the lines of one file, and how many of them are not empty.
func only(lines [][]byte, of []conffile.Form, form conffile.Form) ([]byte, int) {
	out, n := make([][]byte, len(lines)), 0
	for i, l := range lines {
		if of[i] == form {
			if out[i] = l; len(bytes.TrimSpace(l)) > 0 {
				n++
			}
		}
	}
	return bytes.Join(out, []byte{'\n'}), n
}

// judgePortions adds what the files of other programs say to the report on the server's settings.
func judgePortions(r *conffile.Report, p *portions, file string, show func(string) string, on *snapshot.Snapshot) {
	for _, o := range p.others {
		if !conffile.Foreign(o.form) {
			r.Also = append(r.Also, conffile.Also{Form: o.form, Lines: o.lines})
			continue
		}
		also := conffile.JudgeForeign(o.form, file, o.text, show, on, checks.All())
		r.Also = append(r.Also, conffile.Also{Form: o.form, Lines: also.Settings, Checked: true})
		r.Findings, r.Left = append(r.Findings, also.Findings...), r.Left+also.Left
	}
	slices.SortStableFunc(r.Findings, func(a, b conffile.Finding) int { return a.Line - b.Line })
}
