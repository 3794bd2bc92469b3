package outline

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

// TestGapsFollowTheLanguage verifies that a line on what is unknown has no English in it in another language.
func TestGapsFollowTheLanguage(t *testing.T) {
	english := regexp.MustCompile(`(?i)\b(the|is|not|no|of|run|as|or|by|to|was|were|with|only|its)\b`)
	gaps := []known.Gap{
		{Fact: "proc/meminfo", Reason: "permission denied", Reveal: "run pgfettle as root"},
		{Fact: "pg/1/settings", Reason: "the server runs on another host", Reveal: "run pgfettle on that host"},
		{Fact: "pg/1/activity", Reason: "2 sessions of other roles are hidden from this role",
			Reveal: "GRANT pg_monitor TO <role>"},
		{Fact: "statfs.json", Reason: "malformed: line 3: \"x\" is not a whole number"},
		{Fact: "pg/1/connection", Reason: "no server listens at /tmp:5432",
			Reveal: "see whether the server runs there, and whether host and port are right"},
	}
	for _, lang := range say.Languages() {
		c, err := say.Open(lang)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range gaps {
			told := WordsIn(c).reason(g.Reason)
			reveal := WordsIn(c).reason(g.Reveal)
			if lang == say.English {
				if told != g.Reason || reveal != g.Reveal {
					t.Errorf("%q, %q", told, reveal)
				}
				continue
			}
			if english.MatchString(told) || g.Reveal != "GRANT pg_monitor TO <role>" && english.MatchString(reveal) {
				t.Errorf("%s: %q, %q", lang, told, reveal)
			}
		}
		list := fmt.Sprint(Unseen(gaps, c))
		if lang != say.English && regexp.MustCompile(`permission denied|another host|hidden from`).MatchString(list) {
			t.Errorf("%s: %s", lang, list)
		}
	}
}
