package memory

import (
	"math/bits"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// SharedParams are the settings that the size of a server's main shared memory
// segment depends on. A field left at zero means zero of that thing, except
// where it says otherwise.
type SharedParams struct {
	SharedBuffers   unit.Bytes // shared_buffers
	Block           unit.Bytes // block_size; 0: 8 kB
	Connections     int        // max_connections
	WorkerProcesses int        // max_worker_processes
	WALSenders      int        // max_wal_senders
	Autovacuum      int        // autovacuum_max_workers, from 18 on autovacuum_worker_slots
	PreparedXacts   int        // max_prepared_transactions
	Locks           int        // max_locks_per_transaction
	PredicateLocks  int        // max_pred_locks_per_transaction
	Slots           int        // max_replication_slots
	Origins         int        // max_active_replication_origins; 18+
	RepackSlots     int        // max_repack_replication_slots; 19+
	LogicalWorkers  int        // max_logical_replication_workers
	WALBuffers      unit.Bytes // wal_buffers; below 0: a 32nd of shared_buffers, at most a WAL segment
	WALSegment      unit.Bytes // wal_segment_size; 0: 16 MB
	QuerySize       unit.Bytes // track_activity_query_size
	MinDynamic      unit.Bytes // min_dynamic_shared_memory; 14+

	Transaction    int // transaction_buffers in blocks, 17+; 0: by shared_buffers
	Subtransaction int // subtransaction_buffers, likewise
	CommitTS       int // commit_timestamp_buffers, likewise
	// multixact_offset_buffers + multixact_member_buffers + notify_buffers + serializable_buffers, 17+
	OtherSLRU int

	IOConcurrency int  // io_max_concurrency, 18+; below 1: by shared_buffers and the number of processes
	IOCombine     int  // io_max_combine_limit in blocks, 18+
	IOUring       bool // io_method = io_uring, 18+

	Statements int        // pg_stat_statements.max if that library is preloaded
	Extra      unit.Bytes // what other preloaded libraries ask for
}

// layout holds what the structures of a major version take beyond those that
// EstimateShared adds up one by one. The numbers are the least-squares fit of
// the sizes that 13.23, 14.24, 15.19, 16.15, 17.11, 18.6 and 19rc1 asked the kernel
// for under some 350 settings each (tools/gengrid writes such a table); the
// fit leaves ±16 kB, of which ±4 kB are the server's own rounding to 8 kB.
type layout struct {
	fixed    unit.Bytes
	backend  unit.Bytes // each of MaxBackends: PGPROC, ProcArray, status, signals, predicate transactions
	prepared unit.Bytes // each of max_prepared_transactions
	worker   unit.Bytes // each of max_worker_processes, in addition to its backend
	sender   unit.Bytes // each of max_wal_senders, likewise
	slot     unit.Bytes // each of max_replication_slots
	logical  unit.Bytes // each of max_logical_replication_workers
	vacuum   unit.Bytes // each autovacuum worker, in addition to its backend
	// processes in MaxBackends that no setting counts: autovacuum launcher, from 17 on slot synchronisation
	special int
	aux     int        // auxiliary processes with an entry in the status array; from 18 on 32 I/O workers among them
	ioLock  unit.Bytes // each buffer: an LWLock in 13, a condition variable since
	request unit.Bytes // each buffer: checkpointer's queue; a segment number of 64 bits since 17
	entry   unit.Bytes // each entry of pg_stat_statements
}

var layouts = map[int]layout{
	13: {fixed: 911205, backend: 6429, prepared: 5549, worker: 560, sender: 96, slot: 305, logical: 92, vacuum: 64,
		special: 1, aux: 7, ioLock: 32, request: 24, entry: 272},
	14: {fixed: 913188, backend: 6469, prepared: 5568, worker: 560, sender: 96, slot: 320, logical: 107, vacuum: 64,
		special: 1, aux: 8, ioLock: 16, request: 24, entry: 280},
	15: {fixed: 1172540, backend: 6468, prepared: 5568, worker: 560, sender: 96, slot: 320, logical: 107, vacuum: 64,
		special: 1, aux: 6, ioLock: 16, request: 24, entry: 360},
	16: {fixed: 1190946, backend: 6476, prepared: 5568, worker: 560, sender: 104, slot: 320, logical: 117, vacuum: 64,
		special: 1, aux: 6, ioLock: 16, request: 24, entry: 360},
	17: {fixed: 561509, backend: 6484, prepared: 5572, worker: 1488, sender: 104, slot: 336, logical: 117, vacuum: 64,
		special: 2, aux: 6, ioLock: 16, request: 32, entry: 408},
	18: {fixed: 674649, backend: 6806, prepared: 5515, worker: 1488, sender: 104, slot: 288, logical: 138, vacuum: 104,
		special: 2, aux: 38, ioLock: 16, request: 32, entry: 432},
	19: {fixed: 716521, backend: 6974, prepared: 5592, worker: 1470, sender: 83, slot: 304, logical: 159, vacuum: 44,
		special: 2, aux: 38, ioLock: 16, request: 32, entry: 448},
}

// What builds and minor releases differ in, added so that the estimate stays
// above them all.
const (
	// A build with GSSAPI keeps 66 bytes more for each backend (Debian's 15.18
	// against one without, measured).
	buildBackend unit.Bytes = 72
	// Twice the residue of the fit.
	buildFixed = 32 * unit.KB
	// Alignment and small arrays of builds that could not be measured: one part
	// in 1024, which is 0.1 %.
	buildShare = 1024
)

// Sizes of structures, from the headers named; they have not changed from 13
// to 19 except where the layout says so.
const (
	bufferDescriptor = 64       // BufferDescPadded, storage/buf_internals.h
	checkpointItem   = 20       // CkptSortItem, storage/buf_internals.h
	lookupEntry      = 24       // BufferLookupEnt, storage/buffer/buf_table.c
	lookupPartitions = 128      // NUM_BUFFER_PARTITIONS, storage/lwlock.h
	lockEntry        = 152      // LOCK, storage/lock.h
	procLockEntry    = 64       // PROCLOCK
	targetEntry      = 32       // PREDICATELOCKTARGET, storage/predicate_internals.h
	predicateEntry   = 56       // PREDICATELOCK
	serializableXID  = 16       // SERIALIZABLEXID
	walBlock         = 8192     // XLOG_BLCKSZ
	walBlockHeader   = 8        // xlblocks, access/transam/xlog.c
	slruHeader       = 165      // page number, status, dirty flag, LRU count, locks of one SLRU buffer (measured)
	slruLSNs         = 8192     // group LSNs of one transaction status buffer, access/transam/clog.c
	aioVector        = 16 + 8   // iovec and handle data of one block, storage/aio/aio_init.c
	aioHandle        = 144      // PgAioHandle (measured)
	fastPathGroup    = 8 + 16*4 // 16 fast-path locks: their bits and relations, storage/lmgr/proc.c
	origin           = 60       // ReplicationState (measured)
	repackSlot       = 316      // a slot of REPACK (measured)
	mostRequests     = 1e7      // MAX_CHECKPOINT_REQUESTS, postmaster/checkpointer.c
	roundTo          = 8192     // CalculateShmemSize, storage/ipc/ipci.c
	kernelPage       = 4096     // rings of io_uring are mapped in whole pages
	ioWorkers        = 32       // MAX_IO_WORKERS, storage/proc.h
	uringSubmission  = 64       // sizeof(struct io_uring_sqe)
	uringCompletion  = 2*16 + 4 // two completions and an index for each submission
	uringContext     = 288      // PgAioUringContext, of 18 and 19 (measured)
)

// EstimateShared estimates the size of the main shared memory segment that a server of a major version asks the kernel
// for. If an installed binary can be asked, its answer is exact and takes precedence. It follows the structure of the
// server's own sum (CalculateShmemSize), so it is between the truth and 3 % above it for 13 to 19; on the table of
// testdata it stays below 0.4 %. Later versions are treated as the last measured one, earlier ones as the first.
func EstimateShared(major int, p SharedParams) unit.Bytes {
	major = min(max(major, 13), 19)
	l := layouts[major]
	if p.Block <= 0 {
		p.Block = 8 * unit.KB
	}
	buffers := int64(p.SharedBuffers / p.Block)
	backends := int64(p.Connections + p.Autovacuum + p.WorkerProcesses + p.WALSenders + l.special) // MaxBackends
	prepared := int64(p.PreparedXacts)
	owners := backends + prepared // of locks

	sum := bufferPool(major, l, buffers, p.Block) + lockTables(major, p, owners) + slrus(major, p, buffers) +
		walBuffers(p)
	sum += l.fixed + unit.Bytes(backends)*(l.backend+buildBackend) + unit.Bytes(prepared)*l.prepared
	sum += unit.Bytes(p.WorkerProcesses)*l.worker + unit.Bytes(p.WALSenders)*l.sender +
		unit.Bytes(p.Autovacuum)*l.vacuum
	sum += unit.Bytes(p.Slots)*l.slot + unit.Bytes(p.LogicalWorkers)*l.logical
	sum += unit.Bytes(backends+int64(l.aux)) * p.QuerySize
	if major >= 14 {
		sum += p.MinDynamic
	}
	if major >= 18 {
		sum += asyncIO(p, buffers, backends+int64(l.aux)) + unit.Bytes(p.Origins)*origin
		sum += unit.Bytes(owners+int64(l.aux)) * fastPathGroup * fastPathGroups(p.Locks)
	}
	if major >= 19 {
		sum += unit.Bytes(p.RepackSlots) * repackSlot
	}
	if p.Statements > 0 {
		sum += hashTable(int64(p.Statements), l.entry)
	}
	sum += p.Extra + buildFixed
	return (sum + sum/buildShare).RoundUp(roundTo)
}

// bufferPool returns shared_buffers with the overhead of every buffer. In older minor releases of 13 to 18 the
// checkpointer's queue has one entry a buffer; newer ones, and 19, stop at ten million. The larger of the two is taken
// up to 18: 0.2 % of 256 GB.
func bufferPool(major int, l layout, buffers int64, block unit.Bytes) unit.Bytes {
	requests := buffers
	if major >= 19 {
		requests = min(requests, mostRequests)
	}
	return unit.Bytes(buffers)*(block+bufferDescriptor+checkpointItem+l.ioLock) + unit.Bytes(requests)*l.request +
		hashTable(buffers+lookupPartitions, lookupEntry)
}

// lockTables returns the tables of ordinary and predicate locks: entries, twice as many holders, and, up to 18, a tenth
// for safety (LockShmemSize, PredicateLockShmemSize). Without it, 19 has room for fewer locks than the same setting
// gave before, and its default is twice as high.
func lockTables(major int, p SharedParams, owners int64) unit.Bytes {
	locks := max(int64(p.Locks)*owners, 1)
	predicates := max(int64(p.PredicateLocks)*owners, 1)
	sum := hashTable(locks, lockEntry) + hashTable(2*locks, procLockEntry)
	sum += hashTable(predicates, targetEntry) + hashTable(2*predicates, predicateEntry)
	if major <= 18 {
		sum += sum / 10
	}
	return sum + hashTable(10*owners, serializableXID)
}

// walBuffers returns the WAL buffers with their headers. If wal_buffers is -1, the server takes a 32nd of
// shared_buffers, from 8 blocks to one segment.
func walBuffers(p SharedParams) unit.Bytes {
	blocks := p.WALBuffers.Pages(walBlock)
	if p.WALBuffers < 0 {
		segment := p.WALSegment
		if segment <= 0 {
			segment = 16 * unit.MB
		}
		blocks = max(min(int64(p.SharedBuffers/walBlock/32), int64(segment/walBlock)), 8)
	}
	return unit.Bytes(max(blocks, 4)) * (walBlock + walBlockHeader)
}

// slrus returns the buffers of transaction status and its kin that depend on settings. Up to 16 two of them grow with
// shared_buffers and the others are in the fixed part; since 17 all can be set, and three grow if they are not.
func slrus(major int, p SharedParams, buffers int64) unit.Bytes {
	var status, others int64
	switch {
	case major <= 14:
		status, others = min(max(buffers/512, 4), 128), min(max(buffers/1024, 4), 16)
	case major <= 16:
		status, others = min(max(buffers/512, 4), 128), min(max(buffers/256, 4), 256)
	default:
		auto := min(max(buffers/512/16*16, 16), 1024) // SimpleLruAutotuneBuffers
		pick := func(set int) int64 {
			if set > 0 {
				return int64(set)
			}
			return auto
		}
		status = pick(p.Transaction)
		others = pick(p.Subtransaction) + pick(p.CommitTS) + int64(p.OtherSLRU)
	}
	return unit.Bytes(status)*(p.Block+slruHeader+slruLSNs) + unit.Bytes(others)*(p.Block+slruHeader)
}

// asyncIO returns the handles of asynchronous I/O: so many for each process,
// each with a vector of io_max_combine_limit blocks.
func asyncIO(p SharedParams, buffers, processes int64) unit.Bytes {
	handles := int64(p.IOConcurrency)
	if handles < 1 { // AioChooseMaxConcurrency: a process's share of the buffers, at most 64
		handles = min(max(buffers/max(processes, 1), 1), 64)
	}
	each := unit.Bytes(handles) * (aioHandle + aioVector*unit.Bytes(p.IOCombine))
	sum := unit.Bytes(processes) * each
	if p.IOUring { // rings are in this memory where the kernel allows it (6.5): I/O workers have none
		ring := unit.Bytes(handles * uringSubmission).RoundUp(kernelPage)
		ring += unit.Bytes(handles*uringCompletion).RoundUp(kernelPage) + uringContext
		sum += unit.Bytes(processes-ioWorkers) * ring
	}
	return sum
}

// fastPathGroups returns into how many groups of 16 the fast-path locks of a
// process are divided since 18.
func fastPathGroups(locks int) unit.Bytes {
	return unit.Bytes(min(max(powerOfTwo(int64(locks))/16, 1), 1024))
}

// hashTable returns what the server reserves for a shared hash table of n
// entries (hash_estimate_size in utils/hash/dynahash.c): a directory of at
// least 256 segments, segments of 256 buckets, one bucket an entry rounded up
// to a power of two, and entries with a header of 16 bytes in chunks of at
// least 32. The steps at powers of two are what no percentage can follow.
func hashTable(n int64, entry unit.Bytes) unit.Bytes {
	buckets := powerOfTwo(n)
	segments := powerOfTwo((buckets-1)/256 + 1)
	directory := max(segments, 256)
	element := 16 + entry.RoundUp(8)
	chunk := unit.Bytes(256)
	for chunk/element < 32 {
		chunk *= 2
	}
	perChunk := int64(chunk / element)
	chunks := (n-1)/perChunk + 1
	return unit.Bytes(directory)*8 + unit.Bytes(segments)*256*8 + unit.Bytes(chunks*perChunk)*element
}

// powerOfTwo returns the smallest power of two that is not below n.
func powerOfTwo(n int64) int64 {
	if n <= 1 {
		return 1
	}
	return 1 << bits.Len64(uint64(n-1))
}

// HugePages returns how many huge pages of the given size hold a segment, rounded up: one page too few and the server
// does not start, or silently runs on regular pages. It is 0 if there are no huge pages.
func HugePages(shared, page unit.Bytes) int64 { return shared.Pages(page) }
