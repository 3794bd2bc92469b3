package web

import (
	"cmp"
	"html/template"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/show/html"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// hostLine is the host in one line; what is not known of it is omitted.
func (v View) hostLine(s *snapshot.Snapshot) string {
	var parts []string
	add := func(text string) {
		if text = strings.TrimSpace(text); text != "" {
			parts = append(parts, text)
		}
	}
	h := &s.Host
	if m, ok := h.Memory.Get(); ok {
		add(v.say("{size} of memory", "size", m.Total))
		if m.SwapTotal > 0 {
			add(v.say("{size} of swap", "size", m.SwapTotal))
		} else if m.Told("SwapTotal").Known() {
			add(v.say("no swap"))
		}
	}
	if c, ok := h.CPU.Get(); ok {
		add(v.many(c.Logical, "{n} CPU", "{n} CPUs"))
	}
	if o, ok := h.OS.Get(); ok {
		add(cmp.Or(o.Name, strings.TrimSpace(o.ID+" "+o.Version)))
	}
	if k, ok := h.Kernel.Get(); ok {
		add("Linux " + k.String())
	}
	if virt, ok := h.Virt.Get(); ok {
		if virt.Kind != "" && virt.Kind != "none" && virt.Kind != "unknown" {
			add(v.say("guest of {hypervisor}", "hypervisor", virt.Kind))
		}
		if virt.Container != "" {
			add(v.say("in a container ({kind})", "kind", virt.Container))
		}
	}
	return strings.Join(parts, " · ")
}

// sessionSources are sources of values that our own connection set, or that the server sets itself: no administrator
// has set them.
var sessionSources = map[string]bool{"default": true, "client": true, "session": true, "interactive": true,
	"override": true, "environment variable": false}

// settingsOf are the settings of an instance whose value is not the built-in
// one, by name.
func settingsOf(in *snapshot.Instance) ([]pg.Setting, bool) {
	all, ok := in.Server.Settings.Get()
	if !ok {
		return nil, false
	}
	var out []pg.Setting
	for _, s := range all {
		if sessionSources[s.Source] || s.Value == s.Boot {
			continue
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b pg.Setting) int { return strings.Compare(a.Name, b.Name) })
	return out, true
}

// longest value of the table; search paths and commands may be kilobytes.
const longestValue = 200

func (v View) settingsChapter(s *snapshot.Snapshot) (template.HTML, error) {
	var out []template.HTML
	for i := range s.Instances {
		in := &s.Instances[i]
		list, known := settingsOf(in)
		if !known {
			g := in.Server.Settings.Gap()
			part, err := html.Prose(in.Label() + outline.WordsIn(v.Words).Colon() +
				v.say("settings unknown: {why}", "why", gapwords.Arg(g.Reason)))
			if err != nil {
				return "", err
			}
			out = append(out, part)
			continue
		}
		t := html.Table{Caption: v.many(len(list), "{instance}: {n} setting",
			"{instance}: {n} settings", "instance", in.Label()),
			Head: []string{v.say("setting"), v.say("value"),
				v.say("default"), v.say("set in")}}
		for _, set := range list {
			row := []html.Cell{{Text: set.Name}, {Text: short(set.Show()), Code: true},
				{Text: short(unit.ShowGUC(set.Boot, set.Unit)), Code: true}, {Text: place(set)}}
			if set.PendingRestart {
				row[1].Sub = v.say("the file has another value (pending restart)")
			}
			t.Rows = append(t.Rows, row)
		}
		part, err := t.HTML()
		if err != nil {
			return "", err
		}
		out = append(out, part)
	}
	if len(out) == 0 {
		return html.Prose(v.say("No instance was found."))
	}
	return html.Join(out...), nil
}

// short makes an empty value seen, and cuts one that would fill the page; the whole of it stands where it is
// set.
func short(s string) string {
	r := []rune(outline.Shown(s))
	if len(r) > longestValue {
		return string(r[:longestValue]) + "…"
	}
	return string(r)
}

// place is where a value is from: file and line where they are visible, else what
// pg_settings calls its source.
func place(s pg.Setting) string {
	if s.File == "" {
		return s.Source
	}
	if s.Line == 0 {
		return s.File
	}
	return path.Clean(s.File) + ":" + strconv.FormatInt(s.Line, 10)
}

// sourcesChapter lists what the findings and the changes depend on.
func (v View) sourcesChapter(r Report) (template.HTML, error) {
	seen := map[string]bool{}
	var list []say.Source
	take := func(sources []say.Source) {
		for _, s := range sources {
			if s.Publisher != "" && !seen[s.ID] {
				seen[s.ID] = true
				list = append(list, s)
			}
		}
	}
	for _, f := range r.Check.Findings {
		take(f.Sources)
	}
	if r.Plan.Plan != nil {
		for _, c := range r.Plan.Changes {
			take(say.SourcesOf(c.Sources))
		}
	}
	if len(list) == 0 {
		return html.Prose(v.say("No findings and no changes, so there are no sources."))
	}
	slices.SortFunc(list, func(a, b say.Source) int {
		return cmp.Or(strings.Compare(a.Publisher, b.Publisher), strings.Compare(a.Title, b.Title),
			strings.Compare(a.ID, b.ID))
	})
	t := html.Table{Caption: v.many(len(list), "{n} source of the findings and the plan",
		"{n} sources of the findings and the plan"),
		Head: []string{v.say("title"), v.say("publisher"),
			v.say("version"), v.say("date")}}
	for _, s := range list {
		s = s.In(v.Words)
		t.Rows = append(t.Rows, html.Cells(s.Title, s.Publisher, s.Version, s.Date))
	}
	return t.HTML()
}

// ReportLine says in one line what a report holds, for who has it written.
func ReportLine(r Report) say.List {
	parts := []say.Message{say.N(len(r.Check.Findings), "{n} finding", "{n} findings")}
	if r.Plan.Plan != nil {
		parts = append(parts, say.N(len(r.Plan.Changes), "{n} change planned", "{n} changes planned"))
	}
	if n := len(r.Experiments); n > 0 {
		parts = append(parts, say.N(n, "{n} experiment", "{n} experiments"))
	}
	return say.List{Items: parts}
}
