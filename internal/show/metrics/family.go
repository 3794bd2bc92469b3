package metrics

// Family is one metric family: what stands in its HELP and TYPE lines, and the
// labels that each of its series has. docs/metrics.md is made of the same table.
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
		Help: "Always 1; the version of pgfettle and of the Go that built it."}
	collectionSuccess = Family{Name: "pgfettle_collection_success", Group: groupSelf,
		Help: "1 where the last collection ended well, 0 where it failed or has been running for longer than it may."}
	collectionDuration = Family{Name: "pgfettle_collection_duration_seconds", Group: groupSelf,
		Help: "How long the last collection took that ended."}
	collectionTime = Family{Name: "pgfettle_collection_timestamp_seconds", Group: groupSelf,
		Help: "When the values were collected that are shown, in seconds since the epoch."}
	collections = Family{Name: "pgfettle_collections_total", Group: groupSelf, Counter: true,
		Labels: []string{"result"},
		Help: "Collections that ended, by result: success, timeout, no_access or error. Only where a process " +
			"collects again and again."}
	unreadableFacts = Family{Name: "pgfettle_unreadable_facts", Group: groupSelf,
		Help: "How many facts could not be read that a check or the plan wanted; what is asked with --deep alone is " +
			"none of them."}
	unreadableFact = Family{Name: "pgfettle_unreadable_fact", Group: groupSelf, Labels: []string{"fact", pgInstance},
		Help: "Always 1; a fact that could not be read, at most 64 of them. Process numbers are written as *."}
	seriesDropped = Family{Name: "pgfettle_series_dropped", Group: groupSelf,
		Help: "Series that were left out: more than a family may have, or the same labels twice."}

	hostMemory = Family{Name: "pgfettle_host_memory_bytes", Group: groupHost,
		Help: "Memory of the host (MemTotal)."}
	hostAvailable = Family{Name: "pgfettle_host_memory_available_bytes", Group: groupHost,
		Help: "Memory that programs could have without swapping (MemAvailable)."}
	hostPart = Family{Name: "pgfettle_host_memory_part_bytes", Group: groupHost, Labels: []string{"part"},
		Help: "Where the memory of the host is: parts that add up to it. Absent where the processes of an instance " +
			"cannot be seen."}
	hostPageTables = Family{Name: "pgfettle_host_page_tables_bytes", Group: groupHost,
		Help: "Page tables of all processes of the host (PageTables)."}
	hostSwap = Family{Name: "pgfettle_host_swap_bytes", Group: groupHost,
		Help: "Swap space of the host (SwapTotal)."}
	hostSwapFree = Family{Name: "pgfettle_host_swap_free_bytes", Group: groupHost,
		Help: "Swap space that is free (SwapFree)."}
	hostCommitLimit = Family{Name: "pgfettle_host_commit_limit_bytes", Group: groupHost,
		Help: "Commit limit of the kernel (CommitLimit); it is enforced where the overcommit mode is 2."}
	hostCommitted = Family{Name: "pgfettle_host_committed_bytes", Group: groupHost,
		Help: "Address space that the kernel has promised (Committed_AS)."}
	hostOvercommit = Family{Name: "pgfettle_host_overcommit_mode", Group: groupHost,
		Help: "vm.overcommit_memory: 0 heuristic, 1 always, 2 strict."}

	poolSize = Family{Name: "pgfettle_huge_pool_bytes", Group: groupPool, Labels: []string{"page_size"},
		Help: "Huge pages that were asked for and given, surplus excluded (nr_hugepages), by page size in bytes."}
	poolFree = Family{Name: "pgfettle_huge_pool_free_bytes", Group: groupPool, Labels: []string{"page_size"},
		Help: "Huge pages that no process has touched yet (free_hugepages); reserved ones are among them."}
	poolReserved = Family{Name: "pgfettle_huge_pool_reserved_bytes", Group: groupPool, Labels: []string{"page_size"},
		Help: "Huge pages that are promised to a process which has not touched them yet (resv_hugepages)."}
	poolSurplus = Family{Name: "pgfettle_huge_pool_surplus_bytes", Group: groupPool, Labels: []string{"page_size"},
		Help: "Huge pages above the pool that the kernel has made on demand (surplus_hugepages)."}

	instanceInfo = Family{Name: "pgfettle_instance_info", Group: groupInstance,
		Labels: []string{pgInstance, "version", "port"},
		Help:   "Always 1; an instance that was found. Version and port are empty where they are not known."}
	instanceRunning = Family{Name: "pgfettle_instance_running", Group: groupInstance, Labels: []string{pgInstance},
		Help: "1 where the instance runs."}
	instanceAnswered = Family{Name: "pgfettle_instance_answered", Group: groupInstance, Labels: []string{pgInstance},
		Help: "1 where the server told its settings over SQL. Where it is 0 nothing is known of them, and what " +
			"rests on them is absent."}
	instanceProcesses = Family{Name: "pgfettle_instance_processes", Group: groupInstance, Labels: []string{pgInstance},
		Help: "Processes of the instance."}
	instanceTables = Family{Name: "pgfettle_instance_page_tables_bytes", Group: groupInstance,
		Labels: []string{pgInstance},
		Help:   "Page tables of all processes of the instance (VmPTE)."}
	instanceTablesWorst = Family{Name: "pgfettle_instance_page_tables_worst_case_bytes", Group: groupInstance,
		Labels: []string{pgInstance},
		Help: "What its page tables can grow to as it is set: every connection open, every process having touched " +
			"all of the shared memory."}
	instancePrivate = Family{Name: "pgfettle_instance_private_bytes", Group: groupInstance,
		Labels: []string{pgInstance},
		Help:   "Private memory of all its processes (RssAnon)."}
	instanceSwapped = Family{Name: "pgfettle_instance_swapped_bytes", Group: groupInstance,
		Labels: []string{pgInstance},
		Help:   "Memory of its processes that is in swap (VmSwap)."}
	instanceShared = Family{Name: "pgfettle_instance_shared_memory_bytes", Group: groupInstance,
		Labels: []string{pgInstance},
		Help: "Main shared memory segment: as the server says, else estimated from its settings and never below the " +
			"truth."}
	instanceOnHuge = Family{Name: "pgfettle_instance_on_huge_pages", Group: groupInstance, Labels: []string{pgInstance},
		Help: "1 where the shared memory lies in huge pages."}
	instanceHugeUsed = Family{Name: "pgfettle_instance_huge_pages_used_bytes", Group: groupInstance,
		Labels: []string{pgInstance},
		Help:   "Huge pages that the shared memory fills; 0 where it lies in ordinary ones."}
	instanceHugeNeeded = Family{Name: "pgfettle_instance_huge_pages_needed_bytes", Group: groupInstance,
		Labels: []string{pgInstance, "page_size"},
		Help: "Huge pages with which the server certainly gets its shared memory in them, by the page size that it " +
			"asks for in bytes."}

	budgetLimit = Family{Name: "pgfettle_budget_limit_bytes", Group: groupBudget, Labels: []string{"limit"},
		Help: "Memory that the budget lays out: that of the host, or the limit of a control group (cgroup)."}
	budgetPart = Family{Name: "pgfettle_budget_bytes", Group: groupBudget, Labels: []string{"state", "part"},
		Help: "Parts of the memory budget in the worst case that is planned for, present and planned. Of each state " +
			"they add up to the limit and the shortfall."}
	budgetShortfall = Family{Name: "pgfettle_budget_shortfall_bytes", Group: groupBudget, Labels: []string{"state"},
		Help: "What is missing in that worst case; 0 where it fits."}

	findings = Family{Name: "pgfettle_findings", Group: groupFindings, Labels: []string{"severity"},
		Help: "Findings that nobody has accepted, by severity."}
	findingsAccepted = Family{Name: "pgfettle_findings_accepted", Group: groupFindings, Labels: []string{"severity"},
		Help: "Findings that the policy of the site accepts, by severity."}
	finding = Family{Name: "pgfettle_finding", Group: groupFindings, Labels: []string{"id", "severity", pgInstance},
		Help: "How many findings a check has on an instance, or on the host where pg_instance is empty; accepted " +
			"ones apart."}
	findingAccepted = Family{Name: "pgfettle_finding_accepted", Group: groupFindings,
		Labels: []string{"id", "severity", pgInstance},
		Help:   "As pgfettle_finding, of those that the policy accepts."}

	setting = Family{Name: "pgfettle_setting", Group: groupPlan, Labels: []string{pgInstance, "address", "unit"},
		Help: "Present value of a setting that the plan decides and that is a number: in bytes or seconds where it " +
			"has such a unit, 1 and 0 for on and off. Special values below zero stay as they are."}
	settingPlanned = Family{Name: "pgfettle_setting_planned", Group: groupPlan,
		Labels: []string{pgInstance, "address", "unit"},
		Help:   "What the plan would leave there; the present value where that is as good."}
	planChanges = Family{Name: "pgfettle_plan_changes", Group: groupPlan, Labels: []string{"effect"},
		Help: "Changes of the plan, by what they need: now, reload, restart or reboot."}
	planChange = Family{Name: "pgfettle_plan_change", Group: groupPlan,
		Labels: []string{pgInstance, "address", "effect", "risk"},
		Help:   "Always 1; a change of the plan, also of settings that are no number."}
	applied = Family{Name: "pgfettle_applied_values", Group: groupPlan, Labels: []string{"hold"},
		Help: "Values that were applied and not taken back, by how they stand: holds, changed, lost, waits or " +
			"unknown. Absent where nothing was applied, or the journals were not read."}
	appliedMoved = Family{Name: "pgfettle_applied_value_moved", Group: groupPlan,
		Labels: []string{pgInstance, "address", "hold"},
		Help:   "Always 1; an applied value that no longer holds: changed or lost."}
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
