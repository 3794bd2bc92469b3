package web

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/paste"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/gap"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/serverlog"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/html"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Report is what one report joins. What is nil has no chapter, or one that says
// why it is empty.
type Report struct {
	Snapshot    *snapshot.Snapshot
	Check       document.Check
	Plan        document.Plan // without a Plan where none could be made
	Memory      *memory.Report
	OOM         *oom.Report
	Log         *serverlog.Report // of a server's log that was pasted
	Read        *paste.Read       // what was recognized in a paste that the report is on
	Experiments []*experiment.Result
	Missing     []known.Gap // what the report itself could not have
}

// tile is one number of the first screen.
type tile struct{ Number, Text, Class, Href string }

// findingLine is one finding of the first screen.
type findingLine struct{ Class, Severity, Title, Place, Href string }

// chapter is one part of a report below its heading.
type chapter struct {
	ID, Heading, Lead string
	Short             string // in the navigation; "": the heading
	Body              template.HTML
}

type reportView struct {
	Host        string
	Subject     string
	Instances   []string
	Tiles       []tile
	Budget      template.HTML // below its heading
	FindingHead string
	Lines       []findingLine
	None        string
	More        string
	UnknownHead string
	UnknownNote string
	Unknown     template.HTML
	Chapters    []chapter
}

// mostLines bounds the findings of the first screen; the chapter has them all.
const mostLines = 12

// mostCauses bounds what was not visible on the first screen; its chapter has it all.
const mostCauses = 4

// ReportPage is the page of a report: its first screen, then the chapters.
func ReportPage(r Report, v View) (Page, error) {
	t := outline.WordsIn(v.Words)
	r.Check.Report = r.Check.Report.In(v.Words)
	r.Missing = slices.Concat(r.gaps(v.Words), r.Missing)
	out := reportView{
		Host:        v.hostLine(r.Snapshot),
		Subject:     t.Subject(r.Check.Subject),
		FindingHead: v.say("Findings"),
		UnknownHead: v.say("Unavailable facts"),
	}
	for _, in := range r.Check.Subject.Instances {
		out.Instances = append(out.Instances, t.Instance(in))
	}
	for _, a := range r.Check.Subject.Assumed {
		out.Instances = append(out.Instances, t.Assumed(a))
	}
	var err error
	if r.Plan.Plan != nil {
		if out.Budget, err = Budget(r.Plan.Budget, v); err != nil {
			return Page{}, err
		}
	}
	out.Tiles = v.tiles(r)
	for i, g := range outline.Alike(r.Check.Findings) {
		if i == mostLines {
			left := len(outline.Alike(r.Check.Findings)) - mostLines
			out.More = v.many(left, "{n} more below", "{n} more below")
			break
		}
		out.Lines = append(out.Lines, findingLine{g[0].Severity.String(), t.Severity(g[0].Severity), g[0].Title,
			t.Places(g), "#" + html.FindingID(i)})
	}
	if len(r.Check.Findings) == 0 {
		out.None = t.CheckSummary(r.Check)
	}
	seen := r.Missing
	if causes := outline.Causes(seen); len(causes) > mostCauses {
		first := causes[:mostCauses]
		seen = slices.DeleteFunc(slices.Clone(seen), func(g known.Gap) bool {
			return !slices.ContainsFunc(first, func(c outline.Cause) bool {
				return c.Reason == g.Reason && c.Reveal == g.Reveal
			})
		})
		n := len(causes) - mostCauses
		out.UnknownNote = v.many(n, "{n} more below", "{n} more below")
	}
	if out.Unknown, err = Unseen(seen, v); err != nil {
		return Page{}, err
	}
	if out.Chapters, err = v.chapters(r); err != nil {
		return Page{}, err
	}
	body, err := fragment("report", out)
	if err != nil {
		return Page{}, err
	}
	title := v.say("Report")
	if r.Check.Subject.Host != "" {
		title = v.say("Report on {host}", "host", typeset.Clean(r.Check.Subject.Host))
	}
	p := Page{Title: title, Lang: v.lang(), Body: body}
	for _, c := range out.Chapters {
		p.Nav = append(p.Nav, Link{Href: "#" + c.ID, Text: cmp.Or(c.Short, c.Heading)})
	}
	return p, nil
}

