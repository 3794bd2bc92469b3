package html

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// written writes an outline, and holds that its elements are closed.
func written(t *testing.T, w Writer, o outline.Outline) string {
	t.Helper()
	html, err := w.Write(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ul", "ol", "li", "p", "table", "dl", "details", "article", "h2", "h3", "h4"} {
		open := strings.Count(string(html), "<"+name+">") + strings.Count(string(html), "<"+name+" ")
		if shut := strings.Count(string(html), "</"+name+">"); open != shut {
			t.Errorf("%d <%s> and %d </%s> in\n%s", open, name, shut, name, html)
		}
	}
	return string(html)
}

// TestEveryTextIsEscaped verifies that texts of others are text wherever they stand.
func TestEveryTextIsEscaped(t *testing.T) {
	for _, s := range []string{"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "</code></pre></p>",
		"</style><script>", "&lt;b&gt;", "a\x1b[31mb\u202ec", "javascript:alert(1)", "{{.}}", "'`\""} {
		text := outline.Prose{{Text: s}, {Text: s, As: outline.AsCode}, {Text: s, As: outline.AsStrong, Topic: s},
			{Text: s, As: outline.AsFaint}, {Text: s, As: outline.AsName}, {Text: s, As: outline.AsBad}}
		item := outline.Item{Text: text, More: []outline.Block{outline.Listing{Lines: []string{s, "+" + s, "-" + s},
			Diff: true}, outline.List{Items: []outline.Item{{Text: text}}, Kind: outline.Lines}}}
		table := outline.Table{Caption: s + ".", Head: []string{s, s}, Rows: [][]outline.Prose{{text, {{Text: s}}}, {}},
			Numbers: 1}
		fields := outline.Fields{List: []outline.Field{{Name: s, Items: []outline.Item{item, item}},
			{Name: s, Items: []outline.Item{{Text: text}}}}}
		change := outline.Change{State: s, Name: s, From: s, To: s, Risk: s, Where: s, In: s, Reason: s + "\n  " + s,
			Notes: []outline.Note{{Lead: s, Text: s}}, Topic: s, Pinned: s,
			Inputs: []outline.Input{{Name: s, Value: s}}}
		titled := change
		titled.Title = s + "."
		words := outline.ChangeWords{State: s, Setting: s, Before: s, After: s, Why: s, Inputs: s}
		o := outline.Outline{
			outline.Heading{Level: 1, Text: text, Tag: s},
			outline.Heading{Level: 2, Text: text, Tone: outline.ToneBad, Tag: s},
			outline.Rows{List: []outline.Row{{Cells: []outline.Prose{text, text}, More: item.More}}},
			outline.Para{Text: text, Tone: outline.ToneMind},
			outline.Summary{Lines: []outline.Para{{Text: text}}},
			outline.List{Items: []outline.Item{item}, Lead: s, Kind: outline.Numbered}, fields,
			outline.Finding{Severity: s, Title: s, ID: s, Fields: fields, Group: s, Count: 1},
			outline.Finding{Severity: s, Title: s, ID: s, Fields: fields, Group: s, Count: 1, Accepted: s},
			outline.Heading{Level: 2, Text: text},
			outline.Changes{Caption: s, Part: s, Effect: s, Words: words, List: []outline.Change{change, titled}},
			outline.Changes{Caption: s, Words: words, List: []outline.Change{change}},
			outline.Figure{Name: s}, table, outline.Listing{Lines: []string{s}},
		}
		html, err := Writer{Explain: "/explain/"}.Write(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"<script", "<img", "</style", "\x1b", "\u202e", `href="javascript`,
			" onerror=alert(1)>"} {
			if strings.Contains(string(html), bad) {
				t.Errorf("%q lets %q through:\n%s", s, bad, html)
			}
		}
	}
}

// TestPartsFold verifies that the first parts stay open, that nothing is lost, that few parts are not folded, and that
// headings are where they should be.
func TestPartsFold(t *testing.T) {
	var few, many outline.Outline
	for i := range 6 {
		o := &many
		if i < 2 {
			o = &few
		}
		o.Heading(2, "part")
		o.Heading(3, "within")
		o.Para("text")
	}
	many = append(few, many...)
	if got := written(t, Writer{Open: 1}, few); strings.Contains(got, "<details") {
		t.Errorf("few parts were folded: %s", got)
	}
	got := written(t, Writer{Open: 1, Level: 1}, many)
	if strings.Count(got, "<details") != 5 || strings.Count(got, "<h3>") != 6 || strings.Count(got, "<h4>") != 6 ||
		strings.Count(got, "text</p>") != 6 || !strings.HasPrefix(got, "<h3>part</h3>\n<h4>within</h4>\n<p") {
		t.Errorf("%s", got)
	}
}

