package goldens

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
)

func examplePolicy(t *testing.T, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse("p\x1b.toml", []byte(text), policy.All())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPolicyForms: the JSON is what its schema says, and an acceptance has ended
// on the day after its last.
func TestPolicyForms(t *testing.T) {
	for _, text := range []string{policy.Example, ""} {
		var b bytes.Buffer
		if err := json.Policy(&b, document.PolicyOf(examplePolicy(t, text), "2027-06-30")); err != nil {
			t.Fatal(err)
		}
		valid(t, "policy", b.Bytes())
	}
	p := examplePolicy(t, policy.Example)
	for day, want := range map[string]string{"2027-06-30": "2 accepted findings, profile",
		"2027-07-01": "2 accepted findings (1 expired), profile"} {
		var whole bytes.Buffer
		line := reports.PolicyLine(document.PolicyOf(p, day), nil)
		if !strings.Contains(line, want) {
			t.Errorf("%s: %q", day, line)
		}
		o := reports.Policy(document.PolicyOf(p, day), nil)
		everyForm(t, day, o)
		if err := term.Write(&whole, o, term.Style{Width: 80}); err != nil ||
			strings.Contains(whole.String(), "expired on 2027-06-30") != (day == "2027-07-01") {
			t.Errorf("%s: %v\n%s", day, err, whole.String())
		}
		if strings.ContainsAny(line+whole.String(), "\x1b") {
			t.Errorf("an escape of the file's name reaches the terminal: %q", line)
		}
	}
}

// TestAcceptedIsValid holds a report with accepted findings against its schema.
func TestAcceptedIsValid(t *testing.T) {
	f := check.Finding{ID: "swap_none", Severity: check.Info, Area: check.Kernel, Title: "T", Seen: say.Text("s"),
		Why: "w", Do: say.Text("d"), Sources: say.SourcesOf([]string{"linux-vm"})}
	d := document.Check{Report: check.Report{Schema: check.Schema,
		Accepted: []check.Accepted{{Finding: f, Reason: "r\x1b[31m", Expires: "2027-01-31"}}}, Policy: "p.toml"}
	var b bytes.Buffer
	if err := json.Check(&b, d); err != nil {
		t.Fatal(err)
	}
	valid(t, "check", b.Bytes())
	b.Reset()
	d.All = true
	if err := term.Write(&b, outline.ShortCheck(d, nil), term.Style{Width: 80}); err != nil ||
		strings.Contains(b.String(), "\x1b") || !strings.Contains(b.String(), "accepted until 2027-01-31: r") {
		t.Errorf("%v %q", err, b.String())
	}
}
