-- Reads pg_stat_replication. Needs: pg_read_all_stats; without it only the number of replicas is seen.
-- Reveal: GRANT pg_monitor TO <role>
select a.application_name, w.state, w.sync_state,
       (case when pg_is_in_recovery() then pg_last_wal_receive_lsn() else pg_current_wal_lsn() end) - w.replay_lsn as lag,
       age(a.backend_xmin) as xmin_age
  from pg_stat_get_wal_senders() w, pg_stat_get_activity(w.pid) a
 order by a.application_name, w.pid
