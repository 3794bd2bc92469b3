package readers

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of wrappings into docs/readers.md: read the difference")

// plain are inputs of each kind that nothing is around. Settings that a server refuses are not among them: of a text
// that was pasted in something the grammar of its lines is not judged.
var plain = map[string][]string{
	"conf": {"auto_conf_edited", "conf_19", "debian13_to_17", "from_96_to_16", "pgtune_alter_17", "recovery_conf_11"},
	"measured": {"timing_clock_backwards", "fio_page_cache_sata", "pgbench_serialization_retries_16",
		"sysbench_cpu_10", "vmstat_S_M_timestamps", "iostat_rhel6_rsec", "fsync_pt_br_15", "sar_d_12h_midnight"},
	"oom": {"gke_three_kills_gunicorn", "alma9_journal_hugepages", "el7_messages_full_uid", "journal_o_cat",
		"oom_group_pod", "raspberry_armv7_highmem"},
	"paste": {"cgroup_v1_unlimited", "disks_fstab_mount", "free_g_and_cut", "iostat_9_svctm", "ps_custom_and_cut",
		"rhel5_old_tools", "sysctl_system_node_meminfo", "systemctl_limits_swap"},
	"plan": {"bitmap_and_lossy_loops", "timing_off_buffers", "merge_17_wal", "recursive_cte_worktable",
		"text_96_parallel_agg", "text_18_fractional_rows", "workers_1_of_6_per_worker_sort"},
	"serverlog": {"lang_de_lock_queue_decimal_comma", "log_autovacuum_cannot_remove", "log_seven_troubles_of_17",
		"log_immediate_shutdown_says_crash", "log_maintenance_spills_and_comment",
		"lang_fr_killed_statement_over_lines"},
}

// placed are facts that say where in a text something is, or what is around it.
var placed = regexp.MustCompile(`\b(?:line|first|last|lines|form|wrapped|sure|unrecognized|commands?|stray_lines)\b`)

// leastRead is the share of the texts in wrappings of which all facts are read, in percent. What is missing are lines
// that were folded, most of all in tables, in which nothing marks the end of a row.
const leastRead = 98

// TestWrapped verifies that each reader reads the same facts whatever a text was pasted in, and the table that
// docs/readers.md publishes. PGFETTLE_TEST_KIND=oom looks at one reader alone, without the table.
func TestWrapped(t *testing.T) {
	only := os.Getenv("PGFETTLE_TEST_KIND")
	var kinds []string
	for k := range plain {
		if only == "" || only == k {
			kinds = append(kinds, k)
		}
	}
	slices.Sort(kinds)
	var table strings.Builder
	table.WriteString("| in | " + strings.Join(kinds, " | ") + " |\n|---" + strings.Repeat("|---", len(kinds)) + "|\n")
	read, all := 0, 0
	for _, w := range slices.Concat(wrappings, pairs) {
		row := "| " + w.name
		for _, kind := range kinds {
			if strings.Contains(w.not, kind) {
				row += " | –"
				continue
			}
			right := 0
			for _, name := range plain[kind] {
				missed := wrappedIn(t, kind, name, w)
				if all++; len(missed) == 0 {
					right++
					read++
					continue
				}
				t.Logf("%s/%s, %s: %d: %s", kind, name, w.name, len(missed), missed[0])
			}
			row += fmt.Sprintf(" | %d of %d", right, len(plain[kind]))
		}
		table.WriteString(row + " |\n")
	}
	fmt.Fprintf(&table, "\n%d of %d texts were read whole.\n", read, all)
	t.Log(table.String())
	if 100*read < leastRead*all {
		t.Errorf("only %d of %d texts were read whole", read, all)
	}
	if only != "" {
		return
	}
	const page = "../../docs/readers.md"
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text, err := Publish(string(b), "wrappings: go test ./test/readers -run TestWrapped -update", table.String())
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if text != string(b) {
		t.Errorf("docs/readers.md has another table than\n%s", table.String())
	}
}

// wrappedIn reads a case in a wrapping, and returns the facts that are not read from it.
func wrappedIn(t *testing.T, kind, name string, w wrapping) []string {
	c, err := readCase(filepath.Join("corpus", kind, name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range c.Files {
		text := w.wrap(kind, strings.Split(strings.TrimSuffix(string(f.Data), "\n"), "\n"))
		if err := os.WriteFile(filepath.Join(dir, f.Name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var missed []string
	for _, run := range c.Runs {
		args := append(slices.Clone(run.Args), "--format", "json")
		for i, a := range args {
			for _, f := range c.Files {
				if a == f.Name {
					args[i] = filepath.Join(dir, a)
				}
			}
		}
		document, _ := told(t.Context(), args)
		var value any
		if err := json.Unmarshal([]byte(document), &value); err != nil {
			value = nil // it was refused
		}
		for _, f := range run.Facts {
			if f.Kind == "says" || f.Kind == "fact" && (!w.lines && placed.MatchString(f.Text) ||
				w.timed && strings.Contains(f.Text, ".time ")) {
				continue
			}
			if a, said := f.answer(value, document); a != Right {
				missed = append(missed, fmt.Sprintf("%d: %s: %s %s", f.Line, a, f.Text, said))
			}
		}
	}
	return missed
}
