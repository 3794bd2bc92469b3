package serverlog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
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
		From: c.first.String(), To: c.last.String(), Entries: c.entries,
		Crashes: append([]Crash{}, c.crashes.list...), Memory: c.memory.report(c), Temp: c.temp.report(c),
		Checkpoints: c.wal.report(), Locks: c.locks.report(c), Vacuum: c.vacuum.report(c),
		Starts: append([]Start{}, c.starts.list...), Shutdowns: append([]Shutdown{}, c.starts.shutdowns...),
		Refused: c.refusing, Errors: c.errors.list(2 * shownTop), Messages: c.faults.list(),
		Durations: c.durations.report(), Findings: []Finding{},
		Unknown: []known.Gap{}}
	r.SpanSeconds, _ = c.last.since(c.first)
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
		c.strangers,
	} {
		if x, ok := f(r); ok {
			if x.Evidence == nil {
				x.Evidence = []string{}
			}
			if x.Do == nil {
				x.Do = []string{}
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

// finding starts one from the tally of a kind.
func (c *Collector) finding(k pglog.Kind, id, severity, verdict string, do ...string) (Finding, bool) {
	t := &c.kinds[k]
	if t.count == 0 {
		return Finding{}, false
	}
	f := Finding{ID: id, Severity: severity, Count: t.count, First: t.first.String(), Last: t.last.String(), Do: do,
		Verdict: strings.ReplaceAll(verdict, "{n}", times(t.count))}
	f.Evidence = append(f.Evidence, t.samples...)
	for _, w := range t.who.list(3) {
		f.Evidence = append(f.Evidence, fmt.Sprintf("%s: %s", w.Name, times(w.Count)))
	}
	return f, true
}

// inBytes spells a size, and its bytes as the log has them.
func inBytes(b unit.Bytes) string {
	if b < unit.KB {
		return Things(int64(b), "byte", "bytes")
	}
	return fmt.Sprintf("%s (%d bytes)", b, int64(b))
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func Things(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// span spells seconds.
func span(s float64) string {
	switch {
	case s < 0:
		return "a time that is not told"
	case s < 10:
		return fmt.Sprintf("%.2g s", s)
	case s < 120:
		return fmt.Sprintf("%.0f s", s)
	case s < 7200:
		return fmt.Sprintf("%.0f min", s/60)
	}
	return fmt.Sprintf("%.1f h", s/3600)
}

func (c *Collector) corrupt(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.Corrupt, "corruption", Critical,
		"damaged data was met, {n}: this comes before everything else",
		"Stop writing: stop the server and copy the whole data directory with its WAL to another disk before any "+
			"repair; every try at one destroys evidence.",
		"Look for the cause in the disks first: dmesg, smartctl -a, the controller's log, and memory (edac-util, "+
			"memtest). A replica or a backup that is not damaged is the way back; pg_amcheck --heapallindexed shows "+
			"how far it goes.",
		"Leave zero_damaged_pages and ignore_checksum_failure off: they hide the damage and let it spread.")
	f.Evidence = append(f.Evidence, said(c.places[pglog.Corrupt].list(c))...)
	return f, ok
}

func (c *Collector) wraparound(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.Wraparound, "wraparound", Critical,
		"transaction ids are running out: the server warned {n}, and will refuse to write at the end",
		"Look for what holds back the oldest xmin, and end it: pg_stat_activity (backend_xmin), pg_prepared_xacts, "+
			"pg_replication_slots (xmin, catalog_xmin).",
		"Then VACUUM (FREEZE, VERBOSE) the tables with the highest age(relfrozenxid), in each database; no VACUUM "+
			"FULL, it needs transaction ids itself.")
	if n := c.kinds[pglog.Failsafe].count; n > 0 {
		f.Evidence = append(f.Evidence, "vacuum went into its failsafe "+times(n))
		if !ok {
			f, ok = c.finding(pglog.Failsafe, "wraparound", Warning,
				"vacuum went into its failsafe {n}: a table had gone too long without being frozen",
				"Give autovacuum more room: a higher autovacuum_vacuum_cost_limit, and look for what holds back the "+
					"oldest xmin (pg_stat_activity.backend_xmin, slots, prepared transactions).")
		}
	}
	return f, ok
}

func (c *Collector) diskFull(r *Report) (Finding, bool) {
	f, ok := c.finding(pglog.DiskFull, "disk_full", Critical, "a disk was full, {n}")
	if !ok {
		return f, false
	}
	f.Evidence = append(f.Evidence, said(c.places[pglog.DiskFull].list(c))...)
	d := r.DiskFull
	if d.WAL > 0 {
		f.Verdict += ": that of the WAL " + times(d.WAL)
		f.Do = append(f.Do, "For pg_wal: look for a slot or an archive command that retains it (pg_replication_slots, "+
			"pg_stat_archiver), and for a max_wal_size larger than the disk. Never remove files from pg_wal by hand.")
	}
	if d.Temp > 0 {
		f.Do = append(f.Do, "For pgsql_tmp: temp_file_limit makes the one query fail instead of all.")
	}
	if d.Data > 0 || d.Other > 0 {
		f.Do = append(f.Do, "df -h and df -i of the data directory's filesystem, and the quota of its account: the "+
			"messages name the file. base/ and global/ are the data, pg_stat_tmp and the like are small files of the "+
			"server. A full disk often is a full pg_wal on the same one.")
	}
	return f, true
}

func (c *Collector) ioErrors(*Report) (Finding, bool) {
	return c.finding(pglog.IOError, "io_error", Critical, "the storage failed, {n}",
		"Read dmesg and smartctl -a of the devices below the data directory at these times, then check the data: "+
			"pg_amcheck, and pg_checksums --check with the server stopped.")
}

func (c *Collector) outOfMemory(r *Report) (Finding, bool) {
	f, ok := c.finding(pglog.OutOfMemory, "out_of_memory", Critical,
		"memory was refused to a session, {n}: its query failed and the others went on")
	if !ok {
		return f, false
	}
	worker := c.memory.worker > 0 && c.memory.worker == f.Count
	if worker {
		f.Verdict = "memory was refused to an autovacuum worker, " + times(f.Count) +
			": its run failed, and no session is affected"
	}
	f.Evidence = append(f.Evidence, said(r.Memory.Statements)...)
	for _, t := range c.memory.tables.list(3) {
		f.Evidence = append(f.Evidence, "autovacuum of table "+t.Name+": "+times(t.Count))
	}
	for _, q := range r.Memory.Requests[:min(len(r.Memory.Requests), 3)] {
		text := "a request"
		if q.Bytes != nil {
			text = "a request of " + inBytes(*q.Bytes)
		}
		if q.In != "" {
			text += " in " + q.In
		}
		f.Evidence = append(f.Evidence, text+": "+times(q.Count))
	}
	if len(r.Memory.Dumps) == 0 {
		f.Evidence = append(f.Evidence,
			"no memory-context dump was found: the server writes it to standard error alone, without a prefix")
		f.Do = append(f.Do,
			"Read the file that has the server's standard error too (logging_collector keeps one beside csvlog and "+
				"jsonlog only where log_destination names stderr).")
	}
	if len(r.Memory.Dumps) > 0 {
		f.Do = append(f.Do, advise(r.Memory.Dumps[0])...)
	}
	if c.memory.worker > 0 {
		f.Do = append(f.Do,
			"An autovacuum worker allocates up to autovacuum_work_mem, or up to maintenance_work_mem if "+
				"that is -1, the default. Set autovacuum_work_mem so that autovacuum_max_workers times the value fits.")
	}
	f.Do = append(f.Do,
		"The limit that was met is vm.overcommit_memory = 2 with its CommitLimit, a ulimit -v, or no more memory: "+
			"'pgfettle check' tells which of them this host has, 'pgfettle plan' what fits.")
	return f, true
}

// memoryContexts is the finding of dumps that somebody asked for, or whose error is not in
// the log.
func (c *Collector) memoryContexts(r *Report) (Finding, bool) {
	if r.Memory.DumpsSeen == 0 || c.kinds[pglog.OutOfMemory].count > 0 {
		return Finding{}, false
	}
	f := Finding{ID: "memory_contexts", Severity: Notice, Count: r.Memory.DumpsSeen,
		Verdict: "a session wrote down its memory contexts, " + times(r.Memory.DumpsSeen)}
	for i := range r.Memory.Dumps {
		d := &r.Memory.Dumps[i]
		f.First, f.Last = cmp.Or(f.First, d.Time), cmp.Or(d.Time, f.Last)
	}
	d := r.Memory.Dumps[0]
	f.Evidence = append(f.Evidence, fmt.Sprintf("the largest has %s in all", d.TotalBytes))
	if !d.Whole {
		f.Evidence = append(f.Evidence, "it ends before its grand total: there may be more")
	}
	if len(d.Largest) > 0 {
		f.Evidence = append(f.Evidence, fmt.Sprintf("most of it in %s: %s", d.Largest[0].Name, d.Largest[0].Bytes))
	}
	f.Do = advise(d)
	return f, true
}

// advise reads the largest contexts of a dump.
func advise(d Dump) []string {
	var out []string
	has := func(name string) unit.Bytes {
		for _, l := range d.Summed {
			if l.Name == name {
				return l.Bytes
			}
		}
		return 0
	}
	// A quarter of the whole is more than any part of an ordinary session takes.
	large := func(b unit.Bytes) bool { return b > 0 && b >= d.TotalBytes/4 }
	switch {
	case large(has("TupleSort main") + has("Caller tuples") + has("TupleSort sort")):
		out = append(out,
			"Sorts hold it: lower work_mem for this statement or its role (ALTER ROLE … SET work_mem), or give it "+
				"an index in that order.")
	case large(has("HashBatchContext") + has("HashTableContext") + has("HashAgg hashed tuples") +
		has("HashAgg meta context")):
		out = append(out,
			"Hash tables hold it: lower work_mem or hash_mem_multiplier for this statement, and ANALYZE the tables: "+
				"a wrong estimate lets one grow beyond its bound.")
	case large(has("CacheMemoryContext") + has("index info") + has("relation rules") + has("CachedPlan") +
		has("CachedPlanSource") + has("partition descriptor")):
		out = append(out,
			"Caches of the catalog and of plans hold it: a session that lives long and touches many tables or "+
				"partitions, or keeps many prepared statements. Reconnect from time to time (server_lifetime of a "+
				"pooler).")
	case large(has("ExecutorState")):
		out = append(out,
			"ExecutorState holds it: what work_mem does not bound (aggregates that collect, as array_agg, "+
				"string_agg and json; a function that returns all rows at once; large texts). Have the statement "+
				"return less at a time.")
	case large(has("ExprContext")):
		out = append(out,
			"An expression holds it: an aggregate that collects (array_agg, string_agg, json_agg), or a value of "+
				"hundreds of megabytes. work_mem does not bound that; have the statement collect less at a time.")
	case large(has("AfterTriggerEvents")):
		out = append(out,
			"Deferred triggers hold it: commit in smaller steps, or drop the constraint triggers during a bulk load.")
	case large(has("MessageContext") + has("ErrorContext")):
		out = append(out,
			"The text or the plan of one statement holds it: statements of megabytes, lists of very many values. "+
				"Load through COPY or a temporary table.")
	}
	return out
}

func (c *Collector) forkFailed(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.ForkFailed, "fork_failed", Critical,
		"no new process could be made, {n}: connections or workers were refused")
	if !ok {
		return f, false
	}
	all := c.kinds[pglog.ForkFailed].words
	// glibc's words, and musl's.
	memory := strings.Contains(all, "Cannot allocate memory") || strings.Contains(all, "Out of memory")
	processes := strings.Contains(all, "Resource temporarily unavailable")
	if memory || !processes {
		f.Do = append(f.Do, "«Cannot allocate memory»: memory, or the commit limit (grep Commit /proc/meminfo, "+
			"vm.overcommit_memory): a new process needs the right to a copy of the postmaster's. pgfettle plan says "+
			"what fits this host.")
	}
	if processes || !memory {
		f.Do = append(f.Do, "«Resource temporarily unavailable» is a limit of processes: ulimit -u of the account, "+
			"TasksMax of the unit, pids.max of the control group (docker run --pids-limit), kernel.pid_max.")
	}
	return f, true
}

func (c *Collector) walGone(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.WALGone, "wal_removed", Critical,
		"WAL that a standby needed was removed, {n}: it cannot go on from there",
		"Where an archive has it: restore_command on the standby. Else build it anew with pg_basebackup, with a "+
			"replication slot or a larger wal_keep_size.")
	if s, more := c.finding(pglog.SlotLost, "wal_removed", Critical,
		"a replication slot was invalidated, {n}: its consumer cannot go on from there",
		"The slot retained more than max_slot_wal_keep_size, or was idle for too long "+
			"(idle_replication_slot_timeout, 18+): build the consumer anew, and look at why it did not read."); more {
		if !ok {
			return s, true
		}
		f.Evidence, f.Do = append(f.Evidence, s.Evidence...), append(f.Do, s.Do...)
		f.Count += s.Count
	}
	return f, ok
}

func (c *Collector) archive(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.ArchiveFailed, "archive_failed", Warning,
		"WAL could not be archived, {n}: pg_wal grows until its disk is full, and backups have a gap",
		"Run the archive_command by hand as the server's user. SELECT * FROM pg_stat_archiver tells the last "+
			"failure, and when one last succeeded.")
	if n := c.kinds[pglog.ArchiveGaveUp].count; n > 0 {
		text := "the archiver gave up for a minute, " + times(n) + " (after three attempts each)"
		if !ok { // the attempts are in another language, or cut away
			if f, ok = c.finding(pglog.ArchiveGaveUp, "archive_failed", Warning,
				"WAL could not be archived, {n}: pg_wal grows until its disk is full, and backups have a gap",
				"SELECT * FROM pg_stat_archiver tells the last failure, and when one last succeeded."); ok {
				f.Evidence = append(f.Evidence, c.kinds[pglog.ArchiveFailed].samples...)
			}
		}
		f.Evidence = append(f.Evidence, text)
	}
	return f, ok
}

