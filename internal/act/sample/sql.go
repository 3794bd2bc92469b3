package sample

import (
	"fmt"
	"strings"
)

// guard is sent before each question, in the same transaction: nothing is written, no function of a hostile schema is
// called in place of a system one, and neither a lock nor a slow server is waited for. It holds for the transaction
// only, and leaves no trace in a connection that a pooler lends. %s is the time that the statement may take.
const guard = `select pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true),
 pg_catalog.set_config('transaction_read_only', 'on', true),
 pg_catalog.set_config('statement_timeout', '%s', true),
 pg_catalog.set_config('lock_timeout', '200ms', true),
 pg_catalog.set_config('idle_in_transaction_session_timeout', '10s', true)`

// Statement timeouts: a sample takes milliseconds; sizes take a stat(2) of each of
// what may be a hundred thousand files.
const (
	sampleTimeout = "2s"
	sizeTimeout   = "30s"
)

// The columns of the one row that a server answers at each sample.
const (
	ColStart     = iota // of the postmaster, seconds since the epoch
	colNow              // by the server's clock
	ColCrash            // start of the checkpointer: reset after a crash of a backend
	ColHidden           // sessions that this role may not see
	ColTotal            // client backends, our own left out
	colActive           // the states
	colIdle             //
	colIdleXact         //
	colAborted          //
	colOther            //
	colLock             // active ones that wait, by the type of what for
	colLWLock           //
	colIO               //
	colIPC              //
	colElse             //
	colOldest           // age of the oldest transaction, seconds
	colEnded            // transactions
	colDeadlocks        //
	colHit              // blocks
	colRead             //
	colTempFiles        //
	colTempBytes        //
	colTimed            // checkpoints
	colRequested        //
	colWriteTime        // ms
	colSyncTime         // ms
	ColLSN              // bytes of WAL since the cluster was made
	colFPI              // 14+
	colBackend          // buffers that sessions wrote themselves
	Columns
)

// What changes from one major version to another.
const (
	firstStatWAL      = 14 // pg_stat_wal
	firstCheckpointer = 17 // pg_stat_checkpointer; sessions' own writes are in pg_stat_io alone
)

// sampleSQL is the one question of a sample, for a major version. pg_database has few rows, pg_stat_activity as many as
// there are sessions, and no lock is taken but that of the catalog's rows.
func sampleSQL(major int) string {
	checkpoints := `(select checkpoints_timed as timed, checkpoints_req as requested, checkpoint_write_time as ` +
		`write_time,
       checkpoint_sync_time as sync_time, buffers_backend as backend from pg_stat_bgwriter)`
	if major >= firstCheckpointer {
		checkpoints = `(select c.num_timed + c.restartpoints_timed as timed, c.num_requested + c.restartpoints_req ` +
			`as requested, c.write_time, c.sync_time,
       (select sum(writes) from pg_stat_io where backend_type = 'client backend' and object = 'relation') as backend ` +
			`from pg_stat_checkpointer c)`
	}
	fpi := "null"
	if major >= firstStatWAL {
		fpi = "(select wal_fpi from pg_stat_wal)"
	}
	return fmt.Sprintf(strings.TrimSpace(sampleText), fpi, checkpoints)
}

const sampleText = `
select extract(epoch from pg_postmaster_start_time()), extract(epoch from clock_timestamp()), a.crash, a.hidden, ` +
	`a.total, a.active, a.idle, a.idle_xact, a.aborted,
       a.total - a.active - a.idle - a.idle_xact - a.aborted, a.lock, a.lwlock, a.io, a.ipc, a.other, a.oldest,
       d.ended, d.deadlocks, d.hit, d.fetched - d.hit, d.temp_files, d.temp_bytes, c.timed, c.requested, ` +
	`c.write_time, c.sync_time,
       case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_insert_lsn() end - ` +
	`'0/0'::pg_lsn, %s, c.backend
  from (select max(extract(epoch from backend_start)) filter (where backend_type = 'checkpointer') as crash,
               count(*) filter (where backend_type is null and usesysid is not null and datid is not null) as hidden,
               count(*) filter (where client) as total,
               count(*) filter (where client and state = 'active') as active,
               count(*) filter (where client and state = 'idle') as idle,
               count(*) filter (where client and state = 'idle in transaction') as idle_xact,
               count(*) filter (where client and state = 'idle in transaction (aborted)') as aborted,
               count(*) filter (where waits and wait_event_type = 'Lock') as lock,
               count(*) filter (where waits and wait_event_type = 'LWLock') as lwlock,
               count(*) filter (where waits and wait_event_type = 'IO') as io,
               count(*) filter (where waits and wait_event_type = 'IPC') as ipc,
               count(*) filter (where waits and wait_event_type not in ('Lock', 'LWLock', 'IO', 'IPC')) as other,
               coalesce(max(greatest(extract(epoch from clock_timestamp() - xact_start), 0)) filter (where client), ` +
	`0) as oldest
          from (select *, backend_type = 'client backend' as client, backend_type = 'client backend' and state = ` +
	`'active' and wait_event_type is not null as waits
                  from pg_stat_get_activity(null) where pid <> pg_backend_pid() and application_name is distinct ` +
	`from 'pgfettle') p) a,
       (select sum(pg_stat_get_db_xact_commit(oid) + pg_stat_get_db_xact_rollback(oid)) as ended, ` +
	`sum(pg_stat_get_db_deadlocks(oid)) as deadlocks,
               sum(pg_stat_get_db_blocks_hit(oid)) as hit, sum(pg_stat_get_db_blocks_fetched(oid)) as fetched,
               sum(pg_stat_get_db_temp_files(oid)) as temp_files, sum(pg_stat_get_db_temp_bytes(oid)) as temp_bytes ` +
	`from pg_database) d,
       %s c`

// SizeSQL adds up the databases that this role can access; it takes a stat(2) of each file, so it is only sent with the
// whole evidence. A database that is dropped meanwhile makes it fail, until the next time.
const SizeSQL = `select sum(pg_database_size(oid)) from pg_database
 where datallowconn and (has_database_privilege(oid, 'CONNECT') or pg_has_role('pg_read_all_stats', 'USAGE'))`
