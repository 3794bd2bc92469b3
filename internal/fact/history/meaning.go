package history

import "slices"

// Kind says how the values of a series are to be read.
type Kind string

// A gauge is a value at a time; a rate is what a counter grew by, a second, since the sample before: the caller that
// appends it has already divided, and has omitted the first sample after a restart of the counter.
const (
	Gauge Kind = "gauge"
	Rate  Kind = "rate"
)

// Class says how often a series is sampled.
type Class string

// Cheap facts come from a few files of /proc and one small query; expensive ones ask every process or every database.
const (
	Cheap Class = "cheap" // with every sample: 10 s
	Dear  Class = "dear"  // every few minutes
)

// Scope says what a series is of.
type Scope string

// Of the host, the name of the instance is empty; of an instance it is the key
// that the snapshot gives it.
const (
	OfHost     Scope = "host"
	OfInstance Scope = "instance"
)

// Meaning is what is published of a series: its name, and how to read it.
type Meaning struct {
	Name  string `json:"name"`
	Unit  string `json:"unit"` // bytes, bytes/s, 1/s, ratio (0 to 1), count, seconds
	Kind  Kind   `json:"kind"`
	Class Class  `json:"class"`
	Scope Scope  `json:"scope"`
	Label string `json:"label,omitempty"` // what the label means; "": the series has none
	Help  string `json:"help"`
}