func (c *Collector) configuration(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.ConfigError, "config_error", Warning,
		"the configuration was refused, {n}: what is wrong in it is not in force, and the next start may fail",
		"pgfettle check --conf postgresql.conf names each fault by file and line; pg_file_settings and "+
			"pg_hba_file_rules show them on the server.")
	if ok && c.fatalConf {
		f.Severity = Critical
		f.Verdict = "the server could not start with its configuration: " + Things(f.Count, "line", "lines") +
			" in the log say why"
		f.Do[0] = "pgfettle check --conf postgresql.conf names each fault by file and line. The server starts when " +
			"they are mended or taken out (# before the line)."
	}
	return f, ok
}

func (c *Collector) outOfShared(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.OutOfShared, "out_of_shared_memory", Warning, "a table in shared memory was full, {n}",
		"It is almost always that of locks: raise max_locks_per_transaction (restart), or touch fewer tables or "+
			"partitions in one transaction. For pg_dump of very many tables it has to hold all of them.")
	f.Evidence = append(f.Evidence, said(c.places[pglog.OutOfShared].list(c))...)
	return f, ok
}

func (c *Collector) tempFiles(r *Report) (Finding, bool) {
	t := r.Temp
	f, ok := c.finding(pglog.TempFile, "temporary_files", Notice,
		fmt.Sprintf("%s of temporary files: %s, %s", t.Bytes, Things(t.Files, "file", "files"),
			Things(t.Spills, "execution that spilled", "executions that spilled")))
	if !ok {
		return f, false
	}
	// 10 GB an hour written and read back: the disk of a small server is busy with it.
	if r.SpanSeconds > 0 && float64(t.Bytes)/max(r.SpanSeconds, 3600)*3600 > float64(10*unit.GB) {
		f.Severity = Warning
	}
	for _, s := range t.Statements[:min(len(t.Statements), 3)] {
		if s.Within != "" {
			f.Evidence = append(f.Evidence, "within "+s.Text+": "+s.Within)
		}
	}
	if len(t.Holds) == 0 { // all of them are of index builds and the like
		return f, true
	}
	var holds []string
	for _, h := range t.Holds {
		if h.WorkMem > limits.WorkMemMost {
			holds = append(holds,
				fmt.Sprintf(
					"%d %% would need more than %s each, which is a matter of plans and indexes, not of work_mem",
					h.Percent, unit.Bytes(limits.WorkMemMost).GUC()))
			break
		}
		holds = append(holds, fmt.Sprintf("%s for %d %%", h.WorkMem.GUC(), h.Percent))
	}
	f.Evidence = append(f.Evidence,
		fmt.Sprintf(
			"work_mem that would hold them in memory: %s (%d × what an execution wrote, as rows take two to three "+
				"times the space in memory that they take on disk)", strings.Join(holds, ", "), limits.SpillFactor))
	f.Do = append(f.Do,
		"Begin with these statements: an index or a better plan often makes the sort needless. Then raise work_mem "+
			"for the role or the statement (ALTER ROLE … SET work_mem), not for all: each node of each session may "+
			"take it.",
		"It is a bound from above where an execution has several sorts and hashes, as each has a work_mem of its "+
			"own; hashes have hash_mem_multiplier × work_mem (2 × since 15).")
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
		Last: t.last.String(), Verdict: fmt.Sprintf("of the temporary files %s (%s) %s of index builds, constraints "+
			"and the like, which sort within maintenance_work_mem", Things(m.Files, "file", "files"), m.Bytes,
			map[bool]string{true: "is", false: "are"}[m.Files == 1])}
	f.Evidence = append(f.Evidence, fmt.Sprintf("the largest of these commands wrote %s", m.Largest))
	if m.Shared > 0 {
		f.Evidence = append(f.Evidence, fmt.Sprintf("%s of parallel workers, who hand their sorted parts on in files "+
			"whatever their memory is", Things(m.Shared, "file is", "files are")))
	}
	do := "SET maintenance_work_mem in the session that runs such a command, and put it back: it is divided " +
		"among the " +
		"workers of a parallel build. pgfettle plan says what this host can give."
	if v := unit.Bytes(m.Largest).Scale(limits.SpillFactor).RoundUp(unit.MB); v <= limits.WorkMemMost && m.Shared == 0 {
		do = fmt.Sprintf(
			"SET maintenance_work_mem = '%s' in the session that runs such a command would hold the largest "+
				"(%d × what it wrote); put it back behind. pgfettle plan says what this host can give.", v.GUC(),
			limits.SpillFactor)
	}
	f.Do = append(f.Do, do)
	return f, true
}

