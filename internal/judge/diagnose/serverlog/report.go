package serverlog

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/gap"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// Severities of findings.
const (
	Critical = "critical"
	Warning  = "warning"
	Notice   = "notice"
)

var severityRank = map[string]int{Critical: 0, Warning: 1, Notice: 2}

// Report makes the verdict of all that was taken.
func (c *Collector) Report() *Report {
	c.crashes.close(stamp{})
	r := &Report{Schema: Schema, Subject: c.o.Subject, Redacted: c.o.Redact, Files: append([]File{}, c.files...),
		From: c.first.String(), To: c.latest.String(), Entries: c.entries,
		Crashes: append([]Crash{}, c.crashes.list...), Memory: c.memory.report(c), Temp: c.temp.report(c),
		Checkpoints: c.wal.report(), Locks: c.locks.report(c), Vacuum: c.vacuum.report(c),
		Starts: append([]Start{}, c.starts.list...), Shutdowns: append([]Shutdown{}, c.starts.shutdowns...),
		Changed: c.changes.list, Refused: c.refusing, Errors: c.errors.list(2 * shownTop), Messages: c.faults.list(),
		Durations: c.durations.report(), SessionSets: c.sets.report(c), Findings: []Finding{},
		Unknown: []gap.Gap{}}
	r.SpanSeconds, _ = c.latest.since(c.first)
	if r.Recovery = c.recovery.report(); r.Recovery != nil {
		r.Recovery.Target = c.mask.text(r.Recovery.Target) // it may be the name of a restore point
	}
	c.shared.report(c, r)
	c.conns.report(r)
	if c.kinds[pglog.DiskFull].count > 0 {
		r.DiskFull = &c.disk
	}
	for _, f := range []func(*Report) (Finding, bool){
		c.corrupt, c.crashed, c.panics, c.startFailed, c.lockFile, c.wraparound, c.diskFull, c.ioErrors, c.noShared,
		c.outOfMemory, c.memoryContexts, c.dynamicShared, c.forkFailed, c.tooMany, c.roleLimit, c.databaseLimit,
		c.sendersLimit, c.diverged, c.walGone, c.archive, c.configuration,
		c.outOfShared, c.slowSyncs, c.checkpoints, c.tempFiles, c.maintenance, c.tempLimit, c.deadlocks, c.lockWaits,
		c.canceled, c.vacuumGaveWay, c.vacuumStuck, c.stream, c.conflicts, c.workers, c.collation, c.auth,
		c.noSuchName, c.promoted, c.notAccepting, c.needsRestart, c.slowStatements, c.terminated, c.lost, c.staleStats,
		c.strangers, c.sessionSettings,
	} {
		if x, ok := f(r); ok {
			if x.Evidence == nil {
				x.Evidence = []say.Message{}
			}
			if x.Do == nil {
				x.Do = []say.Message{}
			}
			r.Findings = append(r.Findings, x)
		}
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Compare(severityRank[a.Severity], severityRank[b.Severity])
	})
	c.gaps(r)
	return r
}

// finding starts one from the tally of a kind; {n} of its verdict is how many entries there are.
func (c *Collector) finding(k pglog.Kind, id, severity string, one, many say.Template,
	do ...say.Message) (Finding, bool) {
	return c.findingOf(k, id, severity, say.N(c.kinds[k].count, one, many), do...)
}

// findingOf starts one with a verdict of its own.
func (c *Collector) findingOf(k pglog.Kind, id, severity string, verdict say.Message,
	do ...say.Message) (Finding, bool) {
	t := &c.kinds[k]
	if t.count == 0 {
		return Finding{}, false
	}
	f := Finding{ID: id, Severity: severity, Verdict: verdict, Do: do, Count: t.count, First: t.first.String(),
		Last: t.last.String()}
	f.Evidence = append(f.Evidence, texts(t.samples)...)
	f.Evidence = append(f.Evidence, t.who.told(3)...)
	return f, true
}

// texts are lines of the log as evidence.
func texts(list []string) []say.Message {
	out := make([]say.Message, len(list))
	for i, s := range list {
		out[i] = say.Text(s)
	}
	return out
}

// inBytes spells a size, and its bytes as the log has them.
func inBytes(b unit.Bytes) say.Message {
	if b < unit.KB {
		return say.N(int64(b), "{n} byte", "{n} bytes")
	}
	return say.M("{size} ({bytes} bytes)", "size", b, "bytes", strconv.FormatInt(int64(b), 10))
}

// times says how often something is in the log.
func times(what any, n int64) say.Message {
	return say.N(n, "{what}: once", "{what}: {n} times", "what", what)
}

// named says how often one of a name is in the log, or how often all those of no name of
// their own are.
func named(x Count, one, others say.Message) say.Message {
	if x.Name == otherNames {
		one = others
	}
	return times(one, x.Count)
}

