-- Reads the position in the WAL, the last checkpoint and the start of the server. Needs: any role.
select pg_is_in_recovery() as in_recovery,
       case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_insert_lsn() end - '0/0'::pg_lsn as lsn,
       floor(extract(epoch from (select checkpoint_time from pg_control_checkpoint())))::bigint as checkpoint_at,
       floor(extract(epoch from pg_postmaster_start_time()))::bigint as started_at,
       extract(epoch from clock_timestamp()) as now