func (c *Collector) tempLimit(*Report) (Finding, bool) {
	return c.finding(pglog.TempLimit, "temp_file_limit", Notice, "temp_file_limit ended a query, {n}",
		"That is its purpose. Look at the statement before raising it: a join without a condition is the usual one.")
}

func (c *Collector) deadlocks(r *Report) (Finding, bool) {
	f, ok := c.finding(pglog.Deadlock, "deadlocks", Warning,
		"sessions waited for each other, {n}; the server ended one of them each time",
		"The DETAIL in the log names both statements. Have all transactions lock rows in one order (ORDER BY … FOR "+
			"UPDATE), keep them short, and repeat the one that fails.")
	if ok {
		f.Evidence = append(f.Evidence, said(r.Locks.Deadlocked)...)
		f.Evidence = append(f.Evidence, c.lockedOn(r)...)
	}
	return f, ok
}

// lockedOn tells what was waited for.
func (c *Collector) lockedOn(r *Report) (out []string) {
	for _, k := range r.Locks.Relations[:min(len(r.Locks.Relations), 3)] {
		name := k.Name
		if !strings.HasPrefix(name, "relation ") && !strings.HasPrefix(name, "tuple ") && name != otherNames {
			name = "relation " + name
		}
		out = append(out, "on "+name+": "+times(k.Count))
	}
	return out
}