// TestWarningsStandBeforeTheChanges holds the order of a page, and that each part of a plan has one table.
func TestWarningsStandBeforeTheChanges(t *testing.T) {
	var o outline.Outline
	o.Para("about")
	for _, part := range []string{"One", "One", "Two"} {
		o.Heading(2, part+", now")
		o.Add(outline.Changes{Caption: part + ", now", Part: part, Effect: "Now",
			List: []outline.Change{{Name: "a", From: "1", To: "2"}}})
	}
	o.Heading(2, "Before you act")
	o.Kind(outline.Warnings, outline.Items([]string{"mind this"}))
	o.Heading(2, "After")
	got := written(t, Writer{}, o)
	at := -1
	for _, want := range []string{`<p class="lead">about`, "<h2>Before you act", "mind this",
		`<h2 id="changes">Changes`,
		"<caption>One<", "<caption>Two<", "<h2>After"} {
		i := strings.Index(got, want)
		if i <= at {
			t.Errorf("%q stands at %d, after %d:\n%s", want, i, at, got)
		}
		at = i
	}
	if n := strings.Count(got, "<table"); n != 2 {
		t.Errorf("%d tables", n)
	}
}

// TestFindingsAreGathered holds the headings above findings, their count and ids, and that accepted ones fold.
func TestFindingsAreGathered(t *testing.T) {
	o := outline.Outline{
		outline.Finding{Group: "Critical", Count: 2, Tone: outline.ToneBad, Severity: "critical", Title: "a", ID: "a"},
		outline.Finding{Group: "Critical", Count: 1, Tone: outline.ToneBad, Severity: "critical", Title: "b", ID: "b"},
		outline.Finding{Group: "Info", Count: 1, Tone: outline.ToneNote, Severity: "info", Title: "c", ID: "c"},
		outline.Finding{Group: "Accepted", Count: 1, Tone: outline.ToneBad, Severity: "critical", Title: "d", ID: "d",
			Accepted: "until then: it is known"},
	}
	got := written(t, Writer{Explain: "/explain/"}, o)
	for _, want := range []string{`<h2 id="critical">Critical (3)</h2>`, `<h2 id="info">Info (1)</h2>`,
		`<h2 id="accepted">Accepted (1)</h2>`, `<article class="finding critical" id="` + FindingID(1) + `">`,
		`<article class="finding info" id="` + FindingID(2) + `">`, `<a href="/explain/c">c</a>`,
		`<details class="item"><summary><span class="what">d</span>`} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// TestAPictureHasItsTable verifies that a table unfolds below the picture that it belongs to, and stands alone if
// nothing is drawn.
func TestAPictureHasItsTable(t *testing.T) {
	var o outline.Outline
	sign := outline.Sign{Mark: "#", Part: "shared"}
	o.Add(outline.Figure{Name: "x"}, outline.Table{Caption: "what is seen", Head: []string{"part", "size"},
		Rows: [][]outline.Prose{{sign.Before("shared memory"), outline.Join("1 GB")}}, Numbers: 1,
		Tones: map[int]outline.Tone{0: outline.ToneBad}})
	alone := written(t, Writer{}, o)
	if strings.Contains(alone, "<figure") || !strings.Contains(alone, "<caption>what is seen</caption>") ||
		!strings.Contains(alone, `<tr class="bad"><th scope="row"><span class="key"><span class="sw c-shared"`) {
		t.Errorf("%s", alone)
	}
	w := Writer{Draw: func(outline.Figure) (Picture, error) {
		return Picture{SVG: "<svg></svg>", Keys: []Key{{"c-shared", "key of it"}}}, nil
	}}
	for _, closed := range []bool{false, true} {
		w.Closed = closed
		got := written(t, w, o)
		if strings.Contains(got, "<details open>") == closed || strings.Contains(got, "key of it") != closed ||
			strings.Count(got, "<table>") != 1 || !strings.Contains(got, "<figcaption>what is seen</figcaption>") {
			t.Errorf("closed %v:\n%s", closed, got)
		}
	}
}

// TestRowsAndTags verifies that rows are a list, and that the tag of a heading is said, also where the heading is the
// page's.
func TestRowsAndTags(t *testing.T) {
	got := written(t, Writer{Explain: "/explain/"}, outline.Outline{
		outline.Heading{Level: 1, Text: outline.Join("title"), Tag: "kind"},
		outline.Heading{Level: 2, Text: outline.Join("name"), Tag: "of it"},
		outline.Rows{List: []outline.Row{{Cells: []outline.Prose{{{Text: "a", As: outline.AsName, Topic: "a"}},
			outline.Join("text")}, Tone: outline.ToneMind}, outline.RowOf("alone")}},
	})
	for _, want := range []string{`kind</p>`, `<h2>name <span class="muted">of it</span></h2>`,
		`<li class="mind"><a href="/explain/a"><code>a</code></a> text</li>`, `<li>alone</li>`} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}
