package goldens

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/test/journals"
)

// TestJournalForms renders journals: given.json holds their lines as they are on disk, except for their numbers and
// checksums.
func TestJournalForms(t *testing.T) {
	goldens(t, "journal", func(t *testing.T, given, _ []byte, name string) string {
		j, _, err := journal.Parse(journals.Chained(string(given)))
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		switch form, _, _ := strings.Cut(name, "-"); form {
		case "text":
			err = term.Write(&b, outline.Journal(j, nil), style(t, name))
		case "list":
			err = term.Write(&b, outline.Journals([]*journal.Journal{j}, nil), style(t, name))
		case "listjson":
			err = json.Journals(&b, []*journal.Journal{j})
			valid(t, "journal", b.Bytes())
		case "json":
			err = json.Journal(&b, j)
			valid(t, "journal", b.Bytes())
		case "applied":
			err = term.Write(&b, outline.Applied(j, nil), style(t, name))
		case "undone":
			err = term.Write(&b, outline.Undone(j, nil), style(t, name))
		default:
			t.Fatalf("%s is no form", name)
		}
		if err != nil {
			t.Fatal(err)
		}
		return b.String()
	})
}

func TestStatusForms(t *testing.T) {
	goldens(t, "status", func(t *testing.T, given, _ []byte, name string) string {
		var list []journal.Drift
		decode(t, given, &list)
		var b bytes.Buffer
		var err error
		if name == "json" {
			err = json.Status(&b, list)
			valid(t, "status", b.Bytes())
		} else {
			err = term.Write(&b, outline.Status(list, nil), style(t, name))
		}
		if err != nil {
			t.Fatal(err)
		}
		return b.String()
	})
}

// TestLeftTextGathers verifies that what is omitted for one reason stands once with it, and that nothing is said if
// nothing is omitted.
func TestLeftTextGathers(t *testing.T) {
	var b bytes.Buffer
	if err := term.Write(&b, outline.Unselected(nil, nil), term.Style{Width: 80}); err != nil || b.Len() > 0 {
		t.Errorf("%v, %q", err, b.String())
	}
	if err := term.Write(&b, outline.Unselected([]selection.Left{
		{Change: plan.Change{Address: "pg:a"}, Reason: "it takes effect at a restart"},
		{Change: plan.Change{Address: "sysctl:b"}, Reason: "it was declined"},
		{Change: plan.Change{Address: "pg:c"}, Reason: "it takes effect at a restart"},
	}, nil), term.Style{Width: 80, Below: true}); err != nil {
		t.Fatal(err)
	}
	if want := "\nNot applied\n  - pg:a, pg:c: it takes effect at a restart\n  - sysctl:b: it was " +
		"declined\n"; b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// TestFindingsTextComparesByCheckAndInstance verifies that a finding of one instance does not stand for that of
// another.
func TestFindingsTextComparesByCheckAndInstance(t *testing.T) {
	of := func(list ...check.Finding) document.Check {
		return document.Check{Report: check.Report{Findings: list}}
	}
	a := check.Finding{ID: "x", Instance: "/a", Title: "t of a", Severity: check.Warning}
	b := check.Finding{ID: "x", Instance: "/b", Title: "t of b", Severity: check.Notice}
	c := check.Finding{ID: "y", Title: "t of host", Severity: check.Info}
	var out bytes.Buffer
	if err := term.Write(&out, outline.Compare(of(a, c), of(b, c), nil), term.Style{Width: 80}); err != nil {
		t.Fatal(err)
	}
	want := "resolved warning: t of a [x]\nremains  info: t of host [y]\nnew      notice: t of b [x]\n\n2 findings " +
		"before, 2 after: 1 resolved, 1 new.\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