func (c *Collector) lockWaits(r *Report) (Finding, bool) {
	f, ok := c.finding(pglog.LockWait, "lock_waits", Notice,
		fmt.Sprintf("sessions waited for a lock longer than deadlock_timeout, {n}; the longest told is %s",
			span(r.Locks.Longest)))
	if !ok {
		t, ok := c.finding(pglog.LockTimeout, "lock_waits", Notice, "statements gave up to wait for a lock, {n}",
			"log_lock_waits = on would tell who held it.")
		t.Evidence = append(t.Evidence, said(c.places[pglog.LockTimeout].list(c))...)
		return t, ok
	}
	if r.Locks.Longest >= 60 {
		f.Severity = Warning // a minute is more than any user waits
	}
	for _, k := range r.Locks.Kinds[:min(len(r.Locks.Kinds), 4)] {
		f.Evidence = append(f.Evidence, k.Name+": "+times(k.Count))
	}
	f.Evidence = append(f.Evidence, c.lockedOn(r)...)
	for _, h := range r.Locks.Holders[:min(len(r.Locks.Holders), 3)] {
		f.Evidence = append(f.Evidence, "held by PID "+h.Name+": "+times(h.Count))
	}
	if r.Locks.Queue > 1 {
		f.Evidence = append(f.Evidence, fmt.Sprintf("%d sessions waited for one lock at once", r.Locks.Queue))
	}
	for _, w := range r.Locks.Waiting[:min(len(r.Locks.Waiting), 3)] {
		if w.Within != "" {
			f.Evidence = append(f.Evidence, "within "+w.Text+": "+w.Within)
		}
	}
	f.Do = append(f.Do,
		"The DETAIL of each entry names the holder's PID. «ShareLock on transaction» is a row that another "+
			"transaction has changed: look for sessions idle in transaction. "+
			"AccessExclusiveLock on a relation is DDL or VACUUM FULL: run it with lock_timeout and try again.")
	return f, true
}