// span spells seconds.
func span(s float64) say.Number {
	switch {
	case s < 10:
		return say.Number(fmt.Sprintf("%.2g s", s))
	case s < 120:
		return say.Number(fmt.Sprintf("%.0f s", s))
	case s < 7200:
		return say.Number(fmt.Sprintf("%.0f min", s/60))
	}
	return say.Number(fmt.Sprintf("%.1f h", s/3600))
}

func (c *Collector) corrupt(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.Corrupt, "corruption", Critical, "Data corruption (once)",
		"Data corruption ({n} times)",
		say.M("Handle this first. Stop the server, and copy the whole data directory with its WAL to another disk "+
			"before any repair: each attempt destroys evidence."),
		say.M("Check the hardware: dmesg, smartctl -a DEVICE, the log of the RAID controller, and the memory "+
			"(edac-util, memtest). Then switch to an undamaged standby, or restore an undamaged backup. In "+
			"PostgreSQL 14 and later, pg_amcheck --heapallindexed shows the extent of the damage."),
		say.M("Leave zero_damaged_pages and ignore_checksum_failure off: the first destroys rows, the second hides "+
			"the damage and can spread it."))
	f.Evidence = append(f.Evidence, said(c.places[pglog.Corrupt].list(c))...)
	return f, ok
}

func (c *Collector) wraparound(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.Wraparound, "wraparound", Critical,
		"Transaction ID or multixact wraparound is approaching: {n} message",
		"Transaction ID or multixact wraparound is approaching: {n} messages",
		say.M("Find what holds back the oldest xmin, and end it: pg_stat_activity (backend_xmin), pg_prepared_xacts, "+
			"pg_replication_slots (xmin, catalog_xmin). At the limit, the server refuses commands that need a new ID."),
		say.M("Then run VACUUM (FREEZE, VERBOSE) on the tables with the highest age(relfrozenxid), for multixacts "+
			"mxid_age(relminmxid), in each database. Do not use VACUUM FULL: it needs a transaction ID itself."))
	if n := c.kinds[pglog.Failsafe].count; n > 0 {
		f.Evidence = append(f.Evidence, say.N(n, "VACUUM entered its failsafe mode once",
			"VACUUM entered its failsafe mode {n} times"))
		if !ok {
			f, ok = c.finding(pglog.Failsafe, "wraparound", Warning,
				"VACUUM entered its failsafe mode once: a table was not frozen for too long",
				"VACUUM entered its failsafe mode {n} times: tables were not frozen for too long",
				say.M("Let autovacuum work faster with a higher autovacuum_vacuum_cost_limit, and find what holds "+
					"back the oldest xmin: pg_stat_activity.backend_xmin, replication slots, prepared transactions."))
		}
	}
	return f, ok
}

func (c *Collector) diskFull(r *Report) (Finding, bool) {
	f, ok := c.finding(pglog.DiskFull, "disk_full", Critical, "Disk or quota full (once)",
		"Disk or quota full ({n} times)")
	if !ok {
		return f, false
	}
	f.Evidence = append(f.Evidence, said(c.places[pglog.DiskFull].list(c))...)
	d := r.DiskFull
	if d.WAL > 0 {
		f.Verdict = say.All("; ", f.Verdict, say.N(d.WAL, "for WAL once", "for WAL {n} times"))
		f.Do = append(f.Do, say.M("pg_wal: find the replication slot or the failing archive_command that retains WAL "+
			"(pg_replication_slots, pg_stat_archiver), and check that max_wal_size fits the disk. Never delete files "+
			"in pg_wal manually."))
	}
	if d.Temp > 0 {
		f.Do = append(f.Do, say.M("Temporary files (pgsql_tmp): with temp_file_limit, only the query that exceeds "+
			"the limit fails."))
	}
	if d.Data > 0 || d.Other > 0 {
		f.Do = append(f.Do, say.M("Run df -h and df -i on the filesystem of the data directory, and check the quota "+
			"of its owner. The messages name the file: base/ and global/ are data, pg_stat_tmp and others are small "+
			"files of the server. Often pg_wal on the same filesystem has filled it."))
	}
	return f, ok
}

func (c *Collector) ioErrors(*Report) (Finding, bool) {
	return c.finding(pglog.IOError, "io_error", Critical, "Storage error (once)",
		"Storage errors ({n} times)",
		say.M("Check dmesg and smartctl -a for the devices of the data directory at these times. Then check the "+
			"data: pg_amcheck (PostgreSQL 14 and later), and pg_checksums --check with the server stopped."))
}

