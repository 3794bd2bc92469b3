package metrics

// Family is one metric family: what is in its HELP and TYPE lines, and the labels that each of its series has.
// docs/metrics.md is made of the same table.
type Family struct {
	Name    string
	Help    string
	Counter bool // a gauge where it is not one
	Labels  []string
	Group   string // heading in docs/metrics.md
}

// The headings of docs/metrics.md, in its order.
const (
	groupSelf     = "The collection itself"
	groupHost     = "Memory of the host"
	groupPool     = "Huge page pools"
	groupInstance = "Instances"
	groupBudget   = "The memory budget"
	groupFindings = "Findings"
	groupPlan     = "Settings and the plan"
)

// pgInstance is the label of an instance: its data directory, else its port.
// Prometheus gives each target a label named instance itself.
const pgInstance = "pg_instance"

var (
	buildInfo = Family{Name: "pgfettle_build_info", Group: groupSelf, Labels: []string{"version", "goversion"},
		Help: "Always 1. Labels: version of pgfettle and of the Go that built it."}
	collectionSuccess = Family{Name: "pgfettle_collection_success", Group: groupSelf,
		Help: "1 if the last collection succeeded, 0 if it failed or exceeded its time limit."}
	collectionDuration = Family{Name: "pgfettle_collection_duration_seconds", Group: groupSelf,
		Help: "Duration of the last finished collection."}
	collectionTime = Family{Name: "pgfettle_collection_timestamp_seconds", Group: groupSelf,
		Help: "Unix time at which these values were collected."}
	collections = Family{Name: "pgfettle_collections_total", Group: groupSelf, Counter: true,
		Labels: []string{"result"},
		Help: "Finished collections by result: success, timeout, no_access or error. Only with a long-" +
			"running process."}
	unreadableFacts = Family{Name: "pgfettle_unreadable_facts", Group: groupSelf,
		Help: "Facts needed by a check or the plan that could not be read, not counting those that require " +
			"--deep."}
	unreadableFact = Family{Name: "pgfettle_unreadable_fact", Group: groupSelf, Labels: []string{"fact", pgInstance},
		Help: "Always 1. A fact that could not be read; at most 64 are listed. Process IDs are replaced by " +
			"*."}
	seriesDropped = Family{Name: "pgfettle_series_dropped", Group: groupSelf,
		Help: "Series omitted because of the limit per metric, or because of duplicate labels."}

	hostMemory = Family{Name: "pgfettle_host_memory_bytes", Group: groupHost,
		Help: "Total memory of the host (MemTotal)."}
	hostAvailable = Family{Name: "pgfettle_host_memory_available_bytes", Group: groupHost,
		Help: "Memory available without swapping (MemAvailable)."}
	hostPart = Family{Name: "pgfettle_host_memory_part_bytes", Group: groupHost, Labels: []string{"part"},
		Help: "Memory of the host by use; the parts add up to the total. Absent if the processes of an " +
			"instance are not visible."}
	hostPageTables = Family{Name: "pgfettle_host_page_tables_bytes", Group: groupHost,
		Help: "Page tables of all processes of the host (PageTables)."}
	hostSwap = Family{Name: "pgfettle_host_swap_bytes", Group: groupHost,
		Help: "Total swap space of the host (SwapTotal)."}
	hostSwapFree = Family{Name: "pgfettle_host_swap_free_bytes", Group: groupHost,
		Help: "Free swap space of the host (SwapFree)."}
	hostCommitLimit = Family{Name: "pgfettle_host_commit_limit_bytes", Group: groupHost,
		Help: "Commit limit of the kernel (CommitLimit), enforced only if vm.overcommit_memory = 2."}
	hostCommitted = Family{Name: "pgfettle_host_committed_bytes", Group: groupHost,
		Help: "Committed address space (Committed_AS)."}
	hostOvercommit = Family{Name: "pgfettle_host_overcommit_mode", Group: groupHost,
		Help: "vm.overcommit_memory: 0 heuristic, 1 always, 2 strict."}

	poolSize = Family{Name: "pgfettle_huge_pool_bytes", Group: groupPool, Labels: []string{"page_size"},
		Help: "Size of the persistent huge page pool, without surplus pages (nr_hugepages), by page size in" +
			" bytes."}
	poolFree = Family{Name: "pgfettle_huge_pool_free_bytes", Group: groupPool, Labels: []string{"page_size"},
		Help: "Free huge pages (free_hugepages), including reserved ones."}
	poolReserved = Family{Name: "pgfettle_huge_pool_reserved_bytes", Group: groupPool, Labels: []string{"page_size"},
		Help: "Huge pages reserved for a process but not yet allocated (resv_hugepages)."}
	poolSurplus = Family{Name: "pgfettle_huge_pool_surplus_bytes", Group: groupPool, Labels: []string{"page_size"},
		Help: "Surplus huge pages above the persistent pool (surplus_hugepages)."}

	instanceInfo = Family{Name: "pgfettle_instance_info", Group: groupInstance,
		Labels: []string{pgInstance, "version", "port"},
		Help:   "Always 1. An instance that was found; version and port are empty if unknown."}
	instanceRunning = Family{Name: "pgfettle_instance_running", Group: groupInstance, Labels: []string{pgInstance},
		Help: "1 if the instance is running."}
	instanceAnswered = Family{Name: "pgfettle_instance_answered", Group: groupInstance, Labels: []string{pgInstance},
		Help: "1 if the settings were read over SQL. If 0, they are unknown, and metrics based on them are " +
			"absent."}
	instanceProcesses = Family{Name: "pgfettle_instance_processes", Group: groupInstance, Labels: []string{pgInstance},
		Help: "Processes of the instance."}
	instanceTables = Family{Name: "pgfettle_instance_page_tables_bytes", Group: groupInstance,
		Labels: []string{pgInstance},
		Help:   "Page tables of all processes of the instance (VmPTE)."}
	instanceTablesWorst = Family{Name: "pgfettle_instance_page_tables_worst_case_bytes", Group: groupInstance,
		Labels: []string{pgInstance},
		Help: "Worst case of its page tables: all connections open, and each process has touched all of the" +
			" shared memory."}
	instancePrivate = Family{Name: "pgfettle_instance_private_bytes", Group: groupInstance,
		Labels: []string{pgInstance},
		Help:   "Private memory of all its processes (RssAnon)."}
	instanceSwapped = Family{Name: "pgfettle_instance_swapped_bytes", Group: groupInstance,
		Labels: []string{pgInstance},
		Help:   "Swapped-out memory of its processes (VmSwap)."}
	instanceShared = Family{Name: "pgfettle_instance_shared_memory_bytes", Group: groupInstance,
		Labels: []string{pgInstance},
		Help: "Size of the main shared memory segment as the server reports it, else an upper estimate from" +
			" its settings."}
	instanceOnHuge = Family{Name: "pgfettle_instance_on_huge_pages", Group: groupInstance, Labels: []string{pgInstance},
		Help: "1 if the shared memory uses huge pages."}
	instanceHugeUsed = Family{Name: "pgfettle_instance_huge_pages_used_bytes", Group: groupInstance,
		Labels: []string{pgInstance},
		Help:   "Huge pages used by the shared memory; 0 if it uses regular pages."}
	instanceHugeNeeded = Family{Name: "pgfettle_instance_huge_pages_needed_bytes", Group: groupInstance,
		Labels: []string{pgInstance, "page_size"},
		Help: "Huge pages that are sufficient for the shared memory of the server, by requested page size " +
			"in bytes."}

	budgetLimit = Family{Name: "pgfettle_budget_limit_bytes", Group: groupBudget, Labels: []string{"limit"},
		Help: "Memory that the budget is based on: that of the host, or the cgroup limit."}
	budgetPart = Family{Name: "pgfettle_budget_bytes", Group: groupBudget, Labels: []string{"state", "part"},
		Help: "Parts of the memory budget in the worst case, present and planned. For each state, they add " +
			"up to the limit plus the shortfall."}
	budgetShortfall = Family{Name: "pgfettle_budget_shortfall_bytes", Group: groupBudget, Labels: []string{"state"},
		Help: "Memory that is missing in the worst case; 0 if the budget fits."}

	findings = Family{Name: "pgfettle_findings", Group: groupFindings, Labels: []string{"severity"},
		Help: "Findings by severity, without accepted ones."}
	findingsAccepted = Family{Name: "pgfettle_findings_accepted", Group: groupFindings, Labels: []string{"severity"},
		Help: "Findings accepted by the policy, by severity."}
	finding = Family{Name: "pgfettle_finding", Group: groupFindings, Labels: []string{"id", "severity", pgInstance},
		Help: "Findings of a check on an instance, or on the host if pg_instance is empty, without accepted" +
			" ones."}
	findingAccepted = Family{Name: "pgfettle_finding_accepted", Group: groupFindings,
		Labels: []string{"id", "severity", pgInstance},
		Help:   "Like pgfettle_finding, for findings accepted by the policy."}

	setting = Family{Name: "pgfettle_setting", Group: groupPlan, Labels: []string{pgInstance, "address", "unit"},
		Help: "Present value of a numeric setting that the plan covers: in bytes or seconds if it has such " +
			"a unit, 1 and 0 for on and off. Negative special values are unchanged."}
	settingPlanned = Family{Name: "pgfettle_setting_planned", Group: groupPlan,
		Labels: []string{pgInstance, "address", "unit"},
		Help:   "Planned value of the setting; the present value if it is as good."}
	planChanges = Family{Name: "pgfettle_plan_changes", Group: groupPlan, Labels: []string{"effect"},
		Help: "Planned changes by required action: now, reload, restart or reboot."}
	planChange = Family{Name: "pgfettle_plan_change", Group: groupPlan,
		Labels: []string{pgInstance, "address", "effect", "risk"},
		Help:   "Always 1. A planned change, including non-numeric settings."}
	applied = Family{Name: "pgfettle_applied_values", Group: groupPlan, Labels: []string{"hold"},
		Help: "Applied values that were not undone, by state: holds, changed, lost, waits or unknown. " +
			"Absent if nothing was applied or the journals could not be read."}
	appliedMoved = Family{Name: "pgfettle_applied_value_moved", Group: groupPlan,
		Labels: []string{pgInstance, "address", "hold"},
		Help:   "Always 1. An applied value that no longer holds: changed or lost."}
)

// Families returns every family, in the order of the documentation.
func Families() []*Family {
	return []*Family{
		&buildInfo, &collectionSuccess, &collectionDuration, &collectionTime, &collections, &unreadableFacts,
		&unreadableFact, &seriesDropped,
		&hostMemory, &hostAvailable, &hostPart, &hostPageTables, &hostSwap, &hostSwapFree, &hostCommitLimit,
		&hostCommitted, &hostOvercommit,
		&poolSize, &poolFree, &poolReserved, &poolSurplus,
		&instanceInfo, &instanceRunning, &instanceAnswered, &instanceProcesses, &instanceTables, &instanceTablesWorst,
		&instancePrivate, &instanceSwapped,
		&instanceShared, &instanceOnHuge, &instanceHugeUsed, &instanceHugeNeeded,
		&budgetLimit, &budgetPart, &budgetShortfall,
		&findings, &findingsAccepted, &finding, &findingAccepted,
		&setting, &settingPlanned, &planChanges, &planChange, &applied, &appliedMoved,
	}
}