func (c *Collector) canceled(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.Canceled, "canceled", Notice,
		"statements were canceled, {n}: by statement_timeout or by their user")
	if ok {
		list, _ := c.statement[1].first(3)
		c.hide(list)
		for _, s := range list {
			if s.Text != "" {
				f.Evidence = append(f.Evidence, times(s.Count)+": "+s.Text)
			}
		}
	}
	return f, ok
}

func (c *Collector) vacuumGaveWay(*Report) (Finding, bool) {
	return c.finding(pglog.VacuumCanceled, "autovacuum_canceled", Notice,
		"autovacuum gave way to a session that wanted the table, {n}",
		"A table whose autovacuum is always canceled is never cleaned: look for LOCK TABLE, DDL or ANALYZE that "+
			"programs run on it every few minutes.")
}

func (c *Collector) vacuumStuck(r *Report) (Finding, bool) {
	// A million rows that wait to be removed are a bloat that can be measured.
	if len(r.Vacuum.Stuck) == 0 || r.Vacuum.Stuck[0].Dead < 1e6 {
		return Finding{}, false
	}
	f, ok := c.finding(pglog.VacuumRun, "autovacuum_stuck", Warning,
		fmt.Sprintf("autovacuum found %d dead rows in one table that it may not remove", r.Vacuum.Stuck[0].Dead),
		"Something holds back the oldest xmin: a long transaction, a session idle in transaction, a replication "+
			"slot, a prepared transaction, or hot_standby_feedback of a standby with a long query.")
	f.Count = int64(len(r.Vacuum.Stuck))
	for _, t := range r.Vacuum.Stuck {
		f.Evidence = append(f.Evidence, fmt.Sprintf("%s: %d dead rows not removable (%s)", t.Table, t.Dead, t.Time))
	}
	return f, ok
}

