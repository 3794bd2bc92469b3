package checks

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// TestOneCauseIsOneFinding: what makes several checks fire is reported by the one that names the cause; the others fire
// again when the cause is fixed.
func TestOneCauseIsOneFinding(t *testing.T) {
	for _, c := range []struct{ name, lines, want, without string }{
		{"memory that gets no huge pages", `set shared_memory_type=sysv
set huge_pages=try
set huge_pages_status=off
backends 200 {"kind":"backend","page_tables":"16MB"}
fact host.huge_pages [{"size":"2MB"}]`,
			"sysv_shared_memory", "huge_pages_not_used"},
		{"no pool", `set huge_pages=try
set huge_pages_status=off
backends 200 {"kind":"backend","page_tables":"16MB"}
fact host.huge_pages [{"size":"2MB"}]`,
			"huge_pages_not_used", "page_tables_large"},
		{"nothing is synced", `set fsync=off
set commit_delay=5000
set recovery_init_sync_method=syncfs
set synchronous_commit=off
fact host.kernel {"major":4,"minor":18,"release":"4.18.0-553.el8"}`,
			"fsync_off", "commit_delay_set recovery_sync_syncfs synchronous_commit_off"},
		{"nothing is vacuumed", `set autovacuum=off
set autovacuum_max_workers=12
set autovacuum_vacuum_cost_limit=200
set autovacuum_vacuum_cost_delay=2
set autovacuum_work_mem=-1
set maintenance_work_mem=4GB`,
			"autovacuum_off", "autovacuum_workers_share_limit maintenance_memory_times_workers"},
		{"nothing is counted", `set track_counts=off
fact in.server.deep.tables [{"schema":"s","name":"t","live":100000000,"dead":90000000,"autovacuum_off":true}]`,
			"track_counts_off", "table_autovacuum_off"},
		{"a pool that is made on demand, and too small",
			`fact host.huge_pages [{"size":"2MB","total":0,"free":0,"reserved":0,"surplus":4300,"overcommit":4505}]`,
			"huge_pages_short", "huge_pages_on_demand"},
		{"work_mem fits neither the host nor the node", `set work_mem=1GB
fact in.placement {"cpus":"0-7","mems":"0"}`,
			"work_mem_vs_memory", "numa_placement"},
		{"the limit is too low for the settings, and too high for the host", `sysctl vm.overcommit_memory=2
sysctl vm.overcommit_ratio=75
sysctl net.core.somaxconn=65535
set max_connections=6000
fact host.memory.swap_total 0`,
			"overcommit_limit_too_low", "commit_limit_above_80"},
		{"a file that was never loaded", `sysctl vm.swappiness=60`,
			"sysctl_not_in_force", "swappiness_high"},
		{"more connections than the memory holds", `set max_connections=12000
sysctl vm.overcommit_memory=2
sysctl net.core.somaxconn=65535
set work_mem=1GB`,
			"connections_vs_memory", "work_mem_vs_memory overcommit_limit_too_low"},
		{"shared_buffers is larger than its host", `set shared_buffers=60GB
set temp_buffers=256MB`,
			"shared_buffers_vs_memory", "temp_buffers_vs_memory"},
	} {
		s, _, err := build(c.lines)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := idsOf(check.Run(s, All(), check.Options{})); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		for _, id := range strings.Fields(c.without) { // they would speak
			if got := idsOf(check.Run(s, All(), check.Options{Only: []string{id}})); got != id {
				t.Errorf("%s: alone %s says %q: nothing was silenced", c.name, id, got)
			}
		}
	}
}

func idsOf(r check.Report) string {
	var ids []string
	for _, f := range r.Findings {
		ids = append(ids, f.ID)
	}
	return strings.Join(ids, " ")
}
