package sampled

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/live"
)

// TestJudgeProfile holds the article's proof: spinning and page faults in one profile name
// huge pages; what monitoring does is not taken for it.
func TestJudgeProfile(t *testing.T) {
	for _, c := range []struct {
		name, text, id, word string
	}{
		{"faults",
			"postgres;main;s_lock " +
				"55\npostgres;main;x;asm_exc_page_fault_[k];handle_mm_fault_[k];clear_page_erms_[k] 20\n" +
				"postgres;main;ExecScan 25\n", "spinlocks", "huge pages"},
		{"faults alone", "postgres;main;asm_exc_page_fault_[k];handle_mm_fault_[k];clear_page_erms_[k] 40\n" +
			"postgres;main;ExecScan 60\n", "page-faults", "huge pages"},
		{"monitoring", " 44.4%  cat  [kernel.kallsyms]  [k] smaps_pte_entry\n", "monitoring-smaps",
			"proves nothing about the TLB"},
		{"shootdown", " 9.0%  postgres  [kernel.kallsyms]  [k] flush_tlb_mm_range\n", "tlb-shootdown", "NUMA"},
		{"ordinary", " 9.0%  postgres  postgres  [.] ExecScan\n", "", ""},
	} {
		p, err := live.ParseProfile([]byte(c.text))
		if err != nil {
			t.Fatal(c.name, err)
		}
		d := JudgeProfile("perf.txt", p)
		if c.id == "" {
			if len(d.Verdicts) > 0 {
				t.Errorf("%s: %+v", c.name, d.Verdicts)
			}
			continue
		}
		if len(d.Verdicts) == 0 || d.Verdicts[0].ID != c.id {
			t.Fatalf("%s: %+v", c.name, d.Verdicts)
		}
		if v := d.Verdicts[0]; !strings.Contains(strings.Join(say.Strings(append(v.Evidence, v.Next...)), " "),
			c.word) {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}