// meanings is the one list of what is kept. A name that once stood here is never
// given another meaning: files of years hold it.
var meanings = []Meaning{
	// memory of the host
	{"memory_total_bytes", "bytes", Gauge, Cheap, OfHost, "", "memory of the host (MemTotal)"},
	{"memory_available_bytes", "bytes", Gauge, Cheap, OfHost, "",
		"memory that can be given out without swapping (MemAvailable)"},
	{"memory_used_bytes", "bytes", Gauge, Cheap, OfHost, "", "memory in use: MemTotal less MemAvailable"},
	{"page_tables_bytes", "bytes", Gauge, Cheap, OfHost, "", "memory that page tables take (PageTables)"},
	{"anonymous_bytes", "bytes", Gauge, Cheap, OfHost, "", "memory of processes that no file backs (AnonPages)"},
	{"shared_memory_bytes", "bytes", Gauge, Cheap, OfHost, "", "shared memory and tmpfs (Shmem)"},
	{"cached_bytes", "bytes", Gauge, Cheap, OfHost, "", "page cache (Cached)"},
	{"dirty_bytes", "bytes", Gauge, Cheap, OfHost, "", "pages that wait to be written (Dirty)"},
	{"committed_bytes", "bytes", Gauge, Cheap, OfHost, "", "memory that was promised (Committed_AS)"},
	{"commit_limit_bytes", "bytes", Gauge, Cheap, OfHost, "",
		"what may be promised in the strict mode of overcommit (CommitLimit)"},
	{"swap_total_bytes", "bytes", Gauge, Cheap, OfHost, "", "swap space (SwapTotal)"},
	{"swap_used_bytes", "bytes", Gauge, Cheap, OfHost, "", "swap space in use"},
	{"swap_in_bytes_per_second", "bytes/s", Rate, Cheap, OfHost, "", "read back from swap"},
	{"swap_out_bytes_per_second", "bytes/s", Rate, Cheap, OfHost, "", "written to swap"},
	{"huge_pages_total", "count", Gauge, Cheap, OfHost, "", "pages in the pool of the default huge page size"},
	{"huge_pages_free", "count", Gauge, Cheap, OfHost, "", "pages of that pool that no process uses"},
	{"huge_pages_reserved", "count", Gauge, Cheap, OfHost, "", "free pages of that pool that are promised"},
	{"major_faults_per_second", "1/s", Rate, Cheap, OfHost, "", "page faults that read from a disk"},
	{"oom_kills_per_second", "1/s", Rate, Cheap, OfHost, "", "processes that the kernel killed for memory"},
	// processors and pressure
	{"cpu_busy_ratio", "ratio", Rate, Cheap, OfHost, "", "part of the CPU time in use"},
	{"iowait_ratio", "ratio", Rate, Cheap, OfHost, "",
		"part of the CPU time idle while something waited for a disk"},
	{"steal_ratio", "ratio", Rate, Cheap, OfHost, "", "part of the CPU time that the hypervisor gave to others"},
	{"processes_running", "count", Gauge, Cheap, OfHost, "", "processes that run or could"},
	{"processes_blocked", "count", Gauge, Cheap, OfHost, "", "processes that wait for a disk"},
	{"psi_cpu_some", "ratio", Rate, Cheap, OfHost, "", "part of the time in which something waited for a CPU"},
	{"psi_io_some", "ratio", Rate, Cheap, OfHost, "", "part of the time in which something waited for a disk"},
	{"psi_io_full", "ratio", Rate, Cheap, OfHost, "",
		"part of the time in which nothing ran because all waited for a disk"},
	{"psi_memory_some", "ratio", Rate, Cheap, OfHost, "", "part of the time in which something waited for memory"},
	{"psi_memory_full", "ratio", Rate, Cheap, OfHost, "",
		"part of the time in which nothing ran because all waited for memory"},
	// an instance: sessions
	{"connections", "count", Gauge, Cheap, OfInstance, "state",
		"sessions of clients by their state: active, idle, idle in transaction, …"},
	{"connections_total", "count", Gauge, Cheap, OfInstance, "", "sessions of clients, all states together"},
	{"connections_waiting", "count", Gauge, Cheap, OfInstance, "wait",
		"active sessions that wait, by the type of what they wait for"},
	{"oldest_transaction_seconds", "seconds", Gauge, Cheap, OfInstance, "", "age of the oldest open transaction"},
	{"transactions_per_second", "1/s", Rate, Cheap, OfInstance, "",
		"transactions that ended, committed or rolled back"},
	{"deadlocks_per_second", "1/s", Rate, Cheap, OfInstance, "", "deadlocks found"},
	// an instance: reading and writing
	{"cache_hit_ratio", "ratio", Rate, Cheap, OfInstance, "", "part of the blocks asked for that shared_buffers had"},
	{"blocks_read_per_second", "1/s", Rate, Cheap, OfInstance, "", "blocks that shared_buffers did not have"},
	{"temp_bytes_per_second", "bytes/s", Rate, Cheap, OfInstance, "", "written to temporary files"},
	{"temp_files_per_second", "1/s", Rate, Cheap, OfInstance, "", "temporary files made"},
	{"wal_bytes_per_second", "bytes/s", Rate, Cheap, OfInstance, "", "WAL written"},
	{"wal_full_page_images_per_second", "1/s", Rate, Cheap, OfInstance, "", "whole pages written into the WAL"},
	{"checkpoints_timed", "1/s", Rate, Cheap, OfInstance, "",
		"checkpoints begun because their time had come, a second"},
	{"checkpoints_requested", "1/s", Rate, Cheap, OfInstance, "",
		"checkpoints begun for another reason, such as max_wal_size, a second"},
	{"checkpoint_write_ratio", "ratio", Rate, Cheap, OfInstance, "", "part of the time in which a checkpoint wrote"},
	{"checkpoint_sync_ratio", "ratio", Rate, Cheap, OfInstance, "",
		"part of the time in which a checkpoint waited for fsync"},
	{"buffers_backend_per_second", "1/s", Rate, Cheap, OfInstance, "", "buffers that sessions had to write themselves"},
	// an instance: memory and size, asked less often
	{"instance_anonymous_bytes", "bytes", Gauge, Dear, OfInstance, "",
		"anonymous memory of all processes of the instance"},
	{"instance_page_tables_bytes", "bytes", Gauge, Dear, OfInstance, "",
		"page tables of all processes of the instance"},
	{"instance_processes", "count", Gauge, Dear, OfInstance, "", "processes of the instance"},
	{"database_bytes", "bytes", Gauge, Dear, OfInstance, "", "size of all databases of the instance"},
	{"wal_directory_bytes", "bytes", Gauge, Dear, OfInstance, "", "size of the WAL directory"},
	{"disk_free_bytes", "bytes", Gauge, Dear, OfInstance, "folder",
		"free space on the filesystem of the directory: data, wal, tablespace OID"},
	{OtherPrograms, "bytes", Gauge, Dear, OfHost, "",
		"memory that counts as that of other programs: services, containers and other processes that last, and the " +
			"kernel's own"},
	{"findings", "count", Gauge, Dear, OfHost, "severity", "findings by severity"},
}

// OtherPrograms is what plans use about other programs.
const OtherPrograms = "other_programs_bytes"

// Meanings returns the published list, in its order.
func Meanings() []Meaning { return slices.Clone(meanings) }

var byName = func() map[string]*Meaning {
	m := make(map[string]*Meaning, len(meanings))
	for i := range meanings {
		m[meanings[i].Name] = &meanings[i]
	}
	return m
}()

// MeaningOf returns what is published of a name; false if it is not in the list.
func MeaningOf(name string) (Meaning, bool) {
	m := byName[name]
	if m == nil {
		return Meaning{}, false
	}
	return *m, true
}
