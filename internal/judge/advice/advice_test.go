package advice_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/advice"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// judgements are the checks and knobs that a page may point to.
func judgements() map[string]bool {
	out := map[string]bool{}
	for _, c := range checks.All() {
		out[c.ID] = true
	}
	for _, r := range rules.All() {
		out[string(r.Address)] = true
	}
	return out
}

func TestPagesAreComplete(t *testing.T) {
	known := judgements()
	for _, p := range advice.All() {
		if known[p.ID] {
			t.Errorf("%s is a check or knob too", p.ID)
		}
		known[p.ID] = true
	}
	for _, p := range advice.All() {
		if p.Title == "" || len(p.Text) == 0 || len(p.Sources) == 0 ||
			!slices.Contains(advice.Kinds(), p.Kind) {
			t.Errorf("%s: title, text, sources and kind are required", p.ID)
		}
		switch not := p.Kind == advice.NotSo; {
		case not != (p.Read != ""):
			t.Errorf("%s: a page has a claim exactly if it is a correction", p.ID)
		case !not && p.Since+p.Until != "":
			t.Errorf("%s: only a correction says since when", p.ID)
		case p.Until != "" && p.Since == "":
			t.Errorf("%s: the claim was true up to %s, and nothing says since when it is outdated", p.ID, p.Until)
		case not && (p.Verify == "" || len(p.Names) == 0):
			t.Errorf("%s: a correction says how to verify it, and has names to find it by", p.ID)
		}
		isLines := func(text string) bool { return advice.Lines(text) != nil }
		for _, text := range append([]string{p.Title, p.Read, p.Verify}, p.Text...) {
			if !isLines(text) && (strings.Contains(text, "  ") || strings.TrimSpace(text) != text) {
				t.Errorf("%s: spaces at an end or two in a row: %q", p.ID, text)
			}
		}
		for i, text := range p.Text {
			if isLines(text) {
				continue
			}
			// Short paragraphs: 110 words are about eight lines of a terminal.
			if n := len(strings.Fields(text)); n > 110 {
				t.Errorf("%s: a paragraph of %d words: %.40s…", p.ID, n, text)
			}
			leads := i+1 < len(p.Text) && isLines(p.Text[i+1])
			if !strings.HasSuffix(text, ".") && !(leads && strings.HasSuffix(text, ":")) {
				t.Errorf("%s: a paragraph ends without a full stop: %q", p.ID, text)
			}
		}
		if strings.HasSuffix(p.Title, ".") || strings.HasSuffix(p.Read, ".") {
			t.Errorf("%s: title and claim are clauses, without a full stop", p.ID)
		}
		for _, id := range p.Sources {
			if _, ok := say.SourceByID(id); !ok {
				t.Errorf("%s: no source %s", p.ID, id)
			}
		}
		for _, id := range p.See {
			if !known[id] || id == p.ID {
				t.Errorf("%s points to %q", p.ID, id)
			}
		}
	}
}

// TestEveryNameFindsItsPage: by each of its names a page is found, alone; if the name is that of a check or a knob,
// their page names it.
func TestEveryNameFindsItsPage(t *testing.T) {
	taken := map[string]bool{}
	for id := range judgements() {
		taken[id] = true
		if _, name, ok := strings.Cut(id, ":"); ok {
			taken[name] = true
		}
	}
	for _, p := range advice.All() {
		for _, name := range append([]string{p.ID}, p.Names...) {
			for _, typed := range []string{name, strings.ToUpper(name), strings.ReplaceAll(name, "_", "-")} {
				if found := advice.ByName(typed); len(found) != 1 || found[0].ID != p.ID {
					t.Errorf("%q of %s finds %s", typed, p.ID, ids(found))
				}
			}
			if taken[name] && !slices.Contains(ids(advice.Of(name)), p.ID) {
				t.Errorf("%s is a check or knob too and its page does not name %s", name, p.ID)
			}
		}
	}
}

func TestByName(t *testing.T) {
	for typed, want := range map[string]string{
		"Checkpoint_Segments":                    "checkpoint-segments",
		"pg:stats_temp_directory":                "stats-temp-directory",
		"sysctl:kernel.sched_autogroup_enabled":  "sched-autogroup",
		"sched_autogroup_enabled":                "sched-autogroup",
		"VmPeak":                                 "vmpeak",
		" pg_xlog ":                              "pg-xlog",
		"full outer join":                        "onec-full-join",
		"СрезПоследних":                          "onec-slice-last",
		"sysctl.conf.d":                          "sysctl-conf-d",
		"vm.overcommit_ratio":                    "overcommit-ratio",
		"/etc/crontab":                           "crontab-user-field",
		"transparent_hugepage/shmem_enabled":     "thp-shared-memory",
		"9.1.2-1.1.C":                            "online-analyze",
		"block:smaps-pte-entry":                  "smaps-pte-entry",
		"including connections establishing":     "pgbench-output",
		"conf":                                   "",
		"d":                                      "",
		"":                                       "",
		":":                                      "",
		"-":                                      "",
		"checkpoint_segment":                     "",
		strings.Repeat("a", 1<<16):               "",
		"\x1b[31m\xff\x00":                       "",
		"kernel.sched_autogroup_enabled.further": "",
	} {
		found := advice.ByName(typed)
		if got := strings.Join(ids(found), " "); got != want {
			t.Errorf("%.60q finds %q, want %q", typed, got, want)
		}
	}
}

func TestVerdict(t *testing.T) {
	for want, p := range map[string]advice.Page{
		"":                                    {Kind: advice.Advice, Read: "x"},
		"Claim: x. This was never true.":      {Kind: advice.NotSo, Read: "x"},
		"Claim: x. This is outdated since 9.": {Kind: advice.NotSo, Read: "x", Since: "9"},
		"Claim: x. This was true up to 8 and is outdated since 9.": {Kind: advice.NotSo, Read: "x", Since: "9",
			Until: "8"},
	} {
		if got := p.Verdict().String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func ids(pages []advice.Page) []string {
	var out []string
	for _, p := range pages {
		out = append(out, p.ID)
	}
	return out
}
