package app_test

import (
	"slices"
	"testing"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/knob"
)

// TestSymptomsFindTheirPages: what a person saw or calls a thing leads to the page about it, among the first three.
func TestSymptomsFindTheirPages(t *testing.T) {
	for query, page := range map[string]string{
		"bloat":      "catalog_bloat",
		"steal time": "cpu_steal",
		"tmpfs":      "data_on_tmpfs",
		"deadlocks":  "deadlocks_many",
		"grub":       "thp-at-boot",
		"perf":       "page-tables-and-tlb",
		"initdb":     "initdb-options",

		"huge_pages_status":              "huge_pages_not_used",
		"pg_stat_statements":             "pg_stat_statements_missing",
		"too many clients already":       "no_connection_slot",
		"wraparound":                     "wraparound",
		"terminated by signal 9: Killed": "oom_kills",
		"could not map anonymous shared memory: Cannot allocate memory": "start_shared_memory",
		"could not resize shared memory segment \"/PostgreSQL.1\" to 8 bytes: " +
			"No space left on device": "dev_shm_small",
		// of a server whose lc_messages is French, or Russian
		"n'a pas pu retailler le segment de mémoire partagée « /PostgreSQL.1 » en 8 octets : " +
			"Aucun espace disponible sur le périphérique": "dev_shm_small",
		"извините, уже слишком много клиентов": "no_connection_slot",
	} {
		found, err := app.SearchPages(query, nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, p := range found {
			names = append(names, p.Name)
		}
		if !slices.Contains(names[:min(len(names), 3)], page) {
			t.Errorf("%s: %q, not %s", query, names, page)
		}
	}
}

// TestNothingIsFoundForNonsense: no page is suggested for a query that matches none.
func TestNothingIsFoundForNonsense(t *testing.T) {
	for _, query := range []string{"xyzzy", "work_me", "qwertz uiop"} {
		if found, err := app.SearchPages(query, nil); err != nil || len(found) > 0 {
			t.Errorf("%s: %v %v", query, found, err)
		}
	}
}

// TestBareNames: a kernel parameter is known by the last part of its name.
func TestBareNames(t *testing.T) {
	for name, want := range map[string]knob.Address{"swappiness": "sysctl:vm.swappiness",
		"zone_reclaim_mode": "sysctl:vm.zone_reclaim_mode", "ZONE_RECLAIM_MODE": "sysctl:vm.zone_reclaim_mode"} {
		if got := app.KnobsWithBareName(name); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, not %s", name, got, want)
		}
	}
	if got := app.KnobsWithBareName("vm"); len(got) > 0 {
		t.Errorf("vm: %q", got)
	}
}
