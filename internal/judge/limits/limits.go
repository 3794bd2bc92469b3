// Package limits holds the numbers that more than one judge uses: a check and the rule that would fix what it finds,
// conf lint, or a diagnosis. Each is defined here once, with the reason of its number, so that a plan cannot leave what
// a check complains of. A number that only one file needs stays in that file.
package limits

import "github.com/pgfettle/pgfettle/internal/base/unit"

// Planning of joins.
const (
	// GeqoUsual is the default of geqo_threshold: from 12 relations on trying all orders takes
	// seconds, and below it milliseconds.
	GeqoUsual = 12
	// GeqoMost is as far as it may be raised: 14 relations take some twenty times what 12 do.
	GeqoMost = 14
	// CollapseMost: 1C's vendor advises 20. Beyond it the search space grows, and what the
	// genetic search finds does not get better.
	CollapseMost = 20
	// StatisticsMost is the default_statistics_target from which on ANALYZE and planning cost
	// more than the estimates gain: 300,000 rows are read of each table.
	StatisticsMost = 1000
)

// Sorts and hashes that spill.
const (
	// SpillFactor is what a sort or hash takes in memory for a byte that it wrote: rows in files
	// have no pointers and no headers of the allocator, and are two to three times smaller.
	SpillFactor = 3
	// WorkMemMost is the largest work_mem that is planned, or named as a remedy. Beyond it a sort or
	// hash of so many gigabytes is a report that should SET its own, or a matter of plans and
	// indexes: one such session more than planned costs gigabytes.
	WorkMemMost = 2 * unit.GB
	// TempRoomUneven is how many times more room one place of temporary files may have than
	// another that spills are sent to instead, or as well: below four the smaller one still holds
	// most of what the larger one would.
	TempRoomUneven = 4
)

// Page tables, in percent of the memory.
const (
	// TablesMuch is what huge pages would give back at once.
	TablesMuch = 2
	// TablesPlanned is what those for shared memory may take if huge pages are unavailable and shared_buffers is above
	// 1 GB: up to there they take 2 MB of a process that has 5 MB of its own anyway.
	TablesPlanned = 5
	// TablesTooMuch is the size at which they rival the page cache, and a burst of connections takes that much again.
	TablesTooMuch = 10
)

// Temporary files that are written, an hour.
const (
	// TempNotice, written and read back, is a mean of 3 MB/s: more than the WAL of most servers,
	// and in practice minutes of full disk load, as spills come in bursts.
	TempNotice = 5 * unit.GB
	// TempWarning is ten times that: a fifth of what a cloud volume of 125 MB/s gives, all day long.
	TempWarning = 50 * unit.GB
)

// ArchiveLate, in seconds: with three tries a minute an hour without success is no hiccup of a
// network.
const ArchiveLate = 3600

// SlowClocks are the clock sources that are read through a device or a hypercall, in about a
// microsecond instead of some tens of nanoseconds.
var SlowClocks = []string{"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit", "xen"}

// Evidence of what a server counted of itself.
const (
	// Hour is the least time that rates of WAL and checkpoints are counted for: it holds
	// several checkpoints of 15 minutes.
	Hour = 3600
	// Day is the least for what comes and goes with the time of the day.
	Day = 24 * Hour
)

// shared_buffers.
const (
	// InitdbBuffers is what initdb writes on every machine, and the least that is planned on
	// one that can hold it.
	InitdbBuffers = 128 * unit.MB
)

// Autovacuum's workers share one cost limit.
const (
	// AutovacuumWorkersMany is twice the default of 3.
	AutovacuumWorkersMany = 6
	// AutovacuumShareLeast is half of what the default leaves each of 3 workers of 200.
	AutovacuumShareLeast = 34
	// AutovacuumLimitUsual for AutovacuumWorkersUsual are the defaults of vacuum_cost_limit and autovacuum_max_workers.
	AutovacuumLimitUsual   = 200
	AutovacuumWorkersUsual = 3
)

// WAL and its buffers.
const (
	// WALFreeShare is how much of what is free on the WAL's filesystem, or WAL already,
	// max_wal_size may take: it is a soft limit, and twice as much, for an archive command that
	// fails or a burst, still leaves a fifth.
	WALFreeShare = 0.4
	// WALShare is how much of the whole filesystem it may take: the data is often there too.
	WALShare = 0.2
	// WALBuffersFull is the share of the WAL that a backend had to write in the middle of its
	// work, because the buffers were full, from which on more of them are worth a restart.
	WALBuffersFull = 0.01
	// WALBuffersMore is as much as helps: with more than this the device is what is too slow.
	WALBuffersMore = 64 * unit.MB
)

// WALRoom returns how large max_wal_size may be on a filesystem of this size, with so much
// free and so much WAL there already.
func WALRoom(total, free, wal unit.Bytes) unit.Bytes {
	return min(total.Scale(WALShare), (free + wal).Scale(WALFreeShare))
}

// The kernel's part.
const (
	// HugeFrom is the shared memory from which huge pages pay: the page tables of each process for
	// 1 GB take 2 MB, and those of a hundred processes 200 MB.
	HugeFrom = unit.GB
	// DirtyMuch: writing 4 GB takes eight seconds on a SATA SSD of 500 MB/s and half a minute on a
	// cloud volume of 125 MB/s, and an fsync that comes then waits in the same queue.
	DirtyMuch = 4 * unit.GB
	// DirtyPlanned is the value from which a plan gives the limit in bytes, before a check fires: a controller's cache
	// is a few gigabytes at most, and what does not fit stalls all writers.
	DirtyPlanned = DirtyMuch / 2
	// SwappinessMost: between 1 and 10 every value has its advocates. 0 is not better: the kernel
	// then swaps only when it can reclaim nothing else.
	SwappinessMost = 10
	// ReadAheadMost: distributions' profiles for servers go to 4 MB, cloud images to 8 MB. Beyond
	// 16 MB one scan that is given up, as by LIMIT, has read and thrown away more than a good part of a
	// second of any disk; some disks ask for 32 MB by a fault of their firmware.
	ReadAheadMost = 16 * unit.MB
)

// BuffersMuch is the share of the memory, in percent, beyond which the manual sees little use in more shared_buffers,
// as the same pages then are in the kernel's cache a second time.
const BuffersMuch = 40