func (c *Collector) stream(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.StreamBroken, "replication_broken", Warning, "replication was interrupted, {n}")
	if !ok {
		return f, false
	}
	all := c.kinds[pglog.StreamBroken].words
	switch {
	case strings.Contains(all, "replication slot ") && strings.Contains(all, "does not exist"):
		f.Do = append(f.Do, "The slot that primary_slot_name names is not on the primary (any more): create the slot "+
			"with SELECT pg_create_physical_replication_slot('NAME'), or take the setting out. WAL that was removed "+
			"meanwhile has to come from the archive.")
	case strings.Contains(all, "system identifier differs"):
		f.Do = append(f.Do, "The standby is not one of this primary: build it anew with pg_basebackup.")
	case strings.Contains(all, "Connection refused"):
		f.Do = append(f.Do, "The primary did not take connections there: does it run, listen on that address "+
			"(listen_addresses), and is primary_conninfo right?")
	}
	if strings.Contains(all, "timeout") || strings.Contains(all, "closed") || strings.Contains(all, "timed out") ||
		len(f.Do) == 0 {
		f.Do = append(f.Do,
			"Look at the network and at the other side's log at the same times; wal_sender_timeout and "+
				"wal_receiver_timeout end a connection that is silent.")
	}
	return f, true
}

func (c *Collector) conflicts(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.StandbyConflict, "standby_conflicts", Notice,
		"queries of a standby were canceled for the replay of WAL, {n}",
		"max_standby_streaming_delay gives them longer, at the price of a standby that lags; hot_standby_feedback = "+
			"on keeps the rows on the primary, at the price of bloat there.")
	f.Evidence = append(f.Evidence, said(c.places[pglog.StandbyConflict].list(c))...)
	return f, ok
}

func (c *Collector) needsRestart(*Report) (Finding, bool) {
	return c.finding(pglog.NeedsRestart, "needs_restart", Notice, "a changed setting waits for a restart, {n}",
		"SELECT name, setting FROM pg_settings WHERE pending_restart names them.")
}

func (c *Collector) lost(*Report) (Finding, bool) {
	f, ok := c.finding(pglog.ConnectionLost, "connections_lost", Notice,
		"clients went away without saying goodbye, {n}",
		"Programs that are killed, or a firewall or balancer that drops idle connections: tcp_keepalives_idle below "+
			"its limit keeps them.")
	return f, ok
}
