package sampled

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// slowSymbol is what a function in a profile means.
type slowSymbol struct {
	names   []string // the whole name, or its beginning if it ends in *
	trouble string   // id of the verdict that it speaks for; "" if it is ordinary
	meaning say.Message
}

// slowSymbols are functions of PostgreSQL and of the kernel by which trouble shows
// itself. The names are those of PostgreSQL 9.x to 18 and of Linux 3.10 to 6.18.
var slowSymbols = []slowSymbol{
	{[]string{"smaps_*", "show_smap*", "smap_gather_stats", "pagemap_*", "show_map_vma"}, "monitoring-smaps",
		say.M("a program reads /proc/PID/smaps, usually the monitoring; this is not PostgreSQL walking page tables, " +
			"which the CPU does without any function")},
	{[]string{"s_lock", "perform_spin_delay", "finish_spin_delay"}, "spinlocks",
		say.M("PostgreSQL waits for a spinlock: many processes use one structure at once; in 9.4 and earlier, " +
			"LWLocks were made of them")},
	{[]string{"LWLockAcquire", "LWLockAttemptLock", "LWLockRelease", "LWLockWaitListLock", "LWLockQueueSelf",
		"LWLockConditionalAcquire"}, "lwlocks",
		say.M("PostgreSQL acquires and releases internal locks; a large share is contention: pg_stat_activity shows " +
			"the lock")},
	{[]string{"GetSnapshotData", "GetSnapshotDataReuse", "TransactionIdIsInProgress"}, "snapshots",
		say.M("a snapshot reads the state of all connections: many connections, above all in 13 and earlier")},
	{[]string{"compact*", "isolate_migratepages*", "isolate_freepages*", "migrate_pages*", "fast_isolate_freepages"},
		"compaction",
		say.M("the kernel moves pages to get contiguous memory: transparent huge pages, or fragmentation")},
	{[]string{"clear_huge_page", "clear_gigantic_page", "folio_zero_user", "clear_subpage",
		"do_huge_pmd_anonymous_page", "khugepaged*", "collapse_huge_page"}, "thp",
		say.M("the kernel allocates and clears transparent huge pages")},
	{[]string{"native_queued_spin_lock_slowpath", "queued_spin_lock_slowpath", "__pv_queued_spin_lock_slowpath",
		"_spin_lock", "_raw_spin_lock", "osq_lock", "mutex_spin_on_owner",
		"rwsem_down_*", "rwsem_optimistic_spin", "rwsem_spin_on_owner"}, "kernel-locks",
		say.M("CPUs wait for locks of the kernel; the callers show which (perf record -g)")},
	{[]string{"shrink_*", "try_to_free_pages", "__alloc_pages_slowpath", "__alloc_pages_direct_reclaim",
		"do_try_to_free_pages", "kswapd", "balance_pgdat", "try_to_free_mem_cgroup_pages",
		"mem_cgroup_out_of_memory", "page_referenced*", "folio_referenced*", "try_to_unmap*", "rmap_walk*"}, "reclaim",
		say.M("the kernel reclaims memory: too little is free")},
	{[]string{"swap_readpage", "swapin_readahead", "do_swap_page", "swap_writepage", "zswap_*", "zram_*"}, "swap",
		say.M("the kernel swaps")},
	{[]string{"handle_mm_fault", "__handle_mm_fault", "handle_pte_fault", "do_anonymous_page", "filemap_map_pages",
		"next_uptodate_folio", "set_pte_range", "shmem_fault", "do_fault", "do_read_fault", "do_shared_fault",
		"exc_page_fault", "do_user_addr_fault", "copy_page_range", "copy_present_ptes", "zap_pte_range",
		"unmap_page_range", "free_pgtables", "exit_mmap", "dup_mm*", "asm_exc_page_fault", "page_fault",
		"do_page_fault", "__do_page_fault", "async_page_fault", "do_async_page_fault", "do_mem_abort",
		"do_translation_fault", "alloc_anon_folio", "vma_alloc_folio", "alloc_pages_vma", "do_cow_fault", "do_wp_page",
		"wp_page_copy", "clear_page_erms", "clear_page_rep", "clear_page_orig", "clear_page", "__pte_alloc",
		"pte_alloc_one"}, "page-faults",
		say.M("processes use pages for the first time, or start and exit: short connections, and shared_buffers " +
			"without huge pages")},
	{[]string{"flush_tlb_*", "smp_call_function_many_cond", "native_flush_tlb*", "try_to_unmap_flush",
		"arch_tlbbatch_flush"}, "tlb-shootdown",
		say.M("CPUs invalidate TLB entries of each other: memory is unmapped or moved all the time")},
	{[]string{"task_numa_*", "do_numa_page", "migrate_misplaced_*", "change_prot_numa"}, "numa-balancing",
		say.M("automatic NUMA balancing moves pages between nodes")},
	{[]string{"read_hpet", "acpi_pm_read", "pvclock_read_begin"}, "clock",
		say.M("reading the clock is slow: EXPLAIN ANALYZE and track_io_timing become expensive (pg_test_timing)")},
	{[]string{"futex_*", "__futex_*", "do_futex"}, "",
		say.M("processes sleep and wake each other because of locks")},
	{[]string{"finish_task_switch*", "__schedule", "schedule", "pick_next_task_fair", "update_curr", "try_to_wake_up"},
		"", say.M("the kernel switches between processes")},
	{[]string{"_raw_spin_unlock_irqrestore", "irqentry_exit_to_user_mode"},
		"", say.M("in a profile of a virtual machine, code that ran with interrupts off is counted here: it says " +
			"nothing")},
	{[]string{"intel_idle*", "poll_idle", "acpi_idle*", "default_idle*", "native_safe_halt", "pv_native_safe_halt",
		"mwait_idle*", "cpuidle_*"}, "", say.M("idle CPU")},
	{[]string{"hash_search_with_hash_value", "BufTableLookup", "PinBuffer", "ReadBuffer*", "StartReadBuffer*"}, "",
		say.M("lookup of blocks in shared buffers")},
	{[]string{"heap_hot_search_buffer", "heap_page_prune*", "HeapTupleSatisfies*", "heapgettup*", "XidInMVCCSnapshot"},
		"", say.M("visibility checks of rows; a large share means dead rows or old snapshots")},
	{[]string{"SearchCatCache*", "SearchSysCache*", "base_yyparse", "standard_planner", "raw_expression_tree_walker*"},
		"", say.M("parsing and planning; prepared statements avoid it")},
	{[]string{"pg_comp_crc32c*", "XLogInsert*", "CopyXLogRecordToWAL"}, "", say.M("writing WAL")},
	{[]string{"crypto_*", "aes_*", "gcm_*", "ChaCha20*"}, "", say.M("encryption: TLS, or the disk")},
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