// gaps are all facts that are missing, each once, whichever part missed them.
func (r Report) gaps(c *say.Catalogue) []known.Gap {
	all := slices.Clone(r.Check.Unknown)
	if r.Plan.Plan != nil {
		all = append(all, r.Plan.Unknown...)
	}
	if r.Memory != nil {
		all = append(all, texts(r.Memory.In(c).Unknown)...)
	}
	if r.OOM != nil {
		all = append(all, texts(r.OOM.In(c).Missing)...)
	}
	all = gapwords.Gaps(c, all) // as those of memory and OOM read
	seen := map[known.Gap]bool{}
	return slices.DeleteFunc(all, func(g known.Gap) bool {
		was := seen[g]
		seen[g] = true
		return was
	})
}

// texts are gaps as they read.
func texts(list []gap.Gap) (out []known.Gap) {
	for _, g := range list {
		out = append(out, g.Known())
	}
	return out
}

// tiles are the numbers that a reader sees first.
func (v View) tiles(r Report) []tile {
	t := outline.WordsIn(v.Words)
	var out []tile
	n := map[check.Severity]int{}
	for _, f := range r.Check.Findings {
		n[f.Severity]++
	}
	for sev := check.Critical; sev >= check.Info; sev-- {
		if n[sev] > 0 {
			out = append(out, tile{fmt.Sprint(n[sev]), t.Severity(sev), sev.String(), "#findings"})
		}
	}
	if r.Plan.Plan != nil {
		c := len(r.Plan.Changes)
		out = append(out, tile{fmt.Sprint(c), v.many(c, "change planned", "changes planned"),
			"", "#plan"})
	}
	if c := len(r.Missing); c > 0 {
		out = append(out, tile{fmt.Sprint(c), v.many(c, "unavailable fact",
			"unavailable facts"), "", "#hidden"})
	}
	return out
}

// chapters are the parts below the first screen. Each says why it is empty if a reader would look for it.
func (v View) chapters(r Report) ([]chapter, error) {
	var out []chapter
	var err error
	add := func(id, heading, lead string, body template.HTML, e error) {
		out = append(out, chapter{ID: id, Heading: heading, Lead: lead, Body: body})
		if err == nil {
			err = e
		}
	}
	t := outline.WordsIn(v.Words)
	v.level = 1 // documents are below the heading of their chapter
	if r.Read != nil {
		body, e := Read(r.Read, v)
		add("read", v.say("Recognized input"), "", body, e)
	}
	found := r.Check
	found.Unknown = nil // counted with all that was not visible, in its own chapter
	found.All = true    // accepted findings are shown too, folded
	lead := t.CheckSummary(r.Check)
	if len(found.Accepted) > 0 {
		lead += ". " + t.Kept(found)
	}
	body, e := v.document(outline.Findings(found, v.Words), nil)
	add("findings", v.say("Findings"), lead, body, e)
	if r.Plan.Plan != nil {
		d := r.Plan
		d.Applying = true // no line of advice on what to do next: the steps say it
		body, e := v.document(outline.Planned(d, v.Words), nil)
		if e == nil {
			var steps template.HTML
			steps, e = v.stepsOf(d)
			body = html.Join(body, steps)
		}
		add("plan", v.say("Plan"), t.PlanSummary(d)[0]+" "+v.say("Profile:")+" "+
			t.Profile(d.Profile), body, e)
	}
	if r.Memory != nil {
		body, e := DiagnoseMemory(r.Memory, v)
		add("memory", v.say("Memory by process"), "", body, e)
	}
	if r.OOM != nil {
		own := v
		own.open = 1 // a host may have had a hundred kills: who wants one unfolds it, and paper shows them all
		body, e := DiagnoseOOM(r.OOM, own)
		add("oom", v.say("OOM kills"), "", body, e)
	}
	if r.Log != nil {
		body, e := v.document(reports.Log(r.Log, v.Words), v.logDrawing(r.Log))
		add("log", v.say("Server log"), "", body, e)
	}
	for i, x := range r.Experiments {
		own := v
		own.ID = fmt.Sprintf("x%d-", i+1) // one experiment may be there twice, from two directories
		body, e := Prove(x, own)
		heading := v.say("Experiment")
		if len(r.Experiments) > 1 {
			heading += fmt.Sprintf(" %d", i+1)
		}
		add(fmt.Sprintf("experiment-%d", i+1), heading, "", body, e)
	}
	body, e = v.settingsChapter(r.Snapshot)
	add("settings", v.say("Settings that differ from their defaults"), "", body, e)
	out[len(out)-1].Short = v.say("Settings")
	if len(r.Missing) > 0 {
		body, e = Unseen(r.Missing, v)
		add("hidden", v.say("Unavailable facts"), "", body, e)
	}
	body, e = v.sourcesChapter(r)
	add("sources", v.say("Sources"), "", body, e)
	return out, err
}
