package web

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/document"
)

// TestPlanTellsWhatItLeaves: the page has the findings that stand after the plan, as
// the text and the Markdown do.
func TestPlanTellsWhatItLeaves(t *testing.T) {
	var d document.Plan
	given(t, "plan/server", &d)
	d.Left = []plan.Left{{ID: "end_of_life", Instance: "/srv/<b>", Severity: check.Warning, Reason: plan.ByPerson,
		Detail: say.Text("Upgrade.")}}
	html, err := Plan(d, View{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Findings that this plan does not resolve", "end_of_life /srv/&lt;b&gt;",
		"(warning): ", "requires manual action: Upgrade."} {
		if !strings.Contains(string(html), want) {
			t.Errorf("%q is not in\n%s", want, html)
		}
	}
	d.Left = nil
	if html, err := Plan(d, View{}); err != nil || strings.Contains(string(html), "does not resolve") {
		t.Errorf("a heading without findings: %v", err)
	}
}