func (c *Collector) outOfMemory(r *Report) (Finding, bool) {
	f, ok := c.finding(pglog.OutOfMemory, "out_of_memory", Critical,
		"Out of memory: {n} allocation failed", "Out of memory: {n} allocations failed")
	if !ok {
		return f, false
	}
	if c.memory.worker > 0 && c.memory.worker == f.Count {
		f.Verdict = say.N(f.Count, "Out of memory in autovacuum: {n} allocation failed, none of a session",
			"Out of memory in autovacuum: {n} allocations failed, none of a session")
	}
	f.Evidence = append(f.Evidence, said(r.Memory.Statements)...)
	for _, t := range c.memory.tables.list(3) {
		f.Evidence = append(f.Evidence, named(t, say.M("autovacuum of table {name}", "name", t.Name),
			say.M("autovacuum of other tables")))
	}
	for _, q := range r.Memory.Requests[:min(len(r.Memory.Requests), 3)] {
		f.Evidence = append(f.Evidence, times(q.words(), q.Count))
	}
	if len(r.Memory.Dumps) == 0 {
		f.Evidence = append(f.Evidence, say.M("no memory context dump found: the server writes it only to stderr, "+
			"without log_line_prefix"))
		f.Do = append(f.Do, say.M("Also read the file that has the stderr of the server. The logging collector "+
			"writes it with the extension .log, next to the csvlog or jsonlog file."))
	}
	if len(r.Memory.Dumps) > 0 {
		f.Do = append(f.Do, advise(r.Memory.Dumps[0])...)
	}
	if c.memory.worker > 0 {
		f.Do = append(f.Do, say.M("An autovacuum worker allocates up to autovacuum_work_mem, or up to "+
			"maintenance_work_mem if that is -1, the default. Set autovacuum_work_mem so that autovacuum_max_workers "+
			"× autovacuum_work_mem fits."))
	}
	f.Do = append(f.Do, say.M("Possible causes: the commit limit (vm.overcommit_memory = 2), an address space limit "+
		"(ulimit -v), or no free memory. On the host, pgfettle check shows which limit is set, and pgfettle plan "+
		"what fits. If the DETAIL is \"Cannot enlarge string buffer\", one value exceeds 1 GB, whatever the memory."))
	return f, true
}

// words describe the request.
func (q *Request) words() say.Message {
	switch {
	case q.Bytes != nil && q.In != "":
		return say.M("request of {size} in memory context {context}", "size", inBytes(*q.Bytes), "context", q.In)
	case q.Bytes != nil:
		return say.M("request of {size}", "size", inBytes(*q.Bytes))
	}
	return say.M("request of unknown size in memory context {context}", "context", q.In)
}

// memoryContexts is the finding of dumps that were requested, or whose error is not in the log.
func (c *Collector) memoryContexts(r *Report) (Finding, bool) {
	if r.Memory.DumpsSeen == 0 || c.kinds[pglog.OutOfMemory].count > 0 {
		return Finding{}, false
	}
	f := Finding{ID: "memory_contexts", Severity: Notice, Count: r.Memory.DumpsSeen,
		Verdict: say.N(r.Memory.DumpsSeen, "Memory contexts: {n} dump", "Memory contexts: {n} dumps")}
	for i := range r.Memory.Dumps {
		d := &r.Memory.Dumps[i]
		f.First, f.Last = cmp.Or(f.First, d.Time), cmp.Or(d.Time, f.Last)
	}
	d := r.Memory.Dumps[0]
	f.Evidence = append(f.Evidence, say.M("largest dump: {size} in total", "size", d.TotalBytes))
	if !d.Whole {
		f.Evidence = append(f.Evidence, say.M("it ends before its grand total, so the total can be larger"))
	}
	if len(d.Largest) > 0 {
		f.Evidence = append(f.Evidence, say.M("largest context: {name}, {size}", "name", d.Largest[0].Name, "size",
			d.Largest[0].Bytes))
	}
	f.Do = advise(d)
	return f, true
}

