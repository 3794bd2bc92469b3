package sampled

import "strings"

// slowSymbol is what a function in a profile tells.
type slowSymbol struct {
	names   []string // the whole name, or its beginning where it ends in *
	trouble string   // id of the verdict that it speaks for; "" where it is ordinary
	meaning string
}

// slowSymbols are functions of PostgreSQL and of the kernel by which trouble shows
// itself. The names are those of PostgreSQL 9.x to 18 and of Linux 3.10 to 6.18.
var slowSymbols = []slowSymbol{
	{[]string{"smaps_*", "show_smap*", "smap_gather_stats", "pagemap_*", "show_map_vma"}, "monitoring-smaps",
		"somebody reads /proc/PID/smaps, mostly the monitoring; it is not PostgreSQL walking page tables: " +
			"processors do that without any function"},
	{[]string{"s_lock", "perform_spin_delay", "finish_spin_delay"}, "spinlocks",
		"PostgreSQL waits for a spinlock: many processes at one structure at once; up to 9.4 LWLocks were made of " +
			"them"},
	{[]string{"LWLockAcquire", "LWLockAttemptLock", "LWLockRelease", "LWLockWaitListLock", "LWLockQueueSelf",
		"LWLockConditionalAcquire"}, "lwlocks",
		"PostgreSQL takes and gives internal locks; much of it is contention: pg_stat_activity names the lock"},
	{[]string{"GetSnapshotData", "GetSnapshotDataReuse", "TransactionIdIsInProgress"}, "snapshots",
		"snapshots look at every connection: many connections, above all before 14"},
	{[]string{"compact*", "isolate_migratepages*", "isolate_freepages*", "migrate_pages*", "fast_isolate_freepages"},
		"compaction",
		"the kernel moves pages about to make huge ones: transparent huge pages, or memory in pieces"},
	{[]string{"clear_huge_page", "clear_gigantic_page", "folio_zero_user", "clear_subpage",
		"do_huge_pmd_anonymous_page", "khugepaged*", "collapse_huge_page"}, "thp",
		"the kernel makes and clears transparent huge pages"},
	{[]string{"native_queued_spin_lock_slowpath", "queued_spin_lock_slowpath", "__pv_queued_spin_lock_slowpath",
		"_spin_lock", "_raw_spin_lock", "osq_lock", "mutex_spin_on_owner",
		"rwsem_down_*", "rwsem_optimistic_spin", "rwsem_spin_on_owner"}, "kernel-locks",
		"processors wait for each other inside of the kernel; the callers tell for what (perf record -g)"},
	{[]string{"shrink_*", "try_to_free_pages", "__alloc_pages_slowpath", "__alloc_pages_direct_reclaim",
		"do_try_to_free_pages", "kswapd", "balance_pgdat", "try_to_free_mem_cgroup_pages",
		"mem_cgroup_out_of_memory", "page_referenced*", "folio_referenced*", "try_to_unmap*", "rmap_walk*"}, "reclaim",
		"the kernel looks for memory that it can take back: there is too little"},
	{[]string{"swap_readpage", "swapin_readahead", "do_swap_page", "swap_writepage", "zswap_*", "zram_*"}, "swap",
		"the kernel swaps"},
	{[]string{"handle_mm_fault", "__handle_mm_fault", "handle_pte_fault", "do_anonymous_page", "filemap_map_pages",
		"next_uptodate_folio", "set_pte_range", "shmem_fault", "do_fault", "do_read_fault", "do_shared_fault",
		"exc_page_fault", "do_user_addr_fault", "copy_page_range", "copy_present_ptes", "zap_pte_range",
		"unmap_page_range", "free_pgtables", "exit_mmap", "dup_mm*", "asm_exc_page_fault", "page_fault",
		"do_page_fault", "__do_page_fault", "async_page_fault", "do_async_page_fault", "do_mem_abort",
		"do_translation_fault", "alloc_anon_folio", "vma_alloc_folio", "alloc_pages_vma", "do_cow_fault", "do_wp_page",
		"wp_page_copy", "clear_page_erms", "clear_page_rep", "clear_page_orig", "clear_page", "__pte_alloc",
		"pte_alloc_one"}, "page-faults",
		"processes touch pages for the first time, or are made and end: short connections, and shared_buffers " +
			"without huge pages"},
	{[]string{"flush_tlb_*", "smp_call_function_many_cond", "native_flush_tlb*", "try_to_unmap_flush",
		"arch_tlbbatch_flush"}, "tlb-shootdown",
		"processors tell each other to forget translations of addresses: memory is unmapped or moved all the time"},
	{[]string{"task_numa_*", "do_numa_page", "migrate_misplaced_*", "change_prot_numa"}, "numa-balancing",
		"automatic NUMA balancing moves pages between nodes"},
	{[]string{"read_hpet", "acpi_pm_read", "pvclock_read_begin"}, "clock",
		"reading the clock is a call into the kernel: EXPLAIN ANALYZE and track_io_timing become dear " +
			"(pg_test_timing)"},
	{[]string{"futex_*", "__futex_*", "do_futex"}, "", "processes sleep and wake one another over locks"},
	{[]string{"finish_task_switch*", "__schedule", "schedule", "pick_next_task_fair", "update_curr", "try_to_wake_up"},
		"", "the kernel changes from one process to another"},
	{[]string{"_raw_spin_unlock_irqrestore", "irqentry_exit_to_user_mode"},
		"", "where a virtual machine's profile counts what ran while interrupts were off: tells nothing"},
	{[]string{"intel_idle*", "poll_idle", "acpi_idle*", "default_idle*", "native_safe_halt", "pv_native_safe_halt",
		"mwait_idle*", "cpuidle_*"}, "", "a processor without work"},
	{[]string{"hash_search_with_hash_value", "BufTableLookup", "PinBuffer", "ReadBuffer*", "StartReadBuffer*"}, "",
		"finding blocks in shared buffers"},
	{[]string{"heap_hot_search_buffer", "heap_page_prune*", "HeapTupleSatisfies*", "heapgettup*", "XidInMVCCSnapshot"},
		"", "testing rows for visibility; much of it is dead rows or old snapshots"},
	{[]string{"SearchCatCache*", "SearchSysCache*", "base_yyparse", "standard_planner", "raw_expression_tree_walker*"},
		"", "parsing and planning; prepared statements save it"},
	{[]string{"pg_comp_crc32c*", "XLogInsert*", "CopyXLogRecordToWAL"}, "", "writing WAL"},
	{[]string{"crypto_*", "aes_*", "gcm_*", "ChaCha20*"}, "", "encryption: TLS, or the disk"},
}

// slowMeaning looks a function up.
func slowMeaning(function string) (slowSymbol, bool) {
	function, _, _ = strings.Cut(function, ".isra.") // parts that the compiler made
	function, _, _ = strings.Cut(function, ".constprop.")
	function, _, _ = strings.Cut(function, ".part.")
	for _, s := range slowSymbols {
		for _, n := range s.names {
			if begin, ok := strings.CutSuffix(n, "*"); ok && strings.HasPrefix(function, begin) || n == function {
				return s, true
			}
		}
	}
	return slowSymbol{}, false
}
