package plan_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// toldLimit is a number of the table as a text says it.
type toldLimit struct {
	name string
	text string   // how the texts spell it
	in   []string // addresses of knobs, for their formulas, and ids of checks, for what to do and why
}

var percent = func(share float64) string { return fmt.Sprintf("%g%%", 100*share) }

// inWords are small numbers as a sentence has them.
var inWords = map[int]string{4: "a quarter"}

var toldLimits = []toldLimit{
	{"GeqoUsual", fmt.Sprintf("%d, the default", limits.GeqoUsual), []string{"pg:geqo_threshold"}},
	{"GeqoUsual", fmt.Sprintf("at least %d", limits.GeqoUsual), []string{"pg:geqo"}},
	{"GeqoUsual", fmt.Sprintf("fewer than %d tables", limits.GeqoUsual), []string{"geqo_before_collapse"}},
	{"GeqoMost", fmt.Sprintf("above %d", limits.GeqoMost), []string{"pg:geqo_threshold"}},
	{"CollapseMost", fmt.Sprintf("above %d", limits.CollapseMost), []string{"geqo_before_collapse"}},
	{"CollapseMost", fmt.Sprintf("1c: %d", limits.CollapseMost),
		[]string{"pg:from_collapse_limit", "pg:join_collapse_limit"}},
	{"StatisticsMost", fmt.Sprintf("%d and more", limits.StatisticsMost), []string{"pg:default_statistics_target"}},
	{"SpillFactor", fmt.Sprintf("%d × their mean size", limits.SpillFactor), []string{"pg:work_mem"}},
	{"WorkMemMost", "at most " + unit.Bytes(limits.WorkMemMost).String(), []string{"pg:work_mem"}},
	{"TempRoomUneven", inWords[limits.TempRoomUneven] + " of the free space", []string{"pg:temp_tablespaces"}},
	{"TablesPlanned", fmt.Sprintf("limited to %d%% of memory", limits.TablesPlanned), []string{"pg:shared_buffers"}},
	{"InitdbBuffers", "of memory and " + unit.Bytes(limits.InitdbBuffers).String(), []string{"pg:shared_buffers"}},
	{"BuffersMuch", fmt.Sprintf("%d%%", limits.BuffersMuch), []string{"pg:shared_buffers"}},
	{"AutovacuumWorkersMany", fmt.Sprintf("at least %d workers", limits.AutovacuumWorkersMany),
		[]string{"pg:autovacuum_vacuum_cost_limit"}},
	{"AutovacuumWorkersUsual", fmt.Sprintf("one of %d has by default", limits.AutovacuumWorkersUsual),
		[]string{"pg:autovacuum_vacuum_cost_limit"}},
	{"AutovacuumWorkersUsual", fmt.Sprintf("return to %d workers", limits.AutovacuumWorkersUsual),
		[]string{"autovacuum_workers_share_limit"}},
	{"AutovacuumLimitUsual", fmt.Sprintf("%d per 3 workers", limits.AutovacuumLimitUsual),
		[]string{"autovacuum_workers_share_limit"}},
	{"WALFreeShare", percent(limits.WALFreeShare), []string{"pg:max_wal_size"}},
	{"WALShare", percent(limits.WALShare) + " of the WAL filesystem", []string{"pg:max_wal_size"}},
	{"WALBuffersFull", percent(limits.WALBuffersFull), []string{"pg:wal_buffers"}},
	{"WALBuffersMore", unit.Bytes(limits.WALBuffersMore).String(), []string{"pg:wal_buffers"}},
	{"HugeFrom", "at least " + unit.Bytes(limits.HugeFrom).String(), []string{"pg:huge_pages"}},
	{"DirtyPlanned", "more than " + unit.Bytes(limits.DirtyPlanned).String(), []string{"sysctl:vm.dirty_bytes"}},
	{"DirtyPlanned", "more than " + unit.Bytes(limits.DirtyPlanned/2).String(),
		[]string{"sysctl:vm.dirty_background_bytes"}},
	{"SwappinessMost", fmt.Sprintf("%d. Values from 1 to %[1]d stay", limits.SwappinessMost),
		[]string{"sysctl:vm.swappiness"}},
	{"SwappinessMost", fmt.Sprintf("vm.swappiness = %d", limits.SwappinessMost), []string{"swappiness_high"}},
}

// notTold are numbers that no text says, with the reason.
var notTold = map[string]string{
	"Hour": "is an hour everywhere", "Day": "is a day everywhere",
	"TablesMuch": "findings say the share that there is", "TablesTooMuch": "the same",
	"DirtyMuch":            "findings say the amount",
	"AutovacuumShareLeast": "findings say what each has", "TempNotice": "findings say the amount",
	"TempWarning": "the same", "ArchiveLate": "is an hour",
	"SlowClocks":    "findings name the clock source that there is",
	"ReadAheadMost": "the rule says what it sets, and findings what there is",
}

// TestTextsTellTheLimits: a number of the table that changes, changes in the words too.
func TestTextsTellTheLimits(t *testing.T) {
	texts := map[string]string{}
	for _, r := range rules.All() {
		texts[string(r.Address)] = r.Formula
	}
	for _, c := range checks.All() {
		texts[c.ID] = c.Why + "\n" + c.Do
	}
	seen := map[string]bool{}
	for _, l := range toldLimits {
		seen[l.name] = true
		for _, in := range l.in {
			if text, ok := texts[in]; !ok || !strings.Contains(text, l.text) {
				t.Errorf("%s: the text of %s does not say %q", l.name, in, l.text)
			}
		}
	}
	f, err := parser.ParseFile(token.NewFileSet(), "../limits/limits.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	names := 0
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for _, name := range v.Names {
			names++
			if seen[name.Name] == (notTold[name.Name] != "") {
				t.Errorf("%s: name the texts that say it, or why none does", name.Name)
			}
		}
		return true
	})
	if names < 20 {
		t.Errorf("%d numbers in the table", names)
	}
}