// advise reads the largest contexts of a dump.
func advise(d Dump) []say.Message {
	has := func(names ...string) (sum unit.Bytes) {
		for _, l := range d.Summed {
			if slices.Contains(names, l.Name) {
				sum += l.Bytes
			}
		}
		return sum
	}
	// A quarter of the whole is more than any part of an ordinary session takes.
	large := func(names ...string) bool {
		b := has(names...)
		return b > 0 && b >= d.TotalBytes/4
	}
	var do say.Message
	switch {
	case large("TupleSort main", "Caller tuples", "TupleSort sort"):
		do = say.M("Much of the memory is in sorts. Lower work_mem for the statement or its role (ALTER ROLE " +
			"ROLE_NAME SET work_mem), or create an index in the sort order.")
	case large("HashBatchContext", "HashTableContext", "HashAgg hashed tuples", "HashAgg meta context"):
		do = say.M("Much of the memory is in hash tables. Lower work_mem or hash_mem_multiplier for the statement, " +
			"and run ANALYZE on its tables: after a wrong row estimate, a hash table can exceed its limit.")
	case large("CacheMemoryContext", "index info", "relation rules", "CachedPlan", "CachedPlanSource",
		"partition descriptor"):
		do = say.M("Much of the memory is in caches of the catalog and of plans. They grow in long-lived sessions " +
			"that use many tables or partitions, or keep many prepared statements. Let the connection pooler replace " +
			"old sessions (server_lifetime in PgBouncer).")
	case large("ExecutorState"):
		do = say.M("Much of the memory is in ExecutorState, which work_mem does not limit: large values, or a " +
			"function that returns all rows at once. Let the statement return less at a time.")
	case large("ExprContext"):
		do = say.M("Much of the memory is in an expression (ExprContext): an aggregate that collects values " +
			"(array_agg, string_agg, json_agg), or a value of hundreds of megabytes. work_mem does not limit it. Let " +
			"the statement collect less at a time.")
	case large("AfterTriggerEvents"):
		do = say.M("Much of the memory is in the queue of AFTER triggers and foreign key checks. Change fewer rows " +
			"per statement, or per transaction if the constraints are deferred, or drop them during a bulk load.")
	case large("MessageContext", "ErrorContext"):
		do = say.M("Much of the memory is in the text or the plan of one statement: megabytes of SQL, or very long " +
			"lists of values. Load such data with COPY, or join a temporary table.")
	default:
		return nil
	}
	return []say.Message{do}
}

func (c *Collector) forkFailed(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.ForkFailed, "fork_failed", Critical, "Could not fork a new process (once)",
		"Could not fork a new process ({n} times)")
	if !ok {
		return f, false
	}
	all := c.kinds[pglog.ForkFailed].words
	// glibc's words, and musl's.
	memory := strings.Contains(all, "Cannot allocate memory") || strings.Contains(all, "Out of memory")
	processes := strings.Contains(all, "Resource temporarily unavailable")
	if memory || !processes {
		f.Do = append(f.Do, say.M("\"Cannot allocate memory\": memory or the commit limit is exhausted (grep Commit "+
			"/proc/meminfo, vm.overcommit_memory). A new process counts with a copy of the postmaster's private "+
			"memory. pgfettle plan shows what fits the host."))
	}
	if processes || !memory {
		f.Do = append(f.Do, say.M("\"Resource temporarily unavailable\": a limit on processes is reached: ulimit -u "+
			"of the account, TasksMax of the unit, pids.max of the cgroup (docker run --pids-limit), or "+
			"kernel.pid_max."))
	}
	return f, true
}

// restoredNothing is the DETAIL of a restore_command that ends well and brings no file.
var restoredNothing = []byte("restore_command returned a zero exit status, but stat() failed")

func (c *Collector) walGone(*Report) (Finding, bool) {
	archive := say.M("The standby or consumer cannot continue from there. If the archive has the segment, set " +
		"restore_command on the standby. Otherwise rebuild it with pg_basebackup, and use a replication slot or " +
		"a larger wal_keep_size.")
	if c.wal.restoredNothing {
		archive = say.M("The standby cannot continue from there. Its restore_command exits with 0 and provides no " +
			"file: correct it, as it must exit with another code if it does not find the segment. If the archive " +
			"does not have the segment, rebuild the standby with pg_basebackup, and use a replication slot or a " +
			"larger wal_keep_size.")
	}
	if len(c.slots) > 0 && !c.wal.restoredNothing {
		archive = say.M("The standby or consumer cannot continue from there. If the archive has the segment, set " +
			"restore_command on the standby. Otherwise rebuild it with pg_basebackup.")
	}
	f, ok := c.finding(pglog.WALGone, "wal_removed", Critical,
		"Requested WAL segment was already removed (once)",
		"Requested WAL segment was already removed ({n} times)", archive)
	for _, k := range c.consumers.list(3) {
		f.Evidence = append(f.Evidence, named(k, say.M("application {name}", "name", k.Name),
			say.M("other applications")))
	}
	for _, k := range c.slots.list(3) {
		f.Evidence = append(f.Evidence, named(k, say.M("replication slot {slot}", "slot", k.Name),
			say.M("other replication slots")))
	}
	if ok && len(c.slots) > 0 {
		f.Do = append(f.Do, say.M("The consumer uses a replication slot, but the slot does not retain that "+
			"segment: it was "+
			"created later, or it exceeded max_slot_wal_keep_size. Check restart_lsn and wal_status in "+
			"pg_replication_slots."))
	}
	if s, more := c.finding(pglog.SlotLost, "wal_removed", Critical, "Replication slot invalidated (once)",
		"Replication slot invalidated ({n} times)",
		say.M("Its consumer cannot continue from there. Usual causes: the slot retained more WAL than "+
			"max_slot_wal_keep_size, or it was inactive for idle_replication_slot_timeout (18 and later). Rebuild "+
			"the consumer, and find out why it did not read.")); more {
		if !ok {
			return s, true
		}
		f.Evidence, f.Do = append(f.Evidence, s.Evidence...), append(f.Do, s.Do...)
		f.Count += s.Count
	}
	return f, ok
}

