package coverage

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/judge/advice"
)

// statements and their verdicts, as they were numbered and judged when the
// sources were read: none may get lost, and none may change its verdict unseen.
var statements = map[Verdict]int{Correct: 144, Depends: 71, Outdated: 27, Wrong: 27}

func rows(t *testing.T) []Row {
	t.Helper()
	list, err := Rows()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestEveryStatementIsThere(t *testing.T) {
	count := map[Verdict]int{}
	for _, r := range rows(t) {
		count[r.Verdict]++
	}
	for v, want := range statements {
		if count[v] != want {
			t.Errorf("%d statements are %s, not %d", count[v], v, want)
		}
	}
}

// TestWhatIsNotSoHasAPage: who read a statement that is outdated or wrong finds
// a page that says so, by number of the statement.
func TestWhatIsNotSoHasAPage(t *testing.T) {
	for _, r := range rows(t) {
		if r.Verdict != Outdated && r.Verdict != Wrong {
			continue
		}
		found := false
		for _, c := range r.Carriers {
			p, ok := Page(c)
			found = found || ok && p.Kind == advice.NotSo
		}
		if !found {
			t.Errorf("%d (%s) is %s and no page says so: %v", r.Number, r.Claim, r.Verdict, r.Carriers)
		}
	}
}

// TestEveryPageCarries: a page that no statement needs is padding, or says why it is there.
func TestEveryPageCarries(t *testing.T) {
	carries := map[string]bool{}
	for _, r := range rows(t) {
		for _, c := range r.Carriers {
			if p, ok := Page(c); ok {
				carries[p.ID] = true
			}
		}
	}
	for _, p := range advice.All() {
		if carries[p.ID] == (p.Beyond != "") {
			t.Errorf("%s: carries a statement: %t; it is there because: %q", p.ID, carries[p.ID], p.Beyond)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	good := "1\tcpu\ta claim\tcorrect\tcheck:fsync_off\n"
	if list, err := parse("# head\n\n" + good); err != nil || len(list) != 1 {
		t.Fatalf("%v %v", list, err)
	}
	for text, want := range map[string]string{
		"2\tcpu\ta claim\tcorrect\tcheck:fsync_off\n": "number 2 where 1 is due",
		good + good:                  "number 1 where 2 is due",
		"1\tcpu\ta claim\tcorrect\n": "4 columns",
		"x\tcpu\ta claim\tcorrect\tcheck:fsync_off\n":                            "is no number",
		"1\tcpu\ta claim\tmaybe\tcheck:fsync_off\n":                              "is no verdict",
		"1\tcpu\ta claim\tcorrect\t\n":                                           "nothing carries it",
		"1\tcpu\t\tcorrect\tcheck:fsync_off\n":                                   "no claim",
		"1\tcpu\t" + strings.Repeat("word ", 16) + "\tcorrect\tcheck:fsync_off":  "more than 15",
		"1\tcpu\ta claim\tcorrect\tcheck:fsync_off page:pg-xlog check:fsync_off": "twice",
	} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestFindRefusesWhatIsNot(t *testing.T) {
	commands := map[string]string{"demo": "", "demo oom": "", "probe": "Measure: fsync, timing.\n"}
	for _, c := range []string{"check:fsync_off", "knob:pg:work_mem", "page:pg-xlog", "demo:oom", "probe:fsync"} {
		if err := Find(c, commands); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []string{"check:fsync", "knob:work_mem", "page:pg_xlog", "demo:cpu", "probe:fio", "diagnose:oom",
		"bench:x", "wish:x", "fsync_off", "check:"} {
		if Find(c, commands) == nil {
			t.Errorf("%s is found", c)
		}
	}
}
