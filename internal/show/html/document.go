package html

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// What documents of this program have beyond text and tables: findings, changes, fields.

// fieldView is a name with what it says.
type fieldView struct {
	Name, Class string
	Text        []piece // of one line; else HTML
	HTML        template.HTML
}

func (x *writing) fields(f outline.Fields) []fieldView {
	var out []fieldView
	for _, field := range f.List {
		v := fieldView{Name: field.Name, Class: toneClasses[field.Tone]}
		if field.Tone == outline.ToneNote {
			v.Class = "small muted"
		}
		if it := field.Items; len(it) == 1 && len(it[0].More) == 0 && it[0].Tone == outline.ToneNone {
			v.Text = x.pieces(it[0].Text)
		} else {
			var all strings.Builder
			for _, it := range field.Items {
				html, err := fragment("entry", x.item(it))
				if err != nil && x.err == nil {
					x.err = err
				}
				all.WriteString(string(html))
			}
			v.HTML = template.HTML(all.String())
		}
		out = append(out, v)
	}
	return out
}

// severityClasses are what the style sheet calls findings.
var severityClasses = map[outline.Tone]string{outline.ToneBad: "critical", outline.ToneMind: "warning",
	outline.ToneInfo: "notice", outline.ToneNote: "info"}

// findingView is a finding as the template writes it.
type findingView struct {
	Level                      int
	Class, Severity, Title, ID string
	Href, Anchor, Accepted     string
	Fields                     []fieldView
}

// FindingID is the id of the n-th finding of a document, from 0, those that are accepted not counted.
func FindingID(n int) string { return fmt.Sprintf("finding-%d", n+1) }

// finding writes a finding, the first of those that are before rest; the first of a group below its heading.
func (x *writing) finding(f outline.Finding, rest []outline.Block) {
	v := findingView{Level: min(3+x.Level, 6), Class: severityClasses[f.Tone], Severity: f.Severity, Title: f.Title,
		ID: f.ID, Href: x.link(f.ID), Accepted: f.Accepted, Fields: x.fields(f.Fields)}
	if f.Group != x.group {
		n := 0
		for _, b := range rest {
			other, is := b.(outline.Finding)
			if !is || other.Group != f.Group {
				break
			}
			n += other.Count
		}
		id := v.Class
		if f.Accepted != "" {
			id = "accepted"
		}
		x.groupHeading(id, fmt.Sprintf("%s (%d)", f.Group, n))
		x.group = f.Group
	}
	if f.Accepted == "" {
		v.Anchor = FindingID(x.findings)
		x.findings++
	}
	x.put("finding", v)
}

// changesView is a table of changes, in parts that are in force alike.
type changesView struct {
	Caption string
	Quiet   bool
	Head    []string
	Parts   []changesPart
}

type changesPart struct {
	Effect  string
	Changes []changeView
}

// changeView is a change: a row, and below it what is said of it.
type changeView struct {
	Name, Href, From, To string
	Tags                 []tag
	Title, Where         string
	Fields               []fieldView // of one with a title, which fold below it
	Reason               template.HTML
	Notes                []itemView
}

type tag struct{ Class, Text string }

// changes writes the groups of changes that a list begins with, each below a heading: those of one part in one table.
// It
// returns how many blocks it has written.
func (x *writing) changes(list []outline.Block) (n int) {
	var groups []outline.Changes
	for n+1 < len(list) {
		_, head := list[n].(outline.Heading)
		c, is := list[n+1].(outline.Changes)
		if !head || !is || c.Part == "" {
			break
		}
		groups = append(groups, c)
		n += 2
	}
	if n == 0 {
		return 0
	}
	x.groupHeading("changes", say.M("Changes").In(x.Words))
	for i := 0; i < len(groups); {
		k := i
		for k < len(groups) && groups[k].Part == groups[i].Part {
			k++
		}
		x.put("changes", x.changeTable(groups[i:k]))
		i = k
	}
	return n
}

// changeTable is the changes of one part.
func (x *writing) changeTable(groups []outline.Changes) changesView {
	w := groups[0].Words
	note := w.Note
	if w.State != "" {
		note = w.State
	}
	out := changesView{Caption: groups[0].Part, Head: []string{w.Setting, w.Before, w.After, note}}
	if out.Caption == "" {
		out.Caption, out.Quiet = groups[0].Caption, true
	}
	for _, g := range groups {
		part := changesPart{Effect: g.Effect}
		for i := range g.List {
			part.Changes = append(part.Changes, x.change(&g.List[i], w))
		}
		out.Parts = append(out.Parts, part)
	}
	return out
}

func (x *writing) change(c *outline.Change, w outline.ChangeWords) changeView {
	v := changeView{Name: c.Name, Href: x.link(c.Topic), From: c.From, To: c.To, Title: c.Title, Where: c.In}
	for _, t := range []tag{{toneClasses[c.StateTone], c.State}, {severityClasses[c.RiskTone], c.Risk},
		{"", c.Pinned}} {
		if t.Text != "" {
			v.Tags = append(v.Tags, t)
		}
	}
	if c.Title == "" {
		if c.Reason != "" {
			html, err := Prose(c.Reason)
			if err != nil && x.err == nil {
				x.err = err
			}
			v.Reason = html
		}
		for _, n := range c.Notes {
			v.Notes = append(v.Notes, itemView{Class: toneClasses[n.Tone],
				Text: []piece{{Text: strings.TrimSpace(n.Lead +
					" " + n.Text)}}})
		}
		return v
	}
	fields := outline.Fields{List: []outline.Field{{Name: w.Why, Items: []outline.Item{outline.ItemOf(nil, c.Reason)}}}}
	v.Fields = x.fields(fields)
	if len(c.Inputs) > 0 {
		html, err := fragment("inputs", c.Inputs)
		if err != nil && x.err == nil {
			x.err = err
		}
		v.Fields = append(v.Fields, fieldView{Name: w.Inputs, HTML: html})
	}
	for _, n := range c.Notes {
		if n.Unsaid && len(c.Inputs) > 0 {
			continue
		}
		name := strings.TrimRight(n.Lead, ": \u00a0\u202f")
		f := outline.Field{Name: name, Items: []outline.Item{outline.ItemOf(nil, n.Text)}, Tone: n.Tone}
		v.Fields = append(v.Fields, x.fields(outline.Fields{List: []outline.Field{f}})...)
	}
	return v
}
