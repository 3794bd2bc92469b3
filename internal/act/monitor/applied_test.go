package monitor

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/test/journals"
)

// a journal of one change, up to and with its n-th line.
func journalOf(id string, n int) string {
	lines := []string{
		`{"kind":"begin","at":1,"run":{"schema":"pgfettle.journal/2","id":"` + id +
			`","tool":"pgfettle","plan":"x","hostname":"h"}}`,
		`{"kind":"planned","at":1,"n":1,"address":"sysctl:vm.swappiness","from":"60","to":"1"}`,
		`{"kind":"intend","at":1,"n":1,"address":"sysctl:vm.swappiness","from":"60","to":"1","before":{"live":"60"},` +
			`"after":{"live":"1"}}`,
		`{"kind":"done","at":1,"n":1}`,
		`{"kind":"end","at":1}`,
		`{"kind":"undo","at":2}`,
		`{"kind":"undoing","at":2,"n":1,"before":{"live":"1"},"after":{"live":"60"}}`,
		`{"kind":"undone","at":2,"n":1}`,
		`{"kind":"checked","at":2}`,
		`{"kind":"end","at":2}`,
	}
	return string(journals.Chained(strings.Join(lines[:n], "\n") + "\n"))
}

// TestLastApplied: the last apply that came to its end and was not undone; what is no journal is skipped.
func TestLastApplied(t *testing.T) {
	const one, two, three = "20260101-103000-aaaaaa", "20260201-103000-bbbbbb", "20260301-103000-cccccc"
	tg, dir := tree(t, map[string]string{
		"j/" + one + ".jsonl": journalOf(one, 5), "j/" + two + ".jsonl": journalOf(two, 10),
		"j/" + three + ".jsonl":          journalOf(three, 3),
		"j/20270101-103000-dddddd.jsonl": "no journal\n", "j/zzz.txt": "", "j/lock": "",
	})
	j := LastApplied(tg, "/j")
	if j == nil || j.ID != one || len(j.Changes) != 1 || j.Changes[0].After != "1" {
		t.Fatalf("%+v", j)
	}
	write(t, dir, "j/"+two+".jsonl", journalOf(two, 5))
	if j := LastApplied(tg, "/j"); j == nil || j.ID != two {
		t.Errorf("%+v", j)
	}
	if j := LastApplied(tg, "/nowhere"); j != nil {
		t.Errorf("%+v", j)
	}
}