func (c *Collector) archive(*Report) (Finding, bool) {
	const one, many say.Template = "WAL archiving failed once", "WAL archiving failed {n} times"
	after := say.M("SELECT * FROM pg_stat_archiver; shows the last failure and the last success. Until archiving " +
		"succeeds, pg_wal grows, and point-in-time recovery ends at the last archived segment.")
	f, ok := c.finding(pglog.ArchiveFailed, "archive_failed", Warning, one, many,
		say.M("Run the archive_command manually as the server's user, and correct the cause."), after)
	if n := c.kinds[pglog.ArchiveGaveUp].count; n > 0 {
		if !ok { // the attempts are in another language, or cut away
			if f, ok = c.finding(pglog.ArchiveGaveUp, "archive_failed", Warning, one, many, after); ok {
				f.Evidence = append(f.Evidence, texts(c.kinds[pglog.ArchiveFailed].samples)...)
			}
		}
		f.Evidence = append(f.Evidence, say.N(n, "the archiver paused once after three failed attempts",
			"the archiver paused {n} times, each time after three failed attempts"))
	}
	return f, ok
}

func (c *Collector) configuration(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.ConfigError, "config_error", Warning, "Configuration error (once)",
		"Configuration errors ({n} times)",
		say.M("pgfettle check --conf postgresql.conf shows each error with file and line; on the server, "+
			"pg_file_settings and pg_hba_file_rules do. Until then, changes are not applied or only in part, and the "+
			"next start can fail."))
	if ok && c.fatalConf {
		f.Severity = Critical
		f.Verdict = say.N(f.Count, "Server could not start because of its configuration: {n} message",
			"Server could not start because of its configuration: {n} messages")
		f.Do[0] = say.M("pgfettle check --conf postgresql.conf shows each error with file and line. Correct these " +
			"lines or comment them out (#), and start the server.")
	}
	return f, ok
}

func (c *Collector) outOfShared(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.OutOfShared, "out_of_shared_memory", Warning, "Out of shared memory (once)",
		"Out of shared memory ({n} times)",
		say.M("Almost always the lock table is full. Raise max_locks_per_transaction (restart), or use fewer tables "+
			"and partitions per transaction. pg_dump locks all tables that it dumps in one transaction."))
	f.Evidence = append(f.Evidence, said(c.places[pglog.OutOfShared].list(c))...)
	return f, ok
}

func (c *Collector) tempFiles(r *Report) (Finding, bool) {
	t := r.Temp
	f, ok := c.findingOf(pglog.TempFile, "temporary_files", Notice,
		say.M("Temporary files: {size} in {files}, written by {executions}", "size", t.Bytes, "files",
			say.N(t.Files, "{n} file", "{n} files"), "executions", say.N(t.Spills, "{n} execution", "{n} executions")))
	if !ok {
		return f, false
	}
	// 10 GB an hour written and read back: the disk of a small server is busy with it.
	if r.SpanSeconds > 0 && float64(t.Bytes)/max(r.SpanSeconds, 3600)*3600 > float64(10*unit.GB) {
		f.Severity = Warning
	}
	for _, s := range t.Statements[:min(len(t.Statements), 3)] {
		if s.Within != "" {
			f.Evidence = append(f.Evidence, within(s))
		}
	}
	if len(t.Holds) == 0 { // all of them are of index builds and the like
		return f, true
	}
	var holds say.List
	beyond := false
	for _, h := range t.Holds {
		percent := say.Number(fmt.Sprintf("%d%%", h.Percent))
		if beyond = h.WorkMem > limits.WorkMemMost; beyond {
			holds.Items = append(holds.Items, say.M("more than {value} for {percent}", "value",
				unit.Bytes(limits.WorkMemMost).GUC(), "percent", percent))
			break
		}
		holds.Items = append(holds.Items, say.M("{value} for {percent}", "value", h.WorkMem.GUC(), "percent", percent))
	}
	f.Evidence = append(f.Evidence, say.M("estimated work_mem to avoid temporary files, by share of the executions: "+
		"{values} ({factor} × what they wrote, because rows take two to three times as much memory as disk space)",
		"values", holds, "factor", limits.SpillFactor))
	if beyond {
		f.Evidence = append(f.Evidence, say.M("beyond {value}, change plans and indexes, not work_mem", "value",
			unit.Bytes(limits.WorkMemMost).GUC()))
	}
	f.Do = append(f.Do,
		say.M("Start with these statements: often an index or a better plan makes the sort unnecessary. Then raise "+
			"work_mem only for the role or the statement (ALTER ROLE ROLE_NAME SET work_mem), because each node of "+
			"each session can use that much."),
		say.M("If an execution has several sorts or hashes, these values are upper bounds: each of them has its own "+
			"work_mem, and a hash has hash_mem_multiplier × work_mem (default 2 since PostgreSQL 15)."))
	return f, true
}

