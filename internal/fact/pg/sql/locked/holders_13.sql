-- Reads pg_lock_status() and pg_stat_get_activity(), which pg_locks and pg_stat_activity are views of: the views join pg_database and
-- pg_authid. Needs: any role; the state of sessions of others is shown with pg_read_all_stats.
-- Reveal: GRANT pg_monitor TO <role>
-- OIDs below 16384 are the catalogs; they stay numbers here, as names would be read from pg_class.
-- A prepared transaction holds its locks without a process.
select l.pid, l.relation, a.usesysid, a.datid, a.state, a.backend_type, a.application_name,
       greatest(extract(epoch from clock_timestamp() - a.xact_start), 0) as xact_secs,
       greatest(extract(epoch from clock_timestamp() - a.state_change), 0) as state_secs,
       floor(extract(epoch from a.query_start)) as query_start,
       (select count(*) from pg_lock_status() w where not w.granted and w.locktype = 'relation' and w.relation = l.relation) as waiting
  from pg_lock_status() l
  left join pg_stat_get_activity(null) a on a.pid = l.pid
 where l.granted
   and l.locktype = 'relation'
   and l.mode = 'AccessExclusiveLock'
   and l.relation < 16384
   and l.pid is distinct from pg_backend_pid()
 order by xact_secs desc, l.relation
 limit 20
