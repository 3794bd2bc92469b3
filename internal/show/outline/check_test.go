package outline

import (
	"slices"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/document"
)

func TestFirstSentences(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "",
		"One.":                        "One.",
		"One. Two. Three.":            "One. Two.",
		"One at 1.5 GB, e.g. so. Two": "One at 1.5 GB, e.g. so. Two", // neither of the first periods ends a sentence
		"Раз. Два. Три.":              "Раз. Два.",
	} {
		if got := firstSentences(text, 2); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

// TestFactsHaveNames: no name of an evidence document is shown to users, and many facts are counted.
func TestFactsHaveNames(t *testing.T) {
	p := WordsIn(nil)
	for name, want := range map[string]string{
		"pg/1/deep_catalogs.json": "system catalog sizes", "pg/12/settings": "settings", "proc/vmstat": "/proc/vmstat",
		"etc/fstab": "/etc/fstab", "host.json": "facts of the host", "kernel log": "kernel log",
		"pg/1/unheard_of.json": "pg/1/unheard_of.json", // what is in no table is shown as it is
	} {
		if got := p.Fact(name); got != want {
			t.Errorf("%s: %q, not %q", name, got, want)
		}
	}
	got := p.Facts([]string{"pg/1/wal.json", "pg/2/wal.json", "a", "b", "c", "d"})
	if want := []string{"WAL statistics (pg_stat_wal)", "a", "b", "2 more facts"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	if got := p.Facts([]string{"a", "b", "c", "d"}); !slices.Equal(got, []string{"a", "b", "c", "d"}) {
		t.Errorf("one more is as short as its count: %q", got)
	}
}

// TestBrief: a line each below its place; what is worst is first in a file, and last on a terminal.
func TestBrief(t *testing.T) {
	finding := func(id, in string, s check.Severity) check.Finding {
		return check.Finding{ID: id, Instance: in, Severity: s, Title: "Title of " + id, Seen: say.Text("seen")}
	}
	d := document.Check{Subject: document.Subject{Host: "db1", HostSeen: true,
		Instances: []document.SubjectInstance{{Label: "/a", Version: "17.2", State: "running", Asked: true}}},
		Report: check.Report{Findings: []check.Finding{finding("w", "/a", check.Critical),
			finding("x", "", check.Warning), finding("y", "/a", check.Notice), finding("y", "/a", check.Notice)},
			Unknown: []known.Gap{}}}
	lines := func(worstLast bool) (out []string) {
		for _, b := range Brief(d, worstLast, nil) {
			switch v := b.(type) {
			case Heading:
				if v.Level > 1 {
					out = append(out, v.Text.String())
				}
			case Rows:
				for _, r := range v.List {
					out = append(out, r.Cells[0].String()+" "+r.Cells[1].String())
				}
			}
		}
		return out
	}
	first := []string{"PostgreSQL 17.2 at /a, running", "critical Title of w  [w]",
		"notice Title of y (2 findings)  [y]", "Host db1", "warning Title of x  [x]"}
	if got := lines(false); !slices.Equal(got, first) {
		t.Errorf("%q", got)
	}
	last := []string{"Host db1", "warning Title of x  [x]", "PostgreSQL 17.2 at /a, running",
		"notice Title of y (2 findings)  [y]", "critical Title of w  [w]"}
	if got := lines(true); !slices.Equal(got, last) {
		t.Errorf("%q", got)
	}
}