// maintenance is the finding of what index builds and the like wrote.
func (c *Collector) maintenance(r *Report) (Finding, bool) {
	m := r.Temp.Maintenance
	if m == nil {
		return Finding{}, false
	}
	t := &c.temp.builds
	f := Finding{ID: "maintenance_spills", Severity: Notice, Count: m.Spills, First: t.first.String(),
		Last: t.last.String(), Verdict: say.N(m.Files,
			"Index builds and other maintenance commands wrote {n} temporary file ({size})",
			"Index builds and other maintenance commands wrote {n} temporary files ({size})", "size", m.Bytes)}
	f.Evidence = append(f.Evidence, say.M("most by one command: {size}", "size", m.Largest))
	if m.Shared > 0 {
		f.Evidence = append(f.Evidence, say.N(m.Shared,
			"{n} file is from a parallel worker, which passes its sorted data on in a file even if memory suffices",
			"{n} files are from parallel workers, which pass their sorted data on in files even if memory suffices"))
	}
	do := say.M("These commands sort within maintenance_work_mem. SET it in the session that runs the command, and " +
		"RESET it afterwards. A parallel build divides it among its workers. pgfettle plan shows what the host can " +
		"afford.")
	if v := unit.Bytes(m.Largest).Scale(limits.SpillFactor).RoundUp(unit.MB); v <= limits.WorkMemMost && m.Shared == 0 {
		do = say.M("These commands sort within maintenance_work_mem. For the largest, run SET maintenance_work_mem = "+
			"'{value}'; in its session (estimated as {factor} × what it wrote), and RESET it afterwards. pgfettle "+
			"plan shows what the host can afford.", "value", v.GUC(), "factor", limits.SpillFactor)
	}
	f.Do = append(f.Do, do)
	return f, true
}

func (c *Collector) tempLimit(*Report) (Finding, bool) {
	return c.finding(pglog.TempLimit, "temp_file_limit", Notice, "temp_file_limit exceeded: {n} error",
		"temp_file_limit exceeded: {n} errors",
		say.M("The limit protects the disk. Check the statement before you raise it: often a join condition is "+
			"missing."))
}

func (c *Collector) deadlocks(r *Report) (Finding, bool) {
	f, ok := c.finding(pglog.Deadlock, "deadlocks", Warning, "{n} deadlock; one of the transactions failed",
		"{n} deadlocks; each time one of the transactions failed",
		say.M("The DETAIL in the log shows the statements. Let all transactions lock rows in the same order (ORDER "+
			"BY … FOR UPDATE), keep them short, and retry the one that fails."))
	if ok {
		if c.locks.untold == f.Count {
			f.Do = []say.Message{say.M("The DETAIL of the error is not in the input: in the server log, it shows the " +
				"statements of all processes. Let all transactions lock rows in the same order (ORDER BY … FOR " +
				"UPDATE), keep them short, and retry the one that fails.")}
		}
		f.Evidence = append(f.Evidence, said(r.Locks.Deadlocked)...)
		for _, h := range c.locks.tiedBy.list(3) {
			f.Evidence = append(f.Evidence, named(h, say.M("held by PID {pid}", "pid", h.Name),
				say.M("held by other processes")))
		}
		f.Evidence = append(f.Evidence, c.lockedOn(c.locks.tiedOn)...)
		f.Evidence = append(f.Evidence, tied(r.Locks.Tied)...)
	}
	return f, ok
}

// shownTied deadlocks are shown one by one.
const shownTied = 3

// tied says which processes and which rows were in the first deadlocks.
func tied(list []Tied) (out []say.Message) {
	for _, x := range list[:min(len(list), shownTied)] {
		var m []say.Message
		if len(x.Processes) > 1 && slices.Contains(x.Processes, x.Victim) {
			m = append(m, say.M("PIDs {pids}, of which {victim} failed", "pids", pids(x.Processes), "victim",
				strconv.Itoa(x.Victim)))
		} else if len(x.Processes) > 1 {
			m = append(m, say.M("PIDs {pids}", "pids", pids(x.Processes)))
		}
		if x.Tuple != "" {
			m = append(m, say.M("tuple {tuple} in relation {name}", "tuple", say.Verbatim(x.Tuple), "name", x.Relation))
		}
		switch {
		case len(m) == 0:
		case x.Time == "" || len(list) == 1:
			out = append(out, say.All("; ", m...))
		default:
			out = append(out, say.M("{time}: {what}", "time", x.Time, "what", say.All("; ", m...)))
		}
	}
	return out
}

