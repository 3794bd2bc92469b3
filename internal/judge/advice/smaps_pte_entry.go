package advice

// SmapsPteEntry: smaps_pte_entry stands in fs/proc/task_mmu.c and is called only by readers of smaps.
var SmapsPteEntry = Page{
	ID:    "smaps-pte-entry",
	Kind:  NotSo,
	Title: "smaps_pte_entry in perf is somebody reading smaps",
	Names: []string{"smaps_pte_entry", "s_lock", "compaction_alloc", "find_busiest_group", "tlb_misses"},
	Read:  "smaps_pte_entry at 5 % in perf top is the kernel translating addresses, so the TLB is overrun",
	Text: []string{
		"That function runs when a program reads /proc/PID/smaps: in the famous output the command beside it is cat, the monitoring " +
			"itself. Page walks are done by the processor and never appear as a function of the kernel.",
		"In the same output compaction_alloc and spinlocks inside postgres point to transparent huge pages being compacted on an old " +
			"kernel. s_lock below LWLockAcquire was a consequence too; LWLocks use atomic operations since 9.5.",
	},
	Verify:  "perf stat -e dTLB-load-misses,dtlb_load_misses.walk_active -p PID; grep -E 'compact_stall|thp_fault_alloc' /proc/vmstat.",
	Sources: []string{"linux-page-tables", "blog-page-tables"},
	See:     []string{"page_tables_large", "thp_always", "page-tables-and-tlb", "smaps-pss"},
}