func pids(list []int) (out say.List) {
	for _, p := range list {
		out.Items = append(out.Items, say.Text(strconv.Itoa(p)))
	}
	return out
}

// lockedOn returns the relations of waits or of deadlocks.
func (c *Collector) lockedOn(on names) (out []say.Message) {
	for _, k := range on.list(3) {
		one := say.M("relation {name}", "name", k.Name)
		if strings.HasPrefix(k.Name, "relation ") { // the log has its number
			one = say.Text(k.Name)
		}
		out = append(out, named(k, one, say.M("other relations")))
	}
	return out
}

func (c *Collector) lockWaits(r *Report) (Finding, bool) {
	f, ok := c.findingOf(pglog.LockWait, "lock_waits", Notice, say.N(c.kinds[pglog.LockWait].count,
		"{n} lock wait longer than deadlock_timeout; longest: {longest}",
		"{n} lock waits longer than deadlock_timeout; longest: {longest}", "longest", span(r.Locks.Longest)))
	if !ok {
		t, ok := c.finding(pglog.LockTimeout, "lock_waits", Notice,
			"{n} statement did not get its lock (lock_timeout or NOWAIT)",
			"{n} statements did not get their lock (lock_timeout or NOWAIT)",
			say.M("With log_lock_waits = on (reload), the log shows the holder of a lock that is waited for longer "+
				"than deadlock_timeout."))
		t.Evidence = append(t.Evidence, said(c.places[pglog.LockTimeout].list(c))...)
		return t, ok
	}
	if r.Locks.Longest == 0 {
		f.Verdict = say.N(f.Count, "{n} lock wait longer than deadlock_timeout; how long it was is not in the log",
			"{n} lock waits longer than deadlock_timeout; how long they were is not in the log")
	}
	if r.Locks.Longest >= 60 {
		f.Severity = Warning // a minute is more than any user waits
	}
	for _, k := range r.Locks.Kinds[:min(len(r.Locks.Kinds), 4)] {
		f.Evidence = append(f.Evidence, named(k, say.Text(k.Name), say.M("other locks")))
	}
	goesOn := !c.locks.ended && (c.locks.open == nil || c.locks.open[c.locks.longOf])
	if goesOn && r.Locks.Longest > 0 { // for how long it went on is unknown
		f.Verdict = say.N(f.Count, "{n} lock wait longer than deadlock_timeout; longest: at least {longest}",
			"{n} lock waits longer than deadlock_timeout; longest: at least {longest}", "longest",
			span(r.Locks.Longest))
	}
	f.Evidence = append(f.Evidence, c.lockedOn(c.locks.on)...)
	for _, h := range r.Locks.Holders[:min(len(r.Locks.Holders), 3)] {
		f.Evidence = append(f.Evidence, named(h, say.M("held by PID {pid}", "pid", h.Name),
			say.M("held by other processes")))
	}
	if r.Locks.Queue > 1 {
		f.Evidence = append(f.Evidence, say.N(r.Locks.Queue, "longest queue for one lock: {n} session",
			"longest queue for one lock: {n} sessions"))
	}
	for _, w := range r.Locks.Waiting[:min(len(r.Locks.Waiting), 3)] {
		if w.Within != "" {
			f.Evidence = append(f.Evidence, within(w))
		}
	}
	f.Do = append(f.Do, say.M("The DETAIL of each entry shows the PID of the holder. \"ShareLock on transaction\" "+
		"means a row that another transaction has changed: check for sessions idle in transaction. "+
		"AccessExclusiveLock on a relation is usually DDL, TRUNCATE or VACUUM FULL: run these with lock_timeout, and "+
		"retry."))
	return f, true
}

func (c *Collector) canceled(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.Canceled, "canceled", Notice, "{n} statement was canceled by a timeout or on request",
		"{n} statements were canceled by a timeout or on request")
	if ok {
		list, _ := c.statement[1].first(3)
		c.hide(list)
		for _, s := range list {
			if s.Text != "" {
				f.Evidence = append(f.Evidence, said([]Statement{{Text: s.Text, Count: s.Count}})...)
			}
		}
	}
	return f, ok
}

func (c *Collector) vacuumGaveWay(*Report) (Finding, bool) {
	return c.finding(pglog.VacuumCanceled, "autovacuum_canceled", Notice,
		"Autovacuum was canceled once, by a lock conflict", "Autovacuum was canceled {n} times, by lock conflicts",
		say.M("A table whose autovacuum is always canceled is never vacuumed. Find programs that run LOCK TABLE, DDL "+
			"or ANALYZE on it every few minutes."))
}

func (c *Collector) vacuumStuck(r *Report) (Finding, bool) {
	bad := slices.DeleteFunc(slices.Clone(r.Vacuum.Stuck), func(t Took) bool { return !t.stuck() })
	if len(bad) == 0 {
		return Finding{}, false
	}
	f, ok := c.findingOf(pglog.VacuumRun, "autovacuum_stuck", Warning,
		say.N(bad[0].Dead, "Autovacuum could not remove {n} dead row from one table",
			"Autovacuum could not remove {n} dead rows from one table"),
		say.M("Something holds back the oldest xmin: a long-running transaction, a session idle in transaction, a "+
			"replication slot, a prepared transaction, or a standby with hot_standby_feedback and a long query."))
	f.Count = int64(len(bad))
	for _, t := range bad {
		dead := say.N(t.Dead, "{table}: {n} dead row not yet removable", "{table}: {n} dead rows not yet removable",
			"table", t.Table)
		if t.Rows > 0 {
			dead = say.N(t.Dead, "{table}: {n} dead row not yet removable, of {rows} rows in all",
				"{table}: {n} dead rows not yet removable, of {rows} rows in all", "table", t.Table, "rows", t.Rows)
		}
		if t.Time != "" {
			dead = say.M("{dead} ({time})", "dead", dead, "time", t.Time)
		}
		f.Evidence = append(f.Evidence, dead)
	}
	return f, ok
}

// endedByPrimary is what a standby logs when the primary closes the stream at the end of its WAL.
const endedByPrimary = "replication terminated by primary server"

func (c *Collector) stream(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.StreamBroken, "replication_broken", Warning,
		"Replication connection failed or was interrupted once",
		"Replication connection failed or was interrupted {n} times")
	if !ok {
		return f, false
	}
	all := c.kinds[pglog.StreamBroken].words
	if strings.TrimSpace(all) == endedByPrimary {
		f.Severity = Notice
		f.Verdict = say.N(f.Count, "The primary closed the replication stream normally once",
			"The primary closed the replication stream normally {n} times")
		f.Do = append(f.Do, say.M("A primary does this when it shuts down, or when it is on another timeline after a "+
			"promotion. The standby reconnects automatically. If it does not, check that the primary runs."))
		return f, true
	}
	switch {
	case strings.Contains(all, "replication slot ") && strings.Contains(all, "does not exist"):
		f.Do = append(f.Do, say.M("The replication slot does not exist on the other server. For a standby, create "+
			"the slot of primary_slot_name on the primary: SELECT pg_create_physical_replication_slot('SLOT_NAME'); "+
			"or reset primary_slot_name. WAL that was removed in the meantime must come from the archive. A "+
			"subscription that lost its slot must be created again."))
	case strings.Contains(all, "system identifier differs"):
		f.Do = append(f.Do, say.M("The standby was not made from this primary. Rebuild it with pg_basebackup."))
	case strings.Contains(all, "Connection refused"):
		f.Do = append(f.Do, say.M("The other server refused the connection. Check that it runs and listens on this "+
			"address (listen_addresses), and that primary_conninfo or the connection of the subscription is correct."))
	}
	if strings.Contains(all, "timeout") || strings.Contains(all, "closed") || strings.Contains(all, "timed out") ||
		len(f.Do) == 0 {
		f.Do = append(f.Do, say.M("Check the network, and the log of the other server at the same times. "+
			"wal_sender_timeout and wal_receiver_timeout close a connection without messages."))
	}
	return f, true
}

func (c *Collector) conflicts(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.StandbyConflict, "standby_conflicts", Notice,
		"{n} query on a standby was ended by a recovery conflict",
		"{n} queries on a standby were ended by recovery conflicts",
		say.M("max_standby_streaming_delay gives queries more time, but the standby lags more. hot_standby_feedback "+
			"= on avoids conflicts with VACUUM, but causes bloat on the primary."))
	f.Evidence = append(f.Evidence, said(c.places[pglog.StandbyConflict].list(c))...)
	return f, ok
}

func (c *Collector) needsRestart(*Report) (Finding, bool) {
	return c.finding(pglog.NeedsRestart, "needs_restart", Notice,
		"Changed setting requires a restart (once)",
		"Changed settings require a restart ({n} times)",
		say.M("Show the settings that wait: SELECT name, setting FROM pg_settings WHERE pending_restart;"))
}

func (c *Collector) lost(*Report) (Finding, bool) {
	return c.finding(pglog.ConnectionLost, "connections_lost", Notice, "{n} client connection was lost",
		"{n} client connections were lost",
		say.M("Usual causes: programs that are killed, or a firewall or load balancer that drops idle connections. "+
			"tcp_keepalives_idle below its idle timeout prevents that."))
}
